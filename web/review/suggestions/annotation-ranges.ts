/**
 * The ranges of annotations, as ranges that stay on their characters while people type, and their decorations. An annotation whose text was deleted
 * has no range. While edits are only suggested, an annotation keeps its range in the document's text. The editor then lacks the range only until the
 * person takes back the suggested deletion.
 */
import {
  Annotation as TransactionAnnotation,
  Facet,
  MapMode,
  RangeSet,
  RangeValue,
  StateEffect,
  StateField,
  type ChangeSet,
  type EditorState,
  type Extension,
  type Range,
  type Text
} from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import type { Range as Span } from '../../../shared/text/targets.ts'
import { addedText } from '../../editor/added-text.ts'
import { isDelimiter } from '../../editor/table-rows.ts'
import { tiedText } from '../../editor/tied-text.ts'
import { displayName } from '../../presence/people.ts'
import { initials } from '../../presence/person.ts'
import { t } from '../../text/t.ts'
import { effect } from '@preact/signals'
import { hueOf } from '../../presence/colours.ts'
import { formatsAdded } from './format-change.ts'
import { trimmed, type Hunk } from './hunks.ts'
import { areRows, nodesOf } from './proposed-nodes.ts'
import { tickOf } from './task-change.ts'

/** The kind of a range. At a range of the kind `card`, the annotation has only a card, and the text shows no mark. */
export type PlaceKind = 'comment' | 'insert' | 'delete' | 'replace' | 'card'

/** An annotation as the text shows it. */
export interface Annotation {
  readonly id: string
  readonly kind: PlaceKind
  readonly author: string
  /** The text that a suggestion inserts. */
  readonly text: string
  /** The time at which it was made, in milliseconds since 1970. Several insertions in one place are in this order. */
  readonly madeAt?: number
}

/** A time that is later than those of all annotations, in milliseconds since 1970. */
const latest = 1e14

class MarkedRange extends RangeValue {
  readonly annotation: Annotation
  readonly isPoint: boolean
  /** Whether the annotation suggests new lines after a line. They remain after that line, even if others type at its end. */
  readonly isAfterLine: boolean

  constructor(annotation: Annotation, isPoint: boolean, isAfterLine: boolean) {
    super()
    this.annotation = annotation
    this.isPoint = isPoint
    this.isAfterLine = isAfterLine
    // Text typed at the edges of a range does not become part of it. A range between two characters disappears when the text on both sides is
    // deleted.
    this.startSide = isPoint ? -2 + (annotation.madeAt ?? 0) / latest : 1
    this.endSide = isPoint ? this.startSide : -1
    this.mapMode = annotation.kind === 'card' ? MapMode.Simple : MapMode.TrackDel
  }

  /** Returns where the annotation is if its range is `from`–`to`. */
  spanIn(doc: Text, from: number, to: number): Span {
    if (!this.isAfterLine) return { from, to }
    const end = doc.lineAt(to).to
    return { from: end, to: end }
  }

  override eq(other: RangeValue): boolean {
    return other instanceof MarkedRange && other.annotation === this.annotation
  }
}

interface SuggestedChanges {
  /** The text of the document. */
  readonly base: Text
  /** The changes from the document's text to the text in the editor. */
  readonly changes: ChangeSet
}

/** The suggested changes. Undefined if the editor shows the text of the document. */
export const suggestedChanges = Facet.define<SuggestedChanges, SuggestedChanges | undefined>({ combine: ([changes]) => changes })
/** The change to the document's text, on a transaction that changes it next to suggested changes. */
export const documentChange = TransactionAnnotation.define<ChangeSet>()

interface MarkedRanges {
  /** The ranges in the text of the document. */
  readonly stored: RangeSet<MarkedRange>
  /** The ranges in the text of the editor. */
  readonly set: RangeSet<MarkedRange>
  readonly active: string | undefined
}

/** Sets the ranges of annotations in the text of the document. An undefined `span` removes the range. */
export const setAnnotations = StateEffect.define<readonly { readonly annotation: Annotation; readonly span: Span | undefined }[]>()
/** Removes annotations from the editor, by id. */
export const dropAnnotations = StateEffect.define<ReadonlySet<string>>()
/** Highlights one annotation, by id. */
export const activate = StateEffect.define<string | undefined>()

const field = StateField.define<MarkedRanges>({
  create: () => ({ stored: RangeSet.empty, set: RangeSet.empty, active: undefined }),
  update(value, transaction) {
    let { stored, active } = value
    const suggested = transaction.state.facet(suggestedChanges)
    const change = transaction.annotation(documentChange) ?? (suggested === undefined ? transaction.changes : undefined)
    if (change?.empty === false) stored = stored.map(change)
    for (const effect of transaction.effects) {
      if (effect.is(activate)) active = effect.value
      if (effect.is(dropAnnotations)) stored = stored.update({ filter: (_from, _to, { annotation }) => !effect.value.has(annotation.id) })
      if (effect.is(setAnnotations)) {
        const ids = new Set(effect.value.map(({ annotation }) => annotation.id))
        const doc = suggested?.base ?? transaction.newDoc
        const add = effect.value.flatMap(({ annotation, span }): Range<MarkedRange>[] => {
          if (span === undefined || span.to > doc.length) return []
          const isPoint = span.from === span.to
          const isAfterLine =
            isPoint && annotation.kind === 'insert' && annotation.text.startsWith('\n') && span.from === doc.lineAt(span.from).to
          return [new MarkedRange(annotation, isPoint, isAfterLine).range(span.from, span.to)]
        })
        stored = stored.update({ filter: (_from, _to, { annotation }) => !ids.has(annotation.id), add, sort: true })
      }
    }
    const isSame = stored === value.stored && suggested === transaction.startState.facet(suggestedChanges)
    if (isSame) return active === value.active ? value : { ...value, active }
    return { stored, set: suggested === undefined ? stored : stored.map(suggested.changes), active }
  }
})

const listed = new WeakMap<RangeSet<MarkedRange>, ReadonlyMap<string, Span>>()

function listOf(set: RangeSet<MarkedRange>, doc: Text): ReadonlyMap<string, Span> {
  const known = listed.get(set)
  if (known !== undefined) return known
  const found = new Map<string, Span>()
  for (const cursor = set.iter(); cursor.value !== null; cursor.next())
    found.set(cursor.value.annotation.id, cursor.value.spanIn(doc, cursor.from, cursor.to))
  listed.set(set, found)
  return found
}

const nowhere: ReadonlyMap<string, Span> = new Map()

/** Returns the ranges of all annotations in the editor by id, in text order. */
export const rangesIn = (state: EditorState): ReadonlyMap<string, Span> => {
  const found = state.field(field, false)
  return found === undefined ? nowhere : listOf(found.set, state.doc)
}

/** Returns the ranges of all annotations in the text of the document by id, in text order. */
export const storedRangesIn = (state: EditorState): ReadonlyMap<string, Span> => {
  const found = state.field(field, false)
  return found === undefined ? nowhere : listOf(found.stored, state.facet(suggestedChanges)?.base ?? state.doc)
}

/** Returns the texts of the insertions at an offset of the document's text, in the order in which they were suggested. */
export function insertedAt(state: EditorState, at: number): readonly string[] {
  const doc = state.facet(suggestedChanges)?.base ?? state.doc
  const { from, to } = doc.lineAt(at)
  const found: string[] = []
  state.field(field, false)?.stored.between(from, to, (start, end, marked) => {
    const { kind, text } = marked.annotation
    if (kind === 'insert' && marked.spanIn(doc, start, end).from === at) found.push(text)
  })
  return found
}

// ——— decorations ———

/** Longest text of a suggestion that is shown in the text, in UTF-16 units. The card shows all of it. */
const shownUnits = 400

/** Makes line breaks visible if text consists only of whitespace. */
const visible = (text: string): string => (text.trim() === '' ? text.replaceAll('\n', '↵') : text)
const shorten = (text: string): string => visible(text.length <= shownUnits ? text : `${text.slice(0, shownUnits).toWellFormed()}…`)

/** Draws text that is suggested or struck out, with the name of its author. */
export class ProposedText extends WidgetType {
  readonly #tag: 'ins' | 'del'
  readonly #text: string
  readonly #author: string
  readonly #id: string
  readonly #isActive: boolean
  readonly #beginsLine: boolean

  constructor(tag: 'ins' | 'del', text: string, author: string, id: string, isActive: boolean, beginsLine = false) {
    super()
    this.#tag = tag
    this.#text = text
    this.#author = author
    this.#id = id
    this.#isActive = isActive
    this.#beginsLine = beginsLine
  }

  override eq(other: ProposedText): boolean {
    return (
      other.#tag === this.#tag &&
      other.#text === this.#text &&
      other.#author === this.#author &&
      other.#id === this.#id &&
      other.#isActive === this.#isActive &&
      other.#beginsLine === this.#beginsLine
    )
  }

  override toDOM(): HTMLElement {
    const outer = document.createElement('span')
    const rows = areRows(this.#text) ? ' rm-rows' : ''
    outer.className = `rm-proposed${rows} hue-${hueOf(this.#author)}${this.#isActive ? ' rm-active' : ''}`
    if (this.#id !== '') outer.dataset['annotation'] = this.#id
    if (this.#text !== '') {
      const text = document.createElement(this.#tag)
      text.className = this.#tag === 'ins' ? 'rm-ins' : 'rm-del'
      text.append(...nodesOf(shorten(this.#text), this.#beginsLine))
      outer.append(text)
    }
    if (this.#author !== '') {
      const initial = document.createElement('span')
      initial.className = 'rm-initial'
      initial.textContent = initials(this.#author)
      initial.title = t('Suggested by {name}', { name: displayName(this.#author) })
      outer.append(initial)
    }
    return outer
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** Returns the changes that a suggestion makes within the rows of a table. Empty if it changes anything else. */
function changedRows(doc: Text, from: number, to: number, text: string): Hunk[] {
  const young = text.split('\n')
  const first = doc.lineAt(from).number
  if (young.length === 1 || doc.lineAt(to).number !== first + young.length - 1 || !young.every((row) => row.includes('|'))) return []
  return young.flatMap((row, index) => {
    const line = doc.line(first + index)
    const [start, end] = [Math.max(from, line.from), Math.min(to, line.to)]
    // The live view does not show the delimiter row.
    if (isDelimiter(line.text)) return []
    return trimmed({ from: start, to: end, original: doc.sliceString(start, end), text: row, fromShown: start, toShown: end }) ?? []
  })
}

/** Suggested new lines come after the caret at the end of their line, and after text that is struck out there, whose side is 1. */
const afterLineSide = 2

function decorationsOf(doc: Text, marked: MarkedRange, start: number, end: number, isActive: boolean): Range<Decoration>[] {
  const { annotation, isPoint, isAfterLine } = marked
  const { id, kind, author, text } = annotation
  const { from, to } = marked.spanIn(doc, start, end)
  if (kind === 'card') return []
  const attributes = { 'data-annotation': id }
  const hue = `hue-${hueOf(author)}${isActive ? ' rm-active' : ''}`
  if (kind === 'comment') return isPoint ? [] : [Decoration.mark({ class: `rm-comment ${hue}`, attributes }).range(from, to)]
  const formats = kind === 'replace' ? formatsAdded(doc.sliceString(from, to), text) : []
  if (formats.length > 0) {
    const styles = formats.map(({ style }) => style).join(' ')
    return [
      Decoration.mark({ tagName: 'ins', class: `rm-ins ${styles} ${hue}`, attributes }).range(from, to),
      Decoration.widget({ widget: new ProposedText('ins', '', author, id, isActive), side: -1 }).range(to)
    ]
  }
  const rows = kind === 'replace' ? changedRows(doc, from, to, text) : []
  if (rows.length > 0)
    return rows.flatMap((row, index) => {
      const isLast = index === rows.length - 1
      const words = row.text.replaceAll('|', '').trim()
      // Words of a new cell are drawn after those of the cell before it.
      const shown = words !== '' && row.from === row.to ? ` ${words}` : words
      const widget = new ProposedText('ins', shown, isLast ? author : '', id, isActive)
      const inserted = Decoration.widget({ widget, side: -1 }).range(row.to)
      if (row.from === row.to) return [inserted]
      return [Decoration.mark({ tagName: 'del', class: `rm-del ${hue}`, attributes }).range(row.from, row.to), inserted]
    })
  const strike = Decoration.mark({ tagName: 'del', class: `rm-del ${hue}`, attributes })
  const tick = kind === 'replace' ? tickOf(doc, { from, to, insert: text }) : undefined
  if (tick !== undefined)
    return [
      Decoration.line({ class: `rm-tick${tick.isDone ? ' rm-done' : ''} hue-${hueOf(author)}` }).range(tick.line.from),
      strike.range(tick.at, tick.at + 1),
      // The box covers the letter, unless the caret makes the marker visible.
      Decoration.widget({ widget: new ProposedText('ins', tick.letter, '', id, isActive), side: -1 }).range(tick.at + 1),
      Decoration.widget({ widget: new ProposedText('ins', '', author, id, isActive), side: -1 }).range(tick.words)
    ]
  const struck = isPoint ? [] : [strike.range(from, to)]
  // A suggested heading is drawn in its size.
  const level = kind === 'insert' && from === doc.lineAt(from).from ? /^(#{1,6})[ \t]*$/.exec(text)?.[1]?.length : undefined
  const heading = level === undefined ? [] : [Decoration.line({ class: `rm-heading rm-h${level}` }).range(from)]
  const side = isAfterLine ? afterLineSide : -1
  const widget = new ProposedText('ins', text, author, id, isActive, from === doc.lineAt(from).from)
  return [...heading, ...struck, Decoration.widget({ widget, side }).range(to)]
}

/** The author's initials after a suggestion are about as wide as these letters. */
const initialsWide = '000'

/** Whether a suggestion replaces rows of a table, whose words that differ are shown, or adds rows, which are below the others. */
const isOfRows = (kind: PlaceKind, text: string): boolean =>
  areRows(text) || (kind === 'replace' && text.includes('|') && text.includes('\n'))

/** Returns the text that an annotation adds to the text around it, as a table cell would contain it. */
const drawnText = ({ kind, text }: Annotation): string =>
  kind === 'comment' || kind === 'card' ? '' : (isOfRows(kind, text) ? '' : shorten(text).replaceAll('\n', '<br>')) + initialsWide

/** Redraws the marks when people join or leave, because colors may have changed. */
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
        // The list of people may change while the editor is updating.
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
      const found = new Map<MarkedRange, Range<Decoration>[]>()
      for (const { from, to } of visibleRanges)
        set.between(from, to, (start, end, range) => {
          found.set(range, decorationsOf(state.doc, range, start, end, range.annotation.id === active))
        })
      return Decoration.set([...found.values()].flat(), true)
    }
  },
  { decorations: (value) => value.decorations }
)

/** Creates the extension. `onPick` is called when the person clicks in the text, with the id of the annotation there, or undefined. */
export const annotationRanges = (onPick: (id: string | undefined) => void): Extension => [
  field,
  shown,
  addedText.compute([field], (state) => {
    const { set } = state.field(field)
    return (from, to) => {
      const added: string[] = []
      if (set.size > 0) set.between(from, to, (_start, _end, { annotation }) => void added.push(drawnText(annotation)))
      return added.join('')
    }
  }),
  tiedText.of((state, from, to) => {
    let count = 0
    state.field(field).set.between(from, to, (start, end) => void (count += Number(end > from && start < to)))
    return count
  }),
  EditorView.domEventHandlers({
    click(event) {
      const marked = event.target instanceof Element ? event.target.closest('[data-annotation]') : null
      // After a tap, the editor learns of the new selection only after the click. An update before then would restore the old selection, and the next
      // key would replace the selected text.
      setTimeout(() => onPick(marked?.getAttribute('data-annotation') ?? undefined))
      return false
    }
  })
]
