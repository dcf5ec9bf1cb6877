/**
 * Draws collapsible text in the live view: the summary as a heading with a button that folds the text, and no tags. Tags are visible while
 * they are selected (collapsible-caret.ts). Text is never folded by itself, and unfolds when the caret moves into it.
 */
import { syntaxTree } from '@codemirror/language'
import { EditorState, Prec, StateEffect, StateField, Transaction, type Extension, type Text, type TransactionSpec } from '@codemirror/state'
import { Decoration, EditorView, keymap, ViewPlugin, WidgetType, type Command, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { LiveContext } from '../context.ts'
import { revealed } from '../resting.ts'
import { type Collapsible, collapsiblesIn, knownCollapsibles, mayChangeTags, moved, type Stretch } from '../collapsible-parts.ts'

/** Folds the collapsible text that begins at a position, or unfolds it. */
const toggle = StateEffect.define<number>({ map: (position, changes) => changes.mapPos(position, 1) })

interface Folds {
  readonly parts: readonly Collapsible[]
  /** The starts of folded text. */
  readonly folded: ReadonlySet<number>
  readonly decorations: DecorationSet
}

const hide = Decoration.replace({ block: true })

/** Whether the tags are HTML, and not code that shows tags. */
export const isHtml = (state: EditorState, { opening }: Collapsible): boolean =>
  syntaxTree(state).resolveInner(opening.from + 1, -1).name === 'HTMLBlock'

/** Returns the lines that are invisible while they are folded: all after the summary, with the closing tag. */
const textOf = ({ summaryEnd, closingEnd }: Collapsible): Stretch => ({ from: summaryEnd + 1, to: closingEnd })

/** Whether a caret is in text that folding hides. */
function isEntered({ selection }: EditorState, part: Collapsible): boolean {
  const { from, to } = textOf(part)
  return selection.ranges.some(({ head }) => head >= from && head <= to)
}

function foldsOf(parts: readonly Collapsible[], folded: ReadonlySet<number>): Folds {
  let end = -1
  const ranges = parts.flatMap((part) => {
    const { from, to } = textOf(part)
    // Folded text within folded text needs no decoration.
    if (!folded.has(part.opening.from) || from < end) return []
    end = to
    return [hide.range(from, to)]
  })
  return { parts, folded, decorations: Decoration.set(ranges) }
}

function update(value: Folds, { changes, docChanged, effects, selection, startState, state }: Transaction): Folds {
  const toggled = effects.flatMap((effect) => (effect.is(toggle) ? [effect.value] : []))
  if (!docChanged && toggled.length === 0 && (selection === undefined || value.folded.size === 0)) return value
  const parts = !docChanged
    ? value.parts
    : mayChangeTags(changes, startState.doc, state.doc)
      ? collapsiblesIn(state.doc)
      : value.parts.map((part) => moved(part, changes))
  const before = new Set([...value.folded].map((position) => changes.mapPos(position, 1)))
  const isFolded = (part: Collapsible): boolean => {
    const { from } = part.opening
    if (toggled.includes(from)) return !before.has(from)
    return before.has(from) && !(selection !== undefined && isEntered(state, part))
  }
  return foldsOf(parts, new Set(parts.filter(isFolded).map(({ opening }) => opening.from)))
}

const field = StateField.define<Folds>({
  create: ({ doc }) => foldsOf(collapsiblesIn(doc), new Set()),
  update,
  provide: (self) => [
    knownCollapsibles.from(self, ({ parts }) => parts),
    EditorView.decorations.from(self, ({ decorations }) => decorations),
    EditorView.atomicRanges.of((view) => view.state.field(self).decorations)
  ]
})

/** Returns the collapsible text whose summary is on the line at a position. */
function partAt(state: EditorState, position: number): Collapsible | undefined {
  const line = state.doc.lineAt(position)
  return state.field(field).parts.find(({ words }) => words.from >= line.from && words.to <= line.to)
}

/** Returns the transaction that types into the summary of a line. Undefined if the position is not next to its tags. */
function typedInSummary(transaction: Transaction): TransactionSpec | undefined {
  const { startState, changes } = transaction
  const { main, ranges } = startState.selection
  const part = transaction.isUserEvent('input.type') && main.empty && ranges.length === 1 ? partAt(startState, main.head) : undefined
  if (part === undefined || (main.head >= part.words.from && main.head <= part.words.to)) return undefined
  let typed: Text | undefined
  changes.iterChanges((from, to, _from, _to, inserted) => {
    if (from === main.head && to === main.head) typed = inserted
  })
  if (typed === undefined || typed.lines > 1) return undefined
  const at = main.head < part.words.from ? part.words.from : part.words.to
  return {
    changes: { from: at, insert: typed },
    selection: { anchor: at + typed.length },
    scrollIntoView: true,
    userEvent: transaction.annotation(Transaction.userEvent) ?? 'input.type'
  }
}

/** Returns the end of the empty line between the blank lines of new collapsible text. Undefined if the text has words or fewer lines. */
function emptyLineIn({ doc }: EditorState, { summaryEnd, closing }: Collapsible): number | undefined {
  const { number } = doc.lineAt(summaryEnd)
  if (doc.lineAt(closing.from).number < number + 4 || doc.sliceString(summaryEnd, closing.from).trim() !== '') return undefined
  return doc.line(number + 2).to
}

/** Moves from the summary of new collapsible text to the empty line below it. */
const enterText: Command = ({ state, dispatch }) => {
  const part = state.readOnly ? undefined : partAt(state, state.selection.main.head)
  const anchor = part === undefined || !isHtml(state, part) ? undefined : emptyLineIn(state, part)
  if (anchor === undefined) return false
  dispatch(state.update({ selection: { anchor }, scrollIntoView: true, userEvent: 'select' }))
  return true
}

/** Begins a paragraph below the summary, because a line break in it would end the collapsible text. */
const beginText: Command = (view) => {
  const part = partAt(view.state, view.state.selection.main.head)
  if (part === undefined || view.state.readOnly || !isHtml(view.state, part)) return false
  const { summaryEnd } = part
  view.dispatch({
    changes: { from: summaryEnd, insert: '\n\n' },
    selection: { anchor: summaryEnd + 2 },
    scrollIntoView: true,
    userEvent: 'input'
  })
  return true
}

/** The button before a summary. */
class FoldWidget extends WidgetType {
  readonly isFolded: boolean

  constructor(isFolded: boolean) {
    super()
    this.isFolded = isFolded
  }

  override eq(other: FoldWidget): boolean {
    return other.isFolded === this.isFolded
  }

  override toDOM(view: EditorView): HTMLElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'md-fold'
    // Keyboard users move through the text, which is never folded unless somebody folds it here.
    button.tabIndex = -1
    button.title = this.isFolded ? t('Unfold') : t('Fold')
    button.setAttribute('aria-label', button.title)
    button.setAttribute('aria-expanded', String(!this.isFolded))
    button.addEventListener('mousedown', (event) => event.preventDefault())
    button.addEventListener('click', () => {
      const part = partAt(view.state, view.posAtDOM(button))
      if (part === undefined) return
      // The caret must not stay in invisible text.
      const leaves = !this.isFolded && isEntered(view.state, part)
      view.dispatch({ effects: toggle.of(part.opening.from), ...(leaves ? { selection: { anchor: part.words.to } } : {}) })
    })
    return button
  }

  override ignoreEvent(): boolean {
    return true
  }
}

function draw(live: LiveContext, part: Collapsible, isFolded: boolean): void {
  const { opening, words, summaryEnd, closing } = part
  const { doc } = live.state
  const summary = doc.lineAt(words.from)
  const isVisible = (position: number): boolean => position >= live.visible.from && position <= live.visible.to
  const hideEdge = ({ from, to }: Stretch): void => {
    const line = doc.lineAt(from)
    if (!isVisible(from) || line.from === summary.from) return
    live.lineClass(line.from, 'md-details-edge')
    if (!live.touched(line.from, line.to)) live.hide(from, to)
  }
  hideEdge(opening)
  // A part of the text on either side of folded text is drawn separately, and the button must appear once.
  if (isVisible(words.from)) {
    live.lineClass(summary.from, 'md-summary')
    const from = opening.from >= summary.from ? opening.from : words.from - '<summary>'.length
    live.widget(from, new FoldWidget(isFolded), -1)
    for (const tag of [
      { from, to: words.from },
      { from: words.to, to: summaryEnd }
    ]) {
      if (live.touched(tag.from + 1, tag.to - 1)) live.mark(tag.from, tag.to, 'md-summary-tag')
      else live.hide(tag.from, tag.to)
    }
  }
  if (isFolded) return
  for (const line of live.lines(summary.to + 1, closing.to)) live.lineClass(line.from, 'md-details')
  hideEdge(closing)
}

class CollapsiblePlugin {
  decorations: DecorationSet = Decoration.none
  hidden: DecorationSet = Decoration.none
  #isDown = false
  readonly #view: EditorView
  readonly #press = (): void => void (this.#isDown = true)
  readonly #release = (): void => {
    if (!this.#isDown) return
    this.#isDown = false
    if (this.#view.state.field(field).parts.length === 0) return
    // The tags of the pressed line appear after the press, because the text would jump under the pointer.
    this.#view.dispatch({})
  }

  constructor(view: EditorView) {
    this.#view = view
    view.contentDOM.addEventListener('pointerdown', this.#press)
    addEventListener('pointerup', this.#release)
    addEventListener('pointercancel', this.#release)
    this.#build()
  }

  update({ docChanged }: ViewUpdate): void {
    if (docChanged) this.#isDown = false
    if (!this.#isDown) this.#build()
  }

  destroy(): void {
    this.#view.contentDOM.removeEventListener('pointerdown', this.#press)
    removeEventListener('pointerup', this.#release)
    removeEventListener('pointercancel', this.#release)
  }

  #build(): void {
    const { state, visibleRanges } = this.#view
    const { parts, folded } = state.field(field)
    if (parts.length === 0 && this.decorations.size === 0) return
    const drawn = visibleRanges.map((range) => {
      const live = new LiveContext(state, range, revealed(this.#view))
      for (const part of parts) {
        if (part.opening.from > range.to) break
        if (part.closing.to >= range.from && isHtml(state, part)) draw(live, part, folded.has(part.opening.from))
      }
      return live
    })
    this.decorations = Decoration.set(
      drawn.flatMap((live) => live.finish()),
      true
    )
    this.hidden = Decoration.set(
      drawn.flatMap(({ hidden }) => hidden),
      true
    )
  }
}

export const collapsible: Extension = [
  field,
  EditorState.transactionFilter.of((transaction) => typedInSummary(transaction) ?? transaction),
  Prec.high(
    keymap.of([
      { key: 'Enter', run: (view) => enterText(view) || beginText(view) },
      { key: 'Tab', run: enterText }
    ])
  ),
  ViewPlugin.fromClass(CollapsiblePlugin, {
    decorations: (value) => value.decorations,
    provide: (self) => EditorView.atomicRanges.of((view) => view.plugin(self)?.hidden ?? Decoration.none)
  })
]
