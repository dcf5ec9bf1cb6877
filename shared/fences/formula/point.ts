/** Formulas that are written by pointing at cells, as spreadsheets have it. */
import { tokensOf } from './parse.ts'

const isOpen = (before: string): boolean => {
  try {
    const last = tokensOf(before).at(-1)
    return last === undefined || last.kind === 'sheet' || (last.kind === 'sign' && last.text !== ')' && last.text !== '%')
  } catch {
    // Within a text in quotes, say.
    return false
  }
}

/** What may be put in the place of what is selected in a formula: a cell, a range too, or no reference at all (undefined). */
export const pointable = (text: string, from: number, to: number): 'cell' | 'range' | undefined => {
  const [before, behind] = [text.slice(0, from), text.slice(to).trimStart()]
  if (!before.startsWith('=') || !isOpen(before) || !/^(?:[-+*/^&=<>%:,;)]|$)/.test(behind)) return undefined
  return before.trimEnd().endsWith(':') || behind.startsWith(':') ? 'cell' : 'range'
}
