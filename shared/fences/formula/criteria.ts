/**
 * Criteria of `COUNTIF`, `SUMIF` and the lookup functions, such as `5`, `">=5"`, `"<>"` or `"a*"` (OpenFormula 1.2, part 4, §4.11.8). They ignore
 * case.
 */
import { compare, Day, Failure, type Scalar, single, type Value, valueOfCell } from './values.ts'

type Matches = (value: Scalar) => boolean
/** Counts steps of work. Throws `#VALUE!` beyond the limit. */
export type Step = (steps: number) => void

const anything = Symbol('*')
const anyOne = Symbol('?')

/**
 * Returns a function that decides whether the entire text matches a pattern with `*`, `?`, and `~` as the escape character. It ignores case.
 * The time is at most proportional to the product of both lengths, and the steps are counted.
 */
export const wildcard = (pattern: string, step: Step): ((text: string) => boolean) => {
  const parts = Array.from(pattern.toLowerCase().matchAll(/~([*?~])|([*?])|([^*?])/gsu), ([, escaped, sign, plain]) =>
    sign === '*' ? anything : sign === '?' ? anyOne : (escaped ?? plain ?? '')
  )
  return (text) => {
    const chars = Array.from(text.toLowerCase())
    let [at, part, star, resume, tries] = [0, 0, -1, 0, 0]
    while (at < chars.length) {
      if (++tries % 64 === 0) step(8)
      if (parts[part] === anyOne || (parts[part] !== anything && parts[part] === chars[at])) {
        at += 1
        part += 1
      } else if (parts[part] === anything) {
        star = part++
        resume = at
      } else if (star >= 0) {
        // The match fails, so the last star takes one more character.
        part = star + 1
        at = ++resume
      } else return false
    }
    while (parts[part] === anything) part += 1
    return part === parts.length
  }
}

const sameKind = (one: Scalar, other: Scalar): boolean => {
  const kind = (value: Scalar): string => (value instanceof Day ? 'number' : value === null ? 'null' : typeof value)
  return kind(one) === kind(other)
}

const equals = (wanted: Scalar, step: Step): Matches => {
  if (typeof wanted !== 'string') return (value) => sameKind(value, wanted) && compare(value, wanted) === 0
  if (!/[*?~]/.test(wanted)) return (value) => typeof value === 'string' && compare(value, wanted) === 0
  const isLike = wildcard(wanted, step)
  return (value) => typeof value === 'string' && isLike(value)
}

const isEmpty = (value: Scalar): boolean => value === null || value === ''

export const matcherOf = (criterion: Value, step: Step): Matches => {
  const wanted = single(criterion)
  if (typeof wanted !== 'string') return equals(wanted ?? 0, step)
  const [, operator = '', rest = ''] = /^(<>|<=|>=|<|>|=)?([^]*)$/.exec(wanted) ?? []
  if (rest === '') return operator === '<>' ? (value) => !isEmpty(value) : operator === '=' ? (value) => value === null : isEmpty
  const bound = valueOfCell(rest)
  const same = equals(bound, step)
  if (operator === '' || operator === '=') return same
  if (operator === '<>') return (value) => !same(value)
  return (value) => {
    if (value instanceof Failure || !sameKind(value, bound)) return false
    const order = compare(value, bound)
    if (order === 0) return operator.endsWith('=')
    return operator.startsWith('<') ? order < 0 : order > 0
  }
}
