/** The commands of a document page. The toolbar, keyboard, palette, menus, shortcut list and tooltips all use these entries. */
import type { EditorView } from '@codemirror/view'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { View } from './view.ts'
import { t, term } from '../text/t.ts'
import type { IconName } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'

/** The groups in the order of the palette and the shortcut list, with names for translation. */
export const groups = {
  format: term('Format'),
  blocks: term('Blocks'),
  insert: term('Insert'),
  table: term('Table'),
  edit: term('Edit'),
  go: term('Go to'),
  view: term('View'),
  review: term('Review'),
  document: term('Document'),
  settings: term('Settings')
} as const

export type Group = keyof typeof groups

/** A command. `On` is the type of the page with everything that the command needs. */
export interface Command<On extends View = View> {
  /** The id of the command in lists. Dots separate its words. */
  readonly id: string
  /** The title, which is translated when drawn. */
  readonly title: string
  readonly group: Group
  readonly icon?: IconName
  /** The keys in CodeMirror's notation (`Mod` is Cmd or Ctrl). The interface shows the first one. */
  readonly keys?: readonly string[]
  /** Where the keys work. `text`, the default, means in the text. `page` means also elsewhere on the page, but not in a dialog. */
  readonly scope?: 'text' | 'page'
  /** More words with which a search finds the command. They are translated. */
  readonly words?: string
  /** The Markdown that has the same effect when a person types it. */
  readonly typed?: string
  /** The kind of job that a compute node must offer. Menus show the command only while a node does. */
  readonly needs?: JobKind
  /** Whether the command can run now. */
  when?(page: On): boolean
  /** Whether the command would have no useful effect at the caret. Menus then omit it, and fixed buttons are disabled. */
  barred?(page: On): boolean
  /** Whether the keys apply now. Used for keys that also have another meaning. */
  keysWhen?(page: On): boolean
  /** Runs the command. Returns false if it does not apply here, so that other handlers receive the key. */
  run(page: On): boolean | void
}

/** Whether this person is editing now. */
export const isWriting = (page: View): boolean => page.canType.value && page.mode.value !== 'read'

/** Creates `when` and `run` for a command that changes the text. Readers cannot use it. */
export const onText = (run: (view: EditorView) => boolean): Pick<Command, 'when' | 'run'> => ({
  when: isWriting,
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

/** Creates `when` and `run` for a command that does not change the text. */
export const inEditor = (run: (view: EditorView) => boolean): Pick<Command, 'when' | 'run'> => ({
  when: (page) => page.mode.value !== 'read',
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

export const isPossible = <On extends View>(command: Command<On>, page: On): boolean =>
  (command.when?.(page) ?? true) && command.barred?.(page) !== true

/** For commands that act at the caret of the text. While the focus is in a component, that caret may be far away. */
export const notInComponent: Pick<Command, 'barred'> = { barred: (page) => page.inComponent.value }

/** For commands that add inline marks. In code, the marks would be literal characters. */
export const notInCode: Pick<Command, 'barred'> = { barred: (page) => page.inComponent.value || page.inCode.value !== undefined }

/** For commands that add blocks, or marks for entire lines. These work next to inline code, but not in a code block. */
export const notInCodeBlock: Pick<Command, 'barred'> = { barred: (page) => page.inComponent.value || page.inCode.value === 'block' }

/** Creates `run` for a command whose code loads on first use. */
export const fetched =
  (work: (page: View) => Promise<void>) =>
  (page: View): void => {
    work(page).catch(() => toast(t('This part of the page could not be loaded. It loads when you are back online.')))
  }
