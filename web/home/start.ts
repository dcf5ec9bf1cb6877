/** Creates a document, either empty or from a file on this device. */
import { limits } from '../../shared/limits.ts'
import { titleIn } from '../../shared/names.ts'
import { RequestError } from '../client/api.ts'
import { createDocument, readText } from '../client/documents.ts'
import type { Access } from '../client/operation.ts'
import { newId } from '../base/new-id.ts'
import { failureWords, mayPass } from '../client/failure.ts'
import { documentValue } from '../device/device.ts'
import { remember } from '../device/recent.ts'
import { writeDevice } from '../device/values.ts'
import { personName } from '../presence/person.ts'
import { t } from '../text/t.ts'
import { readTextFile, TextFileFailure } from '../ui/text-file.ts'

/** Maximum number of files that a person can add at once. */
const filesMax = 50

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

interface Created extends Access {
  readonly version: string
}

/** Creates a document and stores its key on this device. Throws `StartFailure`. */
async function create(input: NewDocument): Promise<Created> {
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

/** Returns the title for an imported file, on one line. */
const titleOf = (name: string): string =>
  name
    .replace(/\.(md|markdown|txt)$/i, '')
    .replaceAll(/\p{C}+/gu, ' ')
    .slice(0, limits.titleUnitsMax)
    .toWellFormed()

/** A document that was created from a file. */
interface ImportedOne {
  readonly id: string
  /** Says which files of an archive the document lacks. */
  readonly lacks?: string | undefined
}

async function importOne(file: File): Promise<ImportedOne> {
  const { name } = file
  // The code loads only for an archive.
  const zip = /\.zip$/i.test(name) ? await import('./archive.ts') : undefined
  const archive = await zip?.openArchive(file)
  const text = archive?.markdown ?? file
  const content = await readTextFile(text)
  try {
    // If the text has a heading, it is the title, because a heading can be changed in the text.
    const { set, heading } = titleIn(content)
    const made = await create(set === undefined && heading === undefined ? { title: titleOf(text.name), content } : { content })
    return { id: made.id, lacks: archive && (await zip?.addFiles(archive, content, made)) }
  } catch (error) {
    // The next file would be refused too, and the message does not depend on the file.
    if (error instanceof StartFailure && error.needsAccount) throw error
    throw new StartFailure(`“${name}”: ${(error as Error).message}`)
  }
}

interface Imported {
  readonly ids: readonly string[]
  /** Error messages, one for each refused file, and for each archive of which files were refused. */
  readonly refused: readonly string[]
}

/** Creates a document from each text file or archive. If there is only one, the page opens it. Throws `StartFailure` if the server wants an account. */
export async function importFiles(files: readonly File[]): Promise<Imported> {
  const ids: string[] = []
  const refused: string[] = []
  for (const file of files.slice(0, filesMax)) {
    try {
      const { id, lacks } = await importOne(file)
      ids.push(id)
      if (lacks !== undefined) refused.push(lacks)
    } catch (error) {
      if (!(error instanceof StartFailure || error instanceof TextFileFailure)) throw error
      if (error instanceof StartFailure && error.needsAccount) throw error
      refused.push(error.message)
    }
  }
  if (files.length > filesMax) refused.push(t('You can add up to {count} files at once.', { count: filesMax }))
  const [only] = ids
  if (ids.length === 1 && refused.length === 0) location.assign(`/d/${only}`)
  return { ids, refused }
}
