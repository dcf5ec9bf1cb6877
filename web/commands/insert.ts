/** Commands that insert new content into the text. */
import type { FenceKind } from '../../shared/fences/fences.ts'
import { kinds } from '../ui/component-kinds.ts'
import { insertCodeBlock } from '../editor/commands-block.ts'
import { insertTable } from '../editor/commands-insert.ts'
import type { ExtrasPart, Page } from './page.ts'
import { editPicture, pictureAt } from '../editor/live/picture-at.ts'
import { chooseFiles } from '../editor/uploads.ts'
import { term } from '../text/t.ts'
import { isWriting, notInCodeBlock, onText, type Command } from '../view/command.ts'

/** Whether the caret is in a picture that has a card. */
export const hasPicture = (page: Page): boolean => {
  const state = page.editor.value?.view.state
  const mayBe = isWriting(page) && page.mode.value === 'live' && page.inCode.value === undefined && state?.selection.main.empty === true
  return mayBe && pictureAt(state, state.selection.main.head) !== undefined
}

/** Creates a command that inserts a block. Its code loads with the editor extras. */
const later = (name: keyof ExtrasPart['inserts']): Pick<Command<Page>, 'when' | 'run'> => ({
  when: isWriting,
  run: (page) => void page.parts.withExtras(({ inserts }) => page.editor.value !== undefined && inserts[name](page.editor.value.view))
})

const componentCommands = (Object.keys(kinds) as FenceKind[]).map((kind): Command<Page> => {
  const { name, words, icon } = kinds[kind]
  return {
    id: `insert.${kind}`,
    typed: `\`\`\`${kind}`,
    title: name,
    words,
    group: 'insert',
    icon,
    when: isWriting,
    run: (page) =>
      void page.parts.withExtras(({ insertComponent }) => page.editor.value !== undefined && insertComponent(page.editor.value.view, kind)),
    ...notInCodeBlock
  }
})

export const insertCommands: readonly Command<Page>[] = [
  {
    id: 'insert.code',
    typed: '```',
    title: term('Code block'),
    words: term('fence program listing'),
    group: 'insert',
    icon: 'square-code',
    ...onText(insertCodeBlock),
    ...notInCodeBlock
  },
  {
    id: 'insert.callout',
    typed: '> [!NOTE]',
    title: term('Callout'),
    words: term('note tip warning box'),
    group: 'insert',
    icon: 'megaphone',
    ...later('callout'),
    ...notInCodeBlock
  },
  {
    id: 'insert.details',
    typed: '<details>',
    title: term('Collapsible text'),
    words: term('toggle'),
    group: 'insert',
    icon: 'chevron-right',
    ...later('details'),
    ...notInCodeBlock
  },
  {
    id: 'insert.table',
    typed: '| |',
    title: term('Table'),
    words: term('grid columns rows'),
    group: 'insert',
    icon: 'table',
    ...onText(insertTable),
    ...notInCodeBlock
  },
  ...componentCommands,
  {
    id: 'insert.file',
    typed: '![]()',
    title: term('Picture, sound or video'),
    words: term('image audio video upload file'),
    group: 'insert',
    icon: 'image',
    ...onText(chooseFiles),
    ...notInCodeBlock,
    when: (page) => isWriting(page) && page.session.uploads.allowed.value
  },
  {
    id: 'picture.edit',
    title: term('Picture size and caption'),
    words: term('width image alt title'),
    group: 'insert',
    icon: 'image',
    keys: ['Mod-k'],
    when: hasPicture,
    keysWhen: hasPicture,
    run: (page) => page.editor.value?.view.dispatch({ effects: editPicture.of(null) })
  },
  {
    id: 'insert.diagram',
    typed: '```mermaid',
    title: term('Diagram'),
    words: term('mermaid flowchart graph'),
    group: 'insert',
    icon: 'workflow',
    ...later('diagram'),
    ...notInCodeBlock
  },
  {
    id: 'insert.formula',
    typed: '$$',
    title: term('Formula'),
    words: term('math equation TeX'),
    group: 'insert',
    icon: 'sigma',
    ...later('formula'),
    ...notInCodeBlock
  },
  {
    id: 'insert.footnote',
    typed: '[^1]',
    title: term('Footnote'),
    words: term('note reference source'),
    group: 'insert',
    icon: 'superscript',
    ...later('footnote'),
    ...notInCodeBlock
  },
  {
    id: 'insert.emoji',
    typed: ':',
    title: term('Emoji'),
    words: term('smiley symbol'),
    group: 'insert',
    icon: 'smile',
    ...later('emoji'),
    ...notInCodeBlock
  },
  {
    id: 'insert.date',
    title: term('Today’s date'),
    words: term('now calendar'),
    group: 'insert',
    icon: 'calendar',
    ...later('date')
  },
  {
    id: 'insert.rule',
    typed: '---',
    title: term('Divider'),
    words: term('horizontal rule separator'),
    group: 'insert',
    icon: 'minus',
    ...later('rule'),
    ...notInCodeBlock
  }
]
