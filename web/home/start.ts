/** Creates a document, either empty or with text. */
import { limits } from '../../shared/limits.ts'
import { titleIn } from '../../shared/names.ts'
import { RequestError } from '../client/api.ts'
import { createDocument, readText } from '../client/documents.ts'
import { isProbablySignedIn } from '../client/signed-in.ts'
import type { Access } from '../client/operation.ts'
import { newId } from '../base/new-id.ts'
import { failureWords, mayPass } from '../client/failure.ts'
import { documentValue } from '../device/device.ts'
import { remember } from '../device/recent.ts'
import { writeDevice } from '../device/values.ts'
import { personName } from '../presence/person.ts'
import { t } from '../text/t.ts'

interface NewDocument {
  readonly title?: string
  readonly content?: string
}

/** An error whose message the page shows to the person unchanged. */
export class StartFailure extends Error {
  /** Whether the server creates documents only for people with an account, and nobody is signed in. */
  readonly needsAccount: boolean

  constructor(message: string, needsAccount = false) {
    super(message)
    this.needsAccount = needsAccount
  }
}

/** A document for whose creation no response has arrived. A repeated request with this id creates it only once. */
let unanswered: { readonly input: string; readonly id: string } | undefined

/** A new document, with the key that this device stores. */
export interface Created extends Access {
  readonly version: string
}

/** Creates a document and stores its key on this device. Throws `StartFailure`. */
export async function create(input: NewDocument): Promise<Created> {
  const name = JSON.stringify(input)
  if (unanswered?.input !== name) unanswered = { input: name, id: newId() }
  try {
    const created = await createDocument({ author: personName.value, idempotencyKey: unanswered.id }, input)
    unanswered = undefined
    const { id, title, key = '', version } = created
    writeDevice(documentValue('made', id), '1')
    remember(id, { title, role: created.effectiveRole ?? created.role ?? 'owner', key, openedAt: Date.now() })
    return { id, key, version }
  } catch (error) {
    if (!mayPass(error)) unanswered = undefined
    throw new StartFailure(refusalWords(error), error instanceof RequestError && error.status === 401)
  }
}

/** Returns the message for a document that was not created. No link is involved, so 401 means that the server wants an account. */
function refusalWords(error: unknown): string {
  const status = error instanceof RequestError ? error.status : undefined
  if (status === 413) return t('This text is too long for a document.')
  if (error instanceof RequestError && status === 429 && !isProbablySignedIn())
    return t(
      'Many documents were just created from your network. Try again in {seconds} s. People who sign in have a limit of their own.',
      {
        seconds: error.retryAfterSeconds ?? 60
      }
    )
  if (status === 401) return t('On this server, only people with an account can create documents. Sign in first.')
  return failureWords(error)
}

/** Creates a document and opens it. Throws `StartFailure`. */
export async function startDocument(): Promise<void> {
  location.assign(`/d/${(await create({})).id}`)
}

/** Replaces the title in the front matter of the text. Quotes in the new title become apostrophes. */
const retitled = (content: string, title: string): string => content.replace(/^title:.*$/m, () => `title: "${title.replaceAll('"', '’')}"`)

/** Creates a document with the text of another one and opens it. Comments and links are not copied. Throws `StartFailure`. */
export async function duplicateDocument(title: string, content: string): Promise<void> {
  const { set } = titleIn(content)
  const named = t('Copy of {title}', { title }).slice(0, limits.titleUnitsMax).toWellFormed()
  const { id } = await create(set === undefined ? { title: named, content } : { content: retitled(content, named) })
  location.assign(`/d/${id}`)
}

/** Duplicates a document that is not open. Throws `StartFailure` or `RequestError`. */
export async function duplicateFrom(access: Access, title: string): Promise<void> {
  const { content } = await readText(access)
  await duplicateDocument(title, content)
}
