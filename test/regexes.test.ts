/** The check of regular expressions (scripts/check-regexes.ts). */
import { expect, test } from 'vitest'
import { allFaults, faultsOf } from '../scripts/check-regexes.ts'
import { judge } from '../scripts/regexes/judge.ts'

/** Regular expressions that were once in the sources, and took more than linear time on hostile text. */
const slow = [
  /\n+$/,
  /^\n+|\n+$/g,
  /\s+$/,
  /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/,
  /\[\^[^\]\s]+\]/g,
  /!?\[([^\]]*)\]\([^)]*\)/g,
  /^-{3,}[ \t]*(.*?)[ \t]*$/,
  /^[<>^][ \t]+([^|]+\|.*)$/,
  /^(##[ \t]+)(.*?)[ \t]*$|^##$/,
  /^([A-Za-z]+)[ \t]*:[ \t]*(.*?)[ \t]*$/,
  /^(\s*<!--\s*state\s+)(.*?)(\s*-->\s*)$/,
  /^(?:(`{3,})([^`]*)|(~{3,})(.*))$/,
  /^<details( open)?>\s*(?:<summary>(.*?)<\/summary>)?\s*$/i,
  /<(\w+)([^<>]*?) style="([^"]*)"([^<>]*)>/g,
  /\B(?=(?:\d{3})+$)/g,
  /;(?=(?:[^"]*"[^"]*")*[^"]*$)/,
  /(\*\*|__|~~|`+)(?=\S)(.+?)\1/g,
  /\w{200}|(?:\w+[\s*&]+){50}/,
  /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/,
  /^\/assets\/[\w-]+-worker-[\w-]+\.js$/,
  /text-decoration[^;]*line-through/i,
  /url\(["']?(\/[^"')]+)["']?\)/g,
  /([^\s;=]+)=/g,
  /\s*\n\s*/g,
  /(a+)+$/,
  /^(a|a)*$/,
  /^(?:\s*x?\s*)*$/
]

const linear = [
  /^[A-Za-z0-9_-]{12,22}$/,
  /[^\n]+\n?|\n/g,
  /\\([!-/:-@[-`{-~])|\*\*|__|~~|`|\*/g,
  /^\[([^\]\n]*)\][ \t]+@([^:]*):[ \t]?/,
  /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu,
  /\$\$[ \t]*$/gm,
  /^(?: {0,3}>)* {0,3}x$/,
  /\bbearer\s+[^\s"',;]+/gi,
  /"(?:[^"]|"")*"/y,
  /^[+-]?(?:\d+(?:\.\d*)?|\.\d+|\d{1,3}(?:,\d{3})+(?:\.\d*)?)(?:[eE][+-]?\d{1,3})?(%?)$/
]

test('[LINEAR-5] the check names expressions that take more than linear time, and no others', () => {
  for (const { source, flags } of slow) expect(judge(source, flags), source).toBeDefined()
  for (const { source, flags } of linear) expect(judge(source, flags), source).toBeUndefined()
  expect(faultsOf('planted.ts', 'export const end = (text: string) =>\n  text.replace(/\\s+$/, "")\n')).toEqual([
    expect.stringMatching(/^planted\.ts:2 /)
  ])
  expect(faultsOf('planted.tsx', 'export const slow = () => <p>{RegExp("(a+)+$").source}</p>')).toHaveLength(1)
  expect(faultsOf('planted.ts', 'const text = "/\\\\s+$/" // /\\s+$/\nexport const x = /a+/.test(text)')).toEqual([])
})

test('[LINEAR-6] an expression built from a variable, or a slow one, may stay with a bound stated on the line above', () => {
  const variable = 'const p = "a"\nexport const x = new RegExp(p)\n'
  expect(faultsOf('planted.ts', variable)).toEqual([expect.stringMatching(/^planted\.ts:2 new RegExp/)])
  expect(faultsOf('planted.ts', variable.replace('export', '// Regex bound: one of three fixed words.\nexport'))).toEqual([])
  expect(faultsOf('planted.ts', variable.replace('export', '// Regex bound:\nexport'))).toHaveLength(1)
  expect(faultsOf('planted.ts', variable.replace('const p', '// Regex bound: one of three fixed words.\nconst p'))).toHaveLength(1)
  expect(faultsOf('planted.ts', '// Regex bound: text of at most 300 units.\nexport const x = /\\s+$/\n')).toEqual([])
})

test('[LINEAR-5] no expression in the sources takes more than linear time', () => {
  expect(allFaults()).toEqual([])
})
