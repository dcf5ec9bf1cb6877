/**
 * Keeps the positions of annotations in the editor. It uses the positions that the service or this page reports, and restores annotations whose deleted
 * text returns.
 */
import { batch, signal, type ReadonlySignal } from '@preact/signals'
import { Prec, type ChangeSet, type Extension, type Text } from '@codemirror/state'
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import type * as Y from 'yjs'
import { locate } from '../../../shared/text/characters.ts'
import type { Range as Span } from '../../../shared/text/targets.ts'
import { textMap } from '../../editor/binding.ts'
import { isOpen, quoteOf, annotationOf, type Item } from './items.ts'
import { dropAnnotations, setAnnotations, rangesIn, storedRangesIn } from '../suggestions/annotation-ranges.ts'
import type { Following } from './following.ts'
import type { Annotation } from '../suggestions/marked-range.ts'
import { placeOf } from '../outbox/named-places.ts'
import type { Store } from '../outbox/store.ts'
import { storedText } from '../suggestions/draft-field.ts'
import { findTarget, near } from '../suggestions/targets.ts'

/** The position of an annotation in the text of the document. */
export interface AnnotationRange extends Span {
  readonly id: string
  readonly isSuggestion: boolean
}

export interface Positions {
  /** The positions of annotations in the editor, as last read. */
  readonly spans: ReadonlySignal<ReadonlyMap<string, Span>>
  /** Increases whenever the text moves on the screen. */
  readonly moved: ReadonlySignal<number>
  /** The extension that follows changes to the text. */
  readonly extension: Extension
  spanOf(id: string): Span | undefined
  /** Returns the position of an annotation in the text of the document. */
  storedSpanOf(id: string): Span | undefined
  /** Returns the open annotations that have a position in the current text. */
  ranges(): readonly AnnotationRange[]
  /** Notes the position of an annotation made on this page, in the text of the document. This position is used until the service reports one. */
  made(id: string, span: Span): void
  /** Keeps the position of a card for a while after the decision. */
  keep(id: string): void
  /** Updates the annotations in the editor. */
  update(all: readonly Item[]): void
  close(): void
}

/** Whether changes insert text. A moved block has as much text as before. */
function inserts(changes: ChangeSet): boolean {
  let does = false
  changes.iterChanges((_from, _to, _fromB, _toB, inserted) => (does ||= inserted.length > 0))
  return does
}

/** Shortest time between two readings of the positions while somebody types, in milliseconds. */
const readMs = 120
const searchMs = 1500
/** Number of times that restored text is checked. The delay doubles each time, because the service may receive the text later than this page. */
const searchesMax = 5
/** Maximum number of deleted texts that are searched for after typing. */
const deletedMax = 50

export function openPositions(
  view: EditorView,
  text: Y.Text,
  store: Store,
  staying: ReadonlySignal<ReadonlySet<string>>,
  items: () => readonly Item[],
  /** Whether the service has all changes to the text that were made on this page. */
  isAllSent: () => boolean
): Positions {
  const spans = signal<ReadonlyMap<string, Span>>(new Map())
  const moved = signal(0)
  /** Positions of annotations made on this page, until the service reports their positions. */
  const made = new Map<string, Span>()
  /** Offsets of closed annotations whose cards stay. */
  const stood = new Map<string, number>()
  /** Ids of the annotations whose positions the service has reported. Other positions come from an earlier visit and may be wrong. */
  const reported = new Set<string>()
  let known = new Map<string, unknown>()
  /** The keys of the annotations whose characters the page does not have yet. */
  let awaited = new Map<string, unknown>()

  /** Whether only the text of an accepted suggestion is between two positions. The service keeps insertions in one place in their order. */
  const isMovedByDecision = (base: Text, there: Span, found: Span): boolean => {
    if (there.from !== there.to || found.from !== found.to || there.from === found.from) return false
    const between = base.sliceString(Math.min(there.from, found.from), Math.max(there.from, found.from))
    return store.proposals.peek().some(({ suggestion: { status, text } }) => status === 'accepted' && text === between)
  }

  /**
   * Returns the position of an item in the text of the document, according to the service or this page. Returns `same` if the editor's position is more
   * accurate.
   */
  const positionOf = (item: Item, stored: () => string): Span | undefined | 'same' => {
    const { state } = view
    const base = storedText(state)
    const own = made.get(item.id)
    if (own !== undefined) {
      made.delete(item.id)
      return own
    }
    if (!isOpen(item)) {
      const last = stood.get(item.id) ?? rangesIn(state).get(item.id)?.from
      if (last !== undefined) {
        stood.set(item.id, last)
        const at = state.facet(textMap).stored(last)
        return { from: at, to: at }
      }
    }
    if (item.kind === 'new') {
      const { action } = item.entry
      const target = action.kind === 'comment' || action.kind === 'suggest' ? action.target : null
      return target === null ? undefined : findTarget(stored(), target)
    }
    if (item.kind === 'composer') return undefined
    const { from, to } = item.kind === 'comment' ? (item.thread.comment.anchor ?? { from: null, to: null }) : item.proposal.suggestion
    if (from === null || to === null) return undefined
    const quote = quoteOf(item)
    // A quote identifies the position only if its length is that of the range.
    const words = quote.length === to - from ? quote : ''
    const found = near(base, { from, to }, words)
    const isFirst = !reported.has(item.id) && isAllSent()
    reported.add(item.id)
    const isExact = words !== '' && base.sliceString(found.from, found.to) === words
    const there = storedRangesIn(state).get(item.id)
    if (there !== undefined && isMovedByDecision(base, there, found)) return found
    // A suggestion may replace words at first and, when its author types on, only insert text after them. The editor's range is then that of the words.
    const isSameKind = there !== undefined && (there.from === there.to) === (from === to)
    return !isExact && isSameKind && !isFirst ? 'same' : found
  }

  const readPositions = (): void => {
    batch(() => {
      spans.value = rangesIn(view.state)
      moved.value += 1
    })
  }

  /** Returns where the characters that a message named are now. `unknown` if the page does not have them, and undefined if there are none. */
  const namedPosition = (key: unknown, stored: () => string): Span | 'unknown' | undefined => {
    const quoted = placeOf(key)
    if (quoted === undefined) return undefined
    const [span] = stored().length === text.length ? locate(text, stored(), [quoted]) : []
    return span ?? 'unknown'
  }

  /** Updates the annotations in the editor. */
  const update = (all: readonly Item[]): void => {
    let whole: string | undefined
    const stored = (): string => (whole ??= storedText(view.state).toString())
    const next = new Map<string, unknown>()
    const waiting = new Map<string, unknown>()
    const put: { annotation: Annotation; span: Span | undefined }[] = []
    for (const item of all) {
      const wanted = annotationOf(item, staying.peek(), store.edited.peek())
      if (wanted === undefined) continue
      next.set(item.id, wanted.key)
      if (known.has(item.id) && known.get(item.id) === wanted.key) continue
      const exact = made.has(item.id) ? undefined : namedPosition(wanted.key, stored)
      if (exact === 'unknown') {
        // The text may come later than the message. Until then, the offsets are the best information.
        next.set(item.id, undefined)
        waiting.set(item.id, wanted.key)
        if (awaited.get(item.id) === wanted.key) continue
      } else if (exact !== undefined) reported.add(item.id)
      const span = exact === 'unknown' || exact === undefined ? positionOf(item, stored) : exact
      // The text of a suggestion may have changed although its position has not.
      put.push({ annotation: wanted.annotation, span: span === 'same' ? storedRangesIn(view.state).get(item.id) : span })
    }
    for (const id of stood.keys()) if (!staying.peek().has(id)) stood.delete(id)
    const gone = new Set([...known.keys()].filter((id) => !next.has(id)))
    known = next
    awaited = waiting
    // A position made on this page is used only once.
    made.clear()
    if (put.length === 0 && gone.size === 0) return
    view.dispatch({ effects: [dropAnnotations.of(gone), setAnnotations.of(put)] })
    readPositions()
  }

  let readTimer: ReturnType<typeof setTimeout> | undefined
  let searchTimer: ReturnType<typeof setTimeout> | undefined
  let searches = 0

  /** Reads the lists again if deleted text appears to have been restored, because the service knows the annotation's position. */
  const searchForDeleted = (): void => {
    searchTimer = undefined
    // The text of an annotation that has a position in the document is only suggested for deletion.
    const there = storedRangesIn(view.state)
    const gone = items().filter((item) => item.span === undefined && !there.has(item.id) && isOpen(item) && quoteOf(item) !== '')
    const text = gone.length === 0 ? '' : storedText(view.state).toString()
    if (!gone.slice(0, deletedMax).some((item) => text.includes(quoteOf(item)))) return
    store.read()
    searches += 1
    if (searches < searchesMax) searchTimer = setTimeout(searchForDeleted, searchMs * 2 ** searches)
  }

  let following: Following | undefined
  /** Returns the open annotations that have no range. */
  const annotationsOf = (ids: ReadonlyMap<string, unknown>): ReadonlyMap<string, Annotation> =>
    new Map(
      items().flatMap((item) => {
        const isGone = ids.has(item.id) && isOpen(item) && known.has(item.id) && !storedRangesIn(view.state).has(item.id)
        const wanted = isGone ? annotationOf(item, staying.peek(), store.edited.peek()) : undefined
        return wanted === undefined ? [] : [[item.id, wanted.annotation]]
      })
    )
  // Few people move words as soon as the annotations are there.
  import('./following.ts').then(
    ({ openFollowing }) => (following = openFollowing(view, text, annotationsOf)),
    () => undefined
  )
  /** Runs before the binding changes the document. */
  const noteDeleted = Prec.highest(ViewPlugin.define(() => ({ update: (update) => following?.note(update) })))

  const follow = EditorView.updateListener.of(({ docChanged, geometryChanged, viewportChanged, changes, transactions }: ViewUpdate) => {
    for (const transaction of transactions) if (following?.bringBack(transaction) === true) readPositions()
    if (!docChanged && !geometryChanged && !viewportChanged) return
    if (docChanged) for (const [id, at] of stood) stood.set(id, changes.mapPos(Math.min(at, changes.length)))
    readTimer ??= setTimeout(() => {
      readTimer = undefined
      readPositions()
      if (awaited.size > 0) update(items())
      store.outbox.retarget()
    }, readMs)
    if (!inserts(changes)) return
    searches = 0
    searchTimer ??= setTimeout(searchForDeleted, searchMs)
  })
  return {
    spans,
    moved,
    extension: [noteDeleted, follow],
    spanOf: (id) => rangesIn(view.state).get(id),
    storedSpanOf: (id) => storedRangesIn(view.state).get(id),
    ranges() {
      const ranges = storedRangesIn(view.state)
      return items().flatMap((item): AnnotationRange[] => {
        const kind = annotationOf(item)?.annotation.kind
        const span = ranges.get(item.id)
        const isSuggestion = kind !== 'comment'
        if (kind === undefined || span === undefined || (span.from === span.to && !isSuggestion)) return []
        return [{ id: item.id, isSuggestion, from: span.from, to: span.to }]
      })
    },
    made(id, span) {
      made.set(id, span)
    },
    keep(id) {
      const span = rangesIn(view.state).get(id)
      if (span !== undefined) stood.set(id, span.from)
    },
    update,
    close() {
      clearTimeout(readTimer)
      clearTimeout(searchTimer)
    }
  }
}
