/** Gives pasted footnotes other labels if the document has notes with the same labels. Both marks would otherwise lead to one of the notes. */
import { EditorState, type Extension, type Transaction, type TransactionSpec } from '@codemirror/state'
import { isInCode } from '../in-code.ts'
import { markdownParser } from '../language.ts'

/** Kinds of changes that may bring footnotes from elsewhere. */
const events = ['input.paste', 'input.drop', 'input.insert', 'move.drop']

/** Longest inserted text in which labels change, in UTF-16 units. It is parsed while the person waits. */
const addedUnitsMax = 1_000_000

const written = /\[\^([^\s[\]]{1,100})\](:)?/g

interface Mark {
  /** The offset of the label. */
  readonly at: number
  readonly label: string
  readonly isNote: boolean
}

function marksIn(text: string): Mark[] {
  const marks: Mark[] = []
  let start = 0
  for (const line of text.split('\n')) {
    const lead = /^[ \t>]*/.exec(line)?.[0].length
    for (const { index, 1: label = '', 2: colon } of line.matchAll(written))
      if (line[index - 1] !== '\\') marks.push({ at: start + index + '[^'.length, label, isNote: index === lead && colon !== undefined })
    start += line.length + 1
  }
  return marks
}

const notesIn = (marks: readonly Mark[]): string[] => marks.filter(({ isNote }) => isNote).map(({ label }) => label)

const code = /^(?:InlineCode|FencedCode|CodeBlock|HTMLBlock|CommentBlock)$/

function withoutCode(text: string, marks: readonly Mark[]): Mark[] {
  const ends: (readonly [from: number, to: number])[] = []
  markdownParser.parse(text).iterate({
    enter({ name, from, to }) {
      if (!code.test(name)) return true
      ends.push([from, to])
      return false
    }
  })
  let next = 0
  return marks.filter(({ at }) => {
    while ((ends[next]?.[1] ?? Infinity) <= at) next++
    return at < (ends[next]?.[0] ?? Infinity)
  })
}

const isNumber = (label: string): boolean => /^\d{1,6}$/.test(label)

/** Returns other labels for some labels: the next number, or the same word with a number. */
function freeLabels(labels: Iterable<string>, used: Set<string>): ReadonlyMap<string, string> {
  let most = 0
  for (const label of used) if (isNumber(label)) most = Math.max(most, Number(label))
  const free = (label: string): string => {
    if (isNumber(label)) return String(++most)
    let number = 2
    while (used.has(`${label}-${number}`)) number++
    used.add(`${label}-${number}`)
    return `${label}-${number}`
  }
  return new Map([...labels].map((label) => [label, free(label)]))
}

/** Returns the change that gives the inserted footnotes other labels. Undefined if their labels are free. */
export function relabelled(transaction: Transaction): TransactionSpec | undefined {
  if (!events.some((event) => transaction.isUserEvent(event))) return undefined
  const { startState, changes } = transaction
  const added: Mark[] = []
  changes.iterChanges((from, _to, at, _toB, inserted) => {
    const text = inserted.toString()
    const isPlain = text.length > addedUnitsMax || isInCode(startState, from)
    const marks = isPlain ? [] : marksIn(text)
    if (notesIn(marks).length > 0) added.push(...withoutCode(text, marks).map((mark) => ({ ...mark, at: at + mark.at })))
  })
  if (added.length === 0) return undefined
  const pieces: string[] = []
  changes.iterGaps((from, _to, length) => void pieces.push(startState.sliceDoc(from, from + length)))
  const kept = marksIn(pieces.join('\n'))
  const others = new Set(notesIn(kept))
  const taken = new Set(notesIn(added).filter((label) => others.has(label)))
  const free = freeLabels(taken, new Set([...kept, ...added].map(({ label }) => label)))
  const changed = added.flatMap(({ at, label }) => {
    const insert = free.get(label)
    return insert === undefined ? [] : [{ from: at, to: at + label.length, insert }]
  })
  return changed.length === 0 ? undefined : { changes: changed, sequential: true }
}

export const noteLabels: Extension = EditorState.transactionFilter.of((transaction) => {
  const other = relabelled(transaction)
  return other === undefined ? transaction : [transaction, other]
})
