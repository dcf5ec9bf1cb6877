/** A device with pages but without a browser. It has a disk, locks that end with their page, and messages between pages. */
import type { Page } from '../../web/device/outbox.ts'
import type { StoredRecord } from '../../web/device/records.ts'

type Stored = StoredRecord & { readonly queue: 'review' | 'uploads' | 'media' }

export interface FakePage {
  readonly page: Page
  /** Fires a browser event on the page. */
  fire(event: 'online' | 'pagehide' | 'hidden'): void
  /** Ends the page. Its locks become free, and none of its later writes reach the disk. */
  end(): void
}

export interface FakeDevice {
  readonly disk: Map<string, Stored>
  /** The state of the disk: `ok`, `slow` (not open yet), `full` (stores nothing), `stuck` (never answers a write) or `deaf` (deletes nothing). */
  state: 'ok' | 'slow' | 'full' | 'stuck' | 'deaf'
  /** Opens a slow disk. */
  openLate(): void
  open(): FakePage
}

export function fakeDevice(): FakeDevice {
  const disk = new Map<string, Stored>()
  const locks = new Map<string, { readonly owner: FakePage; readonly free: Promise<void> }>()
  const followers = new Map<(isCarried: boolean) => void, { readonly owner: FakePage; readonly doc: string }>()
  const never = new Promise<never>(() => undefined)
  const opening = Promise.withResolvers<true>()

  const open = (): FakePage => {
    let isGone = false
    const listeners = new Set<readonly [string, () => void]>()
    const frees = new Set<() => void>()
    const isStuck = (): boolean => isGone || device.state === 'stuck'
    const lock: Page['lock'] = async (name, isWaiting, run) => {
      while (isWaiting && locks.has(name)) await locks.get(name)?.free
      if (locks.has(name)) return run(false)
      const { promise: free, resolve } = Promise.withResolvers<void>()
      const release = (): void => {
        frees.delete(release)
        locks.delete(name)
        resolve()
      }
      locks.set(name, { owner: self, free })
      frees.add(release)
      return run(true).finally(() => frees.has(release) && release())
    }
    const self: FakePage = {
      page: {
        entries: {
          async put(item) {
            if (isStuck()) return never
            if (device.state === 'full' || device.state === 'slow') return false
            disk.set(item.id, item)
            return true
          },
          async drop(id) {
            if (isStuck()) return never
            if (device.state !== 'deaf') disk.delete(id)
          },
          find: async (id) => disk.get(id),
          list: async (doc) => [...disk.values()].filter((item) => item.doc === doc)
        },
        opens: async () => device.state !== 'slow' || opening.promise,
        lock,
        follow(doc, changed) {
          followers.set(changed, { owner: self, doc })
          const tell = (): void => {
            for (const [other, { owner, doc: theirs }] of followers) if (owner !== self && theirs === doc) other(false)
          }
          return { tell, stop: () => void followers.delete(changed) }
        },
        on(event, listener) {
          const entry = [event, listener] as const
          listeners.add(entry)
          return () => void listeners.delete(entry)
        }
      },
      fire(event) {
        for (const [name, listener] of listeners) if (name === event) listener()
      },
      end() {
        self.fire('pagehide')
        isGone = true
        listeners.clear()
        for (const free of frees) free()
      }
    }
    return self
  }
  const openLate = (): void => {
    device.state = 'ok'
    opening.resolve(true)
  }
  const device: FakeDevice = { disk, state: 'ok', openLate, open }
  return device
}
