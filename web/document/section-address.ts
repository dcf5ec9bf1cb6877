/** Keeps the address and the text together: goes to a section that the address names from now on, and removes a section that the person has left. */
import { EditorView } from '@codemirror/view'
import type { Editor } from '../editor/setup/editor.ts'
import { fetched } from '../view/command.ts'
import type { View } from '../view/view.ts'
import { fetchOutline } from './later-parts.ts'

/** How long after a typed letter the page compares the caret with the address, in milliseconds. */
const compareMs = 400

const go = fetched(async (page) => void (await fetchOutline()).goToAddress(page))

/** Starts following the address. Returns a function that stops it. */
export function followSection(page: View, { add }: Editor): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  // The reading view follows the address itself.
  const moved = (): void => {
    if (page.mode.peek() !== 'read') go(page)
  }
  const compare = (): void => {
    timer = undefined
    fetchOutline().then(
      ({ leaveAddress }) => leaveAddress(page),
      // The next letter tries again.
      () => undefined
    )
  }
  add(
    EditorView.updateListener.of(({ transactions }) => {
      if (location.hash === '' || !transactions.some((each) => each.isUserEvent('input') || each.isUserEvent('delete'))) return
      timer ??= setTimeout(compare, compareMs)
    })
  )
  addEventListener('hashchange', moved)
  return () => {
    clearTimeout(timer)
    removeEventListener('hashchange', moved)
  }
}
