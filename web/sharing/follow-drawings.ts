/** Keeps the pictures of diagrams up to date while a person who may edit has the published document open. */
import { effect } from '@preact/signals'
import type { Session } from '../session/session.ts'
import { whenIdle } from '../base/idle.ts'
import { findRecent } from '../device/recent.ts'

/** How long typing must pause before pictures are updated, in milliseconds. */
const restMs = 4000

/** Updates the pictures as the text changes. Call it when the page is idle. Returns a function that stops it. */
export function followDrawings(session: Session): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let [running, again] = [false, false]
  const isWanted = (): boolean => session.canEdit.value && findRecent(session.id)?.published === true
  const look = async (): Promise<void> => {
    if (running) {
      again = true
      return
    }
    if (!isWanted()) return
    running = true
    again = false
    try {
      await (await import('./drawings.ts')).keepDrawings(session)
    } catch {
      // Readers' browsers draw missing pictures, and the next change tries again.
    }
    running = false
    if (again) plan()
  }
  const plan = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => whenIdle(() => void look()), restMs)
  }
  session.text.observe(plan)
  const stop = effect(() => {
    if (session.canEdit.value) plan()
  })
  return () => {
    clearTimeout(timer)
    stop()
    session.text.unobserve(plan)
  }
}
