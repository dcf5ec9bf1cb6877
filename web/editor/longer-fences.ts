/** Lengthens the fences of a code block in the live view when pasted or dropped text contains fences, because these would end the block. */
import { EditorState, type Extension, type Transaction, type TransactionSpec } from '@codemirror/state'
import { codeNode } from './in-code.ts'

/** The fences of the block that contains a range between them. */
interface Fences {
  readonly run: string
  /** The end of each fence. */
  readonly ends: readonly number[]
}

function fencesAround(state: EditorState, from: number, to: number): Fences | undefined {
  const node = codeNode(state, from)
  if (node?.name !== 'FencedCode') return undefined
  const [open, close] = node.getChildren('CodeMark')
  if (open === undefined || from <= state.doc.lineAt(open.to).to) return undefined
  if (close === undefined ? to > node.to : to >= state.doc.lineAt(close.from).from) return undefined
  return { run: state.sliceDoc(open.from, open.to), ends: close === undefined ? [open.to] : [open.to, close.to] }
}

/** Returns the change that makes the fences longer than those in the new text of the block. Undefined if nothing in it would end the block. */
export function longer(transaction: Transaction): TransactionSpec | undefined {
  const { startState, changes, newDoc } = transaction
  if (!['input.paste', 'input.drop', 'move.drop'].some((event) => transaction.isUserEvent(event))) return undefined
  const more = new Map<number, string>()
  changes.iterChanges((fromA, toA, fromB, toB, inserted) => {
    const fences = inserted.length === 0 ? undefined : fencesAround(startState, fromA, toA)
    if (fences === undefined) return
    const { run, ends } = fences
    let longest = 0
    for (const line of newDoc.sliceString(newDoc.lineAt(fromB).from, newDoc.lineAt(toB).to).split('\n')) {
      const found = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
      if (found[0] === run[0]) longest = Math.max(longest, found.length)
    }
    const insert = (run[0] ?? '').repeat(Math.max(0, longest + 1 - run.length))
    if (insert !== '') for (const end of ends) more.set(end, insert)
  })
  if (more.size === 0) return undefined
  return { changes: [...more].map(([end, insert]) => ({ from: changes.mapPos(end, -1), insert })), sequential: true }
}

export const longerFences: Extension = EditorState.transactionFilter.of((transaction) => {
  const more = longer(transaction)
  return more === undefined ? transaction : [transaction, more]
})
