/** Creates documents from files on this device. The code loads when a person chooses files. */
import { limits } from '../../shared/limits.ts'
import { titleIn } from '../../shared/names.ts'
import { tn } from '../text/t.ts'
import { readTextFile, TextFileFailure } from '../ui/text-file.ts'
import { create, type Created, StartFailure } from './start.ts'

/** Returns the title for an imported file, on one line. */
const titleOf = (name: string): string =>
  name
    .slice(name.lastIndexOf('/') + 1)
    .replace(/\.(md|markdown|txt)$/i, '')
    .replaceAll(/\p{C}+/gu, ' ')
    .slice(0, limits.titleUnitsMax)
    .toWellFormed()

/** A document that was created from a file. */
interface ImportedOne {
  readonly id: string
  /** Adds the files of an archive, and makes links lead to the other new documents. Returns a message about files that were refused. */
  complete(): Promise<string | undefined>
}

/** A source of a document: a text file, or a Markdown file in an archive. */
interface Source {
  /** The name in messages. */
  readonly name: string
  read(): Promise<File>
  /** Notes the document that was created from a file. Returns the function that completes it after all others were created. */
  placed(content: string, made: Created): () => Promise<string | undefined>
}

/** Returns a file that was chosen. `chosen` are the documents of the chosen files by name, to which the links of this one can lead. */
const chosenFile = (file: File, chosen: Map<string, string>): Source => ({
  name: file.name,
  read: () => Promise.resolve(file),
  placed(content, document) {
    chosen.set(file.name, document.id)
    return async () => {
      // A single file has no others to link to.
      if (chosen.size < 2 || !content.includes('[')) return undefined
      const { linkChosen } = await import('./archive.ts')
      return linkChosen(file.name, { content, document }, chosen)
    }
  }
})

/** Returns the texts of a file. Throws `TextFileFailure`. */
async function textsOf(file: File, chosen: Map<string, string>): Promise<readonly Source[]> {
  if (!/\.zip$/i.test(file.name)) return [chosenFile(file, chosen)]
  // The code loads only for an archive.
  const { addFiles, nameOfText, openArchive, unpackText } = await import('./archive.ts')
  const archive = await openArchive(file)
  const documents = new Map<string, string>()
  return archive.texts.map((text) => ({
    name: nameOfText(archive, text),
    read: () => unpackText(archive, text),
    placed(content, document) {
      documents.set(text.name, document.id)
      return () => addFiles(archive, { text, content, document }, documents)
    }
  }))
}

async function importOne(text: Source): Promise<ImportedOne> {
  const file = await text.read()
  const content = await readTextFile(file)
  try {
    // If the text has a heading, it is the title, because a heading can be changed in the text.
    const { set, heading } = titleIn(content)
    const made = await create(set === undefined && heading === undefined ? { title: titleOf(file.name), content } : { content })
    return { id: made.id, complete: text.placed(content, made) }
  } catch (error) {
    // The next file would be refused too, and the message does not depend on the file.
    if (error instanceof StartFailure && error.needsAccount) throw error
    throw new StartFailure(`“${text.name}”: ${(error as Error).message}`)
  }
}

interface Imported {
  readonly ids: readonly string[]
  /** Error messages, one for each refused file, and for each document that lacks files of its archive. */
  readonly refused: readonly string[]
}

/** Runs a step for one file. If the file is refused, notes the message. Throws `StartFailure` if the server wants an account. */
async function noting<Result>(refused: string[], step: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof StartFailure || error instanceof TextFileFailure)) throw error
    if (error instanceof StartFailure && error.needsAccount) throw error
    refused.push(error.message)
    return undefined
  }
}

/** Returns a message about the texts that exceed the limit. There is at least one. */
const leftWords = ([name = '', ...more]: readonly string[]): string =>
  tn(
    more.length + 1,
    '“{name}” was not imported. You can import up to {most} documents at once.',
    '{count} files were not imported, beginning with “{name}”. You can import up to {most} documents at once.',
    { name, most: limits.importDocumentsMax }
  )

/**
 * Creates a document from each text file, and from each Markdown file in an archive. If there is only one, the page opens it. Throws `StartFailure` if
 * the server wants an account.
 */
export async function importFiles(files: readonly File[]): Promise<Imported> {
  const most = limits.importDocumentsMax
  const documents: ImportedOne[] = []
  const refused: string[] = []
  const texts: Source[] = []
  const chosen = new Map<string, string>()
  for (const file of files.slice(0, most)) texts.push(...((await noting(refused, () => textsOf(file, chosen))) ?? []))
  for (const text of texts.slice(0, most)) {
    const made = await noting(refused, () => importOne(text))
    if (made !== undefined) documents.push(made)
  }
  // A link can lead to a file that comes later, so all documents must exist before their links change.
  for (const { complete } of documents) {
    const lacks = await complete()
    if (lacks !== undefined) refused.push(lacks)
  }
  const left = [...texts.slice(most), ...files.slice(most)].map(({ name }) => name)
  if (left.length > 0) refused.push(leftWords(left))
  const ids = documents.map(({ id }) => id)
  const [only] = ids
  if (ids.length === 1 && refused.length === 0) location.assign(`/d/${only}`)
  return { ids, refused }
}
