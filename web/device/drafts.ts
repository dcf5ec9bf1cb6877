/**
 * Drafts: suggestions that somebody is typing and has not sent yet. They survive closing the browser. Each page has its own value in local storage,
 * which is written at once, and a lock that it holds while it is open. If the lock of a value is free, its page has ended, and the next page sends
 * the drafts.
 */
import { documentValue } from './device.ts'
import { readDevice, valuesWith, writeDevice } from './values.ts'
import { newId } from '../base/new-id.ts'

export interface KeptDrafts<Draft> {
  /** Whether this browser can store drafts. Without locks (no secure origin) their owner would be unknown. */
  readonly isKept: boolean
  /** Stores the draft of this page; an empty list removes its entry. */
  write(drafts: readonly Draft[]): void
  /** Passes on the drafts of pages that ended, oldest page first. */
  adopt(take: (draft: Draft) => void): Promise<void>
  close(): void
}

function read<Draft>(name: string): readonly Draft[] {
  try {
    const found: unknown = JSON.parse(readDevice(name) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // The value was not written by a page of ours.
    return []
  }
}

export function keepDrafts<Draft>(doc: string): KeptDrafts<Draft> {
  const { locks } = navigator as { locks?: LockManager }
  const prefix = `${documentValue('drafts', doc)}.`
  // Sorts by time.
  const name = `${prefix}${String(Date.now()).padStart(15, '0')}-${newId()}`
  const ending = new AbortController()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Nothing is stored before the page holds its lock, because another page would take the draft for abandoned.
  let isHeld = false
  let early: readonly Draft[] = []
  const write = (drafts: readonly Draft[]): void => {
    early = drafts
    if (isHeld) writeDevice(name, drafts.length === 0 ? null : JSON.stringify(drafts))
  }
  locks
    ?.request(name, { signal: ending.signal }, async () => {
      isHeld = true
      if (early.length > 0) write(early)
      await ended
    })
    .catch(() => undefined)
  return {
    isKept: locks !== undefined,
    write,
    async adopt(take) {
      for (const other of valuesWith(prefix).toSorted()) {
        if (other === name) continue
        await locks?.request(other, { ifAvailable: true }, (lock) => {
          if (lock === null) return
          read<Draft>(other).forEach(take)
          writeDevice(other, null)
        })
      }
    },
    close() {
      ending.abort()
      end()
      isHeld = false
    }
  }
}
