/** Commands that put a block or a word of their own into the text. The blank lines that a block needs around it are added, no others. */
import { EditorSelection, Facet, StateEffect } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { locale, t } from '../text/t.ts'

/** What of a block is selected, to be typed over; counted from its beginning. */
interface Selected {
  readonly from: number
  readonly to: number
}

/** Puts a block on the line of `place` if that is blank, else below it. */
export function insertBlock(view: EditorView, block: string, { from, to }: Selected, place = view.state.selection.main.head): boolean {
  if (view.state.readOnly) return false
  const { doc } = view.state
  const line = doc.lineAt(place)
  const isBlank = line.text.trim() === ''
  const at = isBlank ? line.from : line.to
  const above = isBlank ? (line.number > 1 ? doc.line(line.number - 1).text : '') : line.text
  const below = line.number < doc.lines ? doc.line(line.number + 1).text : ''
  const lead = isBlank ? (above.trim() === '' ? '' : '\n') : '\n\n'
  const trail = below.trim() === '' ? '' : '\n'
  const start = at + lead.length
  view.dispatch({
    changes: { from: at, to: isBlank ? line.to : at, insert: lead + block + trail },
    selection: EditorSelection.range(start + from, start + to),
    scrollIntoView: true,
    userEvent: 'input.insert'
  })
  return true
}

/** Inserts a block, in the words of the page; what stands between `‹` and `›` in it is selected. */
const block =
  (words: () => string): Command =>
  (view) => {
    const marked = words()
    const from = marked.indexOf('‹')
    return insertBlock(view, marked.replaceAll(/[‹›]/g, ''), { from, to: marked.indexOf('›') - 1 })
  }

export const insertTable: Command = block(() => {
  const head = t('Column')
  const [dashes, space] = ['-'.repeat(head.length), ' '.repeat(head.length)]
  return `| ‹${head}› | ${head} |\n| ${dashes} | ${dashes} |\n| ${space} | ${space} |\n`
})

export const insertCallout: Command = block(() => '> [!NOTE]\n> ‹›\n')

export const insertDiagram: Command = block(() => `\`\`\`mermaid\nflowchart LR\n  ‹A[${t('Start')}] --> B[${t('End')}]›\n\`\`\`\n`)

export const insertFormula: Command = block(() => '$$\n‹x = y›\n$$\n')

export const insertRule: Command = block(() => '---\n\n‹›')

/** Whether components are drawn in the editor: a new one is then written in where it is drawn, and not in its source. */
export const drawsComponents = Facet.define<boolean, boolean>({ combine: (values) => values.includes(true) })

/** A component was inserted that begins at a position: its first part wants to be edited. */
export const componentBegan = StateEffect.define<number>()

/** A component, in the words of the page. Where none are drawn, what stands between `‹` and `›` of its source is selected. */
const component =
  (words: () => string): Command =>
  (view) => {
    if (!view.state.facet(drawsComponents)) return block(words)(view)
    const source = words().replaceAll(/[‹›]/g, '')
    const end = source.length
    if (!insertBlock(view, source, { from: end, to: end })) return false
    view.dispatch({ effects: componentBegan.of(view.state.selection.main.head - end) })
    return true
  }

export const insertBoard = component(
  () => `\`\`\`board\n## ${t('To do')}\n- [ ] ‹${t('First card')}›\n\n## ${t('In progress')}\n\n## ${t('Done')}\n\`\`\`\n`
)

export const insertChat: Command = component(() => '```chat‹›\n```\n')

export const insertSheet = component(
  () => `\`\`\`sheet\n| ${t('Item')} | ${t('Amount')} |\n| --- | ---: |\n| ‹${t('First')}› | 1 |\n| ${t('Sum')} | =SUM(B2:B2) |\n\`\`\`\n`
)

export const insertChart = component(
  () => `\`\`\`chart\ntype: bar\ntitle: ‹${t('Title')}›\n\n${t('Month')}, ${t('Number')}\n${t('January')}, 3\n${t('February')}, 5\n\`\`\`\n`
)

export const insertWidget = component(
  () =>
    `\`\`\`widget height=120 title="‹${t('Title')}›"\n<label>${t('Number')} <input id="n" type="number" value="2"></label>\n<output id="o"></output>\n<script>\nn.oninput = () => (o.value = n.value * 2)\nn.oninput()\n</script>\n\`\`\`\n`
)

/** The date of today as one writes it here. */
export const insertDate: Command = (view) => {
  if (view.state.readOnly) return false
  const date = new Date().toLocaleDateString(locale, { dateStyle: 'long' })
  view.dispatch(view.state.replaceSelection(date), { scrollIntoView: true, userEvent: 'input.insert' })
  return true
}
