/** Places annotations in the editor: where the service or this page reports them, and again when deleted text is restored. */
import { batch, signal, type ReadonlySignal } from '@preact/signals'
import type { Extension } from '@codemirror/state'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import type { Range as Span } from '../../../shared/text/anchors.ts'
import { textMap } from '../../editor/binding.ts'
import { isOpen, quoteOf, annotationOf, type Item } from './items.ts'
import { dropAnnotations, placeAnnotations, placesIn, type Annotation } from '../suggestions/places.ts'
import type { Store } from '../outbox/store.ts'
import { storedText } from '../suggestions/suggesting.ts'
import { findTarget, near } from '../suggestions/targets.ts'

/** The place of an annotation in the stored text. */
export interface AnnotationPlace extends Span {
  readonly id: string
  readonly isSuggestion: boolean
}

export interface Placing {
  /** The places of annotations in the editor, as of the last read. */
  readonly spans: ReadonlySignal<ReadonlyMap<string, Span>>
  /** Increases whenever something moves the text on the screen. */
  readonly moved: ReadonlySignal<number>
  /** Follows the text. */
  readonly extension: Extension
  spanOf(id: string): Span | undefined
  /** Returns the open annotations that have a place in the current text. */
  places(): readonly AnnotationPlace[]
  /** This page made an annotation at this place, which counts until the service reports one. */
  made(id: string, span: Span): void
  /** Its card stays in place for a while after the decision. */
  keep(id: string): void
  /** Updates the editor from the lists. */
  place(all: readonly Item[]): void
  close(): void
}

/** Shortest time between two reads of the places while somebody types, in milliseconds. */
const placeMs = 120
const lookAgainMs = 1500
/** Checks restored text this many times, each after twice the previous delay, because the service may receive it later than this page. */
const looksMax = 5
/** Most deleted texts that are searched for when something is typed. */
const goneMax = 50

export function openPlacing(
  view: EditorView,
  store: Store,
  recent: ReadonlySignal<ReadonlySet<string>>,
  items: () => readonly Item[]
): Placing {
  const spans = signal<ReadonlyMap<string, Span>>(new Map())
  const moved = signal(0)
  /** Places of annotations made on this page, until the service reports theirs. */
  const made = new Map<string, Span>()
  /** Places of annotations that were decided here a moment ago. */
  const stood = new Map<string, number>()
  let known = new Map<string, unknown>()

  /** Returns the place of an item according to the service or this page; `same` if the editor knows better. */
  const placeOf = (item: Item, stored: () => string): Span | undefined | 'same' => {
    const { state } = view
    const { shown } = state.facet(textMap)
    const base = storedText(state)
    const onScreen = ({ from, to }: Span): Span => ({ from: shown(from), to: Math.max(shown(from), shown(to)) })
    const own = made.get(item.id)
    if (own !== undefined) {
      made.delete(item.id)
      return own
    }
    const last = stood.get(item.id)
    if (last !== undefined && !isOpen(item)) return { from: last, to: last }
    if (item.kind === 'new') {
      const { action } = item.entry
      const target = action.kind === 'comment' || action.kind === 'suggest' ? action.target : null
      const found = target === null ? undefined : findTarget(stored(), target)
      return found && onScreen(found)
    }
    if (item.kind === 'composer') return undefined
    const { from, to } = item.kind === 'comment' ? (item.thread.comment.anchor ?? { from: null, to: null }) : item.proposal.suggestion
    if (from === null || to === null) return undefined
    const quote = quoteOf(item)
    // The same words are different words if the text next to them has changed.
    const words = quote.length === to - from ? quote : ''
    const found = near(base, { from, to }, words)
    const isExact = words !== '' && base.sliceString(found.from, found.to) === words
    return !isExact && placesIn(state).has(item.id) ? 'same' : onScreen(found)
  }

  const readPlaces = (): void => {
    batch(() => {
      spans.value = placesIn(view.state)
      moved.value += 1
    })
  }

  /** Updates the editor from the lists. */
  const place = (all: readonly Item[]): void => {
    let whole: string | undefined
    const stored = (): string => (whole ??= storedText(view.state).toString())
    const next = new Map<string, unknown>()
    const put: { annotation: Annotation; span: Span | undefined }[] = []
    for (const item of all) {
      const wanted = annotationOf(item, recent.peek())
      if (wanted === undefined) continue
      next.set(item.id, wanted.key)
      if (known.has(item.id) && known.get(item.id) === wanted.key) continue
      const span = placeOf(item, stored)
      // The proposal of the suggestion may be new although its place is not.
      put.push({ annotation: wanted.annotation, span: span === 'same' ? placesIn(view.state).get(item.id) : span })
    }
    for (const id of stood.keys()) if (!recent.peek().has(id)) stood.delete(id)
    const gone = new Set([...known.keys()].filter((id) => !next.has(id)))
    known = next
    // A requested effect applies only once.
    made.clear()
    if (put.length === 0 && gone.size === 0) return
    view.dispatch({ effects: [dropAnnotations.of(gone), placeAnnotations.of(put)] })
    readPlaces()
  }

  let placing: ReturnType<typeof setTimeout> | undefined
  let looking: ReturnType<typeof setTimeout> | undefined
  let looks = 0

  /** Deleted text may have been restored: the service knows. */
  const lookForGone = (): void => {
    looking = undefined
    const gone = items().filter((item) => item.span === undefined && isOpen(item) && quoteOf(item) !== '')
    const text = gone.length === 0 ? '' : storedText(view.state).toString()
    if (!gone.slice(0, goneMax).some((item) => text.includes(quoteOf(item)))) return
    store.read()
    looks += 1
    if (looks < looksMax) looking = setTimeout(lookForGone, lookAgainMs * 2 ** looks)
  }

  const follow = EditorView.updateListener.of(({ docChanged, geometryChanged, viewportChanged, changes }: ViewUpdate) => {
    if (!docChanged && !geometryChanged && !viewportChanged) return
    if (docChanged) for (const [id, at] of stood) stood.set(id, changes.mapPos(Math.min(at, changes.length)))
    placing ??= setTimeout(() => {
      placing = undefined
      readPlaces()
      store.outbox.aimAgain()
    }, placeMs)
    if (!docChanged || changes.newLength <= changes.length) return
    looks = 0
    looking ??= setTimeout(lookForGone, lookAgainMs)
  })
  return {
    spans,
    moved,
    extension: follow,
    spanOf: (id) => placesIn(view.state).get(id),
    places() {
      const places = placesIn(view.state)
      const { stored } = view.state.facet(textMap)
      return items().flatMap((item): AnnotationPlace[] => {
        const kind = annotationOf(item)?.annotation.kind
        const span = places.get(item.id)
        const isSuggestion = kind !== 'comment'
        if (kind === undefined || span === undefined || (span.from === span.to && !isSuggestion)) return []
        return [{ id: item.id, isSuggestion, from: stored(span.from), to: stored(span.to) }]
      })
    },
    made(id, span) {
      made.set(id, span)
    },
    keep(id) {
      const span = placesIn(view.state).get(id)
      if (span !== undefined) stood.set(id, span.from)
    },
    place,
    close() {
      clearTimeout(placing)
      clearTimeout(looking)
    }
  }
}
