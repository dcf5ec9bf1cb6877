/** Creates documents from files on this device. The code loads when a person chooses files. */
import { limits } from '../../shared/limits.ts'
import { titleIn } from '../../shared/names.ts'
import { t } from '../text/t.ts'
import { readTextFile, TextFileFailure } from '../ui/text-file.ts'
import { create, StartFailure } from './start.ts'

/** Maximum number of files that a person can add at once. */
const filesMax = 50

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
