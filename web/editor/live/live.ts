/**
 * The live view shows Markdown as it will be rendered, with markers only where the person works. The markers of a node become visible when the caret
 * touches it, but never while the pointer is pressed, because the text would jump under it. The caret skips hidden ranges only. The view changes the
 * text only when a person clicks a check box.
 */
import { syntaxTree } from '@codemirror/language'
import type { EditorState, Extension } from '@codemirror/state'
import { RangeSet, StateEffect } from '@codemirror/state'
import { BlockWrapper, Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { isAddedTextNew } from '../added-text.ts'
import { taskTick } from '../binding.ts'
import { fencedCode, heading, html, indentedCode, quote, quoteMark, rule, setextHeading } from './blocks.ts'
import { LiveContext, type Reveal } from '../context.ts'
import { frontMatterEnd } from '../front-matter.ts'
import { noteNumbers } from '../notes.ts'
import { grids } from '../grid/grids.ts'
import { table } from '../grid/layout.ts'
import { revealed } from '../resting.ts'
import { autolink, emphasis, escape, footnote, highlight, inlineCode, link, shifted, strike, url } from './inline.ts'
import { listItem } from './lists.ts'
import { media } from './media.ts'
import { wideTables } from '../grid/wide-tables.ts'

type Rule = (node: SyntaxNode, live: LiveContext) => void

const rules: Readonly<Record<string, Rule>> = {
  ATXHeading1: heading,
  ATXHeading2: heading,
  ATXHeading3: heading,
  ATXHeading4: heading,
  ATXHeading5: heading,
  ATXHeading6: heading,
  SetextHeading1: setextHeading,
  SetextHeading2: setextHeading,
  Blockquote: quote,
  QuoteMark: quoteMark,
  ListItem: listItem,
  FencedCode: fencedCode,
  CodeBlock: indentedCode,
  HorizontalRule: rule,
  HTMLBlock: html,
  CommentBlock: html,
  Table: table,
  Emphasis: emphasis,
  StrongEmphasis: emphasis,
  Strikethrough: strike,
  Highlight: highlight,
  Subscript: shifted,
  Superscript: shifted,
  InlineCode: inlineCode,
  Link: link,
  LinkReference: footnote,
  Image: media,
  Autolink: autolink,
  URL: url,
  Escape: escape,
  HardBreak: escape
}

export function decorateRange(state: EditorState, visible: Reveal, reveal: readonly Reveal[]): LiveContext {
  const live = new LiveContext(state, visible, reveal)
  const front = frontMatterEnd(state.doc)
  if (front > 0) for (const line of live.lines(0, front)) live.lineClass(line.from, 'md-front-matter')
  syntaxTree(state).iterate({
    from: visible.from,
    to: visible.to,
    enter: (ref) => {
      // Markdown would misread front matter.
      if (ref.from < front && !ref.type.isTop) return false
      rules[ref.name]?.(ref.node, live)
      return true
    }
  })
  return live
}

const pointerReleased = StateEffect.define<null>()

class LivePlugin {
  decorations: DecorationSet = Decoration.none
  hidden: DecorationSet = Decoration.none
  wrappers: RangeSet<BlockWrapper> = RangeSet.empty
  cells: DecorationSet = Decoration.none
  #reveal: readonly Reveal[] = []
  #pointerDown = false
  readonly #view: EditorView
  readonly #release = (): void => {
    if (!this.#pointerDown) return
    this.#pointerDown = false
    this.#view.dispatch({ effects: pointerReleased.of(null) })
  }

  constructor(view: EditorView) {
    this.#view = view
    view.contentDOM.addEventListener('pointerdown', this.#press)
    addEventListener('pointerup', this.#release)
    addEventListener('pointercancel', this.#release)
    this.#build()
  }

  readonly #press = (): void => {
    this.#pointerDown = true
  }

  update(update: ViewUpdate): void {
    const released = update.transactions.some((transaction) => transaction.effects.some((effect) => effect.is(pointerReleased)))
    const parsed = syntaxTree(update.state) !== syntaxTree(update.startState)
    if (this.#pointerDown && update.docChanged) this.#pointerDown = false
    const moved = (update.selectionSet || update.focusChanged) && !this.#pointerDown
    // A column has space for text that is suggested in its cells.
    const suggested = isAddedTextNew(update.startState, update.state)
    const allowed = update.state.readOnly !== update.startState.readOnly
    const numbered = update.startState.facet(noteNumbers) !== update.state.facet(noteNumbers)
    if (update.docChanged || update.viewportChanged || parsed || moved || released || suggested || allowed || numbered) this.#build()
  }

  destroy(): void {
    this.#view.contentDOM.removeEventListener('pointerdown', this.#press)
    removeEventListener('pointerup', this.#release)
    removeEventListener('pointercancel', this.#release)
  }

  #build(): void {
    const view = this.#view
    if (!this.#pointerDown) this.#reveal = revealed(view)
    const parts = view.visibleRanges.map((range) => decorateRange(view.state, range, this.#reveal))
    this.decorations = Decoration.set(
      parts.flatMap((part) => part.finish()),
      true
    )
    this.hidden = Decoration.set(
      parts.flatMap((part) => part.hidden),
      true
    )
    this.cells = Decoration.set(
      parts.flatMap((part) => part.cells),
      true
    )
    this.wrappers = BlockWrapper.set(
      parts.flatMap((part) => part.wrappers),
      true
    )
  }
}

const plugin = ViewPlugin.fromClass(LivePlugin, {
  decorations: (value) => value.decorations,
  provide: (self) => [
    EditorView.atomicRanges.of((view) => view.plugin(self)?.hidden ?? RangeSet.empty),
    EditorView.outerDecorations.of((view) => view.plugin(self)?.cells ?? RangeSet.empty),
    EditorView.blockWrappers.of((view) => view.plugin(self)?.wrappers ?? RangeSet.empty)
  ]
})

/** Returns the position of the task marker's character (` ` or `x`) on the line at `position`. Undefined if the line is not a task. */
export function taskLetter(view: EditorView, position: number): number | undefined {
  const line = view.state.doc.lineAt(position)
  const match = /^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+\[([ xX])\]/.exec(line.text)
  return match === null ? undefined : line.from + match[0].length - 2
}

/** Ticks or unticks the task on the line at `position`. */
export function toggleTask(view: EditorView, position: number): boolean {
  const letter = taskLetter(view, position)
  return letter !== undefined && toggleLetter(view, letter)
}

/**
 * Ticks or unticks the task whose character is at `letter`, by changing that one character. Returns false if there is no task or the person may not
 * write.
 */
export function toggleLetter(view: EditorView, letter: number): boolean {
  if (view.state.readOnly || !/^\[[ xX>]\]$/.test(view.state.doc.sliceString(letter - 1, letter + 2))) return false
  if (view.state.facet(taskTick)(view, letter)) return true
  const done = /[xX]/.test(view.state.doc.sliceString(letter, letter + 1))
  view.dispatch({ changes: { from: letter, to: letter + 1, insert: done ? ' ' : 'x' }, userEvent: 'input.task' })
  return true
}

const pointer = EditorView.domEventHandlers({
  mousedown(event, view) {
    const target = event.target
    if (!(target instanceof Element)) return false
    const address = target.closest('[data-address]')?.getAttribute('data-address')
    if (address != null && (event.metaKey || event.ctrlKey)) {
      window.open(address, '_blank', 'noopener,noreferrer')
      event.preventDefault()
      return true
    }
    if (!target.matches('.md-task input')) return false
    event.preventDefault()
    return toggleTask(view, view.posAtDOM(target))
  },
  click(event) {
    // The check box reflects the text, so a click must not toggle it by itself.
    const onBox = event.target instanceof Element && event.target.matches('.md-task input')
    if (onBox) event.preventDefault()
    return onBox
  }
})

export const liveView: Extension = [plugin, pointer, grids, wideTables]
