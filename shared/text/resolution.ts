/** Text with the data that edits query (its lines, outline and tables), and the lookup of a section by its name. */
import { contextOf, type Lines, linesOf } from './targets.ts'
import type { Unresolved } from './resolved.ts'
import { type ProseLine, proseLines } from './prose.ts'
import { type TextTable, tablesOf } from './tables.ts'
import { outlineOf, type Section, sectionsNamed } from './outline.ts'

/** Text with data that is computed on first use and then cached. */
export interface Source {
  readonly text: string
  readonly lines: Lines
  readonly outline: readonly Section[]
  readonly tables: readonly TextTable[]
  /** The lines of the text, in the form that the code for lists needs. */
  readonly prose: readonly ProseLine[]
}

export const sourceOf = (text: string): Source => {
  let lines: Lines | undefined
  let outline: readonly Section[] | undefined
  let tables: readonly TextTable[] | undefined
  let prose: readonly ProseLine[] | undefined
  return {
    text,
    get lines() {
      return (lines ??= linesOf(text))
    },
    get outline() {
      return (outline ??= outlineOf(text))
    },
    get tables() {
      return (tables ??= tablesOf(text))
    },
    get prose() {
      return (prose ??= proseLines(text))
    }
  }
}

/** Returns the beginning of the text, shortened for quoting in messages. */
export const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text)

/** Returns the only section that a name means, or the reason why there is none. */
export const sectionOf = (source: Source, name: string, occurrence?: number): Section | Unresolved => {
  const { text, outline } = source
  const found = sectionsNamed(outline, name)
  const only = occurrence === undefined ? (found.length === 1 ? found[0] : undefined) : found[occurrence - 1]
  if (only !== undefined) return only
  if (found.length < 2 || occurrence !== undefined)
    return {
      code: 'target_not_found',
      message: `The text has no section ${JSON.stringify(shortened(name))}${occurrence === undefined ? '' : ` number ${occurrence}`}.`,
      sought: name
    }
  const candidates = found.slice(0, 20).map((section) => {
    const range = { from: section.from, to: section.bodyFrom }
    const { prefix, suffix } = contextOf(text, range)
    return { ...range, line: source.lines.at(section.from), before: prefix, after: suffix }
  })
  return {
    code: 'target_ambiguous',
    message: `The text has ${found.length} sections named ${JSON.stringify(shortened(name))}.`,
    candidates
  }
}

/** Whether two strings have the same letters, regardless of how accents are encoded. */
export const isSame = (one: string, other: string): boolean => one === other || one.normalize('NFC') === other.normalize('NFC')
