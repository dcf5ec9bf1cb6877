/** Follows another person: keeps their cursor in view until this person does something. */
import { effect } from '@preact/signals'
import { EditorView } from '@codemirror/view'
import type { View } from './view.ts'
import { textMap } from '../editor/binding.ts'
import { placeOf } from '../editor/cursors.ts'

/** Starts following a person. Returns a function that stops it. */
export function startFollowing(page: View): () => void {
  const { awareness } = page.session.link
  let before: number | undefined
  const stop = (): void => {
    page.following.value = undefined
  }
  const go = (): void => {
    const id = page.following.value
    const view = page.editor.value?.view
    if (id === undefined || view === undefined) return
    if (!awareness.getStates().has(id)) return stop()
    const head = placeOf(page.session.text, awareness, id)?.head
    const at = head === undefined ? undefined : view.state.facet(textMap).shown(head)
    // Scrolls only when the followed person moves, so that a person can look elsewhere without being moved back.
    if (at === undefined || at === before || at > view.state.doc.length) return
    before = at
    view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'center' }) })
  }
  const ownKey = (event: KeyboardEvent): void => {
    if (page.following.value === undefined || event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    stop()
  }
  const ownWay = ({ target }: Event): void => {
    if (page.following.value !== undefined && target instanceof Element && target.closest('.paper') !== null) stop()
  }
  const stopEffect = effect(() => {
    before = undefined
    if (page.following.value !== undefined) go()
  })
  awareness.on('change', go)
  addEventListener('keydown', ownKey, { capture: true })
  for (const type of ['wheel', 'pointerdown', 'touchmove', 'beforeinput']) addEventListener(type, ownWay, { capture: true, passive: true })
  return () => {
    stopEffect()
    awareness.off('change', go)
    removeEventListener('keydown', ownKey, { capture: true })
    for (const type of ['wheel', 'pointerdown', 'touchmove', 'beforeinput']) removeEventListener(type, ownWay, { capture: true })
  }
}
