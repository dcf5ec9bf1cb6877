/** Counts the words and characters of the text. Words are those that readers see: not marks, settings and data of components. */
import { type EditorState, Text } from '@codemirror/state'
import { isFenceKind, parseInfo } from '../../shared/fences/fences.ts'
import { endsFrontMatter } from '../../shared/text/front-matter.ts'
import { chosenCells, chosenRows } from './chosen-cells.ts'
import { frontMatterEnd } from './front-matter.ts'
import { isLive } from './is-live.ts'

/** Marks of formats inside a word, as in `**Fri**day`, do not divide it. */
const word = /[\p{L}\p{N}]+(?:(?:['’_-]|[*~=`]+)[\p{L}\p{N}]+)*/gu
/** Matches characters of scripts without spaces. Each one counts as a word, as in word processors. */
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu

/** Matches quote marks, list markers, and their check boxes. */
const lineMarks = /^[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?:\[[ xX>]{1,2}\](?=[ \t]|$))?)?/
/** Matches the opening line of a fence: its quote marks, its mark and the info string. */
const opening = /^([ \t>]{0,40})(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})?(?:(`{3,})([^`]{0,1000})$|(~{3,})(.{0,1000}))/
/** Matches the closing line of a fence. */
const closing = /^[ \t>]{0,40}(`{3,}|~{3,})[ \t]*$/
/** Matches `](address "title")` and `][label]`. For a picture, it also matches the alternative text, which is visible only if the picture is missing. */
const target = /(?:!\[[^[\]\n]{0,500})?\]\((?:<[^<>\n]{0,2000}>|(?:[^()\n]|\([^()\n]{0,500}\)){0,2000})\)|\]\[[^[\]\n]{1,500}\]/g
/** Matches the address of a link in brackets, on a line of its own. */
const definition = /^[ \t>]{0,40}\[[^[\]^][^[\]]{0,500}\]:[ \t]{1,40}\S/
/** Matches an address in the text, which counts as one word. */
const address = /(?:https?:\/\/|www\.)[!-;=?-{}~]+/gi
/** Matches comments, the tags of blocks, and line breaks. */
const blockTags = /<!--[^<>]{0,2000}-->|<\/?(?:details(?: open)?|summary|br) ?\/?>/gi
/** Matches marks within a word: the tags of formats, and footnote numbers. */
const wordTags = /<\/?(?:kbd|sub|sup|mark|ins|u|small|abbr|samp|var|cite|q)>|\[\^[^[\]\s]{1,200}\]/gi
const formula = /\|[ \t]*=(?:\\\||[^|])*/g
const time = /^[ \t>]{0,40}\[[^\]]{0,100}\]/
/** Matches the settings of a chart whose values appear in the drawing. */
const shownSetting = /^[ \t>]{0,40}(?:title|x|y)[ \t]{0,40}:/i

export function countWords(text: string): number {
  const alone = text.match(ideograph)?.length ?? 0
  return alone + (text.replace(ideograph, ' ').match(word)?.length ?? 0)
}

function countProse(line: string): number {
  if (definition.test(line)) return 0
  const text = line.replace(lineMarks, ' ').replace(blockTags, ' ').replace(wordTags, '')
  return countWords(text.replace(target, ' ').replace(address, 'x'))
}

/** Counts the words that a line of a fence shows, by the kind of fence. The lines of other fences are code. */
const countIn: Readonly<Partial<Record<string, (line: string) => number>>> = {
  board: countProse,
  chat: (line) => countProse(line.replace(time, ' ')),
  sheet: (line) => countProse(line.replace(formula, '| x ')),
  chart: (line) => (shownSetting.test(line) ? countWords(line.replace(shownSetting, ' ')) : 0),
  widget: () => 0,
  mermaid: () => 0
}

/**
 * The block that contains the beginning of a line: '' outside of fences, `top` at the start of front matter, `settings` within it, or the opening of a
 * fence, as in ">``` board". It is a string, so that two can be compared.
 */
type Block = string

/** The words of some lines that begin in the block `before`, and the block in which the next line begins. */
interface Counted {
  readonly before: Block
  readonly words: number
  readonly after: Block
}

function openFence([, prefix = '', ticks, ticksInfo, tildes, tildesInfo]: readonly (string | undefined)[]): Omit<Counted, 'before'> {
  const { kind, attributes } = parseInfo(ticksInfo ?? tildesInfo ?? '')
  const after = `${prefix.includes('>') ? '>' : ''}${ticks ?? tildes} ${kind}`
  return { words: isFenceKind(kind) ? countWords(attributes.get('title') ?? '') : 0, after }
}

function countInFence(line: string, block: Block): Omit<Counted, 'before'> {
  const [mark = '', kind = ''] = block.replace('>', '').split(' ')
  if (closing.exec(line)?.[1]?.startsWith(mark) === true) return { words: 0, after: '' }
  return { words: (countIn[kind] ?? countWords)(line), after: block }
}

function countLine(line: string, block: Block): Omit<Counted, 'before'> {
  if (block === 'top') return { words: 0, after: 'settings' }
  if (block === 'settings') return { words: 0, after: endsFrontMatter(line) ? '' : block }
  // A fence in a quote ends with the quote.
  if (block !== '' && (!block.startsWith('>') || line.trimStart().startsWith('>'))) return countInFence(line, block)
  const opened = opening.exec(line)
  return opened === null ? { words: countProse(line), after: '' } : openFence(opened)
}

const known = new WeakMap<Text, Counted>()

function countPart(text: Text, before: Block): Counted {
  const found = known.get(text)
  if (found?.before === before) return found
  let [words, after] = [0, before]
  const add = (part: Omit<Counted, 'before'>): void => {
    words += part.words
    after = part.after
  }
  if (text.children === null) for (const line of text.iterLines()) add(countLine(line, after))
  else for (const child of text.children) add(countPart(child, after))
  const counted = { before, words, after }
  known.set(text, counted)
  return counted
}

const blockAtTop = (text: Text): Block => (frontMatterEnd(text) > 0 ? 'top' : '')

/**
 * Counts the words of the editor's text. The time depends on how much changed since the last call: the parts of the text are immutable, and an edit
 * reuses most of them.
 */
export const countDocument = (text: Text): number => countPart(text, blockAtTop(text)).words

/** Counts the words of a part of the text. Offsets are in UTF-16 units. */
export function countRange(text: Text, from: number, to: number): number {
  const start = text.lineAt(from).from
  const top = blockAtTop(text)
  return countPart(text.slice(from, to), start === 0 ? top : countPart(text.slice(0, start - 1), top).after).words
}

/** Returns the selected cells as text, with a line for each row. Undefined if the selection is other text. */
function selectedCells(state: EditorState): Text | undefined {
  const chosen = isLive(state) ? chosenCells(state) : undefined
  const rows = chosen && chosenRows(state, chosen)
  return rows && Text.of(rows.map((cells) => cells.map(({ from, to }) => state.sliceDoc(from, to)).join(' ')))
}

export const selectedText = (state: EditorState): Text =>
  selectedCells(state) ?? state.doc.slice(state.selection.main.from, state.selection.main.to)

/** Counts the words of the selected text. */
export function countSelected(state: EditorState): number {
  const cells = selectedCells(state)
  const { from, to } = state.selection.main
  return cells === undefined ? countRange(state.doc, from, to) : countPart(cells, '').words
}

/**
 * Longest text whose grapheme clusters are counted, in UTF-16 units. Longer text is counted in code points, because a million clusters would take
 * half a second.
 */
const clustersUnitsMax = 200_000

/** Counts characters as people do (grapheme clusters), without line breaks. */
export function countCharacters(text: Text): number {
  if (text.length > clustersUnitsMax) {
    let sum = 0
    for (const line of text.iterLines()) for (const _ of line) sum++
    return sum
  }
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let sum = 0
  for (const line of text.iterLines()) for (const _ of segments.segment(line)) sum++
  return sum
}
