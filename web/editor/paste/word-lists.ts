/** Lists of Microsoft Word: it copies each item as a paragraph whose style has its level, and its marker as text. */

export interface WordItem {
  readonly level: number
  /** As Word draws it: a sign, or a number such as `2.` or `b)`. */
  readonly marker: string
  /** Markdown. */
  readonly text: string
}

interface Open {
  readonly level: number
  readonly indent: string
  readonly mark: string
  readonly number: number | undefined
}

/** Returns the level of a paragraph by its style; undefined if it is not an item. */
export function levelOf(style: string): number | undefined {
  const level = /mso-list:\s*l\d+\s+level(\d)/i.exec(style)?.[1]
  return level === undefined ? undefined : Number(level)
}

/** Whether a style is that of a marker which is written as text. */
export const isMarker = (style: string): boolean => /mso-list:\s*ignore/i.test(style)

/** Returns the number of a marker, at least 1; undefined if it is not a number or letter. */
function numberOf(marker: string, before: Open | undefined): number | undefined {
  const word = /^\(?((?:\d{1,9}\.)*)(\d{1,9}|[a-z]{1,6})[.)]+$/i.exec(marker.trim())
  if (word === null) return undefined
  const number = Number(word[2])
  return Number.isNaN(number) ? (before?.number ?? 0) + 1 : number
}

/** Returns a list in Markdown with the levels of its items. */
export function wordList(items: readonly WordItem[]): string {
  const open: Open[] = []
  const lines = items.map(({ level, marker, text }) => {
    let before: Open | undefined
    while ((open.at(-1)?.level ?? 0) >= level) before = open.pop()
    const outer = open.at(-1)
    const indent = outer === undefined ? '' : outer.indent + ' '.repeat(outer.mark.length)
    const number = numberOf(marker, before?.level === level ? before : undefined)
    const mark = number === undefined ? '- ' : `${number}. `
    open.push({ level, indent, mark, number })
    return `${indent}${mark}${text.replaceAll(/\n(?=[^\n])/g, `\n${indent}${' '.repeat(mark.length)}`)}`
  })
  return lines.join('\n')
}
