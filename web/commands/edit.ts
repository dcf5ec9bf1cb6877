/** Commands for undo, lines and tasks. */
import { moveLineDown, moveLineUp } from '@codemirror/commands'
import type { Command as TextCommand } from '@codemirror/view'
import { activeElement } from '../base/active-element.ts'
import type { ExtrasPart, Page } from './page.ts'
import { copyCode } from '../editor/copy-code.ts'
import { followOrToggle } from '../editor/live/follow.ts'
import { redoIn, undoIn } from '../editor/undo.ts'
import { t, term } from '../text/t.ts'
import { dropToast, toast } from '../ui/toast.tsx'
import { inEditor, isWriting, onText, type Command } from '../view/command.ts'
import { isField } from './keys.ts'

/** Components and tasks can also be changed in the reading view. Input fields have their own undo. */
const ofPage: Pick<Command<Page>, 'scope' | 'when' | 'keysWhen'> = {
  scope: 'page',
  when: (page) => page.canType.value,
  keysWhen: (page) => page.editor.value?.view.hasFocus === true || !isField(activeElement())
}

const nothingToUndo = term('Nothing to undo. Earlier versions are in the history.')

/** Removes the message that there is nothing to undo. */
const changed = (): true => {
  dropToast(t(nothingToUndo))
  return true
}

/**
 * Undoes the last action on this page, including decisions on suggestions. Right after a restore, the history handles the undo key instead. If there
 * is nothing to undo, a message refers to the history.
 */
const undoOwn: Command<Page>['run'] = ({ editor, dialog }) => {
  const view = editor.value?.view
  if (view === undefined) return false
  if (undoIn(view)) return changed()
  toast(t(nothingToUndo), {
    name: t('History'),
    run: () => (dialog.value = 'history'),
    milliseconds: 10_000
  })
  return true
}

const inLive = (page: Page): boolean => isWriting(page) && page.mode.value === 'live'

/** Creates a command on the selected blocks. Its code loads with the editor extras. */
const block = (id: string, title: string, keys: readonly string[] | undefined, find: (part: ExtrasPart) => TextCommand): Command<Page> => ({
  id: `block.${id}`,
  title,
  group: 'edit',
  ...(keys === undefined ? {} : { keys }),
  when: inLive,
  keysWhen: inLive,
  run: (page) => void page.parts.withExtras((part) => page.editor.value !== undefined && find(part)(page.editor.value.view))
})

/** Creates a command on the lines of the source. In the live view the same keys act on blocks. */
const inSource = (id: string, title: string, keys: readonly string[], run: TextCommand): Command<Page> => ({
  id: `line.${id}`,
  title,
  group: 'edit',
  keys,
  ...onText(run),
  when: (page) => isWriting(page) && page.mode.value === 'source'
})

export const editCommands: readonly Command<Page>[] = [
  {
    id: 'code.copy',
    title: term('Copy code'),
    group: 'edit',
    icon: 'copy',
    when: (page) => page.mode.value !== 'read' && page.inCode.value === 'block',
    run: (page) => page.editor.value !== undefined && copyCode(page.editor.value.view, page.editor.value.view.state.selection.main.head)
  },
  { id: 'undo', title: term('Undo'), group: 'edit', icon: 'undo', keys: ['Mod-z'], ...ofPage, run: undoOwn },
  {
    id: 'redo',
    title: term('Redo'),
    group: 'edit',
    icon: 'redo',
    keys: ['Mod-Shift-z', 'Mod-y'],
    ...ofPage,
    run: ({ editor: { value } }) => value !== undefined && redoIn(value.view) && changed()
  },
  {
    id: 'task.toggle',
    title: term('Check off a task or open a link'),
    group: 'edit',
    icon: 'check',
    keys: ['Mod-Enter'],
    ...inEditor(followOrToggle)
  },
  block('up', term('Move block up'), ['Alt-ArrowUp'], ({ moveBlock }) => moveBlock(-1)),
  block('down', term('Move block down'), ['Alt-ArrowDown'], ({ moveBlock }) => moveBlock(1)),
  block('duplicate', term('Duplicate block'), ['Shift-Alt-ArrowDown'], ({ duplicateBlock }) => duplicateBlock),
  block('delete', term('Delete block'), undefined, ({ deleteBlock }) => deleteBlock),
  block(
    'menu',
    term('Block menu'),
    ['Alt-Enter'],
    ({ openBlockMenu }) =>
      (view) =>
        openBlockMenu(view)
  ),
  inSource('up', term('Move lines up'), ['Alt-ArrowUp'], moveLineUp),
  inSource('down', term('Move lines down'), ['Alt-ArrowDown'], moveLineDown)
]
