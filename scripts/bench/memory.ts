/**
 * Measures the resident memory of the server with 10,000 idle documents (stored, not loaded) and with 1,000 open documents (2 KB and one connection
 * each).
 */
import { createDocument, ms, pause, type DocumentAddress, rss, startBare, startProcess, table, Typist } from './support/support.ts'

const idleCount = 10_000
const openCount = 1_000

const agmd = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })
const bare = await startBare('hocuspocus')
const [agmdPid, barePid] = [agmd.child.pid ?? 0, bare.child.pid ?? 0]
const content = 'A line of forty characters, more or less.\n'.repeat(49)
await createDocument(agmd.url, content)
await pause(500)
const begin = { agmd: rss(agmdPid), bare: rss(barePid) }
const created: DocumentAddress[] = []
for (let n = 0; n < idleCount; n += 50)
  created.push(...(await Promise.all(Array.from({ length: 50 }, () => createDocument(agmd.url, content)))))
await pause(2_000)
const idle = rss(agmdPid)

const people = async (url: string | undefined): Promise<void> => {
  for (const [index, one] of created.slice(0, openCount).entries()) {
    // One address can open only 400 sockets.
    const typist = new Typist('c0', { ...one, ...(url === undefined ? {} : { url }), from: `127.0.0.${1 + (index % 4)}` })
    typist.connect()
    await typist.whenSynced()
    if (url !== undefined) {
      typist.text.insert(0, content)
      await typist.whenSettled()
    }
  }
  await pause(2_000)
}
await people(undefined)
const opened = rss(agmdPid)
await people(`http://127.0.0.1:${bare.port}`)
const bareOpened = rss(barePid)
const each = (from: number, to: number): string => ms(((to - from) * 1024) / openCount)
console.log('resident memory, MiB')
table(
  ['server', 'at start', `${idleCount} idle`, `+ ${openCount} open`, 'KiB per open document'],
  [
    ['agmd', ms(begin.agmd), ms(idle), ms(opened), each(idle, opened)],
    ['hocuspocus', ms(begin.bare), '-', ms(bareOpened), each(begin.bare, bareOpened)]
  ]
)
bare.stop()
await agmd.stop()
process.exit(0)
