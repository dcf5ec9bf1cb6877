/**
 * Shows the cursors and selections of other people. A layer over the text draws them, so that the text does not move. A name is visible for two
 * seconds after each move, but not while its owner continues to type, because it would cover the text. On the first line, the name is below the
 * cursor, because it would be cut off above it.
 */
import { EditorSelection, StateEffect, type Extension } from '@codemirror/state'
import { Direction, type EditorView, RectangleMarker, ViewPlugin, layer, type LayerMarker, type ViewUpdate } from '@codemirror/view'
import type { Awareness } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { otherPages, type Page } from '../presence/people.ts'
import { t } from '../text/t.ts'
import { textMap, type TextMap } from './binding.ts'
import { markersInCell } from './table-geometry.ts'
import { caretRests } from './resting.ts'
import { withinColumn } from './selection.ts'

const labelMs = 2000
const peopleDrawnMax = 50

interface RemoteCursor {
  readonly person: Page
  readonly anchor: number
  readonly head: number
  readonly labelled: boolean
}

const cursorsMoved = StateEffect.define<null>()

/** Returns a position in the document, or undefined if the value from another page is invalid. */
function absolute(doc: Y.Doc, text: Y.Text, value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    const position = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(value), doc)
    return position?.type === text ? position.index : undefined
  } catch {
    // A value from another page may be anything. An invalid cursor is not drawn.
    return undefined
  }
}

/** Returns the cursor position that a page shares, if it shares one in this text. */
export function placeOf(text: Y.Text, awareness: Awareness, id: number): { readonly anchor: number; readonly head: number } | undefined {
  const cursor = awareness.getStates().get(id)?.['cursor'] as { anchor?: unknown; head?: unknown } | null | undefined
  if (cursor == null || text.doc === null) return undefined
  const anchor = absolute(text.doc, text, cursor.anchor)
  const head = absolute(text.doc, text, cursor.head)
  return anchor === undefined || head === undefined ? undefined : { anchor, head }
}

class CaretMarker implements LayerMarker {
  readonly #cursor: RemoteCursor
  readonly #left: number
  readonly #top: number
  readonly #height: number
  readonly #below: boolean
  readonly #flip: boolean

  constructor(cursor: RemoteCursor, rectangle: RectangleMarker, below: boolean, flip: boolean) {
    this.#cursor = cursor
    this.#left = rectangle.left
    this.#top = rectangle.top
    this.#height = rectangle.height
    this.#below = below
    this.#flip = flip
  }

  eq(other: CaretMarker): boolean {
    return (
      other.#left === this.#left &&
      other.#top === this.#top &&
      other.#height === this.#height &&
      other.#below === this.#below &&
      other.#flip === this.#flip &&
      other.#cursor.labelled === this.#cursor.labelled &&
      other.#cursor.person.name === this.#cursor.person.name &&
      other.#cursor.person.self === this.#cursor.person.self &&
      other.#cursor.person.hue === this.#cursor.person.hue
    )
  }

  draw(): HTMLElement {
    const caret = document.createElement('div')
    caret.append(document.createElement('span'))
    this.#paint(caret)
    return caret
  }

  update(element: HTMLElement, previous: CaretMarker): boolean {
    if (previous.#cursor.person.id !== this.#cursor.person.id) return false
    this.#paint(element)
    return true
  }

  #paint(caret: HTMLElement): void {
    const { person, labelled } = this.#cursor
    caret.className = ['remote-caret', `hue-${person.hue}`, labelled && 'labelled', this.#below && 'below', this.#flip && 'flip']
      .filter(Boolean)
      .join(' ')
    caret.style.left = `${this.#left}px`
    caret.style.top = `${this.#top}px`
    caret.style.height = `${this.#height}px`
    const label = caret.firstElementChild
    // This cursor is from another tab of the same person.
    const name = person.self ? t('You') : person.name
    if (label !== null && label.textContent !== name) label.textContent = name
  }
}

/** Creates the extension that shows the cursors of others and shares this person's cursor. */
export function remoteCursors(text: Y.Text, awareness: Awareness): Extension {
  const movedAt = new Map<number, { readonly at: number; readonly place: string | undefined }>()

  function list(length: number, { shown }: TextMap): RemoteCursor[] {
    const found: RemoteCursor[] = []
    for (const person of otherPages(awareness).slice(0, peopleDrawnMax)) {
      const place = placeOf(text, awareness, person.id)
      if (place === undefined) continue
      const [anchor, head] = [shown(place.anchor), shown(place.head)]
      if (anchor > length || head > length) continue
      found.push({ person, anchor, head, labelled: Date.now() - (movedAt.get(person.id)?.at ?? 0) < labelMs })
    }
    return found
  }

  const plugin = ViewPlugin.fromClass(
    class {
      readonly #view: EditorView
      #timer: ReturnType<typeof setTimeout> | undefined
      #frame = 0
      readonly #changed = (): void => {
        this.#noteMoves()
        this.#refresh()
        clearTimeout(this.#timer)
        this.#timer = setTimeout(this.#refresh, labelMs + 50)
      }
      // All changes that arrive within a frame cause one redraw.
      readonly #refresh = (): void => {
        cancelAnimationFrame(this.#frame)
        this.#frame = requestAnimationFrame(() => this.#view.dispatch({ effects: cursorsMoved.of(null) }))
      }

      constructor(view: EditorView) {
        this.#view = view
        awareness.on('change', this.#changed)
        this.#changed()
      }

      update(update: ViewUpdate): void {
        const moved = update.selectionSet || caretRests(update.startState) !== caretRests(update.state)
        if (moved || update.focusChanged || update.docChanged) this.#tell()
      }

      destroy(): void {
        awareness.off('change', this.#changed)
        clearTimeout(this.#timer)
        cancelAnimationFrame(this.#frame)
      }

      /**
       * Notes who has moved. Typing does not move a cursor: a position is anchored to the character after it, which remains. A program marks all that it
       * writes, so only the end of its selection stays in place.
       */
      #noteMoves(): void {
        for (const [id, state] of awareness.getStates()) {
          const place = JSON.stringify(state['cursor']?.head)
          if (movedAt.get(id)?.place !== place) movedAt.set(id, { at: Date.now(), place })
        }
        for (const id of movedAt.keys()) if (!awareness.getStates().has(id)) movedAt.delete(id)
      }

      // Runs after the binding has applied the change to Y.Text, because positions refer to the items of Y.Text.
      #tell(): void {
        queueMicrotask(() => {
          const local = awareness.getLocalState()
          if (local === null) return
          const current = local['cursor'] as { readonly anchor: unknown; readonly head: unknown } | null | undefined
          const share = (cursor: typeof current): void => {
            if (JSON.stringify(current) !== JSON.stringify(cursor)) awareness.setLocalStateField('cursor', cursor)
          }
          // A selection that the person left for another part of the page would grow over words that others type in it.
          if (!this.#view.hasFocus && document.hasFocus()) return share(current && { anchor: current.head, head: current.head })
          const { stored } = this.#view.state.facet(textMap)
          const { main } = this.#view.state.selection
          const [anchor, head] = [stored(main.anchor), stored(main.head)]
          if (!this.#view.hasFocus || caretRests(this.#view.state) || Math.max(anchor, head) > text.length) return
          share({ anchor: this.#position(anchor), head: this.#position(head) })
        })
      }

      #position(index: number): unknown {
        return Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, index))
      }
    }
  )

  const redraw = (update: ViewUpdate): boolean =>
    update.docChanged ||
    update.geometryChanged ||
    update.viewportChanged ||
    update.transactions.some((transaction) => transaction.effects.some((effect) => effect.is(cursorsMoved)))

  const carets = layer({
    above: true,
    class: 'remote-carets',
    update: redraw,
    markers(view) {
      const right = view.contentDOM.clientWidth + view.contentDOM.offsetLeft
      return list(view.state.doc.length, view.state.facet(textMap)).flatMap((cursor) => {
        const coords = view.coordsAtPos(cursor.head)
        if (coords === null) return []
        const outer = view.scrollDOM.getBoundingClientRect()
        const left = coords.left - outer.left + view.scrollDOM.scrollLeft
        const top = coords.top - outer.top + view.scrollDOM.scrollTop
        const rectangle = new RectangleMarker('', left, top, 2, coords.bottom - coords.top)
        const below = view.state.doc.lineAt(cursor.head).number === 1
        return [new CaretMarker(cursor, rectangle, below, view.textDirection === Direction.LTR && left > right - 120)]
      })
    }
  })

  const selections = layer({
    above: false,
    class: 'remote-selections',
    update: redraw,
    markers(view) {
      return list(view.state.doc.length, view.state.facet(textMap)).flatMap(({ person, anchor, head }) => {
        if (anchor === head) return []
        const from = Math.max(Math.min(anchor, head), view.viewport.from)
        const to = Math.min(Math.max(anchor, head), view.viewport.to)
        if (from >= to) return []
        const name = `remote-selection hue-${person.hue}`
        const inCell = markersInCell(view, from, to, name)
        if (inCell !== undefined) return inCell
        return withinColumn(view, RectangleMarker.forRange(view, name, EditorSelection.range(from, to)), name)
      })
    }
  })

  return [plugin, carets, selections]
}
