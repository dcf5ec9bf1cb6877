/** Writing formulas by pointing at cells, as in spreadsheets. */
import { referencesIn, tokensOf } from './parse.ts'

const isOpen = (before: string): boolean => {
  try {
    const last = tokensOf(before).at(-1)
    return last === undefined || last.kind === 'sheet' || (last.kind === 'sign' && last.text !== ')' && last.text !== '%')
  } catch {
    // The cursor is, for example, within a quoted text.
    return false
  }
}

/** The reference that may replace the selection in a formula: a cell, a range too, or no reference at all (undefined). */
export const pointable = (text: string, from: number, to: number): 'cell' | 'range' | undefined => {
  const [before, behind] = [text.slice(0, from), text.slice(to).trimStart()]
  if (!before.startsWith('=') || !isOpen(before) || !/^(?:[-+*/^&=<>%:,;)]|$)/.test(behind)) return undefined
  return before.trimEnd().endsWith(':') || behind.startsWith(':') ? 'cell' : 'range'
}

/** Where a reference chosen by pointing is inserted. */
export interface Spot {
  readonly takes: 'cell' | 'range'
  /** The start includes the name of a sheet before the reference, because the new reference has its own. */
  readonly from: number
  readonly to: number
  /** After a colon: the sheet of the other end. Only a cell of that sheet can follow, by its bare name. */
  readonly end: { readonly sheet: string | undefined } | undefined
}

/** Returns the place for a reference that replaces the selection in a formula; undefined if no reference can go there. */
export const spotIn = (text: string, from: number, to: number): Spot | undefined => {
  const takes = pointable(text, from, to)
  if (takes === undefined) return undefined
  const before = text.slice(0, from)
  const last = tokensOf(before).at(-1)
  if (last?.kind === 'sheet') return { takes, from: last.from, to, end: undefined }
  return { takes, from, to, end: last?.text === ':' ? { sheet: referencesIn(before).at(-1)?.sheet } : undefined }
}
