/** Lists of comments and of suggestions: newest first, in pages, with places in text that is on disk. */
import { limits } from '../../../shared/limits.ts'
import { type Opened, withAnnotations } from './annotations.ts'
import type { Service } from '../service.ts'

interface PageInput {
  readonly before?: number | undefined
  readonly limit?: number | undefined
}

/** One page of records that are given oldest first: no longer than asked for, and no larger than allowed. */
export const pageOf = <T extends { readonly id: string; readonly number: number }>(
  { annotations }: Opened,
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
 * The result of `read` in a document, once the text that it was found in is on disk. When that cannot be written (a full disk), what is there
 * stays readable: the document is then read from there.
 */
export const readable = async <T>(service: Service, doc: string, read: (opened: Opened) => T): Promise<T> => {
  const readOnce = (): Promise<{ found: T } | undefined> =>
    withAnnotations(service, doc, async (opened) => {
      const found = read(opened)
      const kept = await opened.room.durable().then(
        () => true,
        () => false
      )
      return kept ? { found } : undefined
    })
  const answer = (await readOnce()) ?? (await readOnce())
  if (answer !== undefined) return answer.found
  return withAnnotations(service, doc, (opened) => Promise.resolve(read(opened)))
}
