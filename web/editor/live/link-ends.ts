/**
 * Completes a new link that a person leaves. With only an address, the address becomes its text, or the text becomes its address. Without an address,
 * its brackets would stay in the text as plain characters, so they are removed. If several blocks were selected, each of them gets the address.
 */
import {
  type ChangeSpec,
  EditorState,
  type Extension,
  type SelectionRange,
  StateField,
  type Transaction,
  type TransactionSpec
} from '@codemirror/state'
import { inLastStep } from '../binding.ts'
import { isAddress } from '../commands-inline.ts'
import { linkableParts } from '../linked-blocks.ts'
import { completeAddress, openSlots, slotsIn, type Slots } from '../slots.ts'
import { asTarget } from './link-at.ts'

/** The selected parts of other blocks, which become links as soon as the person has entered the address. */
const others = StateField.define<readonly SelectionRange[]>({
  create: () => [],
  update(parts, { changes, effects, startState }) {
    const isNew = effects.some((effect) => effect.is(openSlots))
    const now = isNew ? startState.selection.ranges.flatMap((range) => linkableParts(startState, range).slice(1)) : parts
    return now.length === 0 ? now : now.map((part) => part.map(changes))
  }
})

/** Returns the positions of the text, of the address and of the end of a link after a transaction. */
function partsOf({ changes }: Transaction, { slots, from, exit }: Slots): readonly [number, number, number] {
  const start = changes.mapPos(from, 1) + 1
  const last = slots.at(-1)
  const middle = last?.isAddress === true ? changes.mapPos(last.from, -1) : changes.mapPos(last?.to ?? start, 1) + ']('.length
  return [start, middle, changes.mapPos(exit, -1) - 1]
}

/** Returns the change that makes the other parts links. */
const linksTo = (transaction: Transaction, target: string): ChangeSpec[] =>
  (transaction.startState.field(others, false) ?? []).flatMap((part) => {
    const { from, to } = part.map(transaction.changes)
    return [
      { from, insert: '[' },
      { from: to, insert: `](${target})` }
    ]
  })

/** Matches an address in brackets or with a title, which Markdown already reads. */
const written = /^(?:<.*>|\S+\s+"[^"]*")$/

/** Returns the changes after a transaction that leaves a link. */
function changesOf(transaction: Transaction, now: Slots): ChangeSpec[] {
  const [start, middle, end] = partsOf(transaction, now)
  const [text, typed] = [transaction.newDoc.sliceString(start, middle - ']('.length), transaction.newDoc.sliceString(middle, end)]
  if (text === '' && typed !== '') return isAddress(typed) ? [{ from: start, insert: typed }] : []
  const address = typed === '' ? completeAddress(text) : typed
  if (typed === '' && !isAddress(address)) {
    return [
      { from: start - 1, to: start },
      { from: middle - ']('.length, to: end + 1 }
    ]
  }
  const target = written.test(address) ? address : asTarget(address)
  return [...(target === typed ? [] : [{ from: middle, to: end, insert: target }]), ...linksTo(transaction, target)]
}

/** Returns the change that completes or removes the link; undefined if a transaction leaves none. */
function completed(transaction: Transaction): TransactionSpec | undefined {
  const { startState, selection, docChanged } = transaction
  const now = slotsIn(startState)
  const mayLeave = selection !== undefined && (!docChanged || transaction.isUserEvent('input.complete'))
  // The new state is computed only now, because this takes a long time for a large document.
  if (now === null || !mayLeave || slotsIn(transaction.state) !== null) return undefined
  const changes = changesOf(transaction, now)
  return changes.length === 0 ? undefined : { changes, sequential: true, annotations: inLastStep.of(true) }
}

export const linkEnds: Extension = [
  others,
  EditorState.transactionFilter.of((transaction) => {
    const more = completed(transaction)
    return more === undefined ? transaction : [transaction, more]
  })
]
