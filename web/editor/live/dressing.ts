/** Decorations that the live view and the source share: colors in code, no spell check in code, and right-to-left lines. */
import { syntaxTree } from '@codemirror/language'
import type { Extension, Range, Text } from '@codemirror/state'
import { Decoration, ViewPlugin, type DecorationSet, type EditorView, type ViewUpdate } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { codeSpans } from './code-spans.ts'
import { libraries, libraryCame, unwatchLibraries, watchLibraries } from './libraries.ts'

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/
const byItsText = Decoration.line({ attributes: { dir: 'auto' } })
const fromTheRight = Decoration.line({ attributes: { dir: 'rtl' } })
const unspelledLine = Decoration.line({ attributes: { spellcheck: 'false' } })
const formulaLine = Decoration.line({ class: 'md-formula-lines' })
const unspelled = Decoration.mark({ attributes: { spellcheck: 'false' } })

const codeBlocks = new Set(['FencedCode', 'CodeBlock', 'HTMLBlock', 'CommentBlock', 'BlockMath'])
const codeInLines = new Set(['InlineCode', 'URL', 'InlineMath', 'HTMLTag', 'LinkLabel'])

interface Stretch {
  readonly from: number
  readonly to: number
}

function colours(view: EditorView, fence: SyntaxNode, visible: Stretch, found: Range<Decoration>[]): void {
  const info = fence.getChild('CodeInfo')
  const code = fence.getChild('CodeText')
  const highlighter = info === null || code === null ? undefined : libraries.highlighter()
  if (highlighter === undefined || info === null || code === null) return
  // Code in a quote consists of several parts, with quote marks between them.
  if (fence.getChildren('CodeText').length > 1) return
  const language = /^[\w+#.-]+/.exec(view.state.sliceDoc(info.from, info.to))?.[0] ?? ''
  for (const { from, to, name } of codeSpans(highlighter, view.state.sliceDoc(code.from, code.to), language)) {
    if (code.from + to > visible.from && code.from + from < visible.to)
      found.push(Decoration.mark({ class: name }).range(code.from + from, code.from + to))
  }
}

/** How much text of a table decides its direction, in UTF-16 units. */
const sampleUnits = 500

/** Whether the columns of a table run from right to left, because its first letter belongs to such a script. All its rows run alike. */
const isFromTheRight = (doc: Text, { from, to }: Stretch): boolean =>
  rightToLeft.test(/\p{L}/u.exec(doc.sliceString(from, Math.min(to, from + sampleUnits)))?.[0] ?? '')

function dress(view: EditorView): DecorationSet {
  const found: Range<Decoration>[] = []
  const { doc } = view.state
  for (const visible of view.visibleRanges) {
    const code = new Set<number>()
    const rows = new Map<number, boolean>()
    syntaxTree(view.state).iterate({
      ...visible,
      enter(ref) {
        if (codeInLines.has(ref.name) && ref.from < ref.to) found.push(unspelled.range(ref.from, ref.to))
        if (ref.name === 'Table') {
          const isReversed = isFromTheRight(doc, ref)
          for (let at = Math.max(ref.from, visible.from); at <= Math.min(ref.to, visible.to); at = doc.lineAt(at).to + 1)
            rows.set(doc.lineAt(at).from, isReversed)
        }
        if (!codeBlocks.has(ref.name)) return true
        const end = Math.min(ref.to, visible.to)
        for (let at = Math.max(ref.from, visible.from); at <= end;) {
          const line = doc.lineAt(at)
          code.add(line.from)
          if (ref.name === 'BlockMath') found.push(formulaLine.range(line.from))
          at = line.to + 1
        }
        if (ref.name === 'FencedCode') colours(view, ref.node, visible, found)
        return false
      }
    })
    for (let at = visible.from; at <= visible.to;) {
      const line = doc.lineAt(at)
      const isReversed = rows.get(line.from)
      if (code.has(line.from)) found.push(unspelledLine.range(line.from))
      else if (isReversed !== undefined) found.push(...(isReversed ? [fromTheRight.range(line.from)] : []))
      else if (rightToLeft.test(line.text)) found.push(byItsText.range(line.from))
      at = line.to + 1
    }
  }
  return Decoration.set(found, true)
}

class Dressing {
  decorations: DecorationSet
  readonly #view: EditorView

  constructor(view: EditorView) {
    this.#view = view
    watchLibraries(view)
    this.decorations = dress(view)
  }

  update(update: ViewUpdate): void {
    const came = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(libraryCame)))
    const parsed = syntaxTree(update.state) !== syntaxTree(update.startState)
    if (update.docChanged || update.viewportChanged || parsed || came) this.decorations = dress(update.view)
  }

  destroy(): void {
    unwatchLibraries(this.#view)
  }
}

export const dressing: Extension = ViewPlugin.fromClass(Dressing, { decorations: (value) => value.decorations })
