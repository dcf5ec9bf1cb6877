/**
 * Plans documents from Markdown files: links between the files become links between the documents, and linked pictures become assets. `Imported` notes
 * every changed link, so that an export can restore the files byte for byte.
 */
import { limits } from '../../shared/limits.ts'
import { plainName, titleIn } from '../../shared/names.ts'
import type { Imported } from '../domain/records/keys.ts'
import { type Files, isMarkdown, typeOfPath } from '../../shared/files/linked-files.ts'
import { baseNameOf, splitName } from '../../shared/files/paths.ts'
import { linkForWiki, wikiParts } from '../../shared/markdown/wiki-links.ts'
import { type Link, linksIn, type Rewrite, rewritten } from '../../shared/markdown/links-in-text.ts'
import type { Ids, PlannedAsset, PlannedDocument } from './planned.ts'
import type { Note, SourceFile } from './source.ts'
import { readTextFile, type TextFile } from './text-file.ts'

export interface MarkdownPlanOptions {
  readonly source: string
  readonly files: Files<SourceFile>
  readonly ids: Ids
  /** Whether `[[…]]` is a link, and whether a file's name is its document's title. */
  readonly obsidian: boolean
  /** The encoding of files that are not UTF-8. */
  readonly encoding?: string | undefined
  /** Files that cannot become assets, with the reasons. */
  readonly refused: ReadonlyMap<string, string>
  /** The largest total size of a document's assets, in bytes. */
  readonly assetBytesMax: number
}

/** One document's assets and notes, which are gathered while its links are changed. */
interface Gathering {
  readonly document: string
  readonly assets: Map<string, PlannedAsset>
  readonly missing: Set<string>
  readonly notes: Note[]
  bytes: number
}

/** Returns the address of the asset for a file. Adds the asset, or a note if the document cannot have it. */
const assetAddress = (file: SourceFile, gathering: Gathering, { ids, refused, assetBytesMax }: MarkdownPlanOptions): string | undefined => {
  const known = gathering.assets.get(file.path)
  if (known !== undefined) return `/f/${known.id}.${known.type.extension}`
  const leave = (why: string): undefined => void gathering.notes.push({ path: file.path, note: why })
  const reason = refused.get(file.path)
  if (reason !== undefined) return leave(reason)
  const type = typeOfPath(file.path)
  if (type === undefined) return leave('is linked, but documents store only pictures, sound and video. The link stays as it is')
  if (file.bytes === 0) return leave('is empty')
  if (file.bytes > limits.assetBytesMax) return leave(`has ${file.bytes} bytes; the limit for an asset is ${limits.assetBytesMax}`)
  if (gathering.bytes + file.bytes > assetBytesMax)
    return leave('does not fit: the assets of its document would be larger than AGMD_ASSET_MEGABYTES allows')
  const id = ids.asset(gathering.document, file.path)
  gathering.assets.set(file.path, { id, path: file.path, name: baseNameOf(file.path), type, bytes: file.bytes })
  gathering.bytes += file.bytes
  return `/f/${id}.${type.extension}`
}

/** Returns the new address of a file, with the fragment of the old address. */
const addressOf = (file: SourceFile, fragment: string, gathering: Gathering, options: MarkdownPlanOptions): string | undefined =>
  isMarkdown(file.path) ? `/d/${options.ids.document(file.path)}${fragment}` : assetAddress(file, gathering, options)

const rewriteAddress = (from: string, link: Link, gathering: Gathering, options: MarkdownPlanOptions): Rewrite | undefined => {
  const [, address = '', fragment = ''] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/s.exec(link.target) ?? []
  const file = options.files.at(from, address)
  if (file === undefined) {
    if (address !== '' && !/^[a-z][a-z0-9+.-]*:|^\//i.test(address)) gathering.missing.add(address)
    return undefined
  }
  const insert = addressOf(file, fragment, gathering, options)
  return insert === undefined ? undefined : { from: link.from, to: link.to, insert }
}

const rewriteWiki = (from: string, link: Link, gathering: Gathering, options: MarkdownPlanOptions): Rewrite | undefined => {
  const parts = wikiParts(link.target)
  const file = options.files.named(from, parts.name)
  if (file === undefined && parts.name !== '') {
    gathering.missing.add(parts.name)
    return undefined
  }
  const address = file === undefined ? parts.fragment : addressOf(file, parts.fragment, gathering, options)
  if (address === undefined || address === '') return undefined
  const isPicture = link.embeds && file !== undefined && !isMarkdown(file.path)
  if (link.embeds && !isPicture) gathering.notes.push({ path: from, note: `embedded ${parts.name}, which is a link now` })
  return { from: link.from, to: link.to, insert: linkForWiki(parts, address, isPicture ? file.path : undefined) }
}

const rewriteOf = (from: string, link: Link, gathering: Gathering, options: MarkdownPlanOptions): Rewrite | undefined =>
  (link.kind === 'wiki' ? rewriteWiki : rewriteAddress)(from, link, gathering, options)

/** The largest number of missing targets that the notes name for each document. */
const missingMax = 5

const missingNote = (path: string, missing: ReadonlySet<string>): Note[] => {
  if (missing.size === 0) return []
  const named = [...missing].slice(0, missingMax).join(', ')
  return [{ path, note: `has links to files that are not in the source: ${named}${missing.size > missingMax ? ' and others' : ''}` }]
}

/** Returns the given title. In a vault, the title is the file's name. Elsewhere, the file's name is the title only if the text has none. */
const titleOf = (path: string, { text }: TextFile, { obsidian }: MarkdownPlanOptions): string | null => {
  const { set, heading } = titleIn(text)
  const name = plainName(splitName(baseNameOf(path))[0], limits.titleUnitsMax) || null
  return obsidian || (set === undefined && heading === undefined) ? name : null
}

/** Plans the document of a Markdown file. Returns the reason as a string if the file cannot be imported. */
export const planMarkdown = (file: SourceFile, bytes: Uint8Array, options: MarkdownPlanOptions): PlannedDocument | string => {
  const read = readTextFile(bytes, options.encoding)
  if (typeof read === 'string') return read
  const id = options.ids.document(file.path)
  const gathering: Gathering = { document: id, assets: new Map(), missing: new Set(), notes: [], bytes: 0 }
  const rewrites = linksIn(read.text, options.obsidian).flatMap((link) => rewriteOf(file.path, link, gathering, options) ?? [])
  const text = rewritten(read.text, rewrites)
  if (text.length > limits.contentUnitsMax) return 'is too long once its links have their new addresses. Divide it into several files'
  const assets = [...gathering.assets.values()]
  const imported: Imported = {
    source: options.source,
    path: file.path,
    ...read.form,
    links: rewrites.map(({ from, to, insert }) => [insert, read.text.slice(from, to)]),
    assets: Object.fromEntries(assets.map((asset) => [asset.id, asset.path]))
  }
  const notes = [...read.notes.map((note) => ({ path: file.path, note })), ...gathering.notes, ...missingNote(file.path, gathering.missing)]
  return { id, text, title: titleOf(file.path, read, options), at: file.modifiedAt, assets, imported, notes }
}
