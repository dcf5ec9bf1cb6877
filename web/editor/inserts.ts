/** The blocks and the text that menus insert. This module loads with the editor extras. */
import { startCompletion } from '@codemirror/autocomplete'
import { StateEffect } from '@codemirror/state'
import type { Command } from '@codemirror/view'
import { locale, t } from '../text/t.ts'
import { block, insertBlock } from './commands-insert.ts'
import { footnote } from './footnote.ts'
import { drawsComponents } from './awaited.ts'

const callout: Command = block(() => '> [!NOTE]\n> ‹›\n')

const details: Command = (view) => {
  const { doc, selection } = view.state
  // Markdown would read text on the line below the closing tag as HTML.
  const end = doc.lineAt(selection.main.head).number === doc.lines ? '\n\n' : '\n'
  return block(() => `<details>\n<summary>‹${t('Summary')}›</summary>\n\n\n\n</details>${end}`)(view)
}

const diagram: Command = block(() => `\`\`\`mermaid\nflowchart LR\n  ‹A[${t('Start')}] --> B[${t('End')}]›\n\`\`\`\n`)

const formula: Command = block(() => '$$\n‹x = y›\n$$\n')

const rule: Command = block(() => '---\n\n‹›')

/** Reports that the search panel has closed at a match. A component whose source the match had opened closes again. */
export const leftMatch = StateEffect.define<null>()

/** Reports that a component does not show the selected search match. Its source opens. */
export const matchUnseen = StateEffect.define<null>()

/** Reports that a component was inserted at a position. Its first part should open for editing. */
export const componentBegan = StateEffect.define<number>()

/** Creates a command that inserts a component in the page's language. Where components are not drawn, the text between `‹` and `›` is selected. */
export const component =
  (words: () => string): Command =>
  (view) => {
    if (!view.state.facet(drawsComponents)) return block(words)(view)
    const source = words().replaceAll(/[‹›]/g, '')
    const end = source.length
    if (!insertBlock(view, source, { from: end, to: end })) return false
    view.dispatch({ effects: componentBegan.of(view.state.selection.main.head - end) })
    return true
  }

/** Inserts today's date in the format of the reader's language. */
const date: Command = (view) => {
  if (view.state.readOnly) return false
  const date = new Date().toLocaleDateString(locale, { dateStyle: 'long' })
  view.dispatch(view.state.replaceSelection(date), { scrollIntoView: true, userEvent: 'input.insert' })
  return true
}

/** Inserts the colon that begins an emoji name, and opens the emoji menu. The menu does not open directly after a letter. */
const emoji: Command = (view) => {
  if (view.state.readOnly) return false
  const { from } = view.state.selection.main
  const insert = /[^\s(]/.test(view.state.sliceDoc(from - 1, from)) ? ' :' : ':'
  view.dispatch(view.state.replaceSelection(insert), { scrollIntoView: true, userEvent: 'input.insert' })
  startCompletion(view)
  return true
}

/** The commands, by the last part of their ids. */
export const inserts = { callout, date, details, diagram, emoji, footnote, formula, rule } as const
