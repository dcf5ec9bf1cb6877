/** Imports an export that this program made: every document with its history, comments, suggestions, assignments, events and assets. */
import { createHash } from 'node:crypto'
import { limits } from '../../shared/limits.ts'
import { findMediaType, maySendAs } from '../../shared/media-types.ts'
import { endsWell, sniff, tailBytes } from '../blobs/sniff.ts'
import { findAccount, findAccountByEmail } from '../domain/accounts/accounts.ts'
import type { Arrivals } from '../domain/documents/arrivals.ts'
import { isStored } from '../domain/documents/deleted.ts'
import { decodeRecord, type Head, keys, type Owner } from '../domain/records/keys.ts'
import { hashSecret, type Vault } from '../domain/secrets.ts'
import { withAccounts } from './account-names.ts'
import { documentFiles, type ExportedDocument, readDocumentFile, readExported, readExportFile } from './export-source.ts'
import type { DocumentFile, ExportFile } from './format.ts'
import { type ImportReport, Reporting } from './report.ts'
import { restoredDocument } from './restored-document.ts'
import { type Source, TransferError } from './source.ts'
import type { StoreReader } from './stored-document.ts'
import { type ArrivingAsset, storeDocument } from './storing.ts'

export interface ImportExportOptions {
  readonly source: Source
  /** The root of the export in the source (`rootOfExport`). */
  readonly root: string
  /** The account that gets the documents whose owners do not exist here. */
  readonly owner: { readonly id: string; readonly name: string } | undefined
  readonly store: StoreReader
  readonly vault: Vault
  readonly baseUrl: string
  readonly now: () => number
  /** Stores the documents. Undefined for a dry run. */
  readonly arrivals: Arrivals | undefined
  readonly onProgress: (done: number, total: number) => void
}

/** Finds the accounts of this instance that match the accounts of the export, first by id and then by email address. */
const matchAccounts = async (
  store: StoreReader,
  { accounts }: ExportFile
): Promise<Map<string, { readonly id: string; readonly name: string }>> => {
  const matches = new Map<string, { readonly id: string; readonly name: string }>()
  for (const { id, email } of accounts) {
    const here =
      (await findAccount({ storage: store }, id)) ?? (email === null ? undefined : await findAccountByEmail({ storage: store }, email))
    if (here !== undefined) matches.set(id, { id: here.id, name: here.name })
  }
  return matches
}

type Destination = { readonly id: string } | 'present' | 'deleted'

/** Returns the id that a document gets on this instance, or whether it is already present or deleted here. An erased document gets a new id. */
const destinationOf = async (
  { store, vault }: ImportExportOptions,
  { id, firstTag }: DocumentFile,
  instance: string
): Promise<Destination> => {
  const headAt = async (each: string): Promise<Head | undefined> => {
    const entry = await store.get(keys.head(each))
    return entry && decodeRecord<Head>(entry.value)
  }
  const head = await headAt(id)
  if (head === undefined) return { id }
  if (head.firstTag === firstTag && head.deletedAt === null) return 'present'
  // A document in the trash, or one that was taken down, can be restored here.
  if (head.firstTag === firstTag && isStored(head)) return 'deleted'
  const other = vault.disguise(['import copy', instance, id, firstTag].join('\0')).slice(0, 16)
  const copy = await headAt(other)
  if (copy === undefined) return { id: other }
  return copy.deletedAt === null ? 'present' : 'deleted'
}

const pathOf = ({ id, extension }: { readonly id: string; readonly extension: string }): string => `/f/${id}.${extension}`

/** Reads an asset, and checks its type, size and hash. Throws `TransferError`. */
const readAsset = async ({ source, root }: ImportExportOptions, asset: DocumentFile['assets'][number]): Promise<Buffer> => {
  const path = root + asset.file
  if (source.find(path) === undefined) throw new TransferError(`${path} is missing.`)
  const bytes = await source.read(path, limits.assetBytesMax)
  const hash = createHash('sha256').update(bytes).digest('base64url')
  if (bytes.length !== asset.size || hash !== asset.hash) throw new TransferError(`${path} is not the file that was exported.`)
  const type = findMediaType(asset.contentType)
  const sniffed = await sniff(bytes)
  const isSound = type !== undefined && type.extension === asset.extension && type.kind === asset.kind && maySendAs(type, sniffed)
  if (!isSound || !endsWell(sniffed, bytes, bytes.subarray(-tailBytes), bytes.length))
    throw new TransferError(`${path} is not ${asset.contentType}.`)
  return bytes
}

interface Assets {
  readonly arriving: readonly ArrivingAsset[]
  /** New addresses by old addresses. */
  readonly renamed: ReadonlyMap<string, string>
}

/** Prepares the assets. An asset whose id is taken on this instance gets a new id. */
const assetsOf = async (options: ImportExportOptions, { assets }: DocumentFile, id: string, report: Reporting): Promise<Assets> => {
  const { store, vault } = options
  const renamed = new Map<string, string>()
  const arriving: ArrivingAsset[] = []
  for (const exported of assets) {
    const problem = await readAsset(options, exported).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof TransferError) return error.message
        throw error
      }
    )
    if (problem !== undefined) {
      report.refuse(exported.file, problem)
      continue
    }
    const { file: _, ...asset } = exported
    const isTaken = (await store.get(keys.assetDocument(asset.id))) !== undefined
    const disguise = (part: string): string => vault.disguise([part, id, asset.id].join('\0')).slice(0, 12)
    const kept = isTaken ? { ...asset, id: disguise('asset copy') + disguise('asset copy 2') } : asset
    if (isTaken) renamed.set(pathOf(asset), pathOf(kept))
    arriving.push({ asset: kept, bytes: () => readAsset(options, exported) })
  }
  return { arriving, renamed }
}

/** Leaves out links whose secrets are already known on this instance, including the secrets of erased documents. */
const withFreeLinks = async ({ store }: ImportExportOptions, exported: ExportedDocument, report: Reporting): Promise<ExportedDocument> => {
  const { document } = exported
  const free: DocumentFile['links'] = []
  for (const link of document.links ?? []) {
    if ((await store.get(keys.key(hashSecret(link.secret)))) === undefined) free.push(link)
    else report.note([{ path: document.file, note: 'had a link whose secret is in use here; the link is not restored' }])
  }
  return { ...exported, document: { ...document, ...(document.links !== undefined && { links: free }) } }
}

/** Adds a note to the report if the readable file was edited after the export. */
const noteEdit = async ({ source, root }: ImportExportOptions, { file, fileHash }: DocumentFile, report: Reporting): Promise<void> => {
  const path = root + file
  const found = source.find(path)
  if (found === undefined || found.bytes > limits.importTextBytesMax) return
  const hash = createHash('sha256')
    .update(await source.read(path, limits.importTextBytesMax))
    .digest('base64url')
  if (hash === fileHash) return
  const note = 'was edited after the export. The exported text is imported; to get the edited one, import the folder documents by itself'
  report.note([{ path: file, note }])
}

type Accounts = ReadonlyMap<string, { readonly id: string; readonly name: string }>

/** Returns the owner that a document gets on this instance. Throws `TransferError` if its account does not exist here. */
const ownerOf = ({ owner }: DocumentFile, accounts: Accounts, fallback: ImportExportOptions['owner']): Owner => {
  if (owner.kind === 'agent') return owner
  const account = owner.kind === 'account' ? (accounts.get(owner.id ?? '') ?? fallback) : fallback
  if (account !== undefined) return { kind: 'account', id: account.id, name: account.name }
  if (owner.kind === 'anonymous') return owner
  throw new TransferError(
    `belongs to ${owner.name ?? 'an account'}, who has no account here. Invite the person, or name another owner with --owner`
  )
}

interface Importing {
  readonly options: ImportExportOptions
  readonly facts: ExportFile
  readonly accounts: Accounts
  readonly report: Reporting
}

const importDocument = async ({ options, facts, accounts, report }: Importing, path: string): Promise<void> => {
  const { source, vault, owner: fallback, arrivals, baseUrl, now } = options
  const document = await readDocumentFile(source, path)
  const destination = await destinationOf(options, document, facts.instance)
  if (destination === 'present' || destination === 'deleted') return report.found({ deletedAt: destination === 'present' ? null : 0 })
  const { id } = destination
  const owner = ownerOf(document, accounts, fallback)
  const exported = await withFreeLinks(options, withAccounts(await readExported(source, path, document), accounts), report)
  const { arriving, renamed } = await assetsOf(options, document, id, report)
  const restored = await restoredDocument(exported, { id, owner, vault, renamed, now: now() })
  await noteEdit(options, document, report)
  if (arrivals !== undefined) {
    await storeDocument(arrivals, restored, arriving)
    if (restored.ownerSecret !== undefined)
      report.links.push({ title: document.title, url: `${baseUrl}/d/${id}?key=${restored.ownerSecret}` })
  }
  if (document.publishedAt !== null)
    report.note([{ path: document.file, note: 'is published, because it was published when it was exported' }])
  report.created(
    restored.characters,
    arriving.map(({ asset }) => ({ bytes: asset.size }))
  )
}

/** Returns the title and the file of a document, for messages; only the file if it cannot be read. */
const namedDocument = async (source: Source, path: string): Promise<string> => {
  try {
    return `${JSON.stringify((await readDocumentFile(source, path)).title)} (${path})`
  } catch (error) {
    if (error instanceof TransferError) return path
    throw error
  }
}

/** Imports an export. Throws `TransferError`, and the errors of `Arrivals`. */
export const importExport = async (options: ImportExportOptions): Promise<ImportReport> => {
  const { source, root, store, arrivals, onProgress } = options
  const facts = await readExportFile(source, root)
  if (facts.completedAt === null) throw new TransferError(`${source.name} is an incomplete export. Export again.`)
  const importing: Importing = { options, facts, accounts: await matchAccounts(store, facts), report: new Reporting() }
  const files = documentFiles(source, root)
  for (const [index, path] of files.entries()) {
    onProgress(index, files.length)
    try {
      await importDocument(importing, path)
    } catch (error) {
      if (!(error instanceof TransferError) || error.fatal) throw error
      importing.report.refuse(await namedDocument(source, path), error.message)
    }
  }
  onProgress(files.length, files.length)
  if (files.length < facts.documents)
    importing.report.refuse(
      'export.json',
      `names ${facts.documents} documents, but the export contains ${files.length}. Copy or export it again`
    )
  return importing.report.end(source.name, 'agmd', arrivals !== undefined)
}
