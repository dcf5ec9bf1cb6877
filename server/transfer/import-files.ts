/**
 * Imports Markdown files, and files from other programs that it converts to Markdown. Plans each document, and stores it unless this is a dry run.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../shared/limits.ts'
import { maySendAs } from '../../shared/media-types.ts'
import { endsWell, sniff, tailBytes } from '../blobs/sniff.ts'
import type { Arrivals } from '../domain/documents/arrivals.ts'
import type { Storage } from '../domain/ports.ts'
import { type Asset, decodeRecord, encodeRecord, type Head, keys } from '../domain/records/keys.ts'
import { actorNamed } from '../domain/rights/caller.ts'
import type { Vault } from '../domain/secrets.ts'
import { etherpadText } from './etherpad.ts'
import { indexFiles, isMarkdown, typeOfPath } from '../../shared/files/linked-files.ts'
import { type MarkdownPlanOptions, planMarkdown } from './markdown-plan.ts'
import { newDocument } from './new-document.ts'
import type { Ids, PlannedAsset, PlannedDocument } from './planned.ts'
import { type ImportReport, Reporting } from './report.ts'
import { type Source, type SourceFile, TransferError } from './source.ts'
import { type ArrivingAsset, storeDocument } from './storing.ts'

/** The kinds of sources that consist of files. All of them can contain both Markdown files and Etherpad pads. */
export type FilesFormat = 'markdown' | 'obsidian' | 'etherpad'

export interface ImportFilesOptions {
  readonly source: Source
  readonly format: FilesFormat
  /** The name under which a second import finds the first import's documents. */
  readonly name: string
  readonly owner: { readonly id: string; readonly name: string }
  readonly encoding?: string | undefined
  readonly assetBytesMax: number
  readonly store: Pick<Storage, 'get'>
  readonly vault: Vault
  /** Stores the documents. Undefined for a dry run. */
  readonly arrivals: Arrivals | undefined
  readonly onProgress: (done: number, total: number) => void
}

/** Creates ids that only this instance can compute, so that nobody can guess an asset's address. */
const idsOf = (vault: Vault, owner: string, source: string): Ids => {
  const known = new Map<string, string>()
  return {
    document(path) {
      const id = known.get(path) ?? vault.disguise(['import document', owner, source, path].join('\0')).slice(0, 16)
      known.set(path, id)
      return id
    },
    asset: (document, path) =>
      vault.disguise(['import asset', document, path].join('\0')).slice(0, 12) +
      vault.disguise(['import asset 2', document, path].join('\0')).slice(0, 12)
  }
}

/** Returns why the bytes cannot be an asset; undefined if they can. */
const reasonAgainst = async ({ type }: PlannedAsset, bytes: Uint8Array): Promise<string | undefined> => {
  const sniffed = await sniff(bytes)
  if (!maySendAs(type, sniffed))
    return `is not ${type.contentType}, although its name says so${sniffed === undefined ? '' : `; it is ${sniffed}`}`
  if (!endsWell(sniffed, bytes, bytes.subarray(-tailBytes), bytes.length)) return 'is truncated or has extra bytes at its end'
  return undefined
}

const isText = (path: string, format: FilesFormat): boolean =>
  isMarkdown(path) || path.endsWith('.etherpad') || (format === 'etherpad' && path.endsWith('.txt'))

const planFile = (file: SourceFile, bytes: Buffer, options: MarkdownPlanOptions): PlannedDocument | string => {
  if (!file.path.endsWith('.etherpad')) return planMarkdown(file, bytes, options)
  const pad = etherpadText(bytes)
  if (typeof pad === 'string') return pad
  const planned = planMarkdown(file, Buffer.from(pad.text), options)
  if (typeof planned === 'string') return planned
  const notes = pad.notes.map((note) => ({ path: file.path, note }))
  return { ...planned, at: pad.at ?? planned.at, notes: [...notes, ...planned.notes] }
}

/** Reads and checks a planned document's assets. Returns false if one was refused, so that the document must be planned again. */
const checkAssets = async (
  source: Source,
  { assets }: PlannedDocument,
  refused: Map<string, string>,
  checked: Set<string>
): Promise<boolean> => {
  let sound = true
  for (const asset of assets) {
    if (checked.has(asset.path)) continue
    const reason = await source
      .read(asset.path, limits.assetBytesMax)
      .then((bytes) => reasonAgainst(asset, bytes))
      .catch((error: unknown) => {
        if (error instanceof TransferError) return error.message
        throw error
      })
    if (reason === undefined) checked.add(asset.path)
    else refused.set(asset.path, reason)
    sound &&= reason === undefined
  }
  return sound
}

const arriving = async (source: Source, planned: PlannedAsset, createdAt: number): Promise<ArrivingAsset> => {
  const { id, name, path, type } = planned
  const bytes = await source.read(path, limits.assetBytesMax)
  const hash = createHash('sha256').update(bytes).digest('base64url')
  const { contentType, extension, kind } = type
  const asset: Asset = { id, extension, contentType, kind, name, size: bytes.length, hash, createdAt }
  return { asset, bytes: () => source.read(path, limits.assetBytesMax) }
}

/** Stores a planned document. */
const store = async (arrivals: Arrivals, { source, owner }: ImportFilesOptions, planned: PlannedDocument): Promise<void> => {
  const author = { kind: 'account', id: owner.id, name: owner.name } as const
  const records = newDocument({ ...planned, owner: author, actor: actorNamed(author) })
  const imported = { key: keys.imported(planned.id), value: encodeRecord(planned.imported) }
  const assets: ArrivingAsset[] = []
  for (const asset of planned.assets) assets.push(await arriving(source, asset, planned.at))
  await storeDocument(arrivals, { ...records, pieces: [...records.pieces, imported] }, assets)
}

/** Returns a function that plans the document of a file. It returns the reason as a string if the file cannot be imported. */
const planner = ({ source, encoding, name, format, vault, owner, assetBytesMax }: ImportFilesOptions) => {
  const refused = new Map<string, string>()
  const checked = new Set<string>()
  const ids = idsOf(vault, owner.id, name)
  const obsidian = format === 'obsidian'
  const options: MarkdownPlanOptions = { source: name, files: indexFiles(source.files), ids, obsidian, encoding, refused, assetBytesMax }
  const plan = async (file: SourceFile): Promise<PlannedDocument | string> => {
    if (file.bytes > limits.importTextBytesMax) return `has ${file.bytes} bytes; the limit for a text file is ${limits.importTextBytesMax}`
    try {
      const bytes = await source.read(file.path, limits.importTextBytesMax)
      for (;;) {
        const planned = planFile(file, bytes, options)
        if (typeof planned === 'string' || (await checkAssets(source, planned, refused, checked))) return planned
      }
    } catch (error) {
      if (error instanceof TransferError) return error.message
      throw error
    }
  }
  return { ids, plan }
}

/** Imports the files of a source. Throws `TransferError`, and the errors of `Arrivals`. */
export const importFiles = async (options: ImportFilesOptions): Promise<ImportReport> => {
  const { source, format, name, store: reader, arrivals, onProgress } = options
  const { ids, plan } = planner(options)
  const report = new Reporting()
  for (const { path, note } of source.notes) report.refuse(path, note)
  const used = new Set<string>()

  const importFile = async (file: SourceFile): Promise<void> => {
    const entry = await reader.get(keys.head(ids.document(file.path)))
    if (entry !== undefined) return report.found(decodeRecord<Head>(entry.value))
    const planned = await plan(file)
    if (typeof planned === 'string') return report.refuse(file.path, planned)
    if (arrivals !== undefined) await store(arrivals, options, planned)
    for (const { path } of planned.assets) used.add(path)
    report.created(planned.text.length, planned.assets)
    report.note(planned.notes)
  }

  const texts = source.files.filter(({ path }) => isText(path, format))
  if (texts.length === 0) throw new TransferError(`${source.name} has no Markdown files. Import a folder or archive that contains them.`)
  for (const [index, file] of texts.entries()) {
    onProgress(index, texts.length)
    await importFile(file)
  }
  onProgress(texts.length, texts.length)
  // If an earlier import created documents, it is unknown which files they use, so no file is reported as unused.
  const unused = report.present > 0 ? [] : source.files.filter(({ path }) => !isText(path, format) && !used.has(path))
  for (const { path } of unused) report.refuse(path, typeOfPath(path) === undefined ? 'is not Markdown' : 'is used by no imported document')
  return report.end(name, format, arrivals !== undefined)
}
