/**
 * Formulas as people type them in their language: `=B2*1,5`, `=ROUND(B2*1,5;1)` and `=SUMME(B2:B3)`. Cells store formulas with decimal points, commas
 * between arguments and English names, in every language.
 */
import { englishNames } from '../fences/formula/german-names.ts'
import { tokensOf } from '../fences/formula/parse.ts'

type Token = ReturnType<typeof tokensOf>[number]

/** A formula, a pair of brackets, or the brackets of a call. */
interface Level {
  readonly isCall: boolean
  /** Whether a semicolon separates the arguments of the call. */
  hasSemicolon: boolean
}

/** Returns the innermost brackets around each token. */
function levelsOf(tokens: readonly Token[]): readonly Level[] {
  const open: Level[] = [{ isCall: false, hasSemicolon: false }]
  return tokens.map(({ text }, at) => {
    if (text === '(') open.push({ isCall: tokens[at - 1]?.kind === 'name', hasSemicolon: false })
    const level = open.at(-1) as Level
    if (text === ';') level.hasSemicolon = true
    if (text === ')' && open.length > 1) open.pop()
    return level
  })
}

/** Whether a comma belongs to a number. Digits must follow it. Before it, there must be digits or nothing that could be an argument. */
function isDecimal(tokens: readonly Token[], at: number): boolean {
  const [before, comma, after] = [tokens[at - 1], tokens[at], tokens[at + 1]]
  if (comma === undefined || after?.kind !== 'number' || after.from !== comma.to || after.text.startsWith('.')) return false
  if (before?.kind === 'number') return before.to === comma.from && /^\d+$/.test(before.text)
  return before === undefined || (before.kind === 'sign' && before.text !== ')' && before.text !== '%')
}

/**
 * Returns a typed formula as a cell stores it. Directly inside a call, a comma is part of a number only if semicolons separate the arguments. Any
 * other text is returned unchanged, and so is a formula with an invalid character.
 */
export function canonicalFormula(text: string): string {
  if (!text.startsWith('=')) return text
  const tokens = attempt(text)
  const levels = levelsOf(tokens)
  let [formula, end] = ['', 0]
  tokens.forEach(({ kind, text: sign, from, to }, at) => {
    const level = levels[at]
    if (kind !== 'sign' || level === undefined) return
    const isSeparator = level.isCall && !level.hasSemicolon
    const written = sign === ',' && !isSeparator && isDecimal(tokens, at) ? '.' : sign === ';' && level.isCall ? ',' : sign
    formula += text.slice(end, from) + written
    end = to
  })
  return formula + text.slice(end)
}

/** Returns a formula with the English names of functions and constants in place of the German ones. Any other text is returned unchanged. */
export function withEnglishNames(text: string): string {
  if (!text.startsWith('=')) return text
  let [formula, end] = ['', 0]
  for (const { kind, text: word, from, to } of attempt(text)) {
    const name = word.toUpperCase()
    if (kind !== 'name' || !Object.hasOwn(englishNames, name)) continue
    formula += text.slice(end, from) + englishNames[name]
    end = to
  }
  return formula + text.slice(end)
}

function attempt(text: string): readonly Token[] {
  try {
    return tokensOf(text)
  } catch {
    return []
  }
}
