/**
 * The ranges of annotations, as ranges that stay on their characters while people type, and their decorations. An annotation whose text was deleted
 * has no range. While edits are only suggested, an annotation keeps its range in the document's text. The editor then lacks the range only until the
 * person takes back the suggested deletion.
 */
import {
  Annotation as TransactionAnnotation,
  Facet,
  RangeSet,
  StateEffect,
  StateField,
  type ChangeSet,
  type EditorState,
  type Extension,
  type Range,
  type Text,
  type Transaction
} from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import type { Range as Span } from '../../../shared/text/targets.ts'
import { addedCells, addedText } from '../../editor/added-text.ts'
import { isLive } from '../../editor/is-live.ts'
import { tiedText } from '../../editor/tied-text.ts'
import { effect } from '@preact/signals'
import { hueOf } from '../../presence/colours.ts'
import { formatsAdded } from './format-change.ts'
import { headingChange } from './heading-change.ts'
import { MarkedRange, type Annotation } from './marked-range.ts'
import { areRows } from './proposed-nodes.ts'
import { afterLineSide, initialsWide, ProposedText, shorten } from './proposed-text.ts'
import { loadTableMarks, tableMarksField, tableMarksIn } from './table-drawing.ts'
import { tickOf } from './task-change.ts'

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

/** Returns the change that a transaction makes to the text of the document. Undefined if it makes none. */
export const documentChangeOf = (transaction: Transaction): ChangeSet | undefined =>
  transaction.annotation(documentChange) ?? (transaction.state.facet(suggestedChanges) === undefined ? transaction.changes : undefined)

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
    const change = documentChangeOf(transaction)
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

/** Returns the number of annotations that have a range in the text of the document. */
export const countIn = (state: EditorState): number => state.field(field, false)?.stored.size ?? 0

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

function decorationsOf(state: EditorState, marked: MarkedRange, start: number, end: number, isActive: boolean): Range<Decoration>[] {
  const { doc } = state
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
  // The marker of a heading is hidden, or next to the text while the caret is in the heading.
  const changed = isLive(state) ? headingChange(doc, { from, to, insert: text }) : undefined
  if (changed !== undefined)
    return [
      Decoration.line({ class: `rm-heading rm-h${changed.level}` }).range(changed.line.from),
      Decoration.widget({ widget: new ProposedText('ins', `H${changed.level || '–'}`, author, id, isActive), side: -1 }).range(
        changed.words
      )
    ]
  const struck = isPoint ? [] : [strike.range(from, to)]
  const side = isAfterLine ? afterLineSide : -1
  const widget = new ProposedText('ins', text, author, id, isActive, from === doc.lineAt(from).from)
  return [...struck, Decoration.widget({ widget, side }).range(to)]
}

/**
 * Draws the suggestions of others whose words this person deletes. The editor no longer contains these words, and the person's own suggestion draws
 * them as struck out.
 */
function* underDeletions(state: EditorState): Generator<Range<Decoration>[]> {
  const { stored, active } = state.field(field)
  const deleted: { readonly from: number; readonly to: number; readonly at: number }[] = []
  state.facet(suggestedChanges)?.changes.iterChanges((from, to, at, end) => {
    if (from < to && at === end) deleted.push({ from, to, at })
  })
  for (const { from, to, at } of deleted) {
    const found: Range<Decoration>[] = []
    stored.between(from, to, (start, end, { annotation: { id, kind, author, text } }) => {
      const isWithin = from <= start && start < end && end <= to
      if (!isWithin || (kind !== 'delete' && kind !== 'replace')) return
      const widget = new ProposedText('ins', text, author, id, id === active)
      found.push(Decoration.widget({ widget, side: afterLineSide }).range(at))
    })
    yield found
  }
}

/** Returns the text that an annotation adds to the text around it, as a table cell would contain it. */
const drawnText = ({ kind, text }: Annotation): string =>
  kind === 'comment' || kind === 'card' ? '' : (areRows(text) ? '' : shorten(text).replaceAll('\n', '<br>')) + initialsWide

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
        isLive(update.state) !== isLive(update.startState) ||
        tableMarksIn(update.state) !== tableMarksIn(update.startState) ||
        update.state.field(field) !== update.startState.field(field) ||
        update.transactions.some(({ effects }) => effects.some((each) => each.is(recoloured)))
      if (isChanged || update.docChanged || update.viewportChanged) this.decorations = this.#build(update.view)
    }

    #build({ state, visibleRanges }: EditorView): DecorationSet {
      const { set, active } = state.field(field)
      const found = new Map<MarkedRange, Range<Decoration>[]>()
      const tables = isLive(state) ? tableMarksIn(state) : undefined
      const changes = tables?.tableChangesIn(state.doc, set)
      for (const { from, to } of visibleRanges)
        set.between(from, to, (start, end, range) => {
          const isActive = range.annotation.id === active
          const change = changes?.get(range.annotation)
          const marks = change && changes && tables?.tableMarks(state.doc, changes, change, isActive)
          found.set(range, marks ?? decorationsOf(state, range, start, end, isActive))
        })
      return Decoration.set([...found.values(), ...underDeletions(state)].flat(), true)
    }
  },
  { decorations: (value) => value.decorations }
)

/** Creates the extension. `onPick` is called when the person clicks in the text, with the id of the annotation there, or undefined. */
export const annotationRanges = (onPick: (id: string | undefined) => void): Extension => [
  field,
  tableMarksField,
  loadTableMarks((state) => state.field(field).set),
  shown,
  addedText.compute([field, tableMarksField, 'doc'], (state) => {
    const { set } = state.field(field)
    const tables = tableMarksIn(state)
    return (from, to) => {
      const added: string[] = []
      const add = (_start: number, _end: number, { annotation }: MarkedRange): void => {
        const change = tables?.tableChangesIn(state.doc, set).get(annotation)
        added.push((change && tables?.addedWords(change, from, to)) ?? drawnText(annotation))
      }
      if (set.size > 0) set.between(from, to, add)
      return added.join('')
    }
  }),
  addedCells.compute([field, tableMarksField, 'doc'], (state) => {
    const { set } = state.field(field)
    const tables = tableMarksIn(state)
    return (table, rows) => tables?.withAddedCells(tables.tableChangesIn(state.doc, set), table, rows) ?? rows
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
