/** The one list of what can be done to the text: toolbar, shortcuts and tooltips are made of it. */
import type { Command, KeyBinding } from '@codemirror/view'
import { cycleHeading, insertCodeBlock, insertTable, setHeading, toggleList, toggleQuote } from './commands-block.ts'
import { insertLink, toggleMarker } from './commands-inline.ts'
import { chooseFiles } from './uploads.ts'
import type { IconName } from '../ui/icons.tsx'

export interface Action {
  readonly name: string
  readonly icon: IconName
  readonly key?: string
  readonly run: Command
}

/** In the order of the toolbar; an empty entry is a gap. */
export const toolbarActions: readonly (Action | undefined)[] = [
  { name: 'Heading', icon: 'heading', run: cycleHeading },
  { name: 'Bold', icon: 'bold', key: 'Mod-b', run: toggleMarker('**') },
  { name: 'Italic', icon: 'italic', key: 'Mod-i', run: toggleMarker('*') },
  { name: 'Strikethrough', icon: 'strikethrough', key: 'Mod-Shift-x', run: toggleMarker('~~') },
  { name: 'Code', icon: 'code', key: 'Mod-e', run: toggleMarker('`') },
  { name: 'Link', icon: 'link', key: 'Mod-k', run: insertLink },
  undefined,
  { name: 'Bulleted list', icon: 'list', key: 'Mod-Shift-8', run: toggleList('bullet') },
  { name: 'Numbered list', icon: 'list-ordered', key: 'Mod-Shift-7', run: toggleList('number') },
  { name: 'Task list', icon: 'list-todo', key: 'Mod-Shift-9', run: toggleList('task') },
  { name: 'Quote', icon: 'quote', run: toggleQuote },
  { name: 'Code block', icon: 'square-code', run: insertCodeBlock },
  { name: 'Table', icon: 'table', run: insertTable },
  { name: 'Picture, sound or film', icon: 'image', run: chooseFiles }
]

// Ctrl-Shift-8 arrives as `*` on some layouts; `shift` bindings by key code are handled by CodeMirror.
export const actionKeys: readonly KeyBinding[] = [
  ...toolbarActions.flatMap((action) => (action?.key === undefined ? [] : [{ key: action.key, run: action.run, preventDefault: true }])),
  ...[1, 2, 3, 4].map((level) => ({ key: `Mod-Alt-${level}`, run: setHeading(level), preventDefault: true }))
]

const mac = /Mac|iPhone|iPad/.test(navigator.platform)

/** A shortcut as this keyboard names it. */
export const keyName = (key: string): string =>
  key
    .split('-')
    .map((part) =>
      part === 'Mod'
        ? mac
          ? '⌘'
          : 'Ctrl'
        : part === 'Alt'
          ? mac
            ? '⌥'
            : 'Alt'
          : part === 'Shift'
            ? mac
              ? '⇧'
              : 'Shift'
            : part.toUpperCase()
    )
    .join(mac ? '' : '+')
