/**
 * Imports a vault of at least 1,000 real Markdown files, searches it, exports it, and compares the files byte for byte: `npm run soak vault [folder]`. By
 * default, the vault consists of the documentation in the installed packages, with its pictures, and of this repository's documentation. It exits with 1
 * if a file is missing or differs.
 */
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { connectForImport } from '../../server/operator-socket.ts'
import { exportDocuments } from '../../server/transfer/export.ts'
import { openFolderSource } from '../../server/transfer/folder-source.ts'
import { importFiles } from '../../server/transfer/import-files.ts'
import { openTarget } from '../../server/transfer/target.ts'
import { start } from '../../test/support/start.ts'

const root = resolve(import.meta.dirname, '../..')
const work = await mkdtemp(join(tmpdir(), 'agmd-vault-'))
const [given] = process.argv.slice(2)

const folders = ['node_modules', '.github', 'deploy', 'docs', 'scripts', 'test']
const kinds = /\.(?:md|markdown|png|gif|jpe?g|webp)$/i

/** Gathers the vault. An import skips hidden folders and those named node_modules, so they get other names. */
const gather = async (): Promise<string> => {
  const into = join(work, 'vault')
  const found = await Promise.all(
    folders.map((folder) => readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(() => []))
  )
  const papers = await readdir(root, { withFileTypes: true })
  for (const entry of [...found.flat(), ...papers].filter((each) => each.isFile() && kinds.test(each.name))) {
    const file = join(entry.parentPath, entry.name)
    const to = join(
      into,
      relative(root, file)
        .replaceAll('node_modules', 'packages')
        .replaceAll(/(^|\/)\./g, '$1dot-')
    )
    await mkdir(dirname(to), { recursive: true })
    await cp(file, to)
  }
  return into
}

const vault = given === undefined ? await gather() : resolve(given)
const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1)
const world = await start({ folder: join(work, 'data'), env: { AGMD_ACCOUNT_MEGABYTES: '0', AGMD_LOG_LEVEL: 'error' } })
const account = await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })
if (account === undefined) throw new Error('the account exists')

const importVault = async (): Promise<Awaited<ReturnType<typeof importFiles>>> => {
  const source = await openFolderSource(vault)
  const arrivals = await connectForImport(world.folder, 'test')
  const { storage: store, vault: secrets } = world.service
  const limits = { assetBytesMax: 200 * 1024 * 1024 }
  const options = { source, format: 'markdown' as const, name: source.name, owner: account, store, vault: secrets, arrivals, ...limits }
  const report = await importFiles({ ...options, onProgress: () => undefined })
  arrivals?.close()
  return report
}

const begin = performance.now()
const report = await importVault()
const { created, refused, notes } = report
console.log(`imported ${created.documents} documents and ${created.assets} assets in ${seconds(begin)} s; ${notes.length} notes`)
const reasons = Map.groupBy(refused, ({ note }) => note)
for (const [reason, alike] of [...reasons].slice(0, 10)) console.log(`  left out ${alike.length}: ${reason}, such as ${alike[0]?.path}`)

const again = performance.now()
const second = await importVault()
console.log(`imported again in ${seconds(again)} s: ${second.created.documents} new, ${second.present} present`)

const { token } = await openSession(world.service, account.id, 'app', 'soak')
const words = 'license'
const searching = performance.now()
const headers = { Authorization: `Bearer ${token}` }
const found = (await (await fetch(`${world.url}/api/docs?query=${words}&limit=100`, { headers })).json()) as { docs: unknown[] }
console.log(`found ${found.docs.length} documents with “${words}” in ${seconds(searching)} s`)

const out = join(work, 'out')
const exporting = performance.now()
const exported = await exportDocuments({
  store: world.service.storage,
  blobs: world.service.blobs,
  target: await openTarget(out),
  vault: undefined,
  scope: 'all',
  program: 'soak',
  instance: 'soak',
  baseUrl: world.url,
  now: Date.now,
  onProgress: () => undefined
})
console.log(`exported ${exported.documents} documents and ${exported.assets} assets in ${seconds(exporting)} s`)

const left = new Set(refused.map(({ path }) => path))
const different: string[] = []
let equal = 0
for (const { path } of (await openFolderSource(vault)).files) {
  if (left.has(path)) continue
  const copy = await readFile(join(out, 'documents', relative(dirname(vault), vault), path)).catch(() => undefined)
  if (copy?.equals(await readFile(join(vault, path))) === true) equal += 1
  else different.push(path)
}
console.log(`${equal} files are equal byte for byte, ${different.length} are missing or differ`)
for (const path of different.slice(0, 20)) console.log(`  ${path}`)
await world.stop()
await rm(work, { recursive: true, force: true })
process.exit(different.length === 0 && created.documents >= 1000 && second.created.documents === 0 ? 0 : 1)
