/** Keeps the pictures of diagrams up to date while somebody who may edit has the published document open. */
import { effect } from '@preact/signals'
import type { Session } from '../session/session.ts'
import { whenIdle } from '../base/idle.ts'
import { findRecent } from '../device/recent.ts'

/** How long the text must rest, in milliseconds. */
const restMs = 4000

/** To be called when the page has nothing else to do. Answers how to stop. */
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
      // Readers draw what is missing; the next change tries again.
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
