/** The headings of a text, with the ids that the reading view and the published page give them. */
import type { Text } from '@codemirror/state'
import { slugOf } from '../../shared/markdown/headings.ts'

export interface Heading {
  /** 1–6. */
  readonly level: number
  /** Without marks. */
  readonly text: string
  readonly id: string
  /** Start of its line, in UTF-16 units. */
  readonly at: number
}

/** More headings are no outline. */
const headingsMax = 2000

/** Marks that are not read: emphasis, code, links, escapes. */
const plain = (text: string): string =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(\*\*|__|~~|`+)(?=\S)(.+?)\1/g, '$2')
    .replaceAll(/(?<![\p{L}\p{N}])([*_])(?=\S)(.+?)\1(?![\p{L}\p{N}])/gu, '$2')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()

/** In the order of the text. Fenced code has none. */
export function headingsOf(doc: Text): Heading[] {
  const found: Heading[] = []
  const taken = new Map<string, number>()
  let fence = ''
  let above = ''
  let at = 0
  const add = (level: number, source: string, start: number): void => {
    const text = plain(source)
    const slug = slugOf(text) || 'section'
    const times = taken.get(slug) ?? 0
    taken.set(slug, times + 1)
    const id = times === 0 ? slug : `${slug}-${times}`
    if (times > 0) taken.set(id, (taken.get(id) ?? 0) + 1)
    found.push({ level, text, id, at: start })
  }
  for (const line of doc.iterLines()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ''
    } else if (mark !== '') fence = mark
    else {
      const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line)
      const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)
      if (heading !== null) add(heading[1]?.length ?? 1, heading[2] ?? '', at)
      else if (under !== null && above !== '') add(under[1]?.startsWith('=') === true ? 1 : 2, above, at - above.length - 1)
    }
    // What stands above dashes is a heading only if it is a line of text.
    above = fence === '' && /^ {0,3}[^\s#>|`~+*-]/.test(line) ? line : ''
    at += line.length + 1
    if (found.length === headingsMax) break
  }
  return found
}
