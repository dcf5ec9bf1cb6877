/** Brings remarks to their places in the editor: where the service, or this page, says they are, and again when text comes back. */
import { batch, signal, type ReadonlySignal } from '@preact/signals'
import type { Extension } from '@codemirror/state'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import type { Range as Span } from '../../../shared/text/anchors.ts'
import { textMap } from '../../editor/binding.ts'
import { isOpen, quoteOf, remarkOf, type Item } from './items.ts'
import { dropRemarks, placeRemarks, placesIn, type Remark } from '../suggestions/places.ts'
import type { Store } from '../outbox/store.ts'
import { storedText } from '../suggestions/suggesting.ts'
import { findTarget, near } from '../suggestions/targets.ts'

/** Where a remark is in the stored text. */
export interface RemarkPlace extends Span {
  readonly id: string
  readonly isSuggestion: boolean
}

export interface Placing {
  /** Where remarks are in what the editor shows, as it was read last. */
  readonly spans: ReadonlySignal<ReadonlyMap<string, Span>>
  /** Grows with whatever moves the text on the screen. */
  readonly moved: ReadonlySignal<number>
  /** Follows the text. */
  readonly extension: Extension
  spanOf(id: string): Span | undefined
  /** The open remarks that have a place in the text, as it is now. */
  places(): readonly RemarkPlace[]
  /** This page made a remark there: so it is until the service says where it is. */
  made(id: string, span: Span): void
  /** Its card stays where it is for a while, though it is decided. */
  keep(id: string): void
  /** Brings what the lists say into the editor. */
  place(all: readonly Item[]): void
  close(): void
}

/** Places are read again at most so often while somebody types, in milliseconds. */
const placeMs = 120
const lookAgainMs = 1500
/** Looks at text that came, each after twice the time of the one before: the service may learn later than this page. */
const looksMax = 5
/** Gone texts that are looked for when something is typed. */
const goneMax = 50

export function openPlacing(
  view: EditorView,
  store: Store,
  recent: ReadonlySignal<ReadonlySet<string>>,
  items: () => readonly Item[]
): Placing {
  const spans = signal<ReadonlyMap<string, Span>>(new Map())
  const moved = signal(0)
  /** Where remarks of this page were made, until the service says where they are. */
  const made = new Map<string, Span>()
  /** Where those stood that were decided here a moment ago. */
  const stood = new Map<string, number>()
  let known = new Map<string, unknown>()

  /** The place of an item as the service, or this page, says; `same` when what the editor knows is better. */
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
      const { deed } = item.waiting
      const target = deed.kind === 'comment' || deed.kind === 'suggest' ? deed.target : null
      const found = target === null ? undefined : findTarget(stored(), target)
      return found && onScreen(found)
    }
    if (item.kind === 'composer') return undefined
    const { from, to } = item.kind === 'comment' ? (item.thread.comment.anchor ?? { from: null, to: null }) : item.proposal.suggestion
    if (from === null || to === null) return undefined
    const quote = quoteOf(item)
    // The same words next to changed ones are other words.
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

  /** Brings what the lists say into the editor. */
  const place = (all: readonly Item[]): void => {
    let whole: string | undefined
    const stored = (): string => (whole ??= storedText(view.state).toString())
    const next = new Map<string, unknown>()
    const put: { remark: Remark; span: Span | undefined }[] = []
    for (const item of all) {
      const wanted = remarkOf(item, recent.peek())
      if (wanted === undefined) continue
      next.set(item.id, wanted.key)
      if (known.has(item.id) && known.get(item.id) === wanted.key) continue
      const span = placeOf(item, stored)
      // Its proposal may be new, though its place is not.
      put.push({ remark: wanted.remark, span: span === 'same' ? placesIn(view.state).get(item.id) : span })
    }
    for (const id of stood.keys()) if (!recent.peek().has(id)) stood.delete(id)
    const gone = new Set([...known.keys()].filter((id) => !next.has(id)))
    known = next
    // An effect that was not asked for now is not true later.
    made.clear()
    if (put.length === 0 && gone.size === 0) return
    view.dispatch({ effects: [dropRemarks.of(gone), placeRemarks.of(put)] })
    readPlaces()
  }

  let placing: ReturnType<typeof setTimeout> | undefined
  let looking: ReturnType<typeof setTimeout> | undefined
  let looks = 0

  /** Text that was gone may be there again: the service knows. */
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
      return items().flatMap((item): RemarkPlace[] => {
        const kind = remarkOf(item)?.remark.kind
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
