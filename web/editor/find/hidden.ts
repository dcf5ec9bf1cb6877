/**
 * Finds the text that the live view hides: marks, addresses, the sources of formulas and pictures, and the settings of components. Find and replace
 * leave it out, because a person could not see that it changes. It does not matter where the caret is, although the caret reveals marks.
 */
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import type { EditorState, Text } from '@codemirror/state'
import { componentsOf, isDrawable } from '../../../shared/fences/drawn.ts'
import { unseenIn } from '../../../shared/fences/unseen.ts'
import { drawsComponents } from '../awaited.ts'
import { isLive } from '../is-live.ts'
import { collapsiblesIn, tagsOf } from '../collapsible-parts.ts'
import { decorateRange } from '../live/live.ts'

interface Stretch {
  readonly from: number
  readonly to: number
}

/** Length of the parts whose hidden ranges are found together, in UTF-16 units. */
const partUnits = 4096

interface Known {
  /** The state with the longest parse result of its text. */
  readonly state: EditorState
  /** The hidden ranges of each part, ascending, by the number of the part. */
  readonly parts: Map<number, readonly Stretch[]>
}

const knownOf = new WeakMap<Text, Known>()

const isParsed = (state: EditorState, to: number): boolean => syntaxTree(state).length >= to

/**
 * Parses more of the text, for at most `ms` milliseconds. The editor itself parses little more than the visible part, and marks in the rest count as
 * visible text. Returns whether the entire text is parsed.
 */
export function parseFurther(state: EditorState, ms: number): boolean {
  const known = knownOf.get(state.doc)
  if (!isLive(state) || (known !== undefined && isParsed(known.state, state.doc.length))) return true
  ensureSyntaxTree(state, state.doc.length, ms)
  // A state contains its own parse result only after another transaction.
  const parsed = state.update({}).state
  knownOf.set(state.doc, { state: parsed, parts: new Map() })
  return isParsed(parsed, state.doc.length)
}

/** Returns the formulas of a range. They are drawn by another part of the live view. */
function formulas(state: EditorState, range: Stretch): Stretch[] {
  const found: Stretch[] = []
  syntaxTree(state).iterate({
    ...range,
    enter({ name, from, to, node }) {
      const info = name === 'FencedCode' ? node.getChild('CodeInfo') : null
      const isFormula = /^(?:Inline|Block)Math$/.test(name) || (info !== null && state.sliceDoc(info.from, info.to).trim() === 'math')
      if (isFormula) found.push({ from, to })
      return !isFormula
    }
  })
  return found
}

const tagsIn = new WeakMap<Text, readonly Stretch[]>()

/** Returns the tags of collapsible text in a range. Their lines are drawn by another part of the live view. */
function collapsibleTags({ doc }: EditorState, { from, to }: Stretch): readonly Stretch[] {
  const found = tagsIn.get(doc) ?? collapsiblesIn(doc).flatMap(tagsOf)
  tagsIn.set(doc, found)
  return found.filter((range) => range.from <= to && range.to >= from)
}

const unseenOf = new WeakMap<Text, readonly Stretch[]>()

/** Returns the ranges that the drawn components of the text do not show, ascending. */
function unseen({ doc }: EditorState): readonly Stretch[] {
  const found = unseenOf.get(doc) ?? componentsOf(doc.toString()).filter(isDrawable).flatMap(unseenIn)
  unseenOf.set(doc, found)
  return found
}

/** Returns the part of a range that drawn components do not show. */
const unseenWithin = (state: EditorState, { from, to }: Stretch): readonly Stretch[] =>
  state.facet(drawsComponents) ? unseen(state).filter((range) => range.from <= to && range.to >= from) : []

function hiddenIn(state: EditorState, part: number): readonly Stretch[] {
  const known = knownOf.get(state.doc) ?? { state, parts: new Map<number, readonly Stretch[]>() }
  knownOf.set(state.doc, known)
  const found = known.parts.get(part)
  if (found !== undefined) return found
  const end = state.doc.lineAt(Math.min((part + 1) * partUnits, state.doc.length)).to
  const parsed = isParsed(state, end) ? state : known.state
  const range = { from: state.doc.lineAt(part * partUnits).from, to: end }
  if (!isParsed(parsed, range.from + 1)) return []
  const hidden = [
    ...decorateRange(parsed, range, []).hidden,
    ...formulas(parsed, range),
    ...collapsibleTags(state, range),
    ...unseenWithin(state, range)
  ].toSorted((one, other) => one.from - other.from)
  if (isParsed(parsed, end)) known.parts.set(part, hidden)
  return hidden
}

/** Whether a position is in the title of a picture, which is drawn as its caption. */
function isCaption(state: EditorState, position: number): boolean {
  const node = syntaxTree(knownOf.get(state.doc)?.state ?? state).resolveInner(position, 1)
  return node.name === 'LinkTitle' && node.parent?.name === 'Image'
}

/** Whether a range is completely within text that the live view hides. In the source view, no text is hidden. */
export function isHidden(state: EditorState, from: number, to: number): boolean {
  if (from === to || !isLive(state)) return false
  let end = from
  for (const range of hiddenIn(state, Math.floor(from / partUnits))) {
    if (range.from > end) break
    end = Math.max(end, range.to)
  }
  return end >= to && !isCaption(state, from)
}
