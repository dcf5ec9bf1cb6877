/** The commands of the page of a document: each thing once, for toolbar, keyboard, palette, menus, sheet and tooltips. */
import type { EditorView } from '@codemirror/view'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { View } from './view.ts'
import { t, term } from '../text/t.ts'
import type { IconName } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'

/** In the order in which the palette and the sheet show them; the words are terms. */
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

/** `On`: the page with all that the command asks of it. */
export interface Command<On extends View = View> {
  /** Names it in lists; dots part its words. */
  readonly id: string
  /** A term. */
  readonly title: string
  readonly group: Group
  readonly icon?: IconName
  /** In the notation of CodeMirror (`Mod` is Cmd or Ctrl); the first is the one that is shown. */
  readonly keys?: readonly string[]
  /** `text`, if nothing is said: its keys count with the focus in the text. `page`: also elsewhere, but not in a dialog. */
  readonly scope?: 'text' | 'page'
  /** A term: other words by which it is found. */
  readonly words?: string
  /** Markdown that does the same when it is typed. */
  readonly typed?: string
  /** A job that a compute node does: menus offer it only while one does. */
  readonly needs?: JobKind
  /** Whether it can be done now. */
  when?(page: On): boolean
  /** Whether it means nothing where the caret is: it is not offered there, and controls that stay in their place are disabled. */
  barred?(page: On): boolean
  /** Whether its keys mean it now, where they may mean something else. */
  keysWhen?(page: On): boolean
  /** False: it does not apply here, and its key goes on to who else may want it. */
  run(page: On): boolean | void
}

/** Whether the person writes at the moment. */
export const isWriting = (page: View): boolean => page.canType.value && page.mode.value !== 'read'

/** `when` and `run` of a command on the text that its readers cannot give. */
export const onText = (run: (view: EditorView) => boolean): Pick<Command, 'when' | 'run'> => ({
  when: isWriting,
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

/** The same for what leaves the text as it is. */
export const inEditor = (run: (view: EditorView) => boolean): Pick<Command, 'when' | 'run'> => ({
  when: (page) => page.mode.value !== 'read',
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

export const isPossible = <On extends View>(command: Command<On>, page: On): boolean =>
  (command.when?.(page) ?? true) && command.barred?.(page) !== true

/** For marks of words: in code they would be letters of the code. */
export const notInCode: Pick<Command, 'barred'> = { barred: (page) => page.inCode.value !== undefined }

/** For marks of whole lines, and for blocks: these stand next to code between backticks, but not in a block of code. */
export const notInCodeBlock: Pick<Command, 'barred'> = { barred: (page) => page.inCode.value === 'block' }

/** `run` of a command whose code is fetched when it is asked for. */
export const fetched =
  (work: (page: View) => Promise<void>) =>
  (page: View): void => {
    work(page).catch(() => toast(t('This part of the page could not be loaded. It loads when you are back online.')))
  }
