/** Publishing: anyone may read the page of a document until the owner unpublishes it. */
import { ServiceError } from '../../../shared/errors.ts'
import { authorIn } from '../../../shared/names.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { actorOf, type Caller } from '../rights/caller.ts'
import { currentContent, titleOf } from '../text/content.ts'
import { documentDeleted } from './deleted.ts'
import { removeDrawings } from '../media/drawings.ts'
import { remember } from '../records/idempotency.ts'
import type { Snapshot } from '../text/journal.ts'
import { type Head, keys } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Service } from '../service.ts'

type Published = Output<'publishDocument'>

const present = ({ baseUrl, searchEngines }: Service, { id, publishedAt, indexed }: Head): Published => ({
  ok: true,
  published: publishedAt !== null,
  url: `${baseUrl}/pub/${id}`,
  markdownUrl: `${baseUrl}/pub/${id}.md`,
  publishedAt: publishedAt === null ? null : new Date(publishedAt).toISOString(),
  indexed: publishedAt !== null && indexed === true && searchEngines
})

const change = (tx: Transaction, caller: Caller, { published = true, indexed }: Input<'publishDocument'>): void => {
  const { head } = tx
  const was = head.publishedAt !== null
  const publishedAt = published ? (head.publishedAt ?? tx.now) : null
  const { unsigned: _, ...signed } = head
  tx.head = { ...(published === was ? head : signed), publishedAt, indexed: published && (indexed ?? head.indexed ?? false) }
  // An unpublished page needs no pictures. They are drawn again if the document is published again.
  if (was && !published) removeDrawings(tx)
  if (published !== was) tx.event(published ? 'doc.published' : 'doc.unpublished', actorOf(caller), {})
}

/** Throws `forbidden` if the server settings do not allow the caller to publish, or to have search engines list the page. */
const requireAllowed = (
  { publishing, searchEngines }: Service,
  { identity }: Caller,
  { published = true, indexed }: Input<'publishDocument'>
): void => {
  if (!published) return
  if (publishing === 'nobody')
    throw new ServiceError('forbidden', { message: 'This server does not publish documents.', hint: 'Share a link that can read instead.' })
  if (publishing === 'accounts' && identity.kind === 'guest')
    throw new ServiceError('forbidden', {
      message: 'On this server, only people with an account can publish.',
      hint: 'Sign in, then publish.'
    })
  if (indexed === true && !searchEngines)
    throw new ServiceError('forbidden', {
      message: 'This server does not let search engines list pages.',
      hint: 'Publish without indexed.'
    })
}

/**
 * Publishes or unpublishes a document. A repeated call changes nothing and creates no event. Throws `forbidden` if the server settings do not allow
 * it.
 */
export const publishDocument = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'publishDocument'>
): Promise<Published> => {
  requireAllowed(service, caller, input)
  return service.ledger.write(
    doc,
    caller,
    (tx) => {
      change(tx, caller, input)
      return remember(service, tx, caller, doc, present(service, tx.head))
    },
    { reads: [keys.drawings(doc)] }
  )
}

export interface PublishedDocument {
  readonly id: string
  readonly title: string
  /** Whether the owner lets search engines list the page. */
  readonly indexed: boolean
  /** Milliseconds since 1970. */
  readonly updatedAt: number
  /** Milliseconds since 1970. */
  readonly publishedAt: number
  /**
   * The author in the front matter, or else the account or agent that owns the document. Undefined if there is none, or if the document was published
   * before it had an owner.
   */
  readonly author: string | undefined
  /** How many times a drawing of the document was stored. When it changes, the page can show more pictures. */
  readonly drawings: number
  readonly snapshot: Snapshot
}

/**
 * Returns the text of a published page as it is on disk. Throws `not_found` if the document is unknown, deleted, or not published, and
 * `taken_down`.
 */
export const readPublished = async (service: Service, doc: string): Promise<PublishedDocument> => {
  const head = await service.ledger.findHead(doc)
  if (head?.takenDownAt !== undefined && head.publishedAt !== null) throw documentDeleted(head)
  if (head === undefined || head.deletedAt !== null || head.publishedAt === null || service.publishing === 'nobody')
    throw new ServiceError('not_found', { message: 'There is no published document at this address.' })
  const snapshot = await currentContent(service, doc)
  return {
    id: doc,
    title: titleOf(head, snapshot),
    indexed: head.indexed === true && service.searchEngines,
    updatedAt: head.updatedAt,
    publishedAt: head.publishedAt,
    author: authorIn(snapshot.content) ?? (head.unsigned === true ? undefined : head.owner.name),
    drawings: head.drawings ?? 0,
    snapshot
  }
}
