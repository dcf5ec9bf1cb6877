/** Measures the bytes on disk for one keystroke, as a separate journal record and in the compressed history, compared with the bare Yjs update. */
import { createDocument, ms, start, table, Typist } from './support/support.ts'

const edits = 2_000
const world = await start({ env: { AGMD_LOG_LEVEL: 'warn' } })
const target = await createDocument(world.url, '# Journal\n')
const typist = new Typist('c0', target)
typist.connect()
await typist.whenSynced()
let bare = 0
typist.ydoc.on('update', (update: Uint8Array) => (bare += update.length))
const { storage } = world.service

/** Returns the total size of the document's values under one part of its keys, in bytes, and their number. */
const bytesOf = async (part: string): Promise<{ bytes: number; count: number }> => {
  const entries = await storage.list(['d', target.doc, part])
  return { bytes: entries.reduce((sum, { value }) => sum + value.length, 0), count: entries.length }
}

for (let n = 0; n < 450; n++) {
  typist.text.insert(typist.text.length, String.fromCharCode(97 + (n % 26)))
  await typist.whenSettled()
}
const tail = await bytesOf('update')
const bareTail = bare / 450
for (let n = 450; n < edits; n++) {
  typist.text.insert(typist.text.length, String.fromCharCode(97 + (n % 26)))
  await typist.whenSettled()
}
typist.destroy()
const history = await bytesOf('history')
const left = await bytesOf('update')
const compacted = edits - left.count
console.log(`one keystroke at a time, each awaited, ${edits} edits`)
table(
  ['what', 'bytes per edit'],
  [
    ['bare Yjs update', ms(bareTail)],
    ['journal record', ms(tail.bytes / tail.count)],
    ['compressed history', ms(history.bytes / compacted)]
  ]
)
await world.stop()
process.exit(0)
