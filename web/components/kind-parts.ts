/** One entry for each kind of component: how the editor inserts it and which code draws it. */
import type { EditorView } from '@codemirror/view'
import type { Fence, FenceKind } from '../../shared/fences/fences.ts'
import { component } from '../editor/inserts.ts'
import { t } from '../text/t.ts'
import type { Body } from './input.ts'

interface KindParts {
  /** Returns the source of a new component in the page's language. Where components are not drawn, the text between `‹` and `›` is selected. */
  source(): string
  /** Loads the code that draws this kind. The page calls it for the first component of the kind. */
  load(): Promise<Body>
}

export const kindParts: Readonly<Record<FenceKind, KindParts>> = {
  board: {
    source: () => `\`\`\`board\n## ${t('To do')}\n- [ ] ‹${t('First card')}›\n\n## ${t('In progress')}\n\n## ${t('Done')}\n\`\`\`\n`,
    load: async () => (await import('./board.tsx')).Board
  },
  chat: {
    source: () => '```chat‹›\n```\n',
    load: async () => (await import('./chat.tsx')).Chat
  },
  sheet: {
    source: () =>
      `\`\`\`sheet\n| ${t('Item')} | ${t('Amount')} |\n| --- | ---: |\n| ‹${t('First')}› | 1 |\n| ${t('Sum')} | =SUM(B2:B2) |\n\`\`\`\n`,
    load: async () => (await import('./sheet.tsx')).Sheet
  },
  chart: {
    source: () => `\`\`\`chart\ntype: bar‹›\n\n${t('Month')}, ${t('Number')}\n${t('January')}, 3\n${t('February')}, 5\n\`\`\`\n`,
    load: async () => (await import('./chart.tsx')).Chart
  },
  widget: {
    source: () =>
      `\`\`\`widget height=120 title="‹${t('Title')}›"\n<label>${t('Number')} <input id="n" type="number" value="2"></label>\n<output id="o"></output>\n<script>\nn.oninput = () => (o.value = n.value * 2)\nn.oninput()\n</script>\n\`\`\`\n`,
    load: async () => (await import('./widget.tsx')).Widget
  }
}

/** Inserts a new component. Returns false if the text cannot be changed. */
export const insertComponent = (view: EditorView, kind: FenceKind): boolean => component(kindParts[kind].source)(view)

/** Returns the message for a fence that is not closed. All the text below belongs to such a fence. */
export const unclosedWords = ({ source, mark }: Fence): string =>
  t('This block is not closed. End it with a line of {mark}', { mark: source.slice(mark.from, mark.to) })
