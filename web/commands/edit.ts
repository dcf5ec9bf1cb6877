/** Undo, lines, tasks. */
import { moveLineDown, moveLineUp } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
import { yUndoManagerKeymap } from 'y-codemirror.next'
import { ownUndo } from '../editor/binding.ts'
import { followOrToggle } from '../editor/follow.ts'
import { term } from '../text/t.ts'
import { inEditor, onText, type Command } from './command.ts'
import { activeElement, isField } from './keys.ts'

// The binding names its commands by their keys alone.
const undoBy = (key: string) => yUndoManagerKeymap.find((binding) => binding.key === key)?.run ?? (() => false)
const [undo, redo] = [undoBy('Mod-z'), undoBy('Mod-Shift-z')]

/** Takes the last step back that was made on this page. */
export const undoIn = (view: EditorView): boolean => (view.state.facet(ownUndo)?.undo ?? undo)(view)

/** Who reads changes components and tasks as well. Fields have an undo of their own. */
const ofPage = (run: (view: EditorView) => boolean): Pick<Command, 'scope' | 'when' | 'keysWhen' | 'run'> => ({
  scope: 'page',
  when: (page) => page.canType.value,
  keysWhen: (page) => page.editor.value?.view.hasFocus === true || !isField(activeElement()),
  run: (page) => page.editor.value !== undefined && run(page.editor.value.view)
})

export const editCommands: readonly Command[] = [
  { id: 'undo', title: term('Undo'), group: 'edit', keys: ['Mod-z'], ...ofPage(undoIn) },
  {
    id: 'redo',
    title: term('Redo'),
    group: 'edit',
    keys: ['Mod-Shift-z', 'Mod-y'],
    ...ofPage((view) => (view.state.facet(ownUndo)?.redo ?? redo)(view))
  },
  {
    id: 'task.toggle',
    title: term('Tick a task, or follow a link'),
    group: 'edit',
    icon: 'check',
    keys: ['Mod-Enter'],
    ...inEditor(followOrToggle)
  },
  { id: 'line.up', title: term('Move lines up'), group: 'edit', keys: ['Alt-ArrowUp'], ...onText(moveLineUp) },
  { id: 'line.down', title: term('Move lines down'), group: 'edit', keys: ['Alt-ArrowDown'], ...onText(moveLineDown) }
]
