/** Writes one document of an export: its readable file with its assets, and everything else as JSON (docs/export.md). */
import { createHash } from 'node:crypto'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import { locateAnchors, type Anchor } from '../../shared/text/anchors.ts'
import { linesOf } from '../../shared/text/targets.ts'
import type { Blobs } from '../domain/ports.ts'
import type { Share } from '../domain/records/keys.ts'
import type { Vault } from '../domain/secrets.ts'
import { titleOf } from '../domain/text/content.ts'
import { formatVersion, snapshotOf } from '../domain/text/journal.ts'
import { type DocumentFile, exportSchema, type LinkFile, type Position } from './format.ts'
import { relativeAddress } from './file-names.ts'
import { withOutsideLinks } from './restored-links.ts'
import { TransferError } from './source.ts'
import { readJournal, readStored, replay, type StoredDocument, type StoreReader } from './stored-document.ts'
import type { Target } from './target.ts'
import { writeTextFile } from './text-file.ts'

/** The paths of a document's files in the export. */
export interface DocumentPaths {
  readonly id: string
  /** The readable file. */
  readonly file: string
  /** The files of assets, by id. */
  readonly assets: ReadonlyMap<string, string>
}

export interface ExportDocumentOptions {
  readonly store: StoreReader
  readonly blobs: Pick<Blobs, 'open'>
  readonly target: Target
  /** Whether a file was written already. Several documents can have the same file as an asset. */
  readonly isWritten: (path: string) => boolean
  /** Decrypts the secrets of links. Undefined if links are not exported. */
  readonly vault: Vault | undefined
  /** Returns the exported file at an address such as `/d/…` or `/f/…`, with a fragment; undefined if the export does not contain it. */
  readonly fileAt: (address: string) => string | undefined
}

/** The figures of one exported document. */
export interface Exported {
  readonly characters: number
  readonly assets: number
  readonly assetBytes: number
  /** The number of assets whose bytes are missing in the store. */
  readonly missing: number
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url')

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

/** Yields records as lines of JSON. */
function* lines(records: Iterable<unknown>): Generator<Uint8Array> {
  for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`)
}

/** Converts a synchronous iterable to an asynchronous generator. */
async function* pieces(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Returns the records with their current positions in the text. */
const positioned = <T extends { readonly pin: Anchor | null }>(
  ydoc: Y.Doc,
  content: string,
  records: readonly T[]
): (T & { position: Position })[] => {
  const index = linesOf(content)
  const anchored = records.flatMap(({ pin }) => (pin === null ? [] : [pin]))
  const ranges = locateAnchors(ydoc.getText(textRootName), content, anchored)
  let next = 0
  return records.map((record) => {
    const range = record.pin === null ? undefined : ranges[next++]
    return { ...record, position: range === undefined ? null : { ...range, line: index.at(range.from) } }
  })
}

const linkOf = (vault: Vault, { hash: _, sealed, ...share }: Share): LinkFile => ({ ...share, secret: vault.open(sealed, share.id) })

/** Returns the readable text, with links that work outside the service. */
const readable = (content: string, { imported }: StoredDocument, file: string, fileAt: ExportDocumentOptions['fileAt']): Buffer => {
  const text = withOutsideLinks(content, imported, (address) => {
    const [path = '', fragment] = address.split('#')
    const to = fileAt(path)
    return to === undefined ? undefined : relativeAddress(file, to) + (fragment === undefined ? '' : `#${fragment}`)
  })
  return writeTextFile(text, imported ?? {})
}

const documentFile = (
  stored: StoredDocument,
  content: string,
  bytes: Buffer,
  { file, assets: files }: DocumentPaths,
  vault: Vault | undefined
): DocumentFile => {
  const { head, assets, shares, imported } = stored
  const { id, title: givenTitle, kind, owner, createdAt, updatedAt, publishedAt, indexed = false, unsigned } = head
  const { firstTag, replacedSeq, revisionSeq, announcedSeq, unsaved } = head
  return {
    schema: exportSchema,
    id,
    title: titleOf(head, snapshotOf(head, content)),
    givenTitle,
    kind,
    owner,
    createdAt,
    updatedAt,
    publishedAt,
    indexed,
    ...(unsigned === true && { unsigned }),
    version: formatVersion(head),
    firstTag,
    ...(replacedSeq !== undefined && { replacedSeq }),
    revisionSeq,
    announcedSeq,
    unsaved: { ...unsaved, actors: [...unsaved.actors] },
    file,
    fileHash: hashOf(bytes),
    textHash: hashOf(Buffer.from(content)),
    assets: assets.map((asset) => ({ ...asset, file: files.get(asset.id) ?? `data/${id}/assets/${asset.id}.${asset.extension}` })),
    ...(imported !== undefined && { imported: { ...imported, links: [...imported.links], assets: { ...imported.assets } } }),
    ...(vault !== undefined && { links: shares.map((share) => linkOf(vault, share)) })
  }
}

const writeAssets = async ({ blobs, target, isWritten }: ExportDocumentOptions, { assets }: DocumentFile): Promise<number> => {
  let missing = 0
  for (const { id, file, size, createdAt } of assets) {
    if (isWritten(file)) continue
    const blob = await blobs.open(id)
    if (blob === undefined) missing += 1
    else await target.write(file, blob.read(0, size - 1), createdAt)
  }
  return missing
}

/** Writes the journal and the text of the revisions, up to the limit. Returns the newest text. */
const writeHistory = async (
  { store, target }: ExportDocumentOptions,
  { head, revisions }: StoredDocument,
  folder: string,
  ydoc: Y.Doc
): Promise<string> => {
  const entries = await readJournal(store, head)
  const journal = entries.map(({ seq, at, actor, update, tag, redacted, merged }) => ({
    seq,
    at,
    actor,
    update: Buffer.from(update).toString('base64'),
    ...(redacted && { tag }),
    ...(merged !== undefined && { merged })
  }))
  await target.write(`${folder}/journal.jsonl`, pieces(lines(journal)), head.updatedAt)
  const texts: { readonly id: number; readonly text: string; readonly at: number }[] = []
  let bytes = 0
  const bySeq = Map.groupBy(revisions, ({ seq }) => seq)
  const seqs = [...bySeq.keys()].toSorted((one, other) => one - other)
  replay(ydoc, entries, seqs, (seq, text) => {
    for (const { id, createdAt } of bySeq.get(seq) ?? []) {
      bytes += text.length
      texts.push({ id, text, at: createdAt })
    }
    // The oldest revisions are left out first.
    while (bytes > limits.exportRevisionBytesMax) bytes -= texts.shift()?.text.length ?? bytes
  })
  for (const { id, text, at } of texts) await target.write(`${folder}/revisions/${id}.md`, Buffer.from(text), at)
  return ydoc.getText(textRootName).toString()
}

const exportStored = async (
  options: ExportDocumentOptions,
  stored: StoredDocument,
  paths: DocumentPaths,
  ydoc: Y.Doc
): Promise<Exported> => {
  const { target, vault, fileAt } = options
  const { head, revisions, events, comments, suggestions, tasks } = stored
  const folder = `data/${head.id}`
  const content = await writeHistory(options, stored, folder, ydoc)
  const write = (name: string, contents: Uint8Array): Promise<void> => target.write(`${folder}/${name}`, contents, head.updatedAt)
  const bytes = readable(content, stored, paths.file, fileAt)
  const document = documentFile(stored, content, bytes, paths, vault)
  await target.write(paths.file, bytes, head.updatedAt)
  const missing = await writeAssets(options, document)
  await write('text.md', Buffer.from(content))
  await write('revisions.json', json(revisions))
  await target.write(`${folder}/events.jsonl`, pieces(lines(events)), head.updatedAt)
  if (comments.length > 0) await write('comments.json', json(positioned(ydoc, content, comments)))
  if (suggestions.length > 0) await write('suggestions.json', json(positioned(ydoc, content, suggestions)))
  if (tasks.length > 0) await write('tasks.json', json(tasks.map(({ share: { sealed: _, ...share }, ...task }) => ({ ...task, share }))))
  await write('document.json', json(document))
  const assetBytes = stored.assets.reduce((sum, { size }) => sum + size, 0)
  return { characters: content.length, assets: stored.assets.length - missing, assetBytes, missing }
}

/** Writes one document. Returns undefined if it has since been deleted. Throws `TransferError`. */
export const exportDocument = async (options: ExportDocumentOptions, paths: DocumentPaths): Promise<Exported | undefined> => {
  const stored = await readStored(options.store, paths.id)
  if (stored === undefined) return undefined
  const ydoc = new Y.Doc()
  try {
    return await exportStored(options, stored, paths, ydoc)
  } catch (error) {
    const isGone = error instanceof TransferError && (await readStored(options.store, paths.id)) === undefined
    if (isGone) return undefined
    throw error
  } finally {
    ydoc.destroy()
  }
}
