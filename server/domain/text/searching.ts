/** Searches the text of one document, or of all documents that an account owns. Documents are searched one after another, for a bounded time. */
import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { hasWords } from '../../../shared/text/find-all.ts'
import type { Caller } from '../rights/caller.ts'
import { currentContent, titleOf } from './content.ts'
import { ownDocuments } from '../documents/owned.ts'
import type { Service } from '../service.ts'
import { isGone } from '../documents/deleted.ts'

export const searchDocument = async (
  service: Service,
  doc: string,
  { q, exact = false, after = 0, limit = limits.searchMatchesDefault }: Input<'searchDocument'>
): Promise<Output<'searchDocument'>> => {
  const { content, version } = await currentContent(service, doc)
  const found = await service.texts.do(doc, 'findAll', content, { words: q, exact, from: after, countMax: limit + 1 })
  const matches = found.slice(0, limit)
  return { version, matches, nextAfter: found[limit]?.from ?? null }
}

type Found = Output<'searchDocuments'>['docs'][number]

/** Returns the matches in a document. Returns undefined if there are none, or if the document is being deleted. */
const foundIn = async (service: Service, doc: string, words: string, exact: boolean): Promise<Found | undefined> => {
  try {
    const head = await service.ledger.head(doc)
    const snapshot = await currentContent(service, doc, head)
    const title = titleOf(head, snapshot)
    const inTitle = exact ? title.includes(words) : hasWords(title, words)
    const asked = { words, exact, from: 0, countMax: limits.searchMatchesOfDocumentMax }
    const matches = await service.texts.do(doc, 'findAll', snapshot.content, asked)
    if (!inTitle && matches.length === 0) return undefined
    return { id: doc, title, url: `${service.baseUrl}/d/${doc}`, version: snapshot.version, inTitle, matches }
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

const place = /^\d{15}-[\w-]{12,22}$/

/** Searches the caller's documents. Throws `account_required`, `invalid_request` or `busy`. */
export const searchDocuments = async (
  service: Service,
  caller: Caller,
  { q, exact = false, before, limit = limits.pageDefault }: Input<'searchDocuments'>,
  most: Readonly<Record<'documents' | 'seconds', number>> = { documents: limits.searchScanMax, seconds: limits.searchSecondsMax }
): Promise<Output<'searchDocuments'>> => {
  if (before !== undefined && !place.test(before))
    throw new ServiceError('invalid_request', { details: [{ path: 'before', message: 'must be the nextBefore of a search' }] })
  const entries = await ownDocuments(service, caller, { limit: most.documents + 1, before })
  const docs: Found[] = []
  const until = performance.now() + most.seconds * 1000
  let looked = 0
  for (const entry of entries.slice(0, most.documents)) {
    if (docs.length === limit || performance.now() > until) break
    const found = entry.doc === undefined ? undefined : await foundIn(service, entry.doc, q, exact)
    if (found !== undefined) docs.push(found)
    looked += 1
    // Searching texts that are in memory does not yield to the event loop by itself.
    if (looked % limits.searchTurnDocuments === 0) await setImmediate()
  }
  const last = entries[looked - 1]
  const isMore = looked < entries.length
  return { docs, capped: isMore && docs.length < limit, nextBefore: isMore && last !== undefined ? last.place : null }
}
