/** The current time, for text such as "3 min. ago" that must stay right while it is shown. */
import { signal } from '@preact/signals'

/** How often the time moves on, in milliseconds. */
const everyMs = 30_000

let timer: ReturnType<typeof setInterval> | undefined

/** The time in milliseconds since 1970. It moves on only while something reads it in an effect or a component. */
const time = signal(Date.now(), {
  watched() {
    timer = setInterval(() => (time.value = Date.now()), everyMs)
  },
  unwatched() {
    clearInterval(timer)
  }
})

/** Returns the current time. The caller's effect or component runs again when the time has moved on. */
export const passingTime = (): number => Math.max(time.value, Date.now())
