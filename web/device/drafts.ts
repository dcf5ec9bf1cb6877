/**
 * Drafts: suggestions that somebody is typing and has not sent yet. They survive closing the browser. Each page has its own value in local
 * storage, which is written immediately, and holds a lock while it is open. If nobody holds the lock of a value, its page has closed, and
 * the next page sends the drafts. web/review/annotations/suggesting-mode.ts writes the drafts. suggestions/suggesting.ts notifies suggesting-mode.ts
 * when the page is hidden or closed.
 */
import { documentValue } from './device.ts'
import { readDevice, valuesWith, writeDevice } from './values.ts'
import { newId } from '../base/new-id.ts'

export interface StoredDrafts<Draft> {
  /** Whether this browser can store drafts. Without locks, which need a secure origin, no page could tell which drafts are abandoned. */
  readonly canStore: boolean
  /** Stores the drafts of this page. An empty list removes the value. */
  write(drafts: readonly Draft[]): void
  /** Calls `take` with each draft of the pages that have closed, starting with the oldest page. */
  adopt(take: (draft: Draft) => void): Promise<void>
  close(): void
}

function read<Draft>(name: string): readonly Draft[] {
  try {
    const found: unknown = JSON.parse(readDevice(name) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // The stored value is damaged.
    return []
  }
}

export function openStoredDrafts<Draft>(doc: string): StoredDrafts<Draft> {
  const { locks } = navigator as { locks?: LockManager }
  const prefix = `${documentValue('drafts', doc)}.`
  // The names begin with the time, so that they sort by age.
  const name = `${prefix}${String(Date.now()).padStart(15, '0')}-${newId()}`
  const ending = new AbortController()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Nothing is stored before the page holds its lock. Otherwise another page would consider the draft abandoned.
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
    canStore: locks !== undefined,
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
