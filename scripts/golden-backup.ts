/**
 * Creates test/golden/backup-2.tar: an incremental backup of the golden folder, with a change after the full backup. Run it only for a new backup format,
 * with a new file name: `node scripts/golden-backup.ts [file]`.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { openRepository } from '../server/admin/backups/repositories.ts'
import { openTarWriter } from '../server/admin/backups/tar-repository.ts'
import { runAdmin } from '../test/support/operator.ts'
import { startProcess } from '../test/support/start.ts'
import { putMarkdown, readMarkdown } from '../test/support/typist.ts'
import expected from '../test/golden/format-1.json' with { type: 'json' }

const goal = resolve(process.argv[2] ?? 'test/golden/backup-2.tar')
const base = await mkdtemp(join(tmpdir(), 'agmd-golden-backup-'))
const [folder, place] = [join(base, 'data'), join(base, 'place')]
const env = { AGMD_DATA_DIR: folder, AGMD_STORAGE: '' }
await cp(join(import.meta.dirname, '../test/golden/format-1'), folder, { recursive: true })

const serve = async (work: (url: string) => Promise<unknown>): Promise<void> => {
  const server = await startProcess({ folder, env })
  await work(server.url)
  await server.kill('SIGTERM')
}

const { doc, key } = expected.documents[0]!
await serve(async () => undefined)
await runAdmin(['backup', '--to', place], env)
await serve(async (url) => putMarkdown({ url, doc, key }, `Before.\n${(await readMarkdown({ url, doc, key })).content}After.\n`))
await runAdmin(['backup', '--to', place], env)

const [from, to] = [await openRepository(place), await openTarWriter(goal)]
const newest = (await from.names('snapshots')).at(-1)!
for (const name of ['agmd-backup.json', ...(await from.names('chunks')), ...(await from.names('secrets')), newest])
  await to.write(name, (await from.find(name))!)
await to.finish()
await to.close()
await rm(base, { recursive: true, force: true })
