/** The short messages at the bottom of the page and in its dialogs. */
import { isValidElement, type VNode } from 'preact'
import { beforeEach, expect, test } from 'vitest'
import { dropToast, modals, offer, toast, Toasts } from '../web/ui/toast.tsx'

interface Drawn {
  readonly words: string
  readonly buttons: readonly { readonly name: string; readonly press: () => void }[]
}

type Props = { readonly children?: unknown; readonly 'aria-label'?: string; readonly onClick?: () => void }

/** Draws what a component returns, without a browser. */
function drawn(node: unknown): Drawn {
  if (typeof node === 'string') return { words: node, buttons: [] }
  if (Array.isArray(node)) {
    const parts = node.map(drawn)
    return { words: parts.map(({ words }) => words).join(''), buttons: parts.flatMap(({ buttons }) => buttons) }
  }
  if (!isValidElement(node)) return { words: '', buttons: [] }
  const { type, props } = node as VNode<Props>
  if (typeof type === 'function') return drawn((type as (given: Props) => unknown)(props))
  const inner = drawn(props.children)
  if (type !== 'button') return inner
  return { words: '', buttons: [{ name: props['aria-label'] ?? inner.words, press: () => props.onClick?.() }] }
}

const page = (): Drawn => drawn(Toasts({}))
const dialog = (): Drawn => drawn(Toasts({ modal: true }))

const close = (): void =>
  page()
    .buttons.find(({ name }) => name === 'Close')
    ?.press()

// The tests of other files may have left messages, because they share the process.
beforeEach(() => {
  dropToast()
  while (page().buttons.some(({ name }) => name === 'Close')) close()
})

test('[WRITE-114] a message that was made before a dialog opened is not in the dialog, and comes back after it', () => {
  toast('Undone.')
  expect(page().words).toBe('Undone.')
  modals.value += 1
  expect(page().words).toBe('')
  expect(dialog().words).toBe('')
  offer('A new version.', 'Reload', () => undefined)
  expect(dialog().words).toBe('')
  toast('Not saved.')
  expect(dialog().words).toBe('Not saved.')
  modals.value -= 1
  expect(page().words).toBe('Not saved.A new version.')
  dropToast()
  expect(page().words).toBe('A new version.')
  close()
  expect(page().words).toBe('')
})

test('[HISTORY-19] an offer ends when its button is used, or when it is withdrawn, and never ends a later one', () => {
  const used: string[] = []
  const withdraw = offer('Restored the first.', 'Undo', () => used.push('first'))
  page().buttons[0]?.press()
  expect(used).toEqual(['first'])
  expect(page().words).toBe('')
  // After the message about the result, nothing is left to offer.
  toast('Restore undone.')
  dropToast('Restore undone.')
  expect(page()).toEqual({ words: '', buttons: [] })
  const withdrawSecond = offer('Restored the second.', 'Undo', () => used.push('second'))
  withdraw()
  expect(page().words).toBe('Restored the second.')
  withdrawSecond()
  expect(page().words).toBe('')
  expect(used).toEqual(['first'])
})
