/** Text functions (OpenFormula 1.2, part 4, §6.20). Characters are code points. */
import { format } from './format.ts'
import type { Function } from './function.ts'
import { Failure, isMatrix, numberOfText, shortEnough, single, sound, textOf, toNumber, toText, type Value } from './values.ts'
import { term } from '../../words.ts'

/** Returns a number of characters. Throws `#VALUE!` if it is below `least`. */
const count = (value: Value, least = 0): number => {
  const number = Math.floor(toNumber(value))
  if (number < least) throw new Failure('#VALUE!', term('The number must be {least} or more.'), { least })
  return number
}

const concat: Function['of'] = (given) => {
  let text = ''
  for (const value of given) for (const each of isMatrix(value) ? value.flat() : [value]) text = shortEnough(text + textOf(sound(each)))
  return text
}

const valueOf = (value: Value): number => {
  const one = single(value)
  if (typeof one !== 'string') return toNumber(one)
  const text = one.trim()
  return numberOfText(text) ?? toNumber(text === '' ? 'nothing' : text)
}

const changed =
  (of: (text: string) => string): Function['of'] =>
  ([value = null]) =>
    shortEnough(of(toText(value)))

const piece =
  (of: (chars: readonly string[], length: number) => readonly string[]): Function['of'] =>
  ([value = null, length = 1]) =>
    of(Array.from(toText(value)), count(length)).join('')

export const textFunctions: Readonly<Record<string, Function>> = {
  CONCAT: { least: 1, most: 255, of: concat },
  LEFT: { least: 1, most: 2, of: piece((chars, length) => chars.slice(0, length)) },
  RIGHT: { least: 1, most: 2, of: piece((chars, length) => chars.slice(Math.max(0, chars.length - length))) },
  MID: {
    least: 3,
    most: 3,
    of: ([value = null, start = null, length = null]) => {
      const from = count(start, 1) - 1
      return Array.from(toText(value))
        .slice(from, from + count(length))
        .join('')
    }
  },
  LEN: { least: 1, most: 1, of: ([value = null]) => Array.from(toText(value)).length },
  TRIM: { least: 1, most: 1, of: changed((text) => text.replaceAll(/ +/g, ' ').replace(/^ | $/g, '')) },
  UPPER: { least: 1, most: 1, of: changed((text) => text.toUpperCase()) },
  LOWER: { least: 1, most: 1, of: changed((text) => text.toLowerCase()) },
  TEXT: { least: 2, most: 2, of: ([value = null, pattern = null]) => shortEnough(format(single(value), toText(pattern))) },
  VALUE: { least: 1, most: 1, of: ([value = null]) => valueOf(value) }
}
