/** The search query and the number of its matches. */
import { SearchQuery, getSearchQuery, setSearchQuery } from '@codemirror/search'
import { StateEffect, StateField, type EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { isHidden, parseFurther } from './hidden.ts'

/** The range that is searched. Undefined for the entire text. */
export interface Within {
  readonly from: number
  readonly to: number
}

export const setWithin = StateEffect.define<Within | undefined>()

/** The search range, which moves with edits by others. */
export const within = StateField.define<Within | undefined>({
  create: () => undefined,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setWithin)) return effect.value
    if (value === undefined || !transaction.docChanged) return value
    return { from: transaction.changes.mapPos(value.from, -1), to: transaction.changes.mapPos(value.to, 1) }
  }
})

const isSearched = (_match: string, state: EditorState, from: number, to: number): boolean => {
  const range = state.field(within, false)
  return (range === undefined || (from >= range.from && to <= range.to)) && !isHidden(state, from, to)
}

export interface Wanted {
  readonly search: string
  readonly replace: string
  readonly caseSensitive: boolean
  readonly wholeWord: boolean
  readonly regexp: boolean
}

export const wanted = (state: EditorState): Wanted => getSearchQuery(state)

/** Returns a query that finds text in the search range. In the live view, it finds only visible text. */
export const queryOf = ({ search, replace, caseSensitive, wholeWord, regexp }: Wanted): SearchQuery =>
  // In a literal query, `\n` stands for two characters.
  new SearchQuery({ search, replace, caseSensitive, wholeWord, regexp, literal: !regexp, test: isSearched })

/** Changes the search query. */
export function want(view: EditorView, change: Partial<Wanted>): void {
  view.dispatch({ effects: setSearchQuery.of(queryOf({ ...wanted(view.state), ...change })) })
}

/**
 * Longest time for which one step parses the text, in milliseconds. The first value applies while a person types, and the second one before all
 * matches are replaced.
 */
const parseMsMax = 100
const parseAllMsMax = 20_000

/** Parses more of the text, so that hidden matches are known. Returns whether the entire text is parsed. */
export const readFurther = (state: EditorState): boolean => parseFurther(state, parseMsMax)

/** Selects the first match after the start of the selection, or else after the start of the search range, and scrolls to it. */
export function goToMatch(view: EditorView): void {
  const { state } = view
  const query = getSearchQuery(state)
  if (!query.valid) return
  readFurther(state)
  const range = state.field(within, false)
  const first = (from: number) => {
    const next = query.getCursor(state, from, range?.to).next()
    return next.done === true ? undefined : next.value
  }
  const match = first(Math.max(state.selection.main.from, range?.from ?? 0)) ?? first(range?.from ?? 0)
  if (match === undefined || match.from === match.to) return
  const selection = { anchor: match.from, head: match.to }
  view.dispatch({ selection, effects: EditorView.scrollIntoView(match.from, { y: 'nearest', yMargin: 60 }), userEvent: 'select.search' })
}

/** Whether a match is selected. */
export function isAtMatch(state: EditorState): boolean {
  const query = getSearchQuery(state)
  const { from, to, empty } = state.selection.main
  if (empty || !query.valid) return false
  const next = query.getCursor(state, from, to).next()
  return next.done !== true && next.value.from === from && next.value.to === to
}

export interface Count {
  readonly total: number
  /** Number of the selected match, counted from 1. It is 0 if no match is selected. */
  readonly current: number
  /** Whether there are more matches than were counted. */
  readonly more: boolean
}

/** Maximum number of matches that are counted. */
const countMax = 10_000

/** Counts the matches. Returns undefined if the query is empty or an invalid regular expression. */
export function count(state: EditorState): Count | undefined {
  const query = getSearchQuery(state)
  if (!query.valid) return undefined
  const { main } = state.selection
  const range = state.field(within, false)
  const cursor = query.getCursor(state, range?.from, range?.to)
  let total = 0
  let current = 0
  for (let next = cursor.next(); !next.done; next = cursor.next()) {
    total++
    if (next.value.from === main.from && next.value.to === main.to) current = total
    if (total >= countMax) return { total, current, more: true }
  }
  return { total, current, more: false }
}

/** Counts every match, without a limit. It parses the entire text first, so that no hidden match is replaced. */
export function countAll(state: EditorState): number {
  const query = getSearchQuery(state)
  if (!query.valid) return 0
  parseFurther(state, parseAllMsMax)
  const cursor = query.getCursor(state)
  let total = 0
  while (!cursor.next().done) total++
  return total
}
