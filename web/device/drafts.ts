/**
 * Drafts: what somebody types to propose it and has not sent yet. The end of a browser takes none of it. Each page has a value of its own in
 * local storage, which is written at once, and a lock for as long as it lives; a value whose lock is free was left by a page that ended, and
 * the next one sends it.
 */
import { documentValue } from './device.ts'
import { readDevice, valuesWith, writeDevice } from './values.ts'
import { newId } from '../base/new-id.ts'

export interface KeptDrafts<Draft> {
  /** Whether this browser can keep them: without locks (no secure origin) nobody could tell whose they are. */
  readonly isKept: boolean
  /** The draft that this page stores from now on; none removes its entry. */
  write(drafts: readonly Draft[]): void
  /** Hands over what pages that ended have left, oldest page first. */
  adopt(take: (draft: Draft) => void): Promise<void>
  close(): void
}

function read<Draft>(name: string): readonly Draft[] {
  try {
    const found: unknown = JSON.parse(readDevice(name) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // Nothing that a page of ours wrote.
    return []
  }
}

export function keepDrafts<Draft>(doc: string): KeptDrafts<Draft> {
  const { locks } = navigator as { locks?: LockManager }
  const prefix = `${documentValue('drafts', doc)}.`
  // In the order of time.
  const name = `${prefix}${String(Date.now()).padStart(15, '0')}-${newId()}`
  const ending = new AbortController()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  // Nothing is kept before the page holds its lock: another one would take it for left.
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
