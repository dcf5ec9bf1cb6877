/** Opens a zip archive, such as a downloaded document or a vault: its Markdown files, and the pictures and other files that their links lead to. */
import { limits } from '../../shared/limits.ts'
import { type Files, indexFiles, isMarkdown, typeOfPath } from '../../shared/files/linked-files.ts'
import { linksIn, type Rewrite, rewritten } from '../../shared/markdown/links-in-text.ts'
import { linkForWiki, wikiParts } from '../../shared/markdown/wiki-links.ts'
import { newId } from '../base/new-id.ts'
import { RequestError } from '../client/api.ts'
import { failureWords } from '../client/failure.ts'
import { type Access, operation } from '../client/operation.ts'
import { signature } from '../presence/person.ts'
import { t, tn } from '../text/t.ts'
import { TextFileFailure } from '../ui/text-file.ts'
import { failureOf, refusalOf, send } from '../uploads/sender.ts'
import { listZip, unpack, type ZipEntry, ZipFailure } from './zip.ts'

const replaceContent = operation<'replaceContent'>('PUT /api/docs/{id}/content')

/** Largest size of an archive, in bytes, both packed and unpacked. Every download of a document is smaller. */
const bytesMax = limits.archiveBytesMax + limits.importTextBytesMax
/** Number of times that a file is sent while the server is busy or cannot be reached. */
const attemptsMax = 4
/** Pause between two attempts if the server states none, in seconds. */
const pauseSeconds = 2

/** An archive that can be opened. */
export interface Archive {
  readonly name: string
  /** The Markdown files. Each becomes a document. */
  readonly texts: readonly ZipEntry[]
  readonly blob: Blob
  readonly entries: ReadonlyMap<string, ZipEntry>
  readonly files: LinkedFiles
}

/** The files to which links can lead. Markdown files that were chosen on their own have no entry. */
type LinkedFiles = Files<{ readonly path: string; readonly entry?: ZipEntry }>

/**
 * Whether a name is that of a file inside the archive. Folders, hidden files, what a Mac adds, and names that lead out of the archive do not count.
 */
const isFile = (name: string): boolean =>
  !name.startsWith('__MACOSX/') && name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.includes(':'))

/** The documents that were created from Markdown files: their ids by paths. */
type Documents = ReadonlyMap<string, string>

/** Returns the files of the archive by their paths. Refuses it by what its directory states, before anything is unpacked. */
async function filesOf(archive: File): Promise<ReadonlyMap<string, ZipEntry>> {
  const { name } = archive
  const mebibytes = bytesMax / 1024 / 1024
  const tooLarge = (): TextFileFailure =>
    new TextFileFailure(
      t('“{name}” is larger than {mebibytes} MiB when unpacked. Unpack it, and open the Markdown file.', { name, mebibytes })
    )
  if (archive.size > bytesMax) throw tooLarge()
  const files = (await listZip(archive)).filter((entry) => isFile(entry.name))
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > bytesMax) throw tooLarge()
  const count = limits.archiveFilesMax + 1
  if (files.length > count)
    throw new TextFileFailure(t('“{name}” contains more than {count} files. Unpack it, and open the Markdown file.', { name, count }))
  return new Map(files.map((entry) => [entry.name, entry]))
}

const damaged = ({ name }: Pick<Archive, 'name'>): TextFileFailure =>
  new TextFileFailure(
    t('“{name}” is damaged, encrypted or not a zip archive. Download it again, or unpack it and open the Markdown file.', { name })
  )

/** Opens an archive with at least one Markdown file. Throws `TextFileFailure`. */
export async function openArchive(archive: File): Promise<Archive> {
  const { name } = archive
  try {
    const entries = await filesOf(archive)
    const texts = [...entries.values()].filter((entry) => isMarkdown(entry.name))
    if (texts.length === 0)
      throw new TextFileFailure(t('“{name}” contains no Markdown file. Choose an archive with a Markdown file and its pictures.', { name }))
    const files = indexFiles([...entries.values()].map((entry) => ({ path: entry.name, entry })))
    return { name, texts, blob: archive, entries, files }
  } catch (error) {
    throw error instanceof TextFileFailure ? error : damaged(archive)
  }
}

/** Returns the name of a Markdown file for messages. If it is the only one, this is the name of the archive. */
export const nameOfText = ({ name, texts }: Archive, text: ZipEntry): string => (texts.length === 1 ? name : text.name)

/** Unpacks a Markdown file. The name of the new file is its path in the archive. Throws `TextFileFailure`. */
export async function unpackText(archive: Archive, text: ZipEntry): Promise<File> {
  try {
    return new File([await unpack(archive.blob, text)], text.name)
  } catch {
    if (archive.texts.length === 1) throw damaged(archive)
    throw new TextFileFailure(`“${text.name}”: ${t('The file is damaged.')}`)
  }
}

/** Returns the fragment of an address, without characters that would end a link. */
const fragmentOf = (rest: string): string =>
  rest.replace(/^\?[^#]*/, '').replaceAll(/[ ()<>"'\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)

/** A link to a file. */
interface PlacedLink {
  readonly from: number
  readonly to: number
  readonly path: string
  readonly entry: ZipEntry | undefined
  readonly embeds: boolean
  /** Returns the text of the link with a new address. */
  written(address: string): string
}

/** Returns the links of the text at `path` that lead to files. A wikilink leads to the file that its name or path names, as in Obsidian. */
const linksOf = (files: LinkedFiles, path: string, content: string): readonly PlacedLink[] =>
  linksIn(content, true).flatMap(({ kind, target, from, to, embeds }) => {
    if (kind === 'wiki') {
      const parts = wikiParts(target)
      const file = files.named(path, parts.name)
      if (file === undefined) return []
      const isText = isMarkdown(file.path)
      const written = (address: string): string =>
        linkForWiki(parts, isText ? address + parts.fragment : address, embeds && !isText ? file.path : undefined)
      return [{ from, to, path: file.path, entry: file.entry, embeds: embeds && !isText, written }]
    }
    const [address = ''] = target.split(/[?#]/, 1)
    const rest = target.slice(address.length)
    const file = files.at(path, address)
    if (file === undefined) return []
    const written = (next: string): string => next + (isMarkdown(file.path) ? fragmentOf(rest) : rest)
    return [{ from, to, path: file.path, entry: file.entry, embeds, written }]
  })

/** Returns the changes that make links of the text at `path` to other Markdown files lead to their documents. */
export const linksTo = (documents: Documents, files: LinkedFiles, path: string, content: string): readonly Rewrite[] =>
  linksOf(files, path, content).flatMap((link) => {
    const id = documents.get(link.path)
    return id === undefined || link.embeds ? [] : [{ from: link.from, to: link.to, insert: link.written(`/d/${id}`) }]
  })

/** Returns the links of the text at `path` that lead to media in the archive. */
export const linksInto = ({ files }: Archive, path: string, content: string): readonly (PlacedLink & { readonly entry: ZipEntry })[] =>
  linksOf(files, path, content).flatMap((link) =>
    link.entry === undefined || typeOfPath(link.path) === undefined ? [] : [{ ...link, entry: link.entry }]
  )

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Uploads a file to the document. Returns its address. Throws an error whose message says why it was refused. */
async function upload(archive: Archive, entry: ZipEntry, { id, key }: Access): Promise<string> {
  const blob = new Blob([await unpack(archive.blob, entry)], { type: typeOfPath(entry.name)?.contentType ?? '' })
  const refusal = refusalOf(blob)
  if (refusal !== undefined) throw new TextFileFailure(refusal.words)
  const name = entry.name.slice(entry.name.lastIndexOf('/') + 1).slice(0, limits.labelUnitsMax)
  const input = { doc: id, key, blob, name, idempotencyKey: newId(), author: signature.value, onProgress: () => undefined }
  for (let attempt = 1; ; attempt++) {
    try {
      return new URL((await send(input).done).url).pathname
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      const { words, again } = failureOf(error.status, error.code)
      if (again !== 'by itself') throw new TextFileFailure(words)
      if (attempt === attemptsMax) throw new TextFileFailure(failureWords(error))
      await pause(error.retryAfterSeconds ?? pauseSeconds)
    }
  }
}

const whyOf = (error: unknown): string => {
  if (error instanceof TextFileFailure) return error.message
  return error instanceof ZipFailure ? t('The file is damaged.') : failureWords(error)
}

/** A Markdown file of an archive, and the document that was created from it. */
interface Placed {
  readonly text: ZipEntry
  readonly content: string
  readonly document: Access & { readonly version: string }
}

/** Uploads the files that the text links to. Returns the changes of these links, and the messages about files that were refused. */
async function uploadLinked(archive: Archive, { text, content, document }: Placed): Promise<[Rewrite[], ReadonlyMap<ZipEntry, string>]> {
  const links = linksInto(archive, text.name, content)
  const addresses = new Map<ZipEntry, string>()
  const refused = new Map<ZipEntry, string>()
  for (const { entry } of links) {
    if (addresses.has(entry) || refused.has(entry)) continue
    try {
      addresses.set(entry, await upload(archive, entry, document))
    } catch (error) {
      refused.set(entry, whyOf(error))
    }
  }
  const changes = links.flatMap(({ from, to, entry, written }) => {
    const address = addresses.get(entry)
    return address === undefined ? [] : [{ from, to, insert: written(address) }]
  })
  return [changes, refused]
}

/** Changes links of a new document. Returns a message if the document could not be changed. */
async function changeLinks(
  name: string,
  { content, document }: Omit<Placed, 'text'>,
  changes: readonly Rewrite[]
): Promise<string | undefined> {
  if (changes.length === 0) return undefined
  const ordered = changes.toSorted((one, other) => one.from - other.from)
  try {
    await replaceContent(document, { content: rewritten(content, ordered), baseVersion: document.version, onConflict: 'merge' })
    return undefined
  } catch (error) {
    return t('“{name}”: The document was created, but its links and pictures are unchanged. {why}', { name, why: failureWords(error) })
  }
}

/**
 * Uploads the files that the text links to, and changes the links to their addresses. Links to other texts of the archive lead to their documents. A
 * link to a file that was refused stays. Returns a message about such files, if there are any.
 */
export async function addFiles(archive: Archive, placed: Placed, documents: Documents): Promise<string | undefined> {
  const { text, content } = placed
  const [uploaded, refused] = await uploadLinked(archive, placed)
  const name = nameOfText(archive, text)
  const failure = await changeLinks(name, placed, [...uploaded, ...linksTo(documents, archive.files, text.name, content)])
  const [why] = refused.values()
  if (failure !== undefined || why === undefined) return failure
  return tn(
    refused.size,
    '“{name}”: The document was created without {count} file, and the link to it is unchanged. {why}',
    '“{name}”: The document was created without {count} files, and the links to them are unchanged. {why}',
    { name, why }
  )
}

/**
 * Makes the links of a document from a Markdown file lead to the documents of the files that were chosen with it. Returns a message if the document
 * could not be changed.
 */
export const linkChosen = (name: string, placed: Omit<Placed, 'text'>, documents: Documents): Promise<string | undefined> => {
  const files = indexFiles([...documents.keys()].map((path) => ({ path })))
  return changeLinks(name, placed, linksTo(documents, files, name, placed.content))
}
