/** Places pasted Markdown so that it stays in the quote or the list around the caret. */
import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'
import { itemAt, itemOf, renumber, type Item } from '../commands-list.ts'

interface PastedItem {
  /** The width of the marker and the spaces after it. */
  readonly width: number
  /** The lines of the item without marker and indentation. */
  readonly lines: string[]
}

const marker = /^((?:[-*+]|\d{1,9}[.)])(?: {1,4}|\t))(.*)$/

/** Returns a line without its indentation, up to a width. */
const dedented = (line: string, width: number): string => line.slice(Math.min(width, line.search(/[^ \t]|$/)))

/** Returns the items of a list. Undefined if the text is anything else, or more than one list. */
function itemsOf(markdown: string): PastedItem[] | undefined {
  const items: PastedItem[] = []
  for (const line of markdown.split('\n')) {
    const [, mark, text = ''] = marker.exec(line) ?? []
    const last = items.at(-1)
    if (mark !== undefined) items.push({ width: mark.length, lines: [text] })
    else if (last === undefined || !/^(?:[ \t]|$)/.test(line)) return undefined
    else last.lines.push(dedented(line, last.width))
  }
  return items.length === 0 ? undefined : items
}

/** Returns one item for each line of ordinary text. Undefined for a single line, and for text with blank lines or other blocks. */
function itemsOfLines(text: string): PastedItem[] | undefined {
  if (!text.includes('\n') || /^(?:\s|$|#+ |[>|<]|``|~~|\$\$|--)/m.test(text)) return undefined
  return text.split('\n').map((line) => ({ width: 0, lines: [line.replace(marker, '$2')] }))
}

const boxAtEnd = /\[[ xX]\][ \t]+$/
const boxAtStart = /^\[[ xX]\] /

interface Place {
  readonly from: number
  readonly to: number
  /** The quote marks, the marker and the text before the place on its line. */
  readonly head: string
  readonly found: Item | undefined
  readonly before: string
  readonly after: string
}

function placeOf(state: EditorState): Place {
  const { doc } = state
  const { from, to } = state.selection.main
  const line = doc.lineAt(from)
  const item = itemAt(state, line)
  const found = item !== undefined && from - line.from >= item.lead.trimEnd().length ? item : undefined
  const isInMarker = found !== undefined && from - line.from < found.length
  const start = found === undefined ? 0 : isInMarker ? found.lead.trimEnd().length : found.length
  return {
    from,
    to,
    head: line.text.slice(0, start),
    found: isInMarker && found.marker !== '' ? undefined : found,
    before: doc.sliceString(line.from + start, from).trim(),
    after: doc.sliceString(to, doc.lineAt(to).to).trim()
  }
}

/** Returns the beginning of each line of a quote at the place. It is '' outside quotes. */
const quoteOf = ({ found }: Place): string => {
  const lead = found?.lead ?? ''
  return lead.includes('>') ? `${lead.slice(0, lead.lastIndexOf('>') + 1)} ` : ''
}

/** Returns text whose lines after the first one begin with `lead`. */
const led = (text: string, lead: string): string => text.replaceAll('\n', `\n${lead}`).replaceAll(`\n${lead}\n`, `\n${lead.trimEnd()}\n`)

const pasted = (from: number, insert: string, rest: TransactionSpec): TransactionSpec => ({
  selection: EditorSelection.cursor(from + insert.length),
  scrollIntoView: true,
  userEvent: 'input.paste',
  ...rest
})

/**
 * Adds pasted items to the list around the caret. An empty item becomes the first one, and text after the caret becomes an item of its own. The first
 * and the last of several lines join the text around them.
 */
function inList(state: EditorState, place: Place, found: Item, items: readonly PastedItem[], areLines = false): TransactionSpec {
  const { from, to, head, before } = place
  const after = areLines ? '' : place.after
  const { lead, next, nextNumber } = found
  const dot = found.marker.slice(-1)
  const [gap = ' '] = /^[ \t]+/.exec(next.slice(lead.length + found.marker.length)) ?? []
  const isTask = boxAtEnd.test(next)
  const own = areLines || before === '' ? 1 : 0
  const markAt = (index: number): string => (nextNumber === undefined ? found.marker : `${nextNumber - own + index}${dot}`) + gap
  const boxFor = (text: string): string => (isTask && !boxAtStart.test(text) ? '[ ] ' : '')
  const written = items.map(({ lines: [first = '', ...more] }, index) => {
    const isOwn = own === 1 && index === 0
    const mark = markAt(index)
    const start = isOwn ? '' : `\n${lead}${mark}${boxFor(first)}`
    return start + led([first, ...more].join('\n'), lead + ' '.repeat(mark.length))
  })
  // A pasted check box replaces the one of an empty task.
  const box = before === '' && boxAtStart.test(items[0]?.lines[0] ?? '') ? (boxAtEnd.exec(head)?.[0].length ?? 0) : 0
  const insert = written.join('')
  const end = after === '' ? '' : `\n${lead}${markAt(items.length)}${boxFor('')}`
  const last = state.doc.lineAt(to)
  const below = itemOf(last.text) ?? found
  const count = items.length - own + (after === '' ? 0 : 1)
  const by = (nextNumber ?? 0) + count - (below.nextNumber ?? 0)
  const space = after === '' ? 0 : state.doc.sliceString(to, last.to).search(/[^ ]|$/)
  const changes = [{ from: from - box, to: to + space, insert: insert + end }, ...renumber(state, last.number, below, by)]
  return pasted(from - box, insert, { changes })
}

/** Returns the change that pastes blocks of Markdown. Blank lines separate them from the text around them, and the caret comes below a table. */
export function placedBlocks(state: EditorState, markdown: string): TransactionSpec {
  const place = placeOf(state)
  const { from, to, found, before, after } = place
  const items = found === undefined || found.marker === '' ? undefined : itemsOf(markdown.trimEnd())
  if (found !== undefined && items !== undefined) return inList(state, place, found, items)
  const isTable = markdown.startsWith('|', markdown.lastIndexOf('\n') + 1)
  const text = `${before === '' ? '' : '\n\n'}${markdown}${after === '' ? (isTable ? '\n' : '') : '\n\n'}`
  const insert = led(text, quoteOf(place))
  return pasted(from, insert, { changes: { from, to, insert } })
}

const isBlock = (markdown: string): boolean => markdown.includes('\n') || /^([#>|]|[-*+] |\d+\. |```|---)/.test(markdown)

/**
 * Returns the change that pastes Markdown that was made from HTML. HTML does not say which spaces at its ends count, but the plain text next to it
 * does.
 */
export function placedFormatted(state: EditorState, markdown: string, text: string): TransactionSpec {
  const { doc, selection } = state
  const { from, to } = selection.main
  if (isBlock(markdown)) return placedBlocks(state, markdown)
  const lead = /^[ \u00a0]/.test(text) && /\S/.test(doc.sliceString(from - 1, from)) ? ' ' : ''
  const end = /[ \u00a0]$/.test(text) && !/\s/.test(doc.sliceString(to, to + 1)) ? ' ' : ''
  return { ...state.replaceSelection(lead + markdown + end), scrollIntoView: true, userEvent: 'input.paste' }
}

/**
 * Returns the change that pastes plain text in a list or a quote. Undefined if the text needs no change. Text that already has quote marks does not
 * get more of them.
 */
export function placedText(state: EditorState, text: string): TransactionSpec | undefined {
  const place = placeOf(state)
  const { from, to, found, before } = place
  if (found === undefined || state.selection.ranges.length > 1) return undefined
  if (found.marker !== '') {
    const trimmed = text.trimEnd()
    const items = itemsOf(trimmed)
    if (items !== undefined && (before === '' || items.length > 1)) return inList(state, place, found, items)
    const lines = itemsOfLines(trimmed)
    if (lines !== undefined) return inList(state, place, found, lines, true)
  }
  const quote = quoteOf(place)
  if (quote === '' || !text.includes('\n') || /\n[ \t]*>/.test(text)) return undefined
  const insert = led(text, quote)
  return pasted(from, insert, { changes: { from, to, insert } })
}
