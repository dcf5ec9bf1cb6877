/** Describes changes of components, tasks, formats and entire lines in plain words. */
import { Text } from '@codemirror/state'
import { type Fence, fencesOf } from '../../../shared/fences/fences.ts'
import { type DescribedChange, describedEdit } from '../../../shared/fences/described-change.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import { isDelimiter, rowOf } from '../../editor/table-rows.ts'
import { t, tn } from '../../text/t.ts'
import { excerpt } from '../outbox/records.ts'
import { wordsOfBlocks } from './block-words.ts'
import { formatsAdded } from './format-change.ts'
import { tickOf } from './task-change.ts'

const textUnits = 80

export function wordsOfChange(told: DescribedChange): string {
  const short = 'text' in told ? excerpt(told.text, textUnits) : ''
  switch (told.kind) {
    case 'card.move':
      return t('Move card “{name}” to {column}', told)
    case 'card.add':
      return t('Add card “{name}” to {column}', told)
    case 'card.mark':
      if (told.state === 'done') return t('Check off “{name}”', told)
      return told.state === 'doing' ? t('Mark “{name}” as in progress', told) : t('Mark “{name}” as not started', told)
    case 'card.change':
      return t('Change card “{name}”', told)
    case 'card.delete':
      return t('Delete card “{name}”', told)
    case 'card.order':
      return t('Move card “{name}” within its column', told)
    case 'column.add':
      return t('Add column “{name}”', told)
    case 'column.delete':
      return t('Delete column “{name}”', told)
    case 'column.rename':
      return t('Rename column “{name}” to “{to}”', told)
    case 'message.add':
      return t('Send the message “{text}”', { text: short })
    case 'message.change':
      return t('Change the message to “{text}”', { text: short })
    case 'message.delete':
      return t('Delete the message “{text}”', { text: short })
    case 'cell.set':
      return short === '' ? t('Clear {name}', told) : t('Set {name} to {text}', { name: told.name, text: short })
    case 'cells.set':
      return tn(told.count, 'Change 1 cell', 'Change {count} cells')
    case 'rows.add':
      return tn(told.count, 'Add 1 row', 'Add {count} rows')
    case 'rows.delete':
      return tn(told.count, 'Delete 1 row', 'Delete {count} rows')
    case 'columns.add':
      return tn(told.count, 'Add 1 column', 'Add {count} columns')
    case 'columns.delete':
      return tn(told.count, 'Delete 1 column', 'Delete {count} columns')
    case 'setting':
      return t('Set {name} to {text}', { name: told.name, text: short })
  }
}

/** Describes a tick or its removal. Undefined if the edit changes anything else, or is not in this text. */
function wordsOfTask(text: Text, edit: Edit): string | undefined {
  const tick = tickOf(text, edit)
  if (tick === undefined) return undefined
  const name = excerpt(text.sliceString(tick.words, tick.line.to), textUnits)
  return wordsOfChange({ kind: 'card.mark', name, state: tick.isDone ? 'done' : 'open' })
}

/** Describes a change of formats. Undefined if the edit changes anything else. */
export function wordsOfFormat(original: string, insert: string): string | undefined {
  const added = formatsAdded(original, insert)
  if (added.length > 0) {
    const names = added.map(({ name }) => t(name)).join(', ')
    return t('{format}: “{text}”', { format: names, text: excerpt(original, textUnits) })
  }
  return formatsAdded(insert, original).length > 0 ? t('Remove formatting: “{text}”', { text: excerpt(insert, textUnits) }) : undefined
}

/** Describes columns that are added to a table or deleted from it. Undefined if the edit changes anything else. */
function wordsOfColumns(text: Text, { from, to, insert }: Edit): string | undefined {
  if (to > text.length || !insert.includes('\n')) return undefined
  const [start, end] = [text.lineAt(from).from, text.lineAt(to).to]
  const old = text.slice(start, end)
  const young = old.replace(from - start, to - start, Text.of(insert.split('\n')))
  if (old.lines !== young.lines || !isDelimiter(young.line(Math.min(2, young.lines)).text)) return undefined
  const counts = Array.from(old.iterLines(), (_line, at) => rowOf(young.line(at + 1)).cells.length - rowOf(old.line(at + 1)).cells.length)
  const [count = 0] = counts
  if (count === 0 || counts.some((each) => each !== count)) return undefined
  return wordsOfChange({ kind: count > 0 ? 'columns.add' : 'columns.delete', count: Math.abs(count) })
}

const known = new WeakMap<Text, readonly Fence[]>()

/** Returns the change that an edit makes to a component. Undefined if it makes none, or is too complex to describe. */
export function changeOfEdit(text: Text, edit: Edit): DescribedChange | undefined {
  const fences = known.get(text) ?? fencesOf(text.toString())
  known.set(text, fences)
  return describedEdit(fences, edit)
}

/** Describes the effect of an edit on a component, a task, formats or entire lines. Undefined if it affects none of these or is too complex to describe. */
export function wordsOfEdit(text: Text, edit: Edit): string | undefined {
  const told = changeOfEdit(text, edit)
  if (told !== undefined) return wordsOfChange(told)
  return (
    wordsOfTask(text, edit) ??
    wordsOfColumns(text, edit) ??
    wordsOfFormat(text.sliceString(edit.from, edit.to), edit.insert) ??
    wordsOfBlocks(text, edit)
  )
}
