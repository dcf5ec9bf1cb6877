/** Describes changes of components, tasks, formats and entire lines in plain words. */
import type { Text } from '@codemirror/state'
import { type Fence, fencesOf } from '../../../shared/fences/fences.ts'
import { parseBoard } from '../../../shared/fences/board.ts'
import { type DescribedChange, describedEdit, editedFence } from '../../../shared/fences/described-change.ts'
import { movedNow, type Proposed } from '../../../shared/fences/suggested-move.ts'
import { applyEdits, type Edit } from '../../../shared/text/diff.ts'
import { t, tn } from '../../text/t.ts'
import { excerpt, excerptUnits } from '../outbox/records.ts'
import { wordsOfBlocks } from './block-words.ts'
import { formatsAdded } from './format-change.ts'
import { wordsOfTable } from './table-words.ts'
import { tickOf } from './task-change.ts'

const textUnits = 80

function wordsOfChange(told: DescribedChange): string {
  // A message is shown nowhere else on its card.
  const units = told.kind.startsWith('message.') ? excerptUnits : textUnits
  const short = 'text' in told ? excerpt(told.text, units) : ''
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
function wordsOfFormat(original: string, insert: string): string | undefined {
  const added = formatsAdded(original, insert)
  if (added.length > 0) {
    const names = added.map(({ name }) => t(name)).join(', ')
    return t('{format}: “{text}”', { format: names, text: excerpt(original, textUnits) })
  }
  return formatsAdded(insert, original).length > 0 ? t('Remove formatting: “{text}”', { text: excerpt(insert, textUnits) }) : undefined
}

const known = new WeakMap<Text, readonly Fence[]>()

function fencesIn(text: Text): readonly Fence[] {
  const fences = known.get(text) ?? fencesOf(text.toString())
  known.set(text, fences)
  return fences
}

/** Returns the change that an edit makes to a component. Undefined if it makes none, or is too complex to describe. */
export const changeOfEdit = (text: Text, edit: Edit): DescribedChange | undefined => describedEdit(fencesIn(text), edit)

/** Returns the fence that an edit changes, before and after the edit. Undefined if it changes none. */
export const fencesOfEdit = (text: Text, edit: Edit): ReturnType<typeof editedFence> => editedFence(fencesIn(text), edit)

/** Returns the words of a card that only the second version of a board has. */
function newWords(both: ReturnType<typeof fencesOfEdit>): string {
  const [were = [], are = []] = (both ?? []).map((fence) =>
    parseBoard(fence).columns.flatMap(({ cards }) =>
      cards.map((card) =>
        [card.line.text.slice(card.text.from - card.line.from), ...card.details.map((line) => line.text.trim())].join(' ')
      )
    )
  )
  const young = are.find((words) => !were.includes(words))
  return young === undefined ? '' : `: ${excerpt(young, excerptUnits)}`
}

/** Returns a suggested move of lines that others have changed, as one edit. Undefined if the suggestion moves no lines, or cannot be accepted. */
export function movedEdit(text: Text, proposed: Proposed): Edit | undefined {
  const { range, original } = proposed
  const edits = original.includes('\n') ? movedNow(text.toString(), () => fencesIn(text), proposed) : undefined
  if (edits === undefined) return undefined
  const [from, to] = [Math.min(range.from, edits[0]?.from ?? range.from), Math.max(range.to, edits.at(-1)?.to ?? range.to)]
  const inside = edits.map((edit) => ({ from: edit.from - from, to: edit.to - from, insert: edit.insert }))
  return { from, to, insert: applyEdits(text.sliceString(from, to), inside) }
}

/** Describes the effect of an edit on a component, a task, formats or entire lines. Undefined if it affects none of these or is too complex to describe. */
export function wordsOfEdit(text: Text, edit: Edit): string | undefined {
  const told = changeOfEdit(text, edit)
  if (told !== undefined) return wordsOfChange(told) + (told.kind === 'card.change' ? newWords(fencesOfEdit(text, edit)) : '')
  return (
    wordsOfTask(text, edit) ??
    wordsOfTable(text, edit) ??
    wordsOfFormat(text.sliceString(edit.from, edit.to), edit.insert) ??
    wordsOfBlocks(text, edit)
  )
}

/** Describes a suggestion whose text has changed since. `change` is the change to a component that the service described. */
export const wordsOfDecided = (original: string, text: string, change: DescribedChange | undefined): string | undefined =>
  change === undefined ? wordsOfFormat(original, text) : wordsOfChange(change)

const lettersOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, '')
/** Matches the marker of a list item or task, and the letter in the box of a completed task. */
const marker = /^[xX]$|^\s*(?:[-*+]|\d+[.)])\s+(?:\[[xX]\])?/
/** Matches a row of a table that another row follows. */
const rows = /\|[ \t]*\n/

/** Whether the description of a change contains all its words. The source of several rows is hard to read, and their descriptions suffice. */
export function saysAll(effect: string, original: string, text: string, change: DescribedChange | undefined): boolean {
  // A number of cells or rows does not say what is in them. The service does not know the new words of a card.
  if (change !== undefined && !('count' in change) && (change.kind !== 'card.change' || effect !== wordsOfChange(change))) return true
  const texts = [original, text]
  return (
    texts.every((each) => rows.test(each)) ||
    texts
      .join('\n')
      .split('\n')
      .every((line) => lettersOf(effect).includes(lettersOf(line.replace(marker, ''))))
  )
}
