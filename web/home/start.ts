/** Makes a document, from nothing or from a file of this device. */
import { limits } from '../../shared/limits.ts'
import { createDocument, RequestError } from '../api.ts'
import { cleanText } from '../clean-text.ts'
import { newId } from '../new-id.ts'
import { failureWords, mayPass } from '../refused/failure.ts'
import { remember } from '../recent.ts'
import { personName } from '../person.ts'
import { t } from '../text/t.ts'

/** Largest file taken, in bytes: nobody reads a longer text, and the service takes none. */
const fileBytesMax = 10 * 1024 * 1024
/** As many files at once. */
const filesMax = 50

interface NewDocument {
  readonly title?: string
  readonly content?: string
}

/** Said to the person as it is. */
export class StartFailure extends Error {}

/** What was asked for while no answer came: asked again it is the same document. */
let unanswered: { readonly input: string; readonly id: string } | undefined

/** Creates a document and keeps its key on this device. Answers its id. Errors: `StartFailure`. */
async function create(input: NewDocument): Promise<string> {
  const name = JSON.stringify(input)
  if (unanswered?.input !== name) unanswered = { input: name, id: newId() }
  try {
    const created = await createDocument(input, personName.value, unanswered.id)
    unanswered = undefined
    const { id, title, key = '' } = created
    remember(id, { title, role: created.effectiveRole ?? created.role ?? 'owner', key, openedAt: Date.now() })
    return id
  } catch (error) {
    if (!mayPass(error)) unanswered = undefined
    const tooLarge = error instanceof RequestError && error.status === 413
    throw new StartFailure(tooLarge ? t('This text is longer than a document may be.') : failureWords(error))
  }
}

/** Creates a document and opens it. Errors: `StartFailure`. */
export const startDocument = async (): Promise<void> => location.assign(`/d/${await create({})}`)

// What programs write and people do not: all but tab, line ends and form feed.
const binary = /[\0-\b\v\x0E-\x1F]/

const decode = (bytes: ArrayBuffer, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The text of a file in UTF-8, in UTF-16 with its mark, or in the encoding of old Windows. Undefined: it is no text. */
function textOf(bytes: ArrayBuffer): string | undefined {
  const [first, second] = new Uint8Array(bytes)
  const marked = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined
  const text = decode(bytes, marked ?? 'utf-8') ?? decode(bytes, 'windows-1252')
  return text === undefined || binary.test(text) ? undefined : cleanText(text)
}

/** What a file is called, as one line. */
const titleOf = (name: string): string =>
  name
    .replace(/\.(md|markdown|txt)$/i, '')
    .replaceAll(/\p{C}+/gu, ' ')
    .slice(0, limits.titleCharsMax)
    .toWellFormed()

async function importOne(file: File): Promise<string> {
  const { name } = file
  if (file.size > fileBytesMax) throw new StartFailure(t('“{name}” is larger than 10 MiB.', { name }))
  // A folder cannot be read as a file.
  const bytes = await file.arrayBuffer().catch(() => undefined)
  if (bytes === undefined) throw new StartFailure(t('“{name}” cannot be read. Folders cannot be dropped; the files in them can.', { name }))
  const content = textOf(bytes)
  if (content === undefined) throw new StartFailure(t('“{name}” is not a text. Markdown and other plain text can be opened.', { name }))
  try {
    return await create({ title: titleOf(name), content })
  } catch (error) {
    throw new StartFailure(`“${name}”: ${(error as Error).message}`)
  }
}

interface Imported {
  readonly ids: readonly string[]
  /** What is said of those that were not taken. */
  readonly refused: readonly string[]
}

/** Makes a document of each file. One alone is opened at once. */
export async function importFiles(files: readonly File[]): Promise<Imported> {
  const ids: string[] = []
  const refused: string[] = []
  for (const file of files.slice(0, filesMax)) {
    try {
      ids.push(await importOne(file))
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error
      refused.push(error.message)
    }
  }
  if (files.length > filesMax) refused.push(t('Only {count} files are taken at once.', { count: filesMax }))
  const [only] = ids
  if (ids.length === 1 && refused.length === 0) location.assign(`/d/${only}`)
  return { ids, refused }
}
