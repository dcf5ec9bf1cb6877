/**
 * Draws the beginning of the text as the live view does, but without a browser. The server sends it with the page, so that people can read before any
 * script runs. It uses the rules and the element order of the editor. Only the class names differ (`still-` instead of `cm-`, see `vite.config.ts`),
 * because nobody can type in it.
 */
import { syntaxTree, ensureSyntaxTree } from '@codemirror/language'
import { EditorState, RangeSet, type Range } from '@codemirror/state'
import { Decoration, type WidgetType } from '@codemirror/view'
import { highlightTree } from '@lezer/highlight'
import { BreakWidget, LackingWidget } from '../editor/grid/layout.ts'
import { highlighter, markdown } from '../editor/language.ts'
import type { LiveContext } from '../editor/context.ts'
import { decorateRange } from '../editor/live/live.ts'
import { BulletWidget, CopyWidget, TaskWidget } from '../editor/live/widgets.ts'

export interface LiveText {
  readonly html: string
  /** CSS rules for the styles of lines, or '' if there are none. */
  readonly css: string
}

const parseMsMax = 1000

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Returns the placeholder of a widget. Undefined if only a browser can determine the size of the widget. */
function widgetHtml(widget: WidgetType): string | undefined {
  if (widget instanceof BulletWidget) return '<span class="md-marker md-bullet">•</span>'
  if (widget instanceof TaskWidget)
    return `<span class="md-marker md-task"><input type="checkbox" disabled${widget.checked ? ' checked' : ''}></span>`
  if (widget instanceof BreakWidget) return '<span><br></span>'
  if (widget instanceof LackingWidget) return '<span class="md-cell md-cell-lacking"></span>'
  return widget instanceof CopyWidget ? '' : undefined
}

const buffer = '<img class="still-widgetBuffer" alt="" aria-hidden="true">'

interface Spec {
  readonly class?: string
  readonly widget?: WidgetType
}
const specOf = ({ spec }: Decoration): Spec => spec as Spec

/** Writes the HTML of one line. It opens and closes marks where the marks of the text change. */
class LineWriter {
  html = ''
  /** Whether the line contains a part that cannot be drawn without a browser. */
  isUnknown = false
  #open: readonly Decoration[] = []

  #within(marks: readonly Decoration[]): void {
    let common = 0
    while (common < marks.length && marks[common] === this.#open[common]) common++
    this.html += '</span>'.repeat(this.#open.length - common)
    for (const mark of marks.slice(common)) this.html += `<span class="${escape(specOf(mark).class ?? '')}">`
    this.#open = marks
  }

  /** Adds HTML inside marks. The innermost mark comes first. */
  add(html: string, marks: readonly Decoration[]): void {
    this.#within(marks.toReversed())
    this.html += html
  }

  /** Adds a widget that replaces text or is between characters. As in the editor, the line may wrap on either side of it. */
  place(widget: WidgetType | undefined, marks: readonly Decoration[]): void {
    const html = widget === undefined ? '' : widgetHtml(widget)
    if (html === undefined) this.isUnknown = true
    else this.add(`${buffer}${html}${buffer}`, marks)
  }

  end(): string {
    this.#within([])
    return this.html
  }
}

/** Returns the syntax classes as marks. Equal classes share a mark object, so that adjacent marks join. */
function syntaxMarks(state: EditorState): Range<Decoration>[] {
  const found: Range<Decoration>[] = []
  highlightTree(syntaxTree(state), highlighter, (from, to, name) => {
    found.push(Decoration.mark({ class: name }).range(from, to))
  })
  return found
}

/** Assigns a CSS class to each line style. */
class LineRules {
  readonly #names = new Map<string, string>()

  nameOf(style: string): string {
    const name = this.#names.get(style) ?? `still-line-${this.#names.size}`
    this.#names.set(style, name)
    return name
  }

  get css(): string {
    return [...this.#names].map(([style, name]) => `.${name}{${style}}`).join('')
  }
}

/** Returns the offsets of the first and the last lines of the groups that scroll together. */
const wrapped = (live: LiveContext): { readonly first: ReadonlySet<number>; readonly last: ReadonlySet<number> } => ({
  first: new Set(live.wrappers.map(({ from }) => from)),
  last: new Set(live.wrappers.map(({ to }) => to))
})

/** Draws the text up to the first part that cannot be drawn without a browser: a picture, sound or video. */
export function liveText(source: string): LiveText {
  const parsing = EditorState.create({ doc: source, extensions: [markdown()] })
  ensureSyntaxTree(parsing, parsing.doc.length, parseMsMax)
  // Only an update includes the result of the parser in the state.
  const { state } = parsing.update({})
  const live = decorateRange(state, { from: 0, to: state.doc.length }, [])
  // The first set becomes the innermost, as in the editor.
  const sets = [syntaxMarks(state), live.decorations, live.cells].map((ranges) => Decoration.set(ranges, true))
  const { first, last } = wrapped(live)
  const rules = new LineRules()
  let [html, isOpen] = ['', false]
  for (let number = 1; number <= state.doc.lines; number++) {
    const { from, to } = state.doc.line(number)
    const line = new LineWriter()
    RangeSet.spans(sets, from, to, {
      span: (start, end, marks) => line.add(escape(state.sliceDoc(start, end)), marks),
      point: (_start, _end, value, marks) => line.place(specOf(value).widget, marks)
    })
    if (line.isUnknown) break
    const { name, style } = live.lookOfLine(from)
    const names = ['still-line', name, style === undefined ? '' : rules.nameOf(style)].filter((each) => each !== '')
    if (first.has(from)) {
      html += '<div class="md-table-scroll">'
      isOpen = true
    }
    html += `<div class="${escape(names.join(' '))}">${line.end() || '<br>'}</div>`
    if (isOpen && last.has(to)) {
      html += '</div>'
      isOpen = false
    }
  }
  return { html: isOpen ? `${html}</div>` : html, css: rules.css }
}
