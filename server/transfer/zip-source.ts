/** Reads the files of a zip archive one by one, without unpacking the archive. yauzl checks names and sizes. This module checks the checksums. */
import { basename } from 'node:path'
import { stat } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { limits } from '../../shared/limits.ts'
import { byUnits, collect, isIgnored, type Note, type Source, type SourceFile, TransferError } from './source.ts'

/** Returns the Unix file type from the external attributes of an entry; 0 if no Unix program made the archive. */
const typeOf = ({ versionMadeBy, externalFileAttributes }: Entry): number =>
  versionMadeBy >> 8 === 3 ? (externalFileAttributes >>> 16) & 0o170000 : 0
const symbolicLink = 0o120000

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const damaged = (archive: string, error: unknown): TransferError => {
  const reason = reasonOf(error)
  const leads = /relative path|absolute path|invalid characters in fileName/.test(reason)
  const advice = leads
    ? 'A path in it leads out of the archive, which looks like an attack. Do not use this archive.'
    : 'The archive is damaged. Copy or export it again.'
  return new TransferError(`${archive} cannot be read: ${reason}. ${advice}`, { cause: error })
}

interface Listing {
  readonly entries: ReadonlyMap<string, Entry>
  readonly files: readonly SourceFile[]
  readonly notes: readonly Note[]
  readonly hasObsidian: boolean
}

/** Whether the entry is a file to import. Adds a note about a file that is left out. */
const isImported = (entry: Entry, entries: ReadonlyMap<string, Entry>, notes: Note[]): boolean => {
  const path = entry.fileName
  if (path.endsWith('/') || isIgnored(path)) return false
  const leave = (note: string): false => {
    notes.push({ path, note })
    return false
  }
  if (typeOf(entry) === symbolicLink) return leave('is a symbolic link, which an import never follows')
  if (entry.isEncrypted()) return leave('is encrypted; unpack the archive and import the folder')
  if (!entry.canDecodeFileData()) return leave('is compressed in a way that is not supported; unpack the archive and import the folder')
  if (entries.has(path)) return leave('has the same path as an earlier file of the archive')
  return true
}

const list = async (archive: string, zip: ZipFile): Promise<Listing> => {
  const entries = new Map<string, Entry>()
  const files: SourceFile[] = []
  const notes: Note[] = []
  let hasObsidian = false
  for await (const entry of zip.eachEntry()) {
    hasObsidian ||= /^(?:[^/]+\/)?\.obsidian\//.test(entry.fileName)
    if (!isImported(entry, entries, notes)) continue
    if (files.length >= limits.importFilesMax)
      throw new TransferError(`${archive} has more than ${limits.importFilesMax} files. Unpack it and import its folders one by one.`)
    entries.set(entry.fileName, entry)
    files.push({ path: entry.fileName, bytes: entry.uncompressedSize, modifiedAt: entry.getLastModDate().getTime() })
  }
  return { entries, files: files.toSorted((one, other) => byUnits(one.path, other.path)), notes, hasObsidian }
}

/** Refuses an archive whose contents are far larger than the archive. This includes archives with overlapping entries. */
const refuseBomb = (archive: string, bytes: number, files: readonly SourceFile[]): void => {
  const unpacked = files.reduce((sum, file) => sum + file.bytes, 0)
  if (unpacked <= limits.importBombBytesMin || unpacked <= bytes * limits.importRatioMax) return
  const [from, to] = [bytes, unpacked].map((each) => `${Math.ceil(each / 1024 / 1024)} MiB`)
  throw new TransferError(
    `${archive} would unpack from ${from} to ${to}, as a zip bomb does. If you trust the archive, unpack it and import the folder.`
  )
}

/** Opens an archive. Throws `TransferError` if it is damaged, unsafe or too large. */
export const openZipSource = async (archive: string): Promise<Source & { readonly hasObsidian: boolean }> => {
  const { size } = await stat(archive)
  const zip = await openPromise(archive, { autoClose: false, strictFileNames: false }).catch((error: unknown) => {
    throw damaged(archive, error)
  })
  try {
    const { entries, files, notes, hasObsidian } = await list(archive, zip)
    refuseBomb(archive, size, files)
    const byPath = new Map(files.map((file) => [file.path, file]))
    return {
      name: basename(archive).replace(/\.zip$/i, ''),
      files,
      find: (path) => byPath.get(path),
      notes,
      hasObsidian,
      async read(path, bytesMax) {
        try {
          const entry = entries.get(path)
          if (entry === undefined) throw new Error('there is no such file')
          const bytes = await collect(path, await zip.openReadStreamPromise(entry), bytesMax)
          if (crc32(bytes) !== entry.crc32) throw new Error('the checksum does not match')
          return bytes
        } catch (error) {
          throw error instanceof TransferError ? error : damaged(`${archive}: ${path}`, error)
        }
      },
      close: () => Promise.resolve(zip.close())
    }
  } catch (error) {
    zip.close()
    throw error instanceof TransferError ? error : damaged(archive, error)
  }
}
