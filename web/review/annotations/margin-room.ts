/**
 * Decides whether the text leaves space for the cards next to it. The text moves sideways with that space. The space therefore does not open while the
 * person types or selects text, and does not close for cards that return soon, for example because a deletion is undone.
 */
import { effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { documentValue } from '../../device/device.ts'
import { writeDevice } from '../../device/values.ts'
import { isOpen } from './items.ts'
import type { State } from './state.ts'

/** How long the person must not type or select before the space opens or closes, in milliseconds. */
const openMs = 1000
/** How long there must be no cards before the space closes, in milliseconds. */
const closeMs = 4000

export interface MarginRoom {
  /** Undefined while the page does not know whether there are cards. */
  readonly wantsMargin: ReadonlySignal<boolean | undefined>
  /** The extension that notices typing and selecting. */
  readonly extension: Extension
  /** Called when the person types or selects text, or releases a button of the mouse. */
  used(): void
  close(): void
}

interface Input extends Pick<State, 'items' | 'staying' | 'active'> {
  readonly store: Pick<State['store'], 'state'>
  /** Whether a button of the mouse is down. */
  readonly isPressed: () => boolean
}

export function openMarginRoom(doc: string, { items, staying, active, store, isPressed }: Input): MarginRoom {
  const wantsMargin = signal<boolean | undefined>(undefined)
  const key = documentValue('margin', doc)
  let wanted: boolean | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = 0
  let usedAt = -openMs

  const settle = (): void => {
    timer = undefined
    if (isPressed()) settleAfter(openMs)
    else wantsMargin.value = wanted
  }
  const settleAfter = (milliseconds: number): void => {
    clearTimeout(timer)
    timer = undefined
    if (wanted === wantsMargin.peek()) return
    dueAt = performance.now() + milliseconds
    if (milliseconds > 0) timer = setTimeout(settle, milliseconds)
    else settle()
  }
  const stop = effect(() => {
    const stay = staying.value
    const has = items.value.some((item) => (isOpen(item) || stay.has(item.id)) && item.span !== undefined)
    // A card that the person is about to use appears at once.
    const isUsed = active.value !== undefined
    if (store.state.value === 'ready') writeDevice(key, has ? '1' : null)
    if ((!has && store.state.value === 'reading') || has === wanted) {
      if (has && isUsed) settleAfter(0)
      return
    }
    wanted = has
    const isFirst = wantsMargin.peek() === undefined
    settleAfter(has || isFirst ? (isUsed ? 0 : usedAt + openMs - performance.now()) : closeMs)
  })
  const used = (): void => {
    usedAt = performance.now()
    if (timer !== undefined) settleAfter(Math.max(openMs, dueAt - usedAt))
  }
  const isUse = ['input', 'delete', 'select']
  const extension = EditorView.updateListener.of(({ transactions }) => {
    if (transactions.some((each) => isUse.some((kind) => each.isUserEvent(kind)))) used()
  })
  return {
    wantsMargin,
    extension,
    used,
    close() {
      stop()
      clearTimeout(timer)
    }
  }
}
