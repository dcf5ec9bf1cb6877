/** Reads the files of an export, and checks each against its schema. */
import { z } from 'zod'
import { limits } from '../../shared/limits.ts'
import {
  CommentFields,
  DocumentFields,
  type DocumentFile,
  EventFields,
  ExportFields,
  type ExportFile,
  exportFormat,
  exportSchema,
  JournalLine,
  RevisionFields,
  SuggestionFields,
  TaskFields
} from './format.ts'
import { type Source, TransferError } from './source.ts'

const parsed = <T>(path: string, schema: z.ZodType<T>, value: unknown): T => {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const { path: place = [], message = '' } = result.error.issues[0] ?? {}
  throw new TransferError(`${path} is not valid: ${[place.join('.'), message].filter(Boolean).join(': ')}.`)
}

const parsedJson = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TransferError(`${path} is not valid JSON.`, { cause: error })
  }
}

const readJson = async <T>(source: Source, path: string, schema: z.ZodType<T>): Promise<T> =>
  parsed(path, schema, parsedJson(path, (await source.read(path, limits.importJsonBytesMax)).toString()))

const readLines = async <T>(source: Source, path: string, schema: z.ZodType<T>): Promise<T[]> => {
  const bytes = await source.read(path, limits.importJournalBytesMax)
  const found: T[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(10, at)
    const line = bytes.subarray(at, end === -1 ? bytes.length : end).toString()
    if (line !== '') found.push(parsed(path, schema, parsedJson(path, line)))
    at = end === -1 ? bytes.length : end + 1
  }
  return found
}

/**
 * Returns the root of the export in the source: empty, or the name of the only folder of an archive, with a slash. Returns undefined if the source is
 * not an export.
 */
export const rootOfExport = (source: Source): string | undefined => {
  const file = source.files.find(({ path }) => /^(?:[^/]+\/)?export\.json$/.test(path))
  if (file !== undefined) return file.path.slice(0, -'export.json'.length)
  const document = source.files.find(({ path }) => /^(?:[^/]+\/)?data\/[^/]+\/document\.json$/.test(path))
  if (document === undefined) return undefined
  throw new TransferError(
    `${source.name} is an incomplete export: it has no export.json. Export again, or import its folder documents to get the text.`
  )
}

/** Returns the facts about an export. Throws `TransferError` if it is incomplete, or if its format is newer. */
export const readExportFile = async (source: Source, root: string): Promise<ExportFile> => {
  const path = `${root}export.json`
  const Any = z.looseObject({ format: z.literal(exportFormat), schema: z.number() })
  const { schema } = await readJson(source, path, Any)
  if (schema > exportSchema)
    throw new TransferError(
      `${source.name} has format ${schema}; this version of agmd reads formats up to ${exportSchema}. Install a newer version.`
    )
  return readJson(source, path, ExportFields)
}

/** Everything about an exported document except the bytes of its assets. */
export interface ExportedDocument {
  readonly document: DocumentFile
  readonly journal: readonly z.infer<typeof JournalLine>[]
  readonly events: readonly z.infer<typeof EventFields>[]
  readonly revisions: readonly z.infer<typeof RevisionFields>[]
  readonly comments: readonly z.infer<typeof CommentFields>[]
  readonly suggestions: readonly z.infer<typeof SuggestionFields>[]
  readonly tasks: readonly z.infer<typeof TaskFields>[]
}

/** Returns the paths of the documents' files, in the order of their ids. */
export const documentFiles = (source: Source, root: string): string[] => {
  const start = `${root}data/`
  return source.files
    .map(({ path }) => path)
    .filter((path) => path.startsWith(start) && /^[^/]+\/document\.json$/.test(path.slice(start.length)))
}

export const readDocumentFile = (source: Source, path: string): Promise<DocumentFile> => readJson(source, path, DocumentFields)

/** Reads the files of a document. Files for empty lists can be absent. Throws `TransferError`. */
export const readExported = async (source: Source, path: string, document: DocumentFile): Promise<ExportedDocument> => {
  const folder = path.slice(0, -'document.json'.length)
  const list = <T>(name: string, schema: z.ZodType<T>): Promise<T[]> =>
    source.find(folder + name) !== undefined
      ? readJson(source, folder + name, z.array(schema).max(limits.annotationsMax * 10))
      : Promise.resolve([])
  return {
    document,
    journal: await readLines(source, `${folder}journal.jsonl`, JournalLine),
    events: await readLines(source, `${folder}events.jsonl`, EventFields),
    revisions: await list('revisions.json', RevisionFields),
    comments: await list('comments.json', CommentFields),
    suggestions: await list('suggestions.json', SuggestionFields),
    tasks: await list('tasks.json', TaskFields)
  }
}
