/** Format commands on random selections, compared with a model that knows the formats of each letter. */
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { expect, test } from 'vitest'
import { calloutLabels } from '../web/editor/callout-labels.ts'
import { insertLink, toggleMarker } from '../web/editor/commands-inline.ts'
import { spanNames } from '../web/editor/format-names.ts'
import { formatsAt } from '../web/editor/formats.ts'
import { markdown } from '../web/editor/language.ts'
import { marking } from '../web/editor/mark-blocks.ts'
import { seeded } from './support/typist.ts'

const words = 'alpha beta gamma delta'
const markers = ['**', '*', '~~', '==']

/** Returns the offset of each letter in the text of a state, and the markers whose formats it has. */
function lettersOf(state: EditorState): { at: number; formats: string }[] {
  const tree = ensureSyntaxTree(state, state.doc.length, 1000)
  return [...state.doc.toString().matchAll(/[a-z]/g)].map(({ index: at }) => {
    const names = new Set<string>()
    for (let node: SyntaxNode | null = tree?.resolveInner(at, 1) ?? null; node !== null; node = node.parent) names.add(node.name)
    return { at, formats: markers.filter((marker) => names.has(spanNames.get(marker) ?? '')).join(' ') }
  })
}

/** Runs the command of a format on the letters from `from` to `to`. */
function toggled(state: EditorState, marker: string, from: number, to: number): EditorState {
  const letters = lettersOf(state)
  let next = state.update({ selection: { anchor: letters[from]!.at, head: letters[to]!.at + 1 } }).state
  toggleMarker(marker)({
    state: next,
    dispatch: (...specs: TransactionSpec[]) => (next = next.update(...specs).state)
  } as unknown as EditorView)
  return next
}

/** Returns the formats of each letter after the command, by the rule of every word processor: all letters get the format, unless all have it. */
function expected(formats: readonly ReadonlySet<string>[], marker: string, from: number, to: number): Set<string>[] {
  const hasAll = formats.slice(from, to + 1).every((each) => each.has(marker))
  return formats.map((each, index) => {
    const next = new Set(each)
    if (index < from || index > to) return next
    if (hasAll) next.delete(marker)
    else next.add(marker)
    return next
  })
}

test.each([...Array(100).keys()])('[WRITE-148] seed %i: format commands on random selections of words', (seed) => {
  const random = seeded(seed)
  let state = EditorState.create({ doc: words, extensions: [markdown(), marking] })
  const count = words.replaceAll(' ', '').length
  let formats: Set<string>[] = Array.from({ length: count }, () => new Set())
  const ends = words.split(' ').map((_word, index, all) => all.slice(0, index + 1).join('').length)
  const steps: string[] = []
  for (let step = 0; step < 4; step++) {
    const marker = markers[random(markers.length)]!
    const [first = 0, last = 0] = [random(ends.length), random(ends.length)].toSorted((a, b) => a - b)
    const [from, to] = [first === 0 ? 0 : ends[first - 1]!, ends[last]! - 1]
    const before = state.doc.toString()
    state = toggled(state, marker, from, to)
    formats = expected(formats, marker, from, to)
    steps.push(`${before} ${marker} ${from}-${to} ${state.doc.toString()}`)
    const shown = lettersOf(state).map((letter) => letter.formats)
    expect(shown, steps.join('\n')).toEqual(formats.map((each) => markers.filter((one) => each.has(one)).join(' ')))
  }
})

test.each([
  // The marks would be between a letter and a sign.
  ['words‹.›', '**', '**words.**'],
  ['some words‹. And›', '*', 'some *words. And*'],
  ['‹(›word) b', '**', '**(word**) b'],
  ['a‹(b)›c', '~~', '~~a(b)c~~'],
  ['**so**me‹!›', '**', '**some!**'],
  ['so it is‹: “x”›', '==', 'so it ==is: “x”=='],
  // They are not.
  ['words ‹.›', '**', 'words **.**'],
  ['‹words.› b', '**', '**words.** b'],
  // The rest of a span would get such marks.
  ['**‹words›. b**', '**', 'words. **b**'],
  ['**‹words›.**', '**', 'words.'],
  ['**a (‹b›)**', '**', '**a** (b)'],
  ['**words‹.›**', '**', '**words**.']
])('[WRITE-151] %j, %s', (before, marker, expected) => {
  const [from, to] = [before.indexOf('‹'), before.indexOf('›') - 1]
  let state = EditorState.create({
    doc: before.replaceAll(/[‹›]/g, ''),
    selection: { anchor: from, head: to },
    extensions: [markdown(), marking]
  })
  const view = {
    get state() {
      return state
    },
    dispatch: (...specs: TransactionSpec[]) => (state = state.update(...specs).state)
  }
  toggleMarker(marker)(view as unknown as EditorView)
  expect(state.doc.toString()).toBe(expected)
})

test.each([
  ['> [!NO|TE]\n> text', undefined],
  ['> > [!tip|] Title', undefined],
  ['> [!NOTE] Ti|tle', '> [!NOTE] **Title**'],
  ['> [!OTH|ER]', '> [!**OTHER**]']
])('[WRITE-310] formats and links leave the label of a callout as it is: %j', (marked, bold) => {
  const doc = marked.replace('|', '')
  const state = EditorState.create({ doc, selection: { anchor: marked.indexOf('|') }, extensions: [markdown(), marking, calloutLabels] })
  let next = state
  const view = { state, dispatch: (...specs: TransactionSpec[]) => (next = state.update(...specs).state) }
  toggleMarker('**')(view as unknown as EditorView)
  expect(next.doc.toString()).toBe(bold ?? doc)
  insertLink(view as unknown as EditorView)
  expect(next.doc.toString() === doc).toBe(bold === undefined)
  expect([...formatsAt(state)]).toEqual([])
})
