/** Lists of comments and lists of suggestions: newest first, in pages, with positions in the text on disk. */
import { limits } from '../../../shared/limits.ts'
import { type AnnotatedDocument, withAnnotationsRead } from './annotated-document.ts'
import type { Service } from '../service.ts'

interface PageInput {
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

/** Returns one page of records in ascending order. The page has at most the requested length and stays within the byte limit. */
export const pageOf = <T extends { readonly id: string; readonly number: number }>(
  { annotations }: AnnotatedDocument,
  fitting: readonly T[],
  { before = Number.MAX_SAFE_INTEGER, limit = limits.annotationPageDefault }: PageInput
): { page: T[]; total: number; nextBefore: number | null } => {
  const older = fitting.filter(({ number }) => number < before)
  const wanted = older.slice(-limit).toReversed()
  let bytes = 0
  const end = wanted.findIndex(({ id }, index) => {
    bytes += annotations.bytesOf(id)
    return index > 0 && bytes > limits.annotationPageBytesMax
  })
  const page = end === -1 ? wanted : wanted.slice(0, end)
  return { page, total: fitting.length, nextBefore: older.length > page.length ? (page.at(-1)?.number ?? null) : null }
}

/**
 * Resolves with the result of `read` once the text that it used is on disk. If writing that text fails (a full disk), runs `read` on the document
 * as it is on disk, so that the document stays readable.
 */
export const readable = async <T>(service: Service, doc: string, read: (opened: AnnotatedDocument) => T): Promise<T> => {
  const readOnce = (): Promise<{ found: T } | undefined> =>
    withAnnotationsRead(service, doc, async (opened) => {
      const found = read(opened)
      const kept = await opened.openDoc.durable().then(
        () => true,
        () => false
      )
      return kept ? { found } : undefined
    })
  const answer = (await readOnce()) ?? (await readOnce())
  if (answer !== undefined) return answer.found
  return withAnnotationsRead(service, doc, (opened) => Promise.resolve(read(opened)))
}
