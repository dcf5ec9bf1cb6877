/**
 * The source of an import: the files in a folder or zip archive. It follows no links and unpacks nothing.
 *
 * This folder moves documents into and out of an instance. It contains the format of an export (docs/export.md), the readers for foreign formats, and
 * the server code that stores imported documents. The readers are pure: they turn names and bytes into planned documents.
 */

/** The reason why an import or export cannot continue. The message says what to do. */
export class TransferError extends Error {
  override readonly name = 'TransferError'
  /** Whether the entire import or export ends, and not only the current document. */
  readonly fatal: boolean

  constructor(message: string, options: ErrorOptions & { readonly fatal?: boolean } = {}) {
    super(message, options)
    this.fatal = options.fatal ?? false
  }
}

/** A file of a source. */
export interface SourceFile {
  /** The path below the root of the source, with `/` between its parts. It never leads out of the source. */
  readonly path: string
  readonly bytes: number
  /** The time of the last change, in milliseconds since 1970. */
  readonly modifiedAt: number
}

/** Reports part of a source that is not imported or is changed on import, with the reason. */
export interface Note {
  readonly path: string
  readonly note: string
}

export interface Source {
  /** The name of the folder or archive, without its extension. */
  readonly name: string
  /** The files in the order of their paths. */
  readonly files: readonly SourceFile[]
  find(path: string): SourceFile | undefined
  /** The entries that are left out, such as links. */
  readonly notes: readonly Note[]
  /** Returns the bytes of a file. Throws `TransferError` if it is damaged, or larger than `bytesMax`. */
  read(path: string, bytesMax: number): Promise<Buffer>
  close(): Promise<void>
}

/** Compares strings by their UTF-16 units, so that the order does not depend on the machine's language. */
export const byUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Names of folders that contain program data and no documents. */
const ignored: ReadonlySet<string> = new Set(['node_modules', '__MACOSX'])

/**
 * Whether a path is skipped because one of its parts is hidden or is a program's folder. This includes `.obsidian`, of which only the presence is
 * detected.
 */
export const isIgnored = (path: string): boolean => path.split('/').some((part) => part.startsWith('.') || ignored.has(part))

/** Collects the bytes of a stream. Throws `TransferError` if there are more than `bytesMax`. */
export const collect = async (path: string, stream: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new TransferError(`${path} is larger than ${bytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
