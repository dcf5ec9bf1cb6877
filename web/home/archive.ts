/** Opens a document that was downloaded as a zip archive: one Markdown file, and the pictures and other files that its links lead to. */
import { limits } from '../../shared/limits.ts'
import { linksIn, rewritten } from '../../shared/markdown/links-in-text.ts'
import { mediaTypes } from '../../shared/media-types.ts'
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
  /** The file with the text. */
  readonly markdown: File
  /** The path of the text in the archive. */
  readonly path: string
  readonly blob: Blob
  readonly entries: ReadonlyMap<string, ZipEntry>
}

/**
 * Whether a name is that of a file inside the archive. Folders, hidden files, what a Mac adds, and names that lead out of the archive do not count.
 */
const isFile = (name: string): boolean =>
  !name.startsWith('__MACOSX/') && name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.includes(':'))

const isMarkdown = (name: string): boolean => /\.(md|markdown)$/i.test(name)

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

/** Opens an archive with one Markdown file. Throws `TextFileFailure`. */
export async function openArchive(archive: File): Promise<Archive> {
  const { name } = archive
  try {
    const entries = await filesOf(archive)
    const [text, ...more] = [...entries.values()].filter((entry) => isMarkdown(entry.name))
    if (text === undefined)
      throw new TextFileFailure(t('“{name}” contains no Markdown file. Choose an archive with a Markdown file and its pictures.', { name }))
    if (more.length > 0)
      throw new TextFileFailure(
        t('“{name}” contains {count} Markdown files. An archive can have only one. Unpack it, and open the Markdown files.', {
          name,
          count: more.length + 1
        })
      )
    const markdown = new File([await unpack(archive, text)], text.name.slice(text.name.lastIndexOf('/') + 1))
    return { name, markdown, path: text.name, blob: archive, entries }
  } catch (error) {
    if (error instanceof TextFileFailure) throw error
    throw new TextFileFailure(
      t('“{name}” is damaged, encrypted or not a zip archive. Download it again, or unpack it and open the Markdown file.', { name })
    )
  }
}

const decoded = (address: string): string => {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** Returns the path that an address leads to from the file at `from`; undefined if it leads out of the archive. */
function pathAt(from: string, address: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:|^\//i.test(address)) return undefined
  const path = from.split('/').slice(0, -1)
  for (const part of decoded(address).split('/')) {
    if (part === '..' && path.pop() === undefined) return undefined
    if (part !== '..' && part !== '.') path.push(part)
  }
  return path.join('/')
}

const typeOf = (name: string): string => {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase().replace('jpeg', 'jpg')
  return mediaTypes.find((type) => type.extension === extension)?.contentType ?? ''
}

interface PlacedLink {
  readonly from: number
  readonly to: number
  readonly entry: ZipEntry
  /** The query and the fragment of the address. */
  readonly rest: string
}

/** Returns the links of the text that lead to media in the archive. */
export const linksInto = ({ path, entries }: Archive, content: string): readonly PlacedLink[] =>
  linksIn(content, false).flatMap(({ from, to, target }) => {
    const [address = ''] = target.split(/[?#]/, 1)
    const rest = target.slice(address.length)
    const entry = entries.get(pathAt(path, address) ?? '')
    return entry === undefined || typeOf(entry.name) === '' ? [] : [{ from, to, entry, rest }]
  })

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** Uploads a file to the document. Returns its address. Throws an error whose message says why it was refused. */
async function upload(archive: Archive, entry: ZipEntry, { id, key }: Access): Promise<string> {
  const blob = new Blob([await unpack(archive.blob, entry)], { type: typeOf(entry.name) })
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

/**
 * Uploads the files that the text links to, and changes the links to their addresses. A link to a file that was refused stays. Returns a message
 * about such files, if there are any.
 */
export async function addFiles(
  archive: Archive,
  content: string,
  document: Access & { readonly version: string }
): Promise<string | undefined> {
  const links = linksInto(archive, content)
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
  const moved = rewritten(
    content,
    links.flatMap(({ from, to, entry, rest }) => {
      const address = addresses.get(entry)
      return address === undefined ? [] : [{ from, to, insert: address + rest }]
    })
  )
  const { name } = archive
  try {
    if (moved !== content) await replaceContent(document, { content: moved, baseVersion: document.version, onConflict: 'merge' })
  } catch (error) {
    return t('“{name}”: The document was created, but its pictures are missing. {why}', { name, why: failureWords(error) })
  }
  const [why] = refused.values()
  if (why === undefined) return undefined
  return tn(
    refused.size,
    '“{name}”: The document was created without {count} file, and the link to it is unchanged. {why}',
    '“{name}”: The document was created without {count} files, and the links to them are unchanged. {why}',
    { name, why }
  )
}
