/**
 * What somebody proposes and has not sent yet, kept on this device while it is typed: the end of a browser takes none of it. Each page has
 * an entry of its own in local storage, which is written at once, and a lock for as long as it lives; an entry whose lock is free was left
 * by a page that ended, and the next one sends it.
 */
import { readDevice, writeDevice } from '../device.ts'
import { newId } from '../new-id.ts'
import { namesOf, prefixOf } from './drop-drafts.ts'
import type { Deed } from './waiting.ts'

export interface Draft {
  readonly author: string
  readonly deed: Deed
}

export interface KeptDrafts {
  /** Whether this browser can keep them: without locks (no secure origin) nobody could tell whose they are. */
  readonly isKept: boolean
  /** What this page keeps from now on; none removes its entry. */
  write(drafts: readonly Draft[]): void
  /** Hands over what pages that ended have left, oldest page first. */
  adopt(take: (draft: Draft) => void): Promise<void>
  close(): void
}

function read(name: string): readonly Draft[] {
  try {
    const found: unknown = JSON.parse(readDevice(name) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // Nothing that a page of ours wrote.
    return []
  }
}

export function keepDrafts(doc: string): KeptDrafts {
  const { locks } = navigator as { locks?: LockManager }
  // In the order of time.
  const name = `${prefixOf(doc)}${String(Date.now()).padStart(15, '0')}-${newId()}`
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
      for (const other of namesOf(doc).toSorted()) {
        if (other === name) continue
        await locks?.request(other, { ifAvailable: true }, (lock) => {
          if (lock === null) return
          read(other).forEach(take)
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
