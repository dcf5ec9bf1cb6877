/** The target of an export: a new folder, or a zip archive that gets its name when it is complete. */
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { TransferError } from './source.ts'

/** The contents of a file: whole, or in pieces. */
export type FileContents = Uint8Array | AsyncIterable<Uint8Array>

export interface Target {
  /** Writes a file. The path has `/` between its parts. Resolves when the contents have been read. */
  write(path: string, contents: FileContents, modifiedAt: number): Promise<void>
  /** Completes the target. Nothing is written afterward. */
  end(): Promise<void>
  /** Ends an incomplete export. Removes an incomplete archive. */
  abort(): Promise<void>
}

/** Turns a failure of the file system into a sentence that says what to do. */
const failed = (path: string, error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new TransferError(
      `The disk of ${path} is full. Free space or choose another target, remove ${path}, and run the command again.`,
      {
        cause: error
      }
    )
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new TransferError(`${path} cannot be written. Choose a folder to which you can write.`, { fatal: true, cause: error })
  return error
}

const guarded = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw failed(path, error)
  }
}

const sync = async (path: string, flags: string): Promise<void> => {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const streamOf = (contents: FileContents): Readable =>
  contents instanceof Uint8Array ? Readable.from([contents]) : Readable.from(contents)

/** Opens a folder. Throws `TransferError` if it has contents. */
const openFolder = async (folder: string): Promise<Target> => {
  const present = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new TransferError(`${folder} is not a folder. Choose a new folder, or the name of a zip archive that ends with .zip.`, {
      cause: error
    })
  })
  if (present.length > 0) throw new TransferError(`${folder} is not empty. Choose a new folder, or empty this one.`)
  const made = new Set<string>()
  const makeFolder = async (path: string): Promise<void> => {
    if (made.has(path)) return
    await mkdir(path, { recursive: true, mode: 0o700 })
    made.add(path)
  }
  return {
    write: (path, contents) =>
      guarded(folder, async () => {
        const file = join(folder, path)
        await makeFolder(dirname(file))
        await pipeline(streamOf(contents), createWriteStream(file, { mode: 0o600 }))
      }),
    end: () =>
      guarded(folder, async () => {
        await sync(folder, 'r')
      }),
    abort: () => Promise.resolve()
  }
}

/** Opens an archive. Throws `TransferError` if there is one with this name. */
const openArchive = async (path: string): Promise<Target> => {
  const isTaken = await stat(path).then(
    () => true,
    () => false
  )
  if (isTaken) throw new TransferError(`${path} exists. Choose another name, or remove the archive.`)
  const temporary = `${path}.incomplete`
  await guarded(path, () => mkdir(dirname(path), { recursive: true }))
  const zip = new ZipFile()
  const file = createWriteStream(temporary, { mode: 0o600 })
  const failure = Promise.withResolvers<never>()
  failure.promise.catch(() => undefined)
  file.once('error', (error) => failure.reject(error))
  zip.outputStream.pipe(file)
  const closed = finished(file)
  closed.catch(() => undefined)
  return {
    write: (name, contents, modifiedAt) =>
      guarded(path, async () => {
        const stream = streamOf(contents)
        zip.addReadStream(stream, name, { mtime: new Date(modifiedAt), mode: 0o100600 })
        // After a failure, such as a full disk, nothing reads the stream, and it would never finish.
        await Promise.race([finished(stream, { writable: false }), failure.promise])
      }),
    end: () =>
      guarded(path, async () => {
        zip.end()
        await Promise.race([closed, failure.promise])
        await sync(temporary, 'r+')
        await rename(temporary, path)
      }),
    async abort() {
      file.destroy()
      await rm(temporary, { force: true })
    }
  }
}

/** Opens a target: an archive if its name ends with `.zip`, and otherwise a folder. Throws `TransferError`. */
export const openTarget = (path: string): Promise<Target> => (/\.zip$/i.test(path) ? openArchive(resolve(path)) : openFolder(resolve(path)))
