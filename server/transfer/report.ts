/** The report of an import: the documents that it creates or finds, and the files that it leaves out, with the reasons. */
import { limits } from '../../shared/limits.ts'
import type { Head } from '../domain/records/keys.ts'
import type { Note } from './source.ts'

export interface ImportReport {
  /** The name of the source, and how it was read. */
  readonly source: string
  readonly format: string
  /** Whether the import wrote documents. After a dry run, `created` counts what an import would create. */
  readonly written: boolean
  readonly created: { readonly documents: number; readonly characters: number; readonly assets: number; readonly assetBytes: number }
  /** Documents that an earlier import of the same source created. */
  readonly present: number
  /** Documents that an earlier import created and that were deleted afterward. */
  readonly deleted: number
  /** Files that were left out, and files that were changed, with the reasons. */
  readonly refused: readonly Note[]
  readonly notes: readonly Note[]
  /** Links to documents without an account, each with the document's title. They are shown only once. */
  readonly links: readonly { readonly title: string; readonly url: string }[]
}

/** Collects a report. */
export class Reporting {
  documents = 0
  characters = 0
  assets = 0
  assetBytes = 0
  present = 0
  deleted = 0
  readonly refused: Note[] = []
  readonly notes: Note[] = []
  readonly links: { readonly title: string; readonly url: string }[] = []

  created(characters: number, assets: readonly { readonly bytes: number }[]): void {
    this.documents += 1
    this.characters += characters
    this.assets += assets.length
    this.assetBytes += assets.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Notes a document that an earlier import created. */
  found({ deletedAt }: Pick<Head, 'deletedAt'>): void {
    if (deletedAt === null) this.present += 1
    else this.deleted += 1
  }

  refuse(path: string, note: string): void {
    if (this.refused.length < limits.importNotesMax) this.refused.push({ path, note })
  }

  note(notes: readonly Note[]): void {
    this.notes.push(...notes.slice(0, Math.max(0, limits.importNotesMax - this.notes.length)))
  }

  end(source: string, format: string, written: boolean): ImportReport {
    const { documents, characters, assets, assetBytes, present, deleted, refused, notes, links } = this
    return { source, format, written, created: { documents, characters, assets, assetBytes }, present, deleted, refused, notes, links }
  }
}

const grouped = (title: string, notes: readonly Note[]): string[] => {
  if (notes.length === 0) return []
  const groups = Map.groupBy(notes, ({ note }) => note)
  const lines = [...groups].flatMap(([note, alike]) => {
    const shown = alike.slice(0, limits.importNotesShown).map(({ path }) => `    ${path}`)
    const more = alike.length > shown.length ? [`    and ${alike.length - shown.length} more; --json lists them`] : []
    return [`  ${note}:`, ...shown, ...more]
  })
  return ['', `${title} (${notes.length}):`, ...lines]
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Whether part of an export was left out when it was imported. Other sources usually contain files that are not documents. */
export const isIncomplete = ({ format, refused }: ImportReport): boolean => format === 'agmd' && refused.length > 0

/** Returns the report as text for people. */
export const reportText = (report: ImportReport): string => {
  const { source, format, written, created, present, deleted } = report
  const will = written ? 'Created' : 'Would create'
  const lines = [
    `${source} (${format})`,
    `${will} ${counted(created.documents, 'document')} with ${counted(created.characters, 'character')} and ${counted(created.assets, 'asset')} (${(created.assetBytes / 1024 / 1024).toFixed(1)} MiB).`
  ]
  if (present > 0) lines.push(`Already present from an earlier import of this source: ${counted(present, 'document')}.`)
  if (deleted > 0)
    lines.push(
      `Deleted since an earlier import: ${counted(deleted, 'document')}. Restore them from the trash, or give the import another --name to create them again.`
    )
  lines.push(...grouped('Left out', report.refused), ...grouped('Changed or missing', report.notes))
  if (report.links.length > 0) lines.push('', 'Owner links of documents without an account. Keep them; they are not shown again:')
  for (const { title, url } of report.links) lines.push(`  ${title}: ${url}`)
  if (isIncomplete(report))
    lines.push(
      '',
      'The import is not complete. Do what the reasons say, or export the named documents again. Then run the same command again. It creates only the documents that are missing.'
    )
  if (!written) lines.push('', 'Nothing was written. To import, run the command again with --write.')
  return lines.join('\n')
}
