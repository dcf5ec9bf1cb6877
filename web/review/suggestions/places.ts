/**
 * Where remarks are in the editor: ranges that stay on their characters whatever is typed, and what is seen of them. A remark whose
 * text is gone has no place.
 */
import { MapMode, RangeSet, RangeValue, StateEffect, StateField, type EditorState, type Extension, type Range } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import type { Range as Span } from '../../../shared/text/anchors.ts'
import { tiedText } from '../../editor/tied-text.ts'
import { initials } from '../../presence/person.ts'
import { t } from '../../text/t.ts'
import { effect } from '@preact/signals'
import { hueOf } from '../../presence/colours.ts'

/** `decided`: nothing is seen of it in the text, its card alone stands there. */
export type PlaceKind = 'comment' | 'insert' | 'delete' | 'replace' | 'decided'

/** The marks of remarks in the text. */
export interface Remark {
  readonly id: string
  readonly kind: PlaceKind
  readonly author: string
  /** The text that a suggestion brings. */
  readonly text: string
}

class Place extends RangeValue {
  readonly remark: Remark
  readonly isPoint: boolean

  constructor(remark: Remark, isPoint: boolean) {
    super()
    this.remark = remark
    this.isPoint = isPoint
    // Text that is typed at the edges is no part of it; a point goes when the text on both sides of it does.
    this.startSide = isPoint ? -1 : 1
    this.endSide = -1
    this.mapMode = remark.kind === 'decided' ? MapMode.Simple : MapMode.TrackDel
  }

  override eq(other: RangeValue): boolean {
    return other instanceof Place && other.remark === this.remark
  }
}

interface Places {
  readonly set: RangeSet<Place>
  readonly active: string | undefined
}

/** Puts remarks to places (`span` undefined: to none). */
export const placeRemarks = StateEffect.define<readonly { readonly remark: Remark; readonly span: Span | undefined }[]>()
/** Takes remarks out of the text. */
export const dropRemarks = StateEffect.define<ReadonlySet<string>>()
/** Makes one remark stand out. */
export const activate = StateEffect.define<string | undefined>()

const field = StateField.define<Places>({
  create: () => ({ set: RangeSet.empty, active: undefined }),
  update(value, transaction) {
    let { set, active } = value
    if (transaction.docChanged) set = set.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (effect.is(activate)) active = effect.value
      if (effect.is(dropRemarks)) set = set.update({ filter: (_from, _to, { remark }) => !effect.value.has(remark.id) })
      if (effect.is(placeRemarks)) {
        const ids = new Set(effect.value.map(({ remark }) => remark.id))
        const { length } = transaction.newDoc
        const add = effect.value.flatMap(({ remark, span }): Range<Place>[] => {
          if (span === undefined || span.to > length) return []
          return [new Place(remark, span.from === span.to).range(span.from, span.to)]
        })
        set = set.update({ filter: (_from, _to, { remark }) => !ids.has(remark.id), add, sort: true })
      }
    }
    return set === value.set && active === value.active ? value : { set, active }
  }
})

const listed = new WeakMap<RangeSet<Place>, ReadonlyMap<string, Span>>()

/** The places of all remarks by id, in the order of the text. */
export function placesIn(state: EditorState): ReadonlyMap<string, Span> {
  const { set } = state.field(field, false) ?? { set: RangeSet.empty as RangeSet<Place> }
  const known = listed.get(set)
  if (known !== undefined) return known
  const found = new Map<string, Span>()
  for (const cursor = set.iter(); cursor.value !== null; cursor.next())
    found.set(cursor.value.remark.id, { from: cursor.from, to: cursor.to })
  listed.set(set, found)
  return found
}

// ——— what is seen ———

/** Longest text of a suggestion that the text shows, in UTF-16 units; the card has all of it. */
const shownUnits = 400

/** An end of a line that is all there is would not be seen. */
const visible = (text: string): string => (text.trim() === '' ? text.replaceAll('\n', '↵') : text)
const shorten = (text: string): string => visible(text.length <= shownUnits ? text : `${text.slice(0, shownUnits).toWellFormed()}…`)

/** Text that is proposed or struck, and whose it is. */
export class ProposedText extends WidgetType {
  readonly #tag: 'ins' | 'del'
  readonly #text: string
  readonly #author: string
  readonly #id: string
  readonly #isActive: boolean

  constructor(tag: 'ins' | 'del', text: string, author: string, id: string, isActive: boolean) {
    super()
    this.#tag = tag
    this.#text = text
    this.#author = author
    this.#id = id
    this.#isActive = isActive
  }

  override eq(other: ProposedText): boolean {
    return (
      other.#tag === this.#tag &&
      other.#text === this.#text &&
      other.#author === this.#author &&
      other.#id === this.#id &&
      other.#isActive === this.#isActive
    )
  }

  override toDOM(): HTMLElement {
    const outer = document.createElement('span')
    outer.className = `rm-proposed hue-${hueOf(this.#author)}${this.#isActive ? ' rm-active' : ''}`
    if (this.#id !== '') outer.dataset['remark'] = this.#id
    if (this.#text !== '') {
      const text = document.createElement(this.#tag)
      text.className = this.#tag === 'ins' ? 'rm-ins' : 'rm-del'
      text.textContent = shorten(this.#text)
      outer.append(text)
    }
    if (this.#author !== '') {
      const initial = document.createElement('span')
      initial.className = 'rm-initial'
      initial.textContent = initials(this.#author)
      initial.title = t('Suggested by {name}', { name: this.#author })
      outer.append(initial)
    }
    return outer
  }

  override ignoreEvent(): boolean {
    return false
  }
}

function decorationsOf({ remark, isPoint }: Place, from: number, to: number, isActive: boolean): Range<Decoration>[] {
  const { id, kind, author, text } = remark
  if (kind === 'decided') return []
  const attributes = { 'data-remark': id }
  const hue = `hue-${hueOf(author)}${isActive ? ' rm-active' : ''}`
  if (kind === 'comment') return isPoint ? [] : [Decoration.mark({ class: `rm-comment ${hue}`, attributes }).range(from, to)]
  const struck = isPoint ? [] : [Decoration.mark({ tagName: 'del', class: `rm-del ${hue}`, attributes }).range(from, to)]
  return [...struck, Decoration.widget({ widget: new ProposedText('ins', text, author, id, isActive), side: -1 }).range(to)]
}

/** People who are here came or went, and colours with them. */
const recoloured = StateEffect.define<null>()

const shown = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet

    readonly #stop: () => void

    constructor(view: EditorView) {
      this.decorations = this.#build(view)
      let isFirst = true
      this.#stop = effect(() => {
        hueOf('')
        // The people here may be told within an update.
        if (!isFirst) queueMicrotask(() => view.dom.isConnected && view.dispatch({ effects: recoloured.of(null) }))
        isFirst = false
      })
    }

    destroy(): void {
      this.#stop()
    }

    update(update: ViewUpdate): void {
      const isChanged =
        update.state.field(field) !== update.startState.field(field) ||
        update.transactions.some(({ effects }) => effects.some((each) => each.is(recoloured)))
      if (isChanged || update.docChanged || update.viewportChanged) this.decorations = this.#build(update.view)
    }

    #build({ state, visibleRanges }: EditorView): DecorationSet {
      const { set, active } = state.field(field)
      const found = new Map<Place, Range<Decoration>[]>()
      for (const { from, to } of visibleRanges)
        set.between(from, to, (start, end, place) => {
          found.set(place, decorationsOf(place, start, end, place.remark.id === active))
        })
      return Decoration.set([...found.values()].flat(), true)
    }
  },
  { decorations: (value) => value.decorations }
)

/** `onPick`: a remark was clicked, or the cursor was put into one (`undefined`: next to all). */
export const remarkPlaces = (onPick: (id: string | undefined) => void): Extension => [
  field,
  shown,
  tiedText.of((state, from, to) => {
    let count = 0
    state.field(field).set.between(from, to, (start, end) => void (count += Number(end > from && start < to)))
    return count
  }),
  EditorView.domEventHandlers({
    click(event) {
      const marked = event.target instanceof Element ? event.target.closest('[data-remark]') : null
      onPick(marked?.getAttribute('data-remark') ?? undefined)
      return false
    }
  })
]
