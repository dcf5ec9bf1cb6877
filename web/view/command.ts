/** The commands of a document page. Toolbar, keyboard, palette, menus, shortcut sheet and tooltips all use these entries. */
import type { EditorView } from '@codemirror/view'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { View } from './view.ts'
import { t, term } from '../text/t.ts'
import type { IconName } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'

/** In the order of the palette and the shortcut sheet; the words are terms. */
export const groups = {
  format: term('Format'),
  blocks: term('Blocks'),
  insert: term('Insert'),
  table: term('Table'),
  edit: term('Edit'),
  go: term('Go to'),
  view: term('View'),
  review: term('Review'),
  document: term('Document')
} as const

export type Group = keyof typeof groups

/** `On`: the page with everything that the command needs. */
export interface Command<On extends View = View> {
  /** Its name in lists, with words separated by dots. */
  readonly id: string
  /** A term. */
  readonly title: string
  readonly group: Group
  readonly icon?: IconName
  /** In CodeMirror's notation (`Mod` is Cmd or Ctrl); the interface shows the first. */
  readonly keys?: readonly string[]
  /** `text` (default): its keys work with the focus in the text. `page`: also elsewhere, but not in a dialog. */
  readonly scope?: 'text' | 'page'
  /** A term: more search words. */
  readonly words?: string
  /** Markdown that does the same when typed. */
  readonly typed?: string
  /** A job for a compute node: menus offer the command only while a node can do it. */
  readonly needs?: JobKind
  /** Whether it can be done now. */
  when?(page: On): boolean
  /** Whether it makes no sense at the caret: it is not offered there, and fixed controls are disabled. */
  barred?(page: On): boolean
  /** Whether its keys apply now, if they also have another meaning. */
  keysWhen?(page: On): boolean
  /** False: it does not apply here, and its key goes to other handlers. */
  run(page: On): boolean | void
}

/** Whether this person is editing now. */
export const isWriting = (page: View): boolean => page.canType.value && page.mode.value !== 'read'

/** `when` and `run` of a command that changes the text; readers cannot use it. */
export const onText = (run: (view: EditorView) => boolean): Pick<Command, 'when' | 'run'> => ({
  when: isWriting,
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

/** The same for a command that does not change the text. */
export const inEditor = (run: (view: EditorView) => boolean): Pick<Command, 'when' | 'run'> => ({
  when: (page) => page.mode.value !== 'read',
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

export const isPossible = <On extends View>(command: Command<On>, page: On): boolean =>
  (command.when?.(page) ?? true) && command.barred?.(page) !== true

/** For inline marks: in code they would be literal characters. */
export const notInCode: Pick<Command, 'barred'> = { barred: (page) => page.inCode.value !== undefined }

/** For marks of whole lines and for blocks: they can be next to inline code, but not in a code block. */
export const notInCodeBlock: Pick<Command, 'barred'> = { barred: (page) => page.inCode.value === 'block' }

/** `run` of a command whose code loads on first use. */
export const fetched =
  (work: (page: View) => Promise<void>) =>
  (page: View): void => {
    work(page).catch(() => toast(t('This part of the page could not be loaded. It loads when you are back online.')))
  }
