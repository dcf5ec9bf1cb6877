/**
 * Drawings: pictures of a document's diagrams, for its published page. Drawing needs a browser, so editors' pages create the pictures. A diagram is
 * identified by the hash of its source, so a picture always matches its source.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import type { Caller } from '../rights/caller.ts'
import { type Drawing, decodeRecord, encodeRecord, keys } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Service } from '../service.ts'

/** The color schemes of pictures. */
export const themes = ['light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** Returns the name of a diagram: SHA-256 of its trimmed source, base64url. */
export const hashOfDiagram = (source: string): string => createHash('sha256').update(source.trim()).digest('base64url')

/** Returns all stored drawings of a document, oldest first. */
export const drawingsOf = async ({ storage }: Pick<Service, 'storage'>, doc: string): Promise<readonly Drawing[]> => {
  const entry = await storage.get(keys.drawings(doc))
  return entry === undefined ? [] : decodeRecord<Drawing[]>(entry.value)
}

export const listDrawings = async (service: Service, doc: string): Promise<Output<'listDrawings'>> => ({
  drawings: (await drawingsOf(service, doc)).map(({ source }) => ({ source }))
})

/** Removes pictures and erases their contents from the store's files. */
const removePictures = (tx: Transaction, drawings: readonly Drawing[]): void => {
  if (drawings.length === 0) return
  for (const { source } of drawings) for (const look of themes) tx.delete(keys.picture(tx.head.id, source, look))
  tx.erase()
}

/** Stores a picture, and removes an older picture from the same source. Throws `quota_exceeded`. */
export const storeDrawing = (
  service: Service,
  caller: Caller,
  doc: string,
  { source, title, width, height, light, dark }: Input<'storeDrawing'>
): Promise<Output<'storeDrawing'>> => {
  const hash = hashOfDiagram(source)
  const pictures = { light: encodeRecord(light), dark: encodeRecord(dark) }
  const key = keys.drawings(doc)
  const store = (tx: Transaction): Output<'storeDrawing'> => {
    service.quotas.require(tx.head, pictures.light.length + pictures.dark.length)
    const others = (tx.read<Drawing[]>(key) ?? []).filter((drawing) => drawing.source !== hash)
    const gone = Math.max(0, others.length + 1 - limits.drawingsMax)
    removePictures(tx, others.slice(0, gone))
    for (const look of themes) tx.put(keys.picture(doc, hash, look), pictures[look])
    tx.put(key, encodeRecord([...others.slice(gone), { source: hash, title, width, height }] satisfies Drawing[]))
    tx.head = { ...tx.head, drawings: (tx.head.drawings ?? 0) + 1 }
    return { ok: true, source: hash }
  }
  return service.ledger.write(doc, caller, store, { reads: [key] })
}

/** Removes all pictures of a document. The change must name `keys.drawings` in its `reads`. */
export const removeDrawings = (tx: Transaction): void => {
  const key = keys.drawings(tx.head.id)
  removePictures(tx, tx.read<Drawing[]>(key) ?? [])
  tx.delete(key)
}

/** Returns a picture as SVG; undefined if there is none. */
export const readPicture = async (
  { storage }: Pick<Service, 'storage'>,
  doc: string,
  source: string,
  look: Theme
): Promise<string | undefined> => {
  const entry = await storage.get(keys.picture(doc, source, look))
  return entry && decodeRecord<string>(entry.value)
}
