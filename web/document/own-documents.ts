/** Finds documents of this device and of the account by their titles, for links between them, and creates one for a title that is new. */
import { createDocument } from '../client/documents.ts'
import { operation } from '../client/operation.ts'
import { best } from '../base/match.ts'
import { newId } from '../base/new-id.ts'
import { recentDocuments, remember } from '../device/recent.ts'
import { personName } from '../presence/person.ts'
import { signedIn } from '../client/signed-in.ts'

const listDocuments = operation<'listDocuments'>('GET /api/docs')

export interface OwnDocument {
  readonly id: string
  readonly title: string
}

/** Most documents that are returned at once. */
const documentsMax = 20
/** How long typing must pause before the service is asked, in milliseconds. */
const restMs = 150

const fitting = (query: string, all: readonly OwnDocument[]): OwnDocument[] =>
  best(query, all, ({ title }) => [title]).slice(0, documentsMax)

async function ofAccount(query: string): Promise<readonly OwnDocument[]> {
  if (signedIn.peek() !== true) return []
  try {
    return (await listDocuments({}, { limit: documentsMax, sort: 'updated', ...(query !== '' && { query }) })).docs
  } catch {
    // Documents of the device are found nevertheless.
    return []
  }
}

/**
 * Returns the documents whose titles match, the best first; without a query, the last used ones. `isOver` returns whether the answer is no longer
 * needed.
 */
export async function findDocuments(query: string, except: string, isOver: () => boolean): Promise<readonly OwnDocument[]> {
  const here = recentDocuments.peek().filter(({ title }) => title !== '')
  if (signedIn.peek() === true) await new Promise((resolve) => setTimeout(resolve, restMs))
  const found = isOver() ? [] : await ofAccount(query.slice(0, 200))
  const all = new Map([...here, ...found].map(({ id, title }) => [id, { id, title }]))
  all.delete(except)
  return fitting(query, [...all.values()])
}

/** Creates a document with a title as its heading. It is then one of this device. Throws `RequestError`. */
export async function createTitled(title: string): Promise<OwnDocument> {
  const { id, key = '', ...made } = await createDocument({ author: personName.value, idempotencyKey: newId() }, { content: `# ${title}\n` })
  remember(id, { title: made.title, role: made.effectiveRole ?? made.role ?? 'owner', key, openedAt: Date.now() })
  return { id, title: made.title }
}

/** Returns the address of a document, without a key: whoever may open the document has one. */
export const addressOfDocument = ({ id }: OwnDocument, origin: string): string => `${origin}/d/${id}`

/** Returns the title of this device's document at an address; undefined for any other address. */
export function titleAt(address: string, origin: string): string | undefined {
  const id = address.startsWith(`${origin}/d/`) ? /^[\w-]+(?=$|[?#])/.exec(address.slice(origin.length + 3))?.[0] : undefined
  return id === undefined ? undefined : recentDocuments.peek().find((each) => each.id === id)?.title || undefined
}
