/** Exports documents to a target: chooses them, names their files, and writes one after another. */
import { findAccount } from '../domain/accounts/accounts.ts'
import { isStored } from '../domain/documents/deleted.ts'
import type { Blobs } from '../domain/ports.ts'
import { type Asset, decodeRecord, type Head, type Imported, keys, type Owned } from '../domain/records/keys.ts'
import type { Vault } from '../domain/secrets.ts'
import { titleOf } from '../domain/text/content.ts'
import { findProjection, snapshotOf } from '../domain/text/journal.ts'
import { type DocumentPaths, exportDocument } from './export-document.ts'
import { type ExportFile, exportFormat, exportSchema } from './format.ts'
import { splitName } from '../../shared/files/paths.ts'
import { fileNameOf, uniquePaths } from './file-names.ts'
import { isMarkdown } from '../../shared/files/linked-files.ts'
import { type Note, TransferError } from './source.ts'
import { listAll, type StoreReader } from './stored-document.ts'
import type { Target } from './target.ts'

export interface ExportOptions {
  readonly store: StoreReader
  readonly blobs: Pick<Blobs, 'open'>
  readonly target: Target
  /** Decrypts the secrets of links. Undefined if links are not exported. */
  readonly vault: Vault | undefined
  /** One account's documents, some documents, or everything. */
  readonly scope: { readonly account: string } | { readonly documents: readonly string[] } | 'all'
  readonly program: string
  readonly instance: string
  readonly baseUrl: string | null
  readonly now: () => number
  readonly onProgress: (done: number, total: number) => void
}

export interface ExportReport {
  readonly documents: number
  readonly characters: number
  readonly assets: number
  readonly assetBytes: number
  /** The number of documents that could not be read. */
  readonly failed: number
  readonly withLinks: boolean
  /** Documents and assets that could not be exported, with the reasons. */
  readonly notes: readonly Note[]
}

/** Yields the ids of all documents. Skips the other records of each document. */
async function* allDocuments(store: StoreReader): AsyncGenerator<string> {
  for (let after = ''; ;) {
    const [entry] = await store.list(['d'], { limit: 1, ...(after !== '' && { after }) })
    if (entry === undefined) return
    after = String(entry.key[1])
    if (entry.key.length === 2) yield after
  }
}

async function* chosen({ store, scope }: ExportOptions): AsyncGenerator<string> {
  if (scope === 'all') yield* allDocuments(store)
  else if ('documents' in scope) yield* scope.documents
  else for (const { value } of await listAll(store, keys.ownedBy('account', scope.account))) yield decodeRecord<Owned>(value).doc
}

/** Returns a path in which every part is a valid name. */
const safePath = (path: string): string => path.split('/').map(fileNameOf).join('/')

const fileOf = (head: Head, title: string, imported: Imported | undefined): string => {
  if (imported === undefined) return `documents/${fileNameOf(title)}.md`
  const path = isMarkdown(imported.path) ? imported.path : `${splitName(imported.path)[0]}.md`
  return `documents/${fileNameOf(imported.source)}/${safePath(path)}`
}

const assetFile = (asset: Asset, file: string, imported: Imported | undefined): string => {
  const path = imported?.assets[asset.id]
  if (path !== undefined && imported !== undefined) return `documents/${fileNameOf(imported.source)}/${safePath(path)}`
  const name = fileNameOf(asset.name)
  return `${splitName(file)[0]}.assets/${splitName(name)[1].slice(1).toLowerCase() === asset.extension ? name : `${name}.${asset.extension}`}`
}

/** Returns a function that names an asset's file. Documents that still share an unchanged file of an imported source get the same path. */
const assetPaths = (unique: (path: string) => string): ((path: string, hash: string) => string) => {
  const known = new Map<string, string>()
  return (path, hash) => {
    const name = `${path}\0${hash}`
    const given = known.get(name) ?? unique(path)
    known.set(name, given)
    return given
  }
}

interface Named {
  readonly paths: readonly DocumentPaths[]
  readonly owners: ReadonlySet<string>
  /** The number of documents that are in the trash or were taken down. */
  readonly trashed: number
  readonly unknown: readonly string[]
}

/** Names the files for all chosen documents before any file is written, because documents link to each other. */
const nameFiles = async (options: ExportOptions): Promise<Named> => {
  const { store } = options
  const unique = uniquePaths()
  const assetPath = assetPaths(unique)
  const paths: DocumentPaths[] = []
  const owners = new Set<string>()
  const unknown: string[] = []
  let trashed = 0
  for await (const id of chosen(options)) {
    const entry = await store.get(keys.head(id))
    const head = entry && decodeRecord<Head>(entry.value)
    if (head === undefined) unknown.push(id)
    else if (head.deletedAt !== null) trashed += Number(isStored(head))
    if (head === undefined || head.deletedAt !== null) continue
    const found = await store.get(keys.imported(id))
    const imported = found && decodeRecord<Imported>(found.value)
    const projection = (await findProjection(store, id)) ?? snapshotOf(head, '')
    const file = unique(fileOf(head, titleOf(head, projection), imported))
    const assets = (await listAll(store, keys.assets(id))).map(({ value }) => decodeRecord<Asset>(value))
    paths.push({ id, file, assets: new Map(assets.map((asset) => [asset.id, assetPath(assetFile(asset, file, imported), asset.hash)])) })
    if (head.owner.kind === 'account' && head.owner.id !== undefined) owners.add(head.owner.id)
  }
  return { paths, owners, trashed, unknown }
}

/** Returns a function that finds the exported file at an address of this service, with or without its origin. */
const finder = (paths: readonly DocumentPaths[], baseUrl: string | null): ((address: string) => string | undefined) => {
  const documents = new Map(paths.map(({ id, file }) => [id, file]))
  const assets = new Map(paths.flatMap((each) => [...each.assets]))
  return (address) => {
    const path = baseUrl !== null && address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : address
    const [, kind, id = ''] = /^\/(d|f)\/([A-Za-z0-9_-]{12,24})(?:\.[a-z0-9]+)?$/.exec(path) ?? []
    return kind === 'd' ? documents.get(id) : kind === 'f' ? assets.get(id) : undefined
  }
}

const accountsOf = async (store: StoreReader, ids: ReadonlySet<string>): Promise<ExportFile['accounts']> => {
  const accounts = await Promise.all([...ids].toSorted().map((id) => findAccount({ storage: store }, id)))
  return accounts.flatMap((account) => (account === undefined ? [] : [{ id: account.id, name: account.name, email: account.email }]))
}

/** Writes the export. Throws `TransferError`, and store errors. */
export const exportDocuments = async (options: ExportOptions): Promise<ExportReport> => {
  const { store, target, vault, baseUrl, onProgress, now } = options
  const startedAt = now()
  const { paths, owners, trashed, unknown } = await nameFiles(options)
  const notes: Note[] = unknown.map((id) => ({ path: id, note: 'does not exist' }))
  if (trashed > 0)
    notes.push({
      path: 'trash',
      note: `${trashed} documents are left out, because they are in the trash or were taken down. Restore those that you need`
    })
  const accounts = await accountsOf(store, owners)
  const fileAt = finder(paths, baseUrl)
  const written = new Set<string>()
  const noting: Target = {
    ...target,
    write: async (path, contents, at) => {
      await target.write(path, contents, at)
      written.add(path)
    }
  }
  let failed = 0
  const total = { documents: 0, characters: 0, assets: 0, assetBytes: 0 }
  for (const [index, path] of paths.entries()) {
    onProgress(index, paths.length)
    const exported = await exportDocument({ ...options, target: noting, isWritten: (file) => written.has(file), fileAt }, path).catch(
      (error: unknown) => {
        if (!(error instanceof TransferError) || error.fatal) throw error
        return error.message
      }
    )
    if (typeof exported !== 'object') {
      notes.push({ path: path.id, note: exported ?? 'was deleted during the export' })
      failed += Number(exported !== undefined)
      continue
    }
    if (exported.missing > 0)
      notes.push({ path: path.file, note: `${exported.missing} assets have no bytes in the store. Check AGMD_BLOBS` })
    total.documents += 1
    for (const field of ['characters', 'assets', 'assetBytes'] as const) total[field] += exported[field]
  }
  onProgress(paths.length, paths.length)
  const { program, instance } = options
  const facts: ExportFile = {
    format: exportFormat,
    schema: exportSchema,
    program,
    instance,
    baseUrl,
    startedAt,
    completedAt: now(),
    documents: total.documents,
    withLinks: vault !== undefined,
    accounts
  }
  // This file is written last. Its `completedAt` shows that the export is complete.
  await target.write('export.json', Buffer.from(`${JSON.stringify(facts, null, 2)}\n`), startedAt)
  await target.end()
  return { ...total, failed, withLinks: vault !== undefined, notes }
}
