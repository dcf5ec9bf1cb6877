/** The open one-line field of a board: for a new card, a new column or the name of a column. A draft stays with its column. */
import { useSignal, useSignalEffect, type ReadonlySignal, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { columnIn, titlesOf } from '../../shared/components/board.ts'
import { followPart } from '../../shared/components/follow-part.ts'
import { type Board, parseBoard } from '../../shared/fences/board.ts'
import { addCard, addColumn } from '../../shared/fences/board-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import type { ComponentInput } from './input.ts'

interface OfColumn {
  readonly kind: 'card' | 'rename'
  readonly column: number
}
type Opening = OfColumn | { readonly kind: 'column' }
/** An open field; each one has a number of its own. */
export type Open = Opening & { readonly field: number }

/** Text that was typed for a column that others removed. */
export interface Gone extends OfColumn {
  readonly field: number
  readonly words: string
}

type Change = (now: Board) => readonly Edit[]

export interface Fields {
  readonly open: Signal<Open | undefined>
  /** The content of the open field. */
  readonly typed: { current: string }
  readonly gone: Signal<readonly Gone[]>
  write(what: Opening): void
  /** Closes the field and focuses a control, given by its selector. */
  close(to: string): void
  act(edits: Change): boolean
  /** Writes the content of a field that lost the focus. Another field may already be open by then. */
  leave(was: Open | undefined, text: string, write: () => boolean): boolean
  /** Finds the current index of a drawn column; -1 if it no longer exists. */
  columnIn(now: Board, index: number): number
  /** Returns the column that receives the text for a removed one. */
  nearestTo(gone: Gone): number
  discard(gone: Gone): void
  putIn(gone: Gone): void
}

export const newColumn = '.board-new .board-add'
export const menuOf = (column: number): string => `[data-column="${column}"] .board-head .card-more`

interface FieldsInput {
  readonly input: ComponentInput
  readonly board: ReadonlySignal<Board>
  readonly element: RefObject<HTMLElement | null>
}

export function useFields({ input, board, element }: FieldsInput): Fields {
  const open = useSignal<Open | undefined>(undefined)
  const typed = useRef('')
  const gone = useSignal<readonly Gone[]>([])
  /** Selector of the control that gets the focus once the field is gone. */
  const back = useRef<string | undefined>(undefined)
  const followed = useRef(titlesOf(board.peek()))
  const fields = useRef(0)

  useLayoutEffect(() => {
    if (open.value !== undefined || back.current === undefined) return
    element.current?.querySelector<HTMLElement>(back.current)?.focus()
    back.current = undefined
  })
  useSignalEffect(() => {
    const [before, now] = [followed.current, titlesOf(board.value)]
    followed.current = now
    const writing = open.peek()
    if (writing === undefined || writing.kind === 'column') return
    const column = followPart(before, writing.column, now)
    if (column === writing.column) return
    open.value = column === undefined ? undefined : { ...writing, column }
    const words = typed.current.trim()
    const isNew = words !== '' && (writing.kind === 'card' || words !== before[writing.column])
    if (column === undefined && isNew) gone.value = [...gone.peek(), { ...writing, words }]
  })

  const act: Fields['act'] = (edits) => input.act((now) => edits(parseBoard(now)))
  const inNow: Fields['columnIn'] = (now, index) => columnIn(board.peek(), index, now)
  const nearestTo: Fields['nearestTo'] = ({ column }) => Math.min(column, board.peek().columns.length - 1)
  const discard: Fields['discard'] = (each) => {
    gone.value = gone.peek().filter((other) => other !== each)
    back.current = newColumn
  }
  return {
    open,
    typed,
    gone,
    write(what) {
      open.value = { ...what, field: (fields.current += 1) }
    },
    close(to) {
      open.value = undefined
      back.current = to
    },
    act,
    leave(was, text, write) {
      if (open.peek() === was) open.value = undefined
      return text.trim() !== '' && write()
    },
    columnIn: inNow,
    nearestTo,
    discard,
    putIn(each) {
      const isDone = act((now) =>
        each.kind === 'rename' ? addColumn(now, each.words) : addCard(now, inNow(now, nearestTo(each)), each.words)
      )
      if (isDone) discard(each)
    }
  }
}
