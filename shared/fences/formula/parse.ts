/**
 * Parses formulas into trees, by precedence climbing (Pratt). The operators are listed from the loosest to the tightest (OpenFormula 1.2, part 4,
 * §5.5):
 *
 *     = <> < <= > >=    &    + -    * /    ^    % (suffix)    + - (prefix)    :
 *
 * All operators are left-associative: `2^3^2` is 64, and `-2^2` is 4. Arguments are separated by `,` or `;`.
 *
 *     reference = ["#" id "!"] ["$"] column ["$"] row [":" ["$"] column ["$"] row]
 */
import { limits } from '../../limits.ts'
import { noSuch } from './german-names.ts'
import { errorNames, Failure, type Scalar } from './values.ts'
import { term } from '../../words.ts'

/** A cell. Row and column are counted from 0. */
export interface CellName {
  readonly row: number
  readonly column: number
  readonly rowFixed: boolean
  readonly columnFixed: boolean
}

/** One cell (`to` is undefined), or all cells between two corners. `sheet` is the id of another sheet. */
export interface Reference {
  readonly sheet: string | undefined
  readonly from: CellName
  readonly to: CellName | undefined
}

export type Operator = '=' | '<>' | '<' | '<=' | '>' | '>=' | '&' | '+' | '-' | '*' | '/' | '^'

export type Expression =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'reference'; readonly reference: Reference }
  | { readonly kind: 'binary'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'negate' | 'percent'; readonly of: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }

export interface Formula {
  readonly expression: Expression
  readonly references: readonly Reference[]
}

type Token =
  | {
      readonly kind: 'number' | 'string' | 'name' | 'sheet' | 'error' | 'sign'
      readonly text: string
      readonly from: number
      readonly to: number
    }
  | { readonly kind: 'cell'; readonly text: string; readonly cell: CellName; readonly from: number; readonly to: number }

type PlainKind = Exclude<Token['kind'], 'cell'>

const patterns: Readonly<Record<PlainKind, RegExp>> = {
  // This pattern has one alternative for each name in `errorNames`.
  error: /#REF!|#DIV\/0!|#NAME\?|#VALUE!|#CYCLE!|#N\/A|#NUM!/y,
  sheet: /#[\p{L}\p{N}_-]+!/uy,
  number: /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y,
  string: /"(?:[^"]|"")*"/y,
  name: /[\p{L}_][\p{L}\p{N}_.]*/uy,
  sign: /<>|<=|>=|[-+*/^&=<>%():,;]/y
}
const cellPattern = /(\$?)([A-Za-z]{1,2})(\$?)([1-9]\d{0,5})(?![\p{L}\p{N}_.(])/uy
const space = /\s*/y

/** Returns the index of a column by its one or two letters, counted from 0. */
export const columnOfLetters = (letters: string): number =>
  letters.length === 1 ? (letters.charCodeAt(0) & 95) - 65 : ((letters.charCodeAt(0) & 95) - 64) * 26 + (letters.charCodeAt(1) & 95) - 65

export const lettersOfColumn = (column: number): string =>
  (column >= 26 ? String.fromCharCode(64 + Math.floor(column / 26)) : '') + String.fromCharCode(65 + (column % 26))

export const nameOfCell = ({ row, column, rowFixed, columnFixed }: CellName): string =>
  `${columnFixed ? '$' : ''}${lettersOfColumn(column)}${rowFixed ? '$' : ''}${row + 1}`

const cellAt = (text: string, at: number): (Token & { kind: 'cell' }) | undefined => {
  cellPattern.lastIndex = at
  const found = cellPattern.exec(text)
  if (found === null) return undefined
  const [all, columnFixed, letters = '', rowFixed, row] = found
  const cell = {
    row: Number(row) - 1,
    column: columnOfLetters(letters),
    rowFixed: rowFixed === '$',
    columnFixed: columnFixed === '$'
  }
  return { kind: 'cell', text: all, cell, from: at, to: at + all.length }
}

const unreadable = (): Failure => new Failure('#VALUE!', term('This formula is not valid.'))

/** Returns a formula's tokens after its `=`, up to the first invalid character. */
const readTokens = (text: string): { readonly tokens: Token[]; readonly isWhole: boolean } => {
  const tokens: Token[] = []
  for (let at = 1; ;) {
    if (text.charCodeAt(at) <= 32 || text.charCodeAt(at) >= 128) {
      space.lastIndex = at
      at += space.exec(text)?.[0].length ?? 0
    }
    if (at >= text.length) return { tokens, isWhole: true }
    const token = (mayBeCell(text.charCodeAt(at)) ? cellAt(text, at) : undefined) ?? plainTokenAt(text, at)
    if (token === undefined) return { tokens, isWhole: false }
    tokens.push(token)
    at = token.to
  }
}

/** Returns a formula's tokens after its `=`. Throws `#VALUE!` for an invalid character. */
export const tokensOf = (text: string): Token[] => {
  const { tokens, isWhole } = readTokens(text)
  if (!isWhole) throw unreadable()
  return tokens
}

/** Returns the kinds of token that may begin with a character. Trying all patterns at every position would take most of the time. */
const kindsAt = (code: number): readonly PlainKind[] => {
  if (code === 35) return ['error', 'sheet']
  if (code === 34) return ['string']
  if ((code >= 48 && code <= 57) || code === 46) return ['number']
  return code < 65 || (code > 90 && code < 97 && code !== 95) || (code > 122 && code < 128) ? ['sign'] : ['name']
}

const plainTokenAt = (text: string, at: number): Token | undefined => {
  for (const kind of kindsAt(text.charCodeAt(at))) {
    const pattern = patterns[kind]
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) return { kind, text: found, from: at, to: at + found.length }
  }
  return undefined
}

const mayBeCell = (code: number): boolean => code === 36 || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

const strengths: Readonly<Record<string, number>> = {
  '=': 1,
  '<>': 1,
  '<': 1,
  '<=': 1,
  '>': 1,
  '>=': 1,
  '&': 2,
  '+': 3,
  '-': 3,
  '*': 4,
  '/': 4,
  '^': 5,
  '%': 6
}
const prefixStrength = 7

/** Parses a formula. Throws `#VALUE!` if it cannot be parsed, is too long or is nested too deeply. */
export const parseFormula = (text: string): Formula => {
  if (text.length > limits.formulaUnitsMax) throw new Failure('#VALUE!', term('This formula is too long.'))
  const tokens = tokensOf(text)
  const references: Reference[] = []
  let at = 0
  let depth = 0

  const isSign = (sign: string): boolean => tokens[at]?.kind === 'sign' && tokens[at]?.text === sign
  const take = (sign: string): boolean => {
    const found = isSign(sign)
    if (found) at += 1
    return found
  }
  const need = (sign: string): void => {
    if (!take(sign)) throw unreadable()
  }
  const cell = (): CellName => {
    const token = tokens[at++]
    if (token?.kind !== 'cell') throw unreadable()
    return token.cell
  }
  const reference = (sheet: string | undefined): Expression => {
    const from = cell()
    const found = { sheet, from, to: take(':') ? cell() : undefined }
    references.push(found)
    return { kind: 'reference', reference: found }
  }
  const call = (name: string): Expression => {
    const list: Expression[] = []
    if (!take(')')) {
      do {
        const isMissing = isSign(',') || isSign(';') || isSign(')')
        list.push(isMissing ? { kind: 'value', value: null } : expression(0))
      } while (take(',') || take(';'))
      need(')')
    }
    return { kind: 'call', name: name.toUpperCase(), arguments: list }
  }
  const named = (name: string): Expression => {
    if (take('(')) return call(name)
    if (/^(?:true|false)$/i.test(name)) return { kind: 'value', value: name.toLowerCase() === 'true' }
    return {
      kind: 'value',
      value: noSuch(name, term('There is nothing called {name}.'), term('There is nothing called {name}. Use {other}.'))
    }
  }
  const primary = (): Expression => {
    const token = tokens[at]
    if (token === undefined) throw unreadable()
    if (token.kind === 'cell') return reference(undefined)
    at += 1
    if (token.kind === 'number') return { kind: 'value', value: Number(token.text) }
    if (token.kind === 'string') return { kind: 'value', value: token.text.slice(1, -1).replaceAll('""', '"') }
    if (token.kind === 'error') return { kind: 'value', value: new Failure(errorNames.find((name) => name === token.text) ?? '#VALUE!') }
    if (token.kind === 'sheet') return reference(token.text.slice(1, -1))
    if (token.kind === 'name') return named(token.text)
    if (token.text === '-') return { kind: 'negate', of: expression(prefixStrength) }
    if (token.text === '+') return expression(prefixStrength)
    if (token.text !== '(') throw unreadable()
    const inner = expression(0)
    need(')')
    return inner
  }
  const expression = (weakest: number): Expression => {
    depth += 1
    if (depth > limits.formulaDepthMax) throw new Failure('#VALUE!', term('This formula is nested too deeply.'))
    let left = primary()
    for (;;) {
      const token = tokens[at]
      const strength = token?.kind === 'sign' ? strengths[token.text] : undefined
      if (token === undefined || strength === undefined || strength <= weakest) break
      at += 1
      left =
        token.text === '%'
          ? { kind: 'percent', of: left }
          : { kind: 'binary', operator: token.text as Operator, left, right: expression(strength) }
    }
    depth -= 1
    return left
  }

  const whole = expression(0)
  if (at < tokens.length) throw unreadable()
  return { expression: whole, references }
}

/** A reference with its position in a formula. `from` and `to` exclude the sheet's name, which begins at `start`. */
export interface WrittenReference {
  readonly start: number
  readonly sheet: string | undefined
  readonly first: CellName
  readonly last: CellName | undefined
  readonly from: number
  readonly to: number
}

/**
 * Returns a formula's references, in order, for code that rewrites them. The list is empty if the formula cannot be parsed. For a draft, which may
 * end inside a quoted string, it contains the references before the first part that cannot be parsed.
 */
export const referencesIn = (text: string, isDraft = false): WrittenReference[] => {
  const { tokens, isWhole } = readTokens(text)
  if (!isWhole && !isDraft) return []
  const found: WrittenReference[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]
    if (token?.kind !== 'cell') continue
    const before = tokens[at - 1]
    const [colon, end] = [tokens[at + 1], tokens[at + 2]]
    const last = colon?.text === ':' && end?.kind === 'cell' ? end : undefined
    found.push({
      sheet: before?.kind === 'sheet' ? before.text.slice(1, -1) : undefined,
      start: before?.kind === 'sheet' ? before.from : token.from,
      first: token.cell,
      last: last?.cell,
      from: token.from,
      to: last?.to ?? token.to
    })
    if (last !== undefined) at += 2
  }
  return found
}

const isReadable = (text: string): boolean => {
  try {
    return parseFormula(text) !== undefined
  } catch {
    return false
  }
}

/** Returns a formula with the closing brackets that are missing at its end. Returns any other text unchanged. */
export const closedFormula = (text: string): string => {
  if (!text.startsWith('=') || isReadable(text)) return text
  const signs = readTokens(text).tokens.filter(({ kind }) => kind === 'sign')
  const count = (sign: string): number => signs.filter((token) => token.text === sign).length
  const missing = count('(') - count(')')
  const closed = missing > 0 && missing <= limits.formulaDepthMax ? text + ')'.repeat(missing) : text
  return isReadable(closed) ? closed : text
}
