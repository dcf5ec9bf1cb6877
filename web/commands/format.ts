/** Commands on a stretch of text and on whole lines. */
import { cycleHeading, setHeading, toggleList, toggleQuote } from '../editor/commands-block.ts'
import { insertLink, toggleMarker } from '../editor/commands-inline.ts'
import { term } from '../text/t.ts'
import { notInCode, notInCodeBlock, onText, type Command } from './command.ts'

const heading = (level: number, title: string, words: string): Command => ({
  id: `heading.${level}`,
  title,
  words,
  group: 'blocks',
  icon: 'heading',
  keys: [`Mod-Alt-${level}`],
  ...onText(setHeading(level)),
  ...notInCodeBlock
})

export const formatCommands: readonly Command[] = [
  { id: 'bold', title: term('Bold'), group: 'format', icon: 'bold', keys: ['Mod-b'], ...onText(toggleMarker('**')), ...notInCode },
  { id: 'italic', title: term('Italic'), group: 'format', icon: 'italic', keys: ['Mod-i'], ...onText(toggleMarker('*')), ...notInCode },
  {
    id: 'strikethrough',
    title: term('Strikethrough'),
    group: 'format',
    icon: 'strikethrough',
    keys: ['Mod-Shift-x'],
    ...onText(toggleMarker('~~')),
    ...notInCode
  },
  { id: 'code', title: term('Code'), group: 'format', icon: 'code', keys: ['Mod-e'], ...onText(toggleMarker('`')), ...notInCodeBlock },
  {
    id: 'link',
    title: term('Link'),
    group: 'format',
    icon: 'link',
    keys: ['Mod-k'],
    // Without a selection the same key opens the palette.
    keysWhen: (page) => page.editor.value?.view.state.selection.main.empty === false,
    ...onText(insertLink),
    ...notInCode
  },
  { id: 'heading.next', title: term('Heading'), group: 'blocks', icon: 'heading', ...onText(cycleHeading), ...notInCodeBlock },
  heading(1, term('Heading 1'), term('title large')),
  heading(2, term('Heading 2'), term('section medium')),
  heading(3, term('Heading 3'), term('subsection small')),
  heading(4, term('Heading 4'), term('subsection smallest')),
  {
    id: 'list.bullet',
    title: term('Bulleted list'),
    words: term('unordered points'),
    group: 'blocks',
    icon: 'list',
    keys: ['Mod-Shift-8'],
    ...onText(toggleList('bullet')),
    ...notInCodeBlock
  },
  {
    id: 'list.number',
    title: term('Numbered list'),
    words: term('ordered steps'),
    group: 'blocks',
    icon: 'list-ordered',
    keys: ['Mod-Shift-7'],
    ...onText(toggleList('number')),
    ...notInCodeBlock
  },
  {
    id: 'list.task',
    title: term('Task list'),
    words: term('to-do check box'),
    group: 'blocks',
    icon: 'list-todo',
    keys: ['Mod-Shift-9'],
    ...onText(toggleList('task')),
    ...notInCodeBlock
  },
  { id: 'quote', title: term('Quote'), words: term('citation'), group: 'blocks', icon: 'quote', ...onText(toggleQuote), ...notInCodeBlock }
]
