/** Supports writing formulas by pointing at cells, as in spreadsheets. */
import { referencesIn, tokensOf } from './parse.ts'

const isOpen = (before: string): boolean => {
  try {
    const last = tokensOf(before).at(-1)
    return last === undefined || last.kind === 'sheet' || (last.kind === 'sign' && last.text !== ')' && last.text !== '%')
  } catch {
    // The text before the caret has no valid tokens, for example because the caret is inside a quoted string.
    return false
  }
}

/**
 * Returns the kind of reference that may replace the selection in a formula: a cell, or also a range. Returns undefined if no reference may replace
 * it.
 */
export const pointable = (text: string, from: number, to: number): 'cell' | 'range' | undefined => {
  const [before, behind] = [text.slice(0, from), text.slice(to).trimStart()]
  if (!before.startsWith('=') || !isOpen(before) || !/^(?:[-+*/^&=<>%:,;)]|$)/.test(behind)) return undefined
  return before.trimEnd().endsWith(':') || behind.startsWith(':') ? 'cell' : 'range'
}

/** The place at which a reference chosen by pointing is inserted. */
export interface Spot {
  readonly takes: 'cell' | 'range'
  /** If a sheet's name precedes the selection, `from` is the start of that name, because the new reference contains its own. */
  readonly from: number
  readonly to: number
  /** Set after a colon, with the sheet of the first corner. Only a cell of that sheet may follow, without the sheet's name. */
  readonly end: { readonly sheet: string | undefined } | undefined
}

/** Returns the place for a reference that replaces the selection in a formula; undefined if no reference may replace it. */
export const spotIn = (text: string, from: number, to: number): Spot | undefined => {
  const takes = pointable(text, from, to)
  if (takes === undefined) return undefined
  const before = text.slice(0, from)
  const last = tokensOf(before).at(-1)
  if (last?.kind === 'sheet') return { takes, from: last.from, to, end: undefined }
  return { takes, from, to, end: last?.text === ':' ? { sheet: referencesIn(before).at(-1)?.sheet } : undefined }
}
