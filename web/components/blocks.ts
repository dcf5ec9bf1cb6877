/**
 * Draws components in the live view, instead of the lines of their fence. A fence shows its source while the caret is in it, but not if the person
 * has only found a match that the component shows. The caret never rests at the edges of a fence, because typing there would break it.
 */
import { EditorSelection, EditorState, Facet, Prec, StateEffect, StateField, type Extension, type Transaction } from '@codemirror/state'
import { Decoration, EditorView, keymap, ViewPlugin, WidgetType, type DecorationSet } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'
import { componentsOf, isDrawable } from '../../shared/fences/drawn.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import { componentBegan, leftMatch, matchUnseen } from '../editor/inserts.ts'
import { drawsComponents } from '../editor/awaited.ts'
import type { Now } from './connect.ts'
import { createInstances, sourceOf, type Block, type Instances } from './instances.ts'
import { unclosedWords } from './kind-parts.ts'

/**
 * A component that is not closed, and the message about it. Only the last component of the text can be unclosed. The message is at the end of
 * its first line.
 */
interface Unclosed {
  readonly at: number
  readonly words: string
}

interface Shown {
  /** All fences of the text as of the last scan. */
  readonly fences: readonly Fence[]
  readonly blocks: readonly Block[]
  /** Key of the component whose source is visible. */
  readonly open: number | undefined
  /** Key of the drawn component that contains the selected search match. */
  readonly matched: number | undefined
  readonly unclosed: Unclosed | undefined
  readonly decorations: DecorationSet
}

/** Asks for a new scan of the text for fences. */
const look = StateEffect.define<null>()
const closeSource = StateEffect.define<null>()

/**
 * Delay before the fences are scanned again after a change outside them, in milliseconds. A scan reads the entire text, so no key press should wait
 * for it.
 */
const lookMs = 200

let keys = 0

function lineEnd(source: string, at: number): number {
  const end = source.indexOf('\n', at)
  return end === -1 ? source.length : end
}

const lineStart = ({ source, from }: Fence): number => source.lastIndexOf('\n', from - 1) + 1

const readFences = (state: EditorState): readonly Fence[] => componentsOf(state.doc.toString())

/** Returns the components to draw. A component that was already drawn keeps its key, even after a move. */
function blocksOf(fences: readonly Fence[], known: readonly Block[]): Block[] {
  const text = fences[0]?.source ?? ''
  const left = new Set(known)
  return fences.filter(isDrawable).map((fence) => {
    const from = lineStart(fence)
    const to = lineEnd(text, fence.to)
    const same =
      [...left].find((block) => block.fence.kind === fence.kind && block.from < to && block.to > from) ??
      [...left].find((block) => block.from === block.to && sourceOf(block.fence) === sourceOf(fence))
    if (same !== undefined) left.delete(same)
    return { key: same?.key ?? ++keys, fence, from, to }
  })
}

function fenceOfBlock(state: EditorState, key: number): Now | undefined {
  const all = readFences(state)
  // The source view draws no components.
  const fence = blocksOf(all, state.field(field, false)?.blocks ?? []).find((block) => block.key === key)?.fence
  return fence && { fence, all }
}

function movedBy({ state }: EditorView, key: number): number {
  const block = state.field(field, false)?.blocks.find((each) => each.key === key)
  return block === undefined ? 0 : block.from - lineStart(block.fence)
}

class ComponentWidget extends WidgetType {
  readonly #block: Block
  readonly #instances: Instances

  constructor(block: Block, instances: Instances) {
    super()
    this.#block = block
    this.#instances = instances
  }

  override eq(other: ComponentWidget): boolean {
    return other.#block.key === this.#block.key
  }

  override toDOM(view: EditorView): HTMLElement {
    return this.#instances.hostOf(this.#block, view)
  }

  override get estimatedHeight(): number {
    return this.#instances.heightOf(this.#block)
  }

  // A component handles its own events.
  override ignoreEvent(): boolean {
    return true
  }
}

/** The component instances that the editor draws. */
const drawing = Facet.define<Instances, Instances | undefined>({ combine: ([instances]) => instances })

class UnclosedNote extends WidgetType {
  readonly #words: string

  constructor(words: string) {
    super()
    this.#words = words
  }

  override eq(other: UnclosedNote): boolean {
    return other.#words === this.#words
  }

  override toDOM(): HTMLElement {
    const element = document.createElement('span')
    element.className = 'md-unclosed'
    element.textContent = this.#words
    return element
  }
}

function decorate(state: EditorState, blocks: readonly Block[], open: number | undefined, unclosed: Unclosed | undefined): DecorationSet {
  const instances = state.facet(drawing)
  if (instances === undefined) return Decoration.none
  const drawn = blocks.flatMap((block) => {
    const widget = new ComponentWidget(block, instances)
    if (block.key !== open) return [Decoration.replace({ widget, block: true }).range(block.from, block.to)]
    // While its source is edited, a widget is shown below the source.
    return block.fence.kind === 'widget' ? [Decoration.widget({ widget, block: true, side: 1 }).range(block.to)] : []
  })
  const notes = unclosed === undefined ? [] : [Decoration.widget({ widget: new UnclosedNote(unclosed.words), side: 1 }).range(unclosed.at)]
  return Decoration.set([...drawn, ...notes], true)
}

function unclosedOf(fences: readonly Fence[]): Unclosed | undefined {
  const last = fences.at(-1)
  if (last === undefined || last.closing !== undefined) return undefined
  return { at: lineEnd(last.source, last.from), words: unclosedWords(last) }
}

/**
 * Returns the key of the component whose source the person edits: the open one while the caret is in it or at its edge, or one that
 * contains the selection.
 */
function openOf({ selection }: EditorState, blocks: readonly Block[], before: number | undefined): number | undefined {
  const { anchor, head } = selection.main
  const inside = ({ key, from, to }: Block): boolean =>
    key === before ? head >= from && head <= to : head > from && head < to && anchor > from && anchor < to
  return blocks.find(inside)?.key
}

const touches = ({ changes }: Transaction, blocks: readonly Block[]): boolean => {
  let found = false
  changes.iterChangedRanges((from, to) => {
    found ||= blocks.some((block) => from <= block.to && to >= block.from)
  })
  return found
}

/** Whether a transaction selects a match of find, or replaces one and selects the next. */
const goesToMatch = (transaction: Transaction): boolean =>
  transaction.isUserEvent('select.search') || transaction.isUserEvent('input.replace')

/** Returns which component is open, and which one stays drawn although a match in it is selected. */
function selectedIn(transaction: Transaction, blocks: readonly Block[], before: Shown): Pick<Shown, 'open' | 'matched'> {
  const { state, selection, effects } = transaction
  const within = openOf(state, blocks, before.open)
  const isKept = selection === undefined ? within === before.matched : goesToMatch(transaction) && within !== before.open
  const isMatched = within !== undefined && isKept && !effects.some((effect) => effect.is(matchUnseen))
  return isMatched ? { open: undefined, matched: within } : { open: within, matched: undefined }
}

const field: StateField<Shown> = StateField.define<Shown>({
  create(state) {
    const fences = readFences(state)
    const blocks = blocksOf(fences, [])
    const open = openOf(state, blocks, undefined)
    const unclosed = unclosedOf(fences)
    return { fences, blocks, open, matched: undefined, unclosed, decorations: decorate(state, blocks, open, unclosed) }
  },
  update(value, transaction) {
    const { state, effects, docChanged, changes } = transaction
    const moved = docChanged
      ? value.blocks.map((block) => ({
          ...block,
          from: changes.mapPos(block.from, 1),
          to: Math.max(changes.mapPos(block.from, 1), changes.mapPos(block.to, -1))
        }))
      : value.blocks
    const isClosed = effects.some((effect) => effect.is(closeSource))
    if (effects.some((effect) => effect.is(look) || effect.is(componentBegan)) || (docChanged && touches(transaction, value.blocks))) {
      const fences = readFences(state)
      const blocks = blocksOf(fences, moved)
      const selected = selectedIn(transaction, blocks, value)
      const unclosed = unclosedOf(fences)
      return { fences, blocks, ...selected, unclosed, decorations: decorate(state, blocks, selected.open, unclosed) }
    }
    const isUnseen = effects.some((effect) => effect.is(matchUnseen))
    if (!docChanged && transaction.selection === undefined && !isClosed && !isUnseen) return value
    const next = isClosed ? { open: undefined, matched: undefined } : selectedIn(transaction, moved, value)
    if (!docChanged && next.open === value.open) return next.matched === value.matched ? value : { ...value, ...next }
    const unclosed = value.unclosed && { ...value.unclosed, at: changes.mapPos(value.unclosed.at, -1) }
    return { fences: value.fences, blocks: moved, ...next, unclosed, decorations: decorate(state, moved, next.open, unclosed) }
  },
  provide: (self) => [
    EditorView.decorations.from(self, ({ decorations }) => decorations),
    EditorView.atomicRanges.of((view) => view.state.field(self).decorations)
  ]
})

const drawnIn = (state: EditorState): readonly Block[] => {
  const found = state.field(field, false)
  return found?.blocks.filter(({ key }) => key !== found.open) ?? []
}

/** Returns another position for a caret that would rest at the edge of a component. */
function besides(state: EditorState, head: number, forwards: boolean): number {
  let at = head
  for (const block of forwards ? drawnIn(state) : drawnIn(state).toReversed()) {
    // Text that is typed at the beginning goes above a component there.
    if (at === 0 || (at !== block.from && at !== block.to)) continue
    if (forwards && block.to < state.doc.length) at = block.to + 1
    else if (!forwards && block.from > 0) at = block.from - 1
    // The caret has no other position at the beginning or the end of the text.
    else at = forwards ? block.to : block.from
  }
  return at
}

const keepOff = EditorState.transactionFilter.of((transaction) => {
  const { startState, selection, docChanged } = transaction
  const blocks = drawnIn(startState)
  if (blocks.length === 0 || transaction.annotation(ySyncAnnotation) !== undefined || transaction.isUserEvent('input.fence'))
    return transaction
  if (docChanged) return transaction.isUserEvent('input') || transaction.isUserEvent('delete') ? unbroken(transaction, blocks) : transaction
  if (selection === undefined || !selection.main.empty) return transaction
  const { head } = selection.main
  const forwards = head >= startState.selection.main.head
  const to = besides(startState, head, forwards)
  return to === head ? transaction : [transaction, { selection: EditorSelection.cursor(to), sequential: true }]
})

/** Returns the position of the caret after the source of a component is closed. A caret left inside the fence would open it at the next change. */
function outside({ doc: { length } }: EditorState, { from, to }: Block): number {
  if (to < length) return to + 1
  return from > 0 ? from - 1 : to
}

/** Closes the source of a component that a search match had opened. The caret leaves a component that contains a match. */
const closeAfterMatch = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.effects.some((effect) => effect.is(leftMatch))) return transaction
  const { open, matched, blocks } = transaction.startState.field(field)
  const block = blocks.find(({ key }) => key === (open ?? matched))
  if (block === undefined) return transaction
  return [transaction, { effects: closeSource.of(null), selection: { anchor: outside(transaction.startState, block) } }]
})

/**
 * Puts text that is written directly before or after a component on separate lines. Refuses a change that would delete the line break between a
 * component and other text.
 */
function unbroken(transaction: Transaction, blocks: readonly Block[]) {
  const { changes, newDoc } = transaction
  const more: { from: number; insert: string }[] = []
  let breaks = false
  changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    const text = inserted.toString()
    for (const { from, to } of blocks) {
      if (fromA <= from && toA >= to) continue
      if (fromA === to && text !== '' && !text.startsWith('\n')) more.push({ from: fromB, insert: '\n\n' })
      if (toA === from && text !== '' && !text.endsWith('\n')) more.push({ from: toB, insert: '\n\n' })
      if (text !== '') continue
      const before = newDoc.sliceString(fromB - 1, fromB)
      const behind = newDoc.sliceString(fromB, fromB + 1)
      if ((fromA === to && behind !== '' && behind !== '\n') || (toA === from && before !== '' && before !== '\n')) breaks = true
    }
  })
  if (breaks) return []
  return more.length === 0 ? transaction : [transaction, { changes: more, sequential: true }]
}

/** Handles typing where the text begins or ends with a component: the browser has no line there that could receive the text. */
const typedAtEdge = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { main } = view.state.selection
    if (event.inputType !== 'insertText' || event.data === null || !main.empty || view.state.readOnly) return false
    if (!drawnIn(view.state).some(({ from, to }) => main.head === from || main.head === to)) return false
    event.preventDefault()
    const { data } = event
    view.dispatch({ changes: { from: main.head, insert: data }, selection: { anchor: main.head + data.length }, userEvent: 'input.type' })
    return true
  }
})

/**
 * Keeps an undo in a field of a component out of the text. If the field has nothing to undo, the browser offers its last own change to the text, and the
 * binding would then undo the newest change of this page.
 */
const undoOfFields = Prec.highest(
  EditorView.domEventHandlers({
    beforeinput: ({ inputType }, { root, contentDOM }) => inputType.startsWith('history') && root.activeElement !== contentDOM
  })
)

/** Returns the component directly above or below the caret's line if the caret is about to leave that line. */
function neighbour(view: EditorView, forwards: boolean): Block | undefined {
  const { main } = view.state.selection
  if (!main.empty) return undefined
  const line = view.state.doc.lineAt(main.head)
  const next = view.moveVertically(main, forwards).head
  if (next > line.from && next < line.to) return undefined
  return drawnIn(view.state).find(({ from, to }) =>
    forwards ? from === line.to + 1 || from === main.head : to === line.from - 1 || to === main.head
  )
}

/** Space kept above and below a component that is scrolled into view, in pixels, because the page's bars cover the edges of the text. */
const showMargin = 80

function show(view: EditorView, { from }: Fence): boolean {
  const block = drawnIn(view.state).find(({ fence }) => fence.from === from)
  if (block === undefined) return false
  view.dispatch({ effects: EditorView.scrollIntoView(block.from, { y: 'nearest', yMargin: showMargin }) })
  return true
}

/** Creates the extension that draws components in the editor of a page. */
export function components(page: ReviewedView): Extension {
  const instances = createInstances(page, { fenceOf: (view, key) => fenceOfBlock(view.state, key), movedBy, show })
  const enter =
    (forwards: boolean) =>
    (view: EditorView): boolean => {
      const block = neighbour(view, forwards)
      if (block === undefined) return false
      instances.focus(block.key)
      return true
    }
  const leaveSource = (view: EditorView): boolean => {
    const { open, blocks } = view.state.field(field)
    const block = blocks.find(({ key }) => key === open)
    if (open === undefined || block === undefined) return false
    view.dispatch({ effects: closeSource.of(null), selection: { anchor: outside(view.state, block) } })
    instances.focus(open)
    return true
  }
  return [
    drawing.of(instances),
    drawsComponents.of(true),
    field,
    keepOff,
    closeAfterMatch,
    Prec.high(
      keymap.of([
        { key: 'ArrowDown', run: enter(true) },
        { key: 'ArrowUp', run: enter(false) },
        { key: 'Escape', run: leaveSource }
      ])
    ),
    typedAtEdge,
    undoOfFields,
    ViewPlugin.define((view) => {
      let resting: ReturnType<typeof setTimeout> | undefined
      instances.follow(view.state.field(field))
      return {
        update({ docChanged, state, startState, transactions }) {
          const now = state.field(field)
          if (now !== startState.field(field)) instances.follow(now)
          const began = transactions.flatMap(({ effects }) => effects).find((effect) => effect.is(componentBegan))?.value
          const block = now.blocks.find(({ from }) => from === began)
          if (block !== undefined) instances.begin(block.key, view)
          if (!docChanged) return
          clearTimeout(resting)
          resting = setTimeout(() => view.dispatch({ effects: look.of(null) }), lookMs)
        },
        destroy() {
          clearTimeout(resting)
          instances.follow({ fences: [], blocks: [], open: undefined })
        }
      }
    })
  ]
}
