/** Deleting with a way back: for ten seconds nothing has happened but that a document is not shown; then it is gone for everyone. */
import { call, RequestError } from '../api.ts'
import { readDevice, writeDevice } from '../device.ts'
import { failureWords } from '../refused/failure.ts'
import { removeKeptDatabase } from '../offline/remove.ts'
import { forget } from '../recent.ts'
import { t, tn } from '../text/t.ts'
import { dropToast, toast } from '../ui/toast.tsx'
import type { Entry, Library } from './library.ts'

/** Time to take it back, in milliseconds (experience.md 6.5). */
const undoMs = 10_000

/** `keepalive`: the page may be gone before the answer. */
const remove = ({ id, key, inAccount }: Left, keepalive = false): Promise<unknown> =>
  // Beside a session a link that may do less would narrow what the owner may do.
  call(`/api/docs/${id}`, { method: 'DELETE', key: inAccount ? '' : key, keepalive })

type Left = Pick<Entry, 'id' | 'key' | 'inAccount' | 'title'>

/** What was asked for when the page was left: a request of a page that goes may never be sent. */
const leftKey = 'agmd.deleting'

function takeLeft(): readonly Left[] {
  const stored = readDevice(leftKey)
  if (stored === null) return []
  writeDevice(leftKey, '[]')
  try {
    return JSON.parse(stored) as readonly Left[]
  } catch {
    return []
  }
}

const isGone = (error: unknown): boolean => error instanceof RequestError && (error.status === 404 || error.status === 410)

export interface Deletions {
  add(entry: Entry): void
  /** Answers how to stop; who leaves the page has not taken it back. */
  start(): () => void
}

export function openDeletions(library: Library, onFailure: (words: string) => void): Deletions {
  let waiting: readonly Entry[] = []
  let timer: ReturnType<typeof setTimeout> | undefined

  const show = (ids: readonly string[]): void => {
    library.hidden.value = new Set([...library.hidden.value].filter((id) => !ids.includes(id)))
  }
  const take = (): readonly Entry[] => {
    clearTimeout(timer)
    const taken = waiting
    waiting = []
    return taken
  }
  const one = async (entry: Left): Promise<void> => {
    try {
      await remove(entry).catch((error: unknown) => {
        if (!isGone(error)) throw error
      })
      library.drop(entry.id)
      forget(entry.id)
      await removeKeptDatabase(entry.id)
    } catch (error) {
      onFailure(t('“{title}” was not deleted. {why}', { title: entry.title, why: failureWords(error) }))
    }
    show([entry.id])
  }
  const undo = (): void => {
    show(take().map(({ id }) => id))
    dropToast()
  }

  return {
    add(entry) {
      waiting = [...waiting, entry]
      library.hidden.value = new Set([...library.hidden.value, entry.id])
      clearTimeout(timer)
      timer = setTimeout(() => void Promise.all(take().map(one)), undoMs)
      const words =
        waiting.length === 1
          ? t('“{title}” deleted, for everyone.', { title: entry.title })
          : tn(waiting.length, '1 document deleted, for everyone.', '{count} documents deleted, for everyone.')
      toast(words, {
        name: t('Undo'),
        run: undo,
        milliseconds: undoMs
      })
    },
    start() {
      const leave = (): void => {
        const taken = take()
        if (taken.length === 0) return
        writeDevice(leftKey, JSON.stringify([...takeLeft(), ...taken]))
        for (const entry of taken) {
          remove(entry, true).catch(() => undefined)
          forget(entry.id)
        }
      }
      const left = takeLeft()
      library.hidden.value = new Set([...library.hidden.value, ...left.map(({ id }) => id)])
      void Promise.all(left.map(one))
      addEventListener('pagehide', leave)
      return () => removeEventListener('pagehide', leave)
    }
  }
}
