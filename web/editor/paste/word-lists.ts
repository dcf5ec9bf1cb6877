/** Converts lists of Microsoft Word. Word copies each item as a paragraph with the level in its style and the marker as text. */

export interface WordItem {
  readonly level: number
  /** The marker as Word draws it: a symbol, or a number such as `2.` or `b)`. */
  readonly marker: string
  /** The text of the item, as Markdown. */
  readonly text: string
}

interface Open {
  readonly level: number
  readonly indent: string
  readonly mark: string
  readonly number: number | undefined
}

/** Returns the level in a paragraph's style. Undefined if the paragraph is not an item. */
export function levelOf(style: string): number | undefined {
  const level = /mso-list:\s*l\d+\s+level(\d)/i.exec(style)?.[1]
  return level === undefined ? undefined : Number(level)
}

/** Whether a style belongs to a marker that is written as text. */
export const isMarker = (style: string): boolean => /mso-list:\s*ignore/i.test(style)

/** Returns the number in a marker, which is at least 1. Undefined if the marker is neither a number nor a letter. */
function numberOf(marker: string, before: Open | undefined): number | undefined {
  const word = /^\(?((?:\d{1,9}\.)*)(\d{1,9}|[a-z]{1,6})[.)]+$/i.exec(marker.trim())
  if (word === null) return undefined
  const number = Number(word[2])
  return Number.isNaN(number) ? (before?.number ?? 0) + 1 : number
}

/** Converts items with their levels to a Markdown list. */
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
