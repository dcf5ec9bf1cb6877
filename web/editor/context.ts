/** The data that the rules of the live view use: the visible text, the caret, and the decorations that the rules add. */
import type { EditorState, Line, Range } from '@codemirror/state'
import { type BlockWrapper, Decoration, type WidgetType } from '@codemirror/view'

/** A range in which the person works. Markdown markers in it are visible. */
export interface Reveal {
  readonly from: number
  readonly to: number
}

export class LiveContext {
  readonly state: EditorState
  readonly visible: Reveal
  readonly decorations: Range<Decoration>[] = []
  /** Ranges that the caret skips because their text is hidden. */
  readonly hidden: Range<Decoration>[] = []
  /** Wrappers around lines that scroll horizontally together. */
  readonly wrappers: Range<BlockWrapper>[] = []
  /** Marks of table cells. */
  readonly cells: Range<Decoration>[] = []
  readonly #reveal: readonly Reveal[]
  readonly #lines = new Map<number, Set<string>>()
  readonly #styles = new Map<number, string>()

  constructor(state: EditorState, visible: Reveal, reveal: readonly Reveal[]) {
    this.state = state
    this.visible = visible
    this.#reveal = reveal
  }

  /** Whether a caret or selection touches a range, including its edges. */
  touched(from: number, to: number): boolean {
    return this.#reveal.some((range) => range.from <= to && range.to >= from)
  }

  /** Whether a range is exactly the main selection. */
  isSelected({ from, to }: Reveal): boolean {
    const { main } = this.state.selection
    return main.from === from && main.to === to
  }

  lineTouched(position: number): boolean {
    const line = this.state.doc.lineAt(position)
    return this.touched(line.from, line.to)
  }

  text(from: number, to: number): string {
    return this.state.doc.sliceString(from, to)
  }

  /** Yields the visible lines of a range. */
  *lines(from: number, to: number): Generator<Line> {
    let position = Math.max(from, this.visible.from)
    const end = Math.min(to, this.visible.to)
    while (position <= end) {
      const line = this.state.doc.lineAt(position)
      yield line
      position = line.to + 1
    }
  }

  lineClass(lineFrom: number, ...classes: readonly string[]): void {
    const set = this.#lines.get(lineFrom) ?? new Set()
    for (const name of classes) set.add(name)
    this.#lines.set(lineFrom, set)
  }

  lineStyle(lineFrom: number, style: string): void {
    this.#styles.set(lineFrom, style)
  }

  /** Returns the position of a caret within a range, including its edges. Undefined if there is none. */
  cursorIn(from: number, to: number): number | undefined {
    return this.#reveal.find((range) => range.from === range.to && range.from >= from && range.to <= to)?.from
  }

  /** Marks a cell of a table. Other decorations do not cross its edges. */
  cell(from: number, to: number, name: string): void {
    if (from < to) this.cells.push(Decoration.mark({ class: name, inclusive: true }).range(from, to))
  }

  /** Hides a range. The caret can still stop in it. */
  fold(from: number, to: number): void {
    if (from < to) this.decorations.push(Decoration.replace({}).range(from, to))
  }

  /** Makes the caret skip a range. */
  step(from: number, to: number): void {
    if (from < to) this.hidden.push(Decoration.replace({}).range(from, to))
  }

  mark(from: number, to: number, name: string, attributes: Record<string, string> = {}): void {
    if (from < to) this.decorations.push(Decoration.mark({ class: name, attributes }).range(from, to))
  }

  /** Whether a range contains a line break. CodeMirror cannot hide or replace such a range with one decoration. */
  spansLines(from: number, to: number): boolean {
    return this.state.doc.lineAt(from).to < to
  }

  /** Whether a range is the only text on its line. */
  isWholeLine(from: number, to: number): boolean {
    const line = this.state.doc.lineAt(from)
    return line.to >= to && (line.text.slice(0, from - line.from) + line.text.slice(to - line.from)).trim() === ''
  }

  /** Hides a range, except for the line breaks in it. */
  hide(from: number, to: number): void {
    for (let at = from; at < to;) {
      const end = Math.min(this.state.doc.lineAt(at).to, to)
      if (at < end) this.#hideInLine(at, end)
      at = end + 1
    }
  }

  #hideInLine(from: number, to: number): void {
    const range = Decoration.replace({}).range(from, to)
    this.decorations.push(range)
    this.hidden.push(range)
  }

  /** Replaces a range within one line with a widget. */
  replace(from: number, to: number, widget: WidgetType): void {
    const range = Decoration.replace({ widget }).range(from, to)
    this.decorations.push(range)
    this.hidden.push(range)
  }

  widget(position: number, widget: WidgetType, side: -1 | 1 = 1): void {
    this.decorations.push(Decoration.widget({ widget, side }).range(position))
  }

  /** Returns the classes and the inline style of a line. */
  lookOfLine(lineFrom: number): { readonly name: string; readonly style: string | undefined } {
    return { name: [...(this.#lines.get(lineFrom) ?? [])].join(' '), style: this.#styles.get(lineFrom) }
  }

  /** Returns all decorations. Call it after every rule has run. */
  finish(): Range<Decoration>[] {
    for (const from of this.#lines.keys()) {
      const { name, style } = this.lookOfLine(from)
      const attributes: Record<string, string> = style === undefined ? {} : { style }
      this.decorations.push(Decoration.line({ class: name, attributes }).range(from))
    }
    return this.decorations
  }
}
