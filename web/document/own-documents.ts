/** Finds documents on this device and in the account by title, for links between documents. It can also create a document for a new title. */
import { createDocument } from '../client/documents.ts'
import { operation } from '../client/operation.ts'
import { best } from '../base/match.ts'
import { newId } from '../base/new-id.ts'
import { findRecent, recentDocuments, remember } from '../device/recent.ts'
import type { LinkTarget } from '../editor/completions.ts'
import { personName } from '../presence/person.ts'
import { signedIn } from '../client/signed-in.ts'

const listDocuments = operation<'listDocuments'>('GET /api/docs')

export interface OwnDocument {
  readonly id: string
  readonly title: string
}

/** Maximum number of documents that a search returns. */
const documentsMax = 20
/** How long typing must pause before the page asks the service, in milliseconds. */
const restMs = 150

const fitting = (query: string, all: readonly OwnDocument[]): OwnDocument[] =>
  best(query, all, ({ title }) => [title]).slice(0, documentsMax)

async function ofAccount(query: string): Promise<readonly OwnDocument[]> {
  if (signedIn.peek() !== true) return []
  try {
    return (await listDocuments({}, { limit: documentsMax, sort: 'updated', ...(query !== '' && { query }) })).docs
  } catch {
    // Without the service, the page still finds the documents on this device.
    return []
  }
}

/**
 * Returns the documents whose titles match, best first. Without a query, it returns the most recently used documents. `isOver` returns true once the
 * result is no longer needed.
 */
export async function findDocuments(query: string, except: string, isOver: () => boolean): Promise<readonly OwnDocument[]> {
  const here = recentDocuments.peek().filter(({ title }) => title !== '')
  if (signedIn.peek() === true) await new Promise((resolve) => setTimeout(resolve, restMs))
  const found = isOver() ? [] : await ofAccount(query.slice(0, 200))
  const all = new Map([...here, ...found].map(({ id, title }) => [id, { id, title }]))
  all.delete(except)
  return fitting(query, [...all.values()])
}

/** Creates a document with a title as its heading, and lists it on this device. Throws `RequestError`. */
export async function createTitled(title: string): Promise<OwnDocument> {
  const { id, key = '', ...made } = await createDocument({ author: personName.value, idempotencyKey: newId() }, { content: `# ${title}\n` })
  remember(id, { title: made.title, role: made.effectiveRole ?? made.role ?? 'owner', key, openedAt: Date.now() })
  return { id, title: made.title }
}

/** Returns the address of a document without a share key. People who may open the document have their own key. */
export const addressOfDocument = ({ id }: OwnDocument, origin: string): string => `${origin}/d/${id}`

/**
 * Returns this device's document at an address. Its address lacks the key with which this device opens the document: readers of the link would get
 * all rights of the person. A key that was made for others stays. Undefined for any other address.
 */
export function documentAt(address: string, origin: string): LinkTarget | undefined {
  const id = address.startsWith(`${origin}/d/`) ? /^[\w-]+(?=$|[?#])/.exec(address.slice(origin.length + 3))?.[0] : undefined
  const known = id === undefined ? undefined : findRecent(id)
  if (known === undefined) return undefined
  const url = new URL(address)
  if (url.searchParams.get('key') !== known.key) return { title: known.title, address }
  url.searchParams.delete('key')
  return { title: known.title, address: url.href }
}
