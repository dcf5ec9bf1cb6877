/** Blocks and words that the menus put into the text. Fetched with the extras of the editor. */
import { Facet, StateEffect } from '@codemirror/state'
import type { Command } from '@codemirror/view'
import { locale, t } from '../text/t.ts'
import { block, insertBlock } from './commands-insert.ts'
import { footnote } from './footnote.ts'

const callout: Command = block(() => '> [!NOTE]\n> ‹›\n')

const diagram: Command = block(() => `\`\`\`mermaid\nflowchart LR\n  ‹A[${t('Start')}] --> B[${t('End')}]›\n\`\`\`\n`)

const formula: Command = block(() => '$$\n‹x = y›\n$$\n')

const rule: Command = block(() => '---\n\n‹›')

/** Whether components are drawn in the editor: a new one is then written in where it is drawn, and not in its source. */
export const drawsComponents = Facet.define<boolean, boolean>({ combine: (values) => values.includes(true) })

/** A component was inserted that begins at a position: its first part wants to be edited. */
export const componentBegan = StateEffect.define<number>()

/** A component, in the words of the page. Where none are drawn, what stands between `‹` and `›` of its source is selected. */
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

/** The date of today as one writes it here. */
const date: Command = (view) => {
  if (view.state.readOnly) return false
  const date = new Date().toLocaleDateString(locale, { dateStyle: 'long' })
  view.dispatch(view.state.replaceSelection(date), { scrollIntoView: true, userEvent: 'input.insert' })
  return true
}

/** By the ends of the ids of their commands. */
export const inserts = { callout, date, diagram, footnote, formula, rule } as const
