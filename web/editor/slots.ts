/**
 * Slots: the places in an inserted construct that the person fills, such as the text and the address of a link. Enter and Tab move to the next slot.
 * After the last one they leave the construct, so that later typing does not end up in it.
 */
import {
  EditorSelection,
  type EditorState,
  Prec,
  StateEffect,
  StateField,
  type ChangeDesc,
  type Extension,
  type StateCommand,
  type Text
} from '@codemirror/state'
import { Decoration, EditorView, WidgetType } from '@codemirror/view'
import { t } from '../text/t.ts'

interface Slot {
  readonly from: number
  readonly to: number
  /** Whether the slot contains an address, which is completed when the caret leaves the slot. */
  readonly isAddress?: boolean
}

/** Slots in the order in which the person fills them, and the positions before and after the construct. */
export interface Slots {
  readonly slots: readonly Slot[]
  readonly from: number
  readonly exit: number
}

/** Opens slots. Positions refer to the document after the transaction. */
export const openSlots = StateEffect.define<Slots>()

const mapSlots = ({ slots, from, exit }: Slots, changes: ChangeDesc): Slots => ({
  slots: slots.map((slot) => ({ ...slot, from: changes.mapPos(slot.from, -1), to: changes.mapPos(slot.to, 1) })),
  from: changes.mapPos(from, 1),
  exit: changes.mapPos(exit, -1)
})

const indexAt = ({ slots }: Slots, position: number): number => slots.findIndex(({ from, to }) => from <= position && position <= to)

/** Whether the text still contains the brackets around each slot. Undo, or another person, may have removed them. */
const isWritten = (doc: Text, { slots }: Slots): boolean =>
  slots.every(
    ({ from, to, isAddress }) => doc.sliceString(from - 1, from) + doc.sliceString(to, to + 1) === (isAddress === true ? '()' : '[]')
  )

const open = StateField.define<Slots | null>({
  create: () => null,
  update(value, { changes, docChanged, effects, newDoc, newSelection }) {
    const opened = effects.find((effect) => effect.is(openSlots))?.value
    const now = opened ?? (value === null ? null : mapSlots(value, changes))
    if (now !== null && docChanged && !isWritten(newDoc, now)) return null
    // If the person moves elsewhere, the construct is not changed.
    return now !== null && indexAt(now, newSelection.main.head) >= 0 ? now : null
  }
})

/** Returns the slots that the person is filling; null if there are none. */
export const slotsIn = (state: EditorState): Slots | null => state.field(open, false) ?? null

/** The placeholder in an empty slot. */
class SlotWords extends WidgetType {
  readonly words: string

  constructor(words: string) {
    super()
    this.words = words
  }

  override eq(other: SlotWords): boolean {
    return other.words === this.words
  }

  override toDOM(): HTMLElement {
    const made = document.createElement('span')
    made.className = 'md-slot md-slot-empty'
    made.textContent = this.words
    return made
  }
}

/** Draws the slots as fields. An empty slot shows its placeholder. */
const drawn = EditorView.decorations.compute([open], (state) => {
  const now = state.field(open)
  if (now === null) return Decoration.none
  return Decoration.set(
    now.slots.map(({ from, to, isAddress }) =>
      from === to
        ? Decoration.widget({ widget: new SlotWords(isAddress === true ? t('Address') : t('Text')), side: 1 }).range(from)
        : Decoration.mark({ class: 'md-slot' }).range(from, to)
    )
  )
})

/** A field is a single element around all others: if its content were divided at its end, Chromium would put letters into the wrong part. */
export const slots: Extension = [open, Prec.lowest(drawn)]

const domain = /^[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,10}(?=[/?#:]|$)/u
const mailbox = /^[^\s@/:]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,10}$/u
/** Longest address that is completed, in UTF-16 units. */
const addressUnitsMax = 2000

/**
 * Completes an address, like the address bar of a browser. `example.org` becomes `https://example.org`, and `a@example.org` becomes a `mailto:`
 * address.
 */
export function completeAddress(text: string): string {
  const address = text.trim()
  if (address.length > addressUnitsMax) return address
  if (mailbox.test(address)) return `mailto:${address}`
  return domain.test(address) ? `https://${address}` : address
}

/** Matches text that is an address even where text is expected. */
const addressTyped = /^(?:https?:\/\/|mailto:|www\.)\S+$/i

/**
 * Goes to the next slot, or leaves the construct. An address in the place of the text also leaves it, and live/link-ends.ts completes the link. Returns
 * false if the caret is in no slot.
 */
export const leaveSlot: StateCommand = ({ state, dispatch }) => {
  const now = slotsIn(state)
  const { main } = state.selection
  if (now === null || state.readOnly) return false
  const index = indexAt(now, main.head)
  const here = now.slots[index]
  if (here === undefined) return false
  const typed = state.sliceDoc(here.from, here.to)
  const next = addressTyped.test(typed) ? undefined : now.slots[index + 1]
  const insert = here.isAddress === true ? completeAddress(typed) : typed
  const changes = state.changes(insert === typed ? [] : { from: here.from, to: here.to, insert })
  const selection =
    next === undefined
      ? EditorSelection.cursor(changes.mapPos(now.exit, 1))
      : EditorSelection.range(changes.mapPos(next.from, 1), changes.mapPos(next.to, 1))
  dispatch(state.update({ changes, selection, scrollIntoView: true, userEvent: insert === typed ? 'select' : 'input.complete' }))
  return true
}
