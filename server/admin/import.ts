/** `npm start -- admin import`: its arguments, and the choice of the reader. `server/transfer/` does the work. */
import { stat } from 'node:fs/promises'
import { type Account, findAccountByEmail, normalEmail } from '../domain/accounts/accounts.ts'
import type { Arrivals } from '../domain/documents/arrivals.ts'
import { createVault } from '../domain/secrets.ts'
import { rootOfExport } from '../transfer/export-source.ts'
import { openFolderSource } from '../transfer/folder-source.ts'
import { importExport } from '../transfer/import-export.ts'
import { importFiles, type FilesFormat } from '../transfer/import-files.ts'
import { type ImportReport, isIncomplete, reportText } from '../transfer/report.ts'
import type { Source } from '../transfer/source.ts'
import { openZipSource } from '../transfer/zip-source.ts'
import { type Command, type CommandContext, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { noteTransfer } from './operate.ts'
import { explained } from './explained.ts'
import { secretOf, type StoreReader, withReader, withTarget } from './stores.ts'

const formats = ['auto', 'agmd', 'markdown', 'obsidian', 'hedgedoc', 'hackmd', 'etherpad'] as const
type Format = (typeof formats)[number]

const help = `usage: npm start -- admin import SOURCE [--owner EMAIL] [--write] [options]

Creates documents from an agmd export, or from the files in a folder or zip archive. Without --write, the command only reports what it would
create and leave out. It works while the server runs, and changes no existing document. If the command is interrupted, run it again to continue. A
second import of the same source creates nothing twice.

  SOURCE           a folder or a zip archive
  --owner EMAIL    the account that will own the documents. From an agmd export, it gets only the documents whose owners have no account here
  --write          create the documents
  --format FORMAT  ${formats.join(', ')}. auto is the default: it recognizes agmd exports and Obsidian vaults
  --name NAME      the name by which a later import recognizes the source. The default is the name of the folder or archive
  --encoding NAME  the encoding of files that are not UTF-8, such as windows-1252
  --json           print the report as JSON, and the progress as lines of JSON on standard error

An agmd export is restored with its history, comments, suggestions, assignments, events and assets. In other sources, links between the files
become links between the documents, and linked pictures, sound and video become assets. In an Obsidian vault, [[links]] and ![[pictures]] do, too.
Etherpad pads (.etherpad) become Markdown. HedgeDoc and HackMD pictures are read from a folder named uploads.

Examples:
  npm start -- admin import ~/Vault --owner ana@example.org
  npm start -- admin import ~/Vault --owner ana@example.org --write
  npm start -- admin import hackmd-export.zip --owner ana@example.org --write
  npm start -- admin import everything.zip --write`

const options = {
  owner: { type: 'string' },
  write: { type: 'boolean' },
  format: { type: 'string' },
  name: { type: 'string' },
  encoding: { type: 'string' },
  json: { type: 'boolean' }
} as const

interface Wanted {
  readonly path: string
  readonly owner: string | undefined
  readonly write: boolean
  readonly format: Format
  readonly name: string | undefined
  readonly encoding: string | undefined
  readonly json: boolean
}

const isFormat = (word: string): word is Format => (formats as readonly string[]).includes(word)

const requireEncoding = (encoding: string | undefined): void => {
  try {
    if (encoding !== undefined) new TextDecoder(encoding)
  } catch (error) {
    throw new AdminError(`${JSON.stringify(encoding)} is not the name of an encoding. Try utf-8, windows-1252 or shift_jis.`, {
      cause: error
    })
  }
}

const wantedOf = (words: readonly string[]): Wanted => {
  const { values, positionals } = parseWords(help, words, options, 1)
  const [path] = positionals
  const { owner, write = false, format = 'auto', name, encoding, json = false } = values
  if (path === undefined) throw new AdminError(help)
  if (!isFormat(format)) throw new AdminError(`${JSON.stringify(format)} is not a format. Choose one of ${formats.join(', ')}.`)
  requireEncoding(encoding)
  const email = owner === undefined ? undefined : normalEmail(owner)
  if (owner !== undefined && email === undefined) throw new AdminError(`${JSON.stringify(owner)} is not an email address.`)
  return { path, owner: email, write, format, name, encoding, json }
}

type OpenSource = Source & { readonly hasObsidian: boolean }

const openSource = async (path: string): Promise<OpenSource> => {
  const found = await stat(path).catch((error: unknown) => {
    throw new AdminError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  })
  if (found.isDirectory()) return openFolderSource(path)
  if (/\.zip$/i.test(path)) return openZipSource(path)
  throw new AdminError(`${path} is neither a folder nor a zip archive. Put single files into a folder first.`)
}

const ownerOf = async (storage: StoreReader, email: string): Promise<Account> => {
  const account = await findAccountByEmail({ storage }, email)
  if (account === undefined)
    throw new AdminError(`No account has the email address ${email}. Invite the person first: npm start -- admin invite ${email}`)
  return account
}

const formatOf = ({ format }: Wanted, { hasObsidian }: OpenSource): FilesFormat => {
  if (format === 'obsidian' || format === 'etherpad') return format
  return format === 'auto' && hasObsidian ? 'obsidian' : 'markdown'
}

/** Returns the root of an export in the source; undefined if the source is read as files. */
const exportRoot = ({ format }: Wanted, source: OpenSource): string | undefined => {
  if (format !== 'auto' && format !== 'agmd') return undefined
  const root = rootOfExport(source)
  if (root === undefined && format === 'agmd') throw new AdminError(`${source.name} is not an export of agmd: it has no export.json.`)
  return root
}

const importWith = async (
  wanted: Wanted,
  source: OpenSource,
  { settings, progress }: CommandContext,
  store: StoreReader,
  arrivals: Arrivals | undefined
): Promise<ImportReport> => {
  const config = settings()
  const show = progress(wanted.json)
  const phase = wanted.write ? 'importing' : 'checking'
  const vault = createVault(await secretOf(config))
  const owner = wanted.owner === undefined ? undefined : await ownerOf(store, wanted.owner)
  const root = exportRoot(wanted, source)
  if (root !== undefined) {
    const onProgress = (done: number, total: number): void => show({ phase, done, total, unit: 'documents' })
    return importExport({ source, root, owner, store, vault, baseUrl: config.baseUrl ?? '', now: Date.now, arrivals, onProgress })
  }
  if (owner === undefined) throw new AdminError('Choose the account that will own the documents: --owner EMAIL.')
  return importFiles({
    source,
    owner,
    store,
    vault,
    arrivals,
    format: formatOf(wanted, source),
    name: wanted.name ?? source.name,
    encoding: wanted.encoding,
    assetBytesMax: config.assetMegabytes * 1024 * 1024,
    onProgress: (done, total) => show({ phase, done, total, unit: 'files' })
  })
}

const next = 'Run the same command again when this is solved: the import continues where it stopped.'

const run: Command['run'] = async (words, context) => {
  const wanted = wantedOf(words)
  const config = context.settings()
  const source = await openSource(wanted.path).catch(explained)
  try {
    const { owner } = wanted
    const noted = { kind: 'import', ...(owner !== undefined && { account: owner }) } as const
    const unrecorded = wanted.write ? await noteTransfer(config, context.version, noted) : undefined
    const report = wanted.write
      ? await withTarget(config, context.version, ({ store, arrivals }) => importWith(wanted, source, context, store, arrivals))
      : await withReader(config, (store) => importWith(wanted, source, context, store, undefined))
    const text = [reportText(report), ...(unrecorded === undefined ? [] : [unrecorded])].join('\n')
    const ok = !isIncomplete(report)
    return {
      output: wanted.json ? JSON.stringify({ ok, isRecorded: unrecorded === undefined, ...report }) : text,
      exitCode: ok ? 0 : 1
    }
  } catch (error) {
    return explained(error, next)
  } finally {
    await source.close()
  }
}

export const importCommand: Command = {
  usage: 'SOURCE [--owner EMAIL] [--write]',
  summary: 'create documents from an export, folder or zip archive; without --write, only report',
  help,
  run
}
