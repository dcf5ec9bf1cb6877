/**
 * Draws the formulas and diagrams of the live view instead of their source. The source is visible while the caret is in it, but never appears while
 * the pointer is pressed. Block decorations replace lines, so a state field provides them; a view plugin is not allowed to.
 */
import { syntaxTree } from '@codemirror/language'
import { StateEffect, StateField, type EditorState, type Extension, type Range, type Transaction } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { effect } from '@preact/signals'
import { formulaHtml, setFormula } from '../../../shared/markdown/math.ts'
import { drawInto, undrawn } from '../../diagram/draw.ts'
import { nodesOf } from '../../markdown/trusted.ts'
import { t } from '../../text/t.ts'
import { theme } from '../../device/theme.ts'
import { revealed } from '../resting.ts'
import { onConnection } from './on-connection.ts'
import { libraries, libraryCame } from './libraries.ts'

/** Style rules of the formulas, as on published pages. Each rule turns an inline declaration into a class. */
const styles = new Map<string, string>()
const rules = new CSSStyleSheet()

function adoptRules(): void {
  rules.replaceSync([...styles].map(([style, name]) => `.${name}{${style}}`).join(''))
  if (!document.adoptedStyleSheets.includes(rules)) document.adoptedStyleSheets = [...document.adoptedStyleSheets, rules]
}

/** Heights of earlier drawings, in pixels. They reserve the space for a drawing that appears again, before it is ready. */
const heights = new Map<string, number>()
const heightsMax = 500

/** A drawing that replaces a range of the text. A click puts the caret into the range. */
abstract class Drawing extends WidgetType {
  readonly source: string
  /** Whether the library for the drawing had loaded when this object was created. */
  readonly ready: boolean

  constructor(source: string, ready: boolean) {
    super()
    this.source = source
    this.ready = ready
  }

  override eq(other: Drawing): boolean {
    return other.constructor === this.constructor && other.source === this.source && other.ready === this.ready
  }

  override get estimatedHeight(): number {
    return heights.get(this.source) ?? -1
  }

  override ignoreEvent(): boolean {
    return false
  }

  protected measured(element: HTMLElement, view: EditorView): void {
    if (heights.size >= heightsMax) heights.clear()
    if (element.offsetHeight > 0) heights.set(this.source, element.offsetHeight)
    view.requestMeasure()
  }
}

class Formula extends Drawing {
  override toDOM(): HTMLElement {
    const element = document.createElement('span')
    element.className = 'md-formula'
    const before = styles.size
    const html = formulaHtml((tex, display) => setFormula(libraries.formulaSetter(), tex, display), this.source, false, styles)
    if (styles.size > before) adoptRules()
    if (html === undefined) element.textContent = `$${this.source}$`
    else element.append(...nodesOf(html))
    return element
  }
}

class FormulaBlock extends Drawing {
  override toDOM(view: EditorView): HTMLElement {
    const element = document.createElement('div')
    element.className = 'md-formula-block'
    const before = styles.size
    const html = formulaHtml((tex, display) => setFormula(libraries.formulaSetter(), tex, display), this.source, true, styles)
    if (styles.size > before) adoptRules()
    if (html !== undefined) element.append(...nodesOf(html))
    else {
      element.classList.add('md-formula-source')
      element.textContent = this.source
    }
    requestAnimationFrame(() => this.measured(element, view))
    return element
  }
}

const sources = new WeakMap<HTMLElement, string>()

class Diagram extends Drawing {
  override toDOM(view: EditorView): HTMLElement {
    const element = document.createElement('div')
    element.className = 'md-diagram'
    sources.set(element, this.source)
    const known = heights.get(this.source)
    if (known !== undefined) element.style.minHeight = `${known}px`
    const waiting = element.appendChild(document.createElement('p'))
    waiting.className = 'md-diagram-waiting'
    waiting.textContent = t('Drawing the diagram…')
    // The drawing takes its colors from the page, so the element must be part of the page first.
    requestAnimationFrame(() => {
      void this.#draw(element, view)
    })
    return element
  }

  async #draw(element: HTMLElement, view: EditorView): Promise<void> {
    await drawInto(element, this.source)
    await element
      .querySelector('img')
      ?.decode()
      .catch(() => undefined)
    this.measured(element, view)
  }
}

interface Block {
  readonly from: number
  readonly to: number
  readonly widget: Drawing
}

const blockSource = (text: string): string =>
  text
    .replace(/^\s*\$\$/, '')
    .replace(/\$\$\s*$/, '')
    .trim()

/** Returns the drawing that replaces a fenced block. Undefined until the fence is closed. */
function fenceWidget(state: EditorState, fence: SyntaxNode): Drawing | undefined {
  const info = fence.getChild('CodeInfo')
  const code = fence.getChild('CodeText')
  if (info === null || code === null || fence.getChildren('CodeMark').length < 2) return undefined
  const language = state.sliceDoc(info.from, info.to).trim()
  if (language === 'mermaid') return new Diagram(state.sliceDoc(code.from, code.to), true)
  return language === 'math' ? new FormulaBlock(state.sliceDoc(code.from, code.to), libraries.formulaSetter() !== undefined) : undefined
}

/** Returns the blocks that are drawn. Only top-level blocks are drawn. The source of a block inside a list or quote stays visible. */
function blocksOf(state: EditorState): Block[] {
  const found: Block[] = []
  const cursor = syntaxTree(state).cursor()
  if (!cursor.firstChild()) return found
  do {
    const { name, from, to } = cursor
    if (name === 'BlockMath') {
      const source = blockSource(state.sliceDoc(from, to))
      if (source !== '') found.push({ from, to, widget: new FormulaBlock(source, libraries.formulaSetter() !== undefined) })
    } else if (name === 'FencedCode') {
      const widget = fenceWidget(state, cursor.node)
      if (widget !== undefined) found.push({ from, to, widget })
    }
  } while (cursor.nextSibling())
  return found
}

interface Shown {
  readonly blocks: readonly Block[]
  readonly decorations: DecorationSet
}

/** Asks for a new scan for blocks, because the pointer was released or the text changed a moment ago. */
const released = StateEffect.define<null>()

const touches = (state: EditorState, { from, to }: Block): boolean =>
  !state.readOnly && state.selection.ranges.some((range) => range.from <= to && range.to >= from)

function decorate(state: EditorState, blocks: readonly Block[]): DecorationSet {
  const ranges: Range<Decoration>[] = []
  for (const block of blocks) {
    const from = state.doc.lineAt(block.from).from
    const to = state.doc.lineAt(Math.min(block.to, state.doc.length)).to
    if (!touches(state, block)) ranges.push(Decoration.replace({ widget: block.widget, block: true }).range(from, to))
    // While a person edits the source, the drawing is visible below it.
    else if (block.widget instanceof Diagram || block.widget instanceof FormulaBlock)
      ranges.push(Decoration.widget({ widget: block.widget, block: true, side: 1 }).range(to))
  }
  return Decoration.set(ranges, true)
}

const show = (state: EditorState): Shown => {
  const blocks = blocksOf(state)
  return { blocks, decorations: decorate(state, blocks) }
}

const asks = ({ effects }: Transaction): boolean => effects.some((each) => each.is(released) || each.is(libraryCame))

/**
 * Delay after a change before the text is scanned for blocks again, in milliseconds. A scan reads the entire text, so no key press should wait for
 * it.
 */
const lookMs = 200

/** Maps the drawings through a change until the next scan. A drawing that would no longer replace entire lines is removed. */
function moved({ blocks, decorations }: Shown, { changes, state: { doc } }: Transaction): Shown {
  const whole = (from: number, to: number): boolean => doc.lineAt(from).from === from && doc.lineAt(to).to === to
  return {
    blocks: blocks.map(({ from, to, widget }) => ({ from: changes.mapPos(from, -1), to: changes.mapPos(to, 1), widget })),
    decorations: decorations.map(changes).update({ filter: (from, to) => (from === to ? doc.lineAt(to).to === to : whole(from, to)) })
  }
}

const blockField = StateField.define<Shown>({
  create: show,
  update(value, transaction) {
    const { state, startState } = transaction
    if (state.readOnly !== startState.readOnly || asks(transaction)) return show(state)
    if (transaction.docChanged) return moved(value, transaction)
    if (transaction.selection === undefined || transaction.isUserEvent('select.pointer') || value.blocks.length === 0) return value
    return { blocks: value.blocks, decorations: decorate(state, value.blocks) }
  },
  provide: (self) => [
    EditorView.decorations.from(self, ({ decorations }) => decorations),
    EditorView.atomicRanges.of((view) => view.state.field(self).decorations)
  ]
})

/** Returns decorations for the visible inline formulas. */
function formulas(view: EditorView): DecorationSet {
  const found: Range<Decoration>[] = []
  const reveal = revealed(view)
  for (const visible of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      ...visible,
      enter({ name, from, to }) {
        if (name !== 'InlineMath' || view.state.doc.lineAt(from).to < to) return
        if (reveal.some((range) => range.from <= to && range.to >= from)) return
        const widget = new Formula(view.state.sliceDoc(from + 1, to - 1), libraries.formulaSetter() !== undefined)
        found.push(Decoration.replace({ widget }).range(from, to))
      }
    })
  }
  return Decoration.set(found, true)
}

const inline = ViewPlugin.define(
  (view) => {
    let isDown = false
    const press = (): void => void (isDown = true)
    let resting: ReturnType<typeof setTimeout> | undefined
    const lookAfter = (ms: number): void => {
      clearTimeout(resting)
      resting = setTimeout(() => {
        resting = undefined
        view.dispatch({ effects: released.of(null) })
      }, ms)
    }
    const release = (): void => {
      if (!isDown) return
      isDown = false
      // Waits until typing pauses. A transaction between two key presses would delay the second one.
      lookAfter(0)
    }
    view.contentDOM.addEventListener('pointerdown', press)
    addEventListener('pointerup', release)
    addEventListener('pointercancel', release)
    let current = theme.peek()
    const stopTheme = effect(() => {
      if (theme.value === current) return
      current = theme.value
      requestAnimationFrame(() => {
        for (const element of view.dom.querySelectorAll<HTMLElement>('.md-diagram')) void drawInto(element, sources.get(element) ?? '')
      })
    })
    const stopWaiting = view.state.facet(onConnection)(() => {
      for (const element of undrawn(view.dom, '.md-diagram')) void drawInto(element, sources.get(element) ?? '')
    })
    return {
      decorations: formulas(view),
      update(update) {
        const hasMoved = (update.selectionSet || update.focusChanged) && !isDown
        const parsed = syntaxTree(update.state) !== syntaxTree(update.startState)
        // Waits until typing pauses. A transaction between two key presses would delay the second one.
        if (update.docChanged || (parsed && resting === undefined)) lookAfter(lookMs)
        if (update.docChanged || update.viewportChanged || parsed || hasMoved || update.transactions.some(asks))
          this.decorations = formulas(view)
      },
      destroy() {
        clearTimeout(resting)
        view.contentDOM.removeEventListener('pointerdown', press)
        removeEventListener('pointerup', release)
        removeEventListener('pointercancel', release)
        stopTheme()
        stopWaiting()
      }
    }
  },
  {
    decorations: (value) => value.decorations,
    provide: (self) => EditorView.atomicRanges.of((view) => view.plugin(self)?.decorations ?? Decoration.none)
  }
)

export const drawings: Extension = [blockField, inline]
