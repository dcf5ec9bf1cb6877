/** `npm start -- admin export`: its arguments and output. `server/transfer/` does the work. */
import { limits } from '../../shared/limits.ts'
import { findAccountByEmail, normalEmail } from '../domain/accounts/accounts.ts'
import { createVault } from '../domain/secrets.ts'
import { readInstance } from '../storage/data-folder.ts'
import { exportDocuments, type ExportOptions, type ExportReport } from '../transfer/export.ts'
import { openTarget, type Target } from '../transfer/target.ts'
import { type Command, type CommandContext, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { noteTransfer } from './operate.ts'
import { explained } from './explained.ts'
import { blobReader, secretOf, type StoreReader, withReader } from './stores.ts'

const help = `usage: npm start -- admin export TARGET [--owner EMAIL | --doc ID …] [options]

Writes documents to a new folder or zip archive: the text as Markdown files, the assets, and everything else as JSON. admin import can restore all of
it. The command works while the server runs. docs/export.md describes the format.

  TARGET         a new folder, or a zip archive if the name ends with .zip
  --owner EMAIL  only the documents of this account
  --doc ID       only this document, named by its id or address. You can repeat this option
  --with-links   also export the links with their secrets. Anyone who has the export can then use the links
  --json         print the result as JSON, and the progress as lines of JSON on standard error

Without --owner and --doc, all documents are exported. Documents in the trash, accounts and sessions are not exported; a backup contains them.

Examples:
  npm start -- admin export everything.zip
  npm start -- admin export ~/ana --owner ana@example.org`

const options = {
  owner: { type: 'string' },
  doc: { type: 'string', multiple: true },
  'with-links': { type: 'boolean' },
  json: { type: 'boolean' }
} as const

interface Wanted {
  readonly path: string
  readonly owner: string | undefined
  readonly documents: readonly string[] | undefined
  readonly withLinks: boolean
  readonly json: boolean
}

const idOf = (word: string): string => {
  const id = /^(?:https?:\/\/[^/]+\/d\/)?([A-Za-z0-9_-]{12,22})(?:[?#].*)?$/.exec(word)?.[1]
  if (id === undefined) throw new AdminError(`${JSON.stringify(word)} is neither the id nor the address of a document.`)
  return id
}

const wantedOf = (words: readonly string[]): Wanted => {
  const { values, positionals } = parseWords(help, words, options, 1)
  const [path] = positionals
  const { owner, doc, 'with-links': withLinks = false, json = false } = values
  if (path === undefined) throw new AdminError(help)
  if (owner !== undefined && doc !== undefined) throw new AdminError('Use either --owner or --doc, not both.')
  const email = owner === undefined ? undefined : normalEmail(owner)
  if (owner !== undefined && email === undefined) throw new AdminError(`${JSON.stringify(owner)} is not an email address.`)
  return { path, owner: email, documents: doc && [...new Set(doc.map(idOf))], withLinks, json }
}

const scopeOf = async ({ owner, documents }: Wanted, storage: StoreReader): Promise<ExportOptions['scope']> => {
  if (documents !== undefined) return { documents }
  if (owner === undefined) return 'all'
  const account = await findAccountByEmail({ storage }, owner)
  if (account === undefined) throw new AdminError(`No account has the email address ${owner}.`)
  return { account: account.id }
}

const exportTo = async (wanted: Wanted, target: Target, { settings, version, progress }: CommandContext): Promise<ExportReport> => {
  const config = settings()
  const show = progress(wanted.json)
  return withReader(config, async (store) => {
    const scope = await scopeOf(wanted, store)
    const vault = wanted.withLinks ? createVault(await secretOf(config)) : undefined
    const { instance } = (await readInstance(config.dataDir)) ?? { instance: '' }
    return exportDocuments({
      store,
      blobs: await blobReader(config),
      target,
      vault,
      scope,
      instance,
      program: `agmd ${version}`,
      baseUrl: config.baseUrl,
      now: Date.now,
      onProgress: (done, total) => show({ phase: 'exporting', done, total, unit: 'documents' })
    })
  })
}

const textOf = (path: string, { documents, assets, assetBytes, withLinks, notes }: ExportReport): string => {
  const warning = withLinks ? ['It contains the secrets of all links. Keep it safe.'] : []
  const lines = notes.map(({ path: each, note }) => `  ${each}: ${note}`)
  const figures = `Exported ${documents} documents and ${assets} assets (${(assetBytes / 1024 / 1024).toFixed(1)} MiB) to ${path}.`
  return [figures, ...warning, ...lines].join('\n')
}

const run: Command['run'] = async (words, context) => {
  const wanted = wantedOf(words)
  const config = context.settings()
  const target = await openTarget(wanted.path).catch(explained)
  try {
    const { owner, documents } = wanted
    const noted = {
      ...(owner !== undefined && { account: owner }),
      ...(documents !== undefined && { docs: documents.slice(0, limits.adminPageMax) })
    }
    // The audit log is written first, so that nothing leaves the server without a record.
    const unrecorded = await noteTransfer(config, context.version, { kind: 'export', ...noted })
    const report = await exportTo(wanted, target, context)
    const text = [textOf(wanted.path, report), ...(unrecorded === undefined ? [] : [unrecorded])].join('\n')
    const isRecorded = unrecorded === undefined
    const output = wanted.json ? JSON.stringify({ ok: report.failed === 0, target: wanted.path, isRecorded, ...report }) : text
    return { output, ...(report.failed > 0 && { exitCode: 1 }) }
  } catch (error) {
    await target.abort()
    return explained(error)
  }
}

export const exportCommand: Command = {
  usage: 'TARGET [--owner EMAIL | --doc ID …]',
  summary: 'write documents to a folder or zip archive, as Markdown with everything else',
  help,
  run
}
