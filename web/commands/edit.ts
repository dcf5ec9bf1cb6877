/** Undo, lines, tasks. */
import { moveLineDown, moveLineUp } from '@codemirror/commands'
import { yUndoManagerKeymap } from 'y-codemirror.next'
import { ownUndo } from '../editor/binding.ts'
import { followOrToggle } from '../editor/follow.ts'
import { term } from '../text/t.ts'
import { inEditor, onText, type Command } from './command.ts'

// The binding names its commands by their keys alone.
const undoBy = (key: string) => yUndoManagerKeymap.find((binding) => binding.key === key)?.run ?? (() => false)
const [undo, redo] = [undoBy('Mod-z'), undoBy('Mod-Shift-z')]

export const editCommands: readonly Command[] = [
  { id: 'undo', title: term('Undo'), group: 'edit', keys: ['Mod-z'], ...onText((view) => (view.state.facet(ownUndo)?.undo ?? undo)(view)) },
  {
    id: 'redo',
    title: term('Redo'),
    group: 'edit',
    keys: ['Mod-Shift-z', 'Mod-y'],
    ...onText((view) => (view.state.facet(ownUndo)?.redo ?? redo)(view))
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
