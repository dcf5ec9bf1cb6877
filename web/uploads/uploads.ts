/**
 * The files that people add to a document: the part that the page needs from the start. The sender (`queue.ts`) loads after the page, and files added
 * earlier wait for it. It exposes signals and has no user interface code.
 */
import { batch, computed, signal } from '@preact/signals'
import * as Y from 'yjs'
import { whenIdle } from '../base/idle.ts'
import type { Follows, Insert, UploadQueue, Uploads, UploadsInput } from './upload.ts'

/** Files that were added before the sender had loaded. */
interface Early {
  readonly files: readonly File[]
  readonly position: Y.RelativePosition
  readonly follows: Follows
}

export function openUploads(input: UploadsInput): Uploads {
  const { text, canEdit } = input
  const queue = signal<UploadQueue | undefined>(undefined)
  const early = signal<readonly Early[]>([])
  let insert: Insert | undefined
  let stopQueue = (): void => undefined
  let loading: Promise<void> | undefined

  const flush = (): void => {
    const to = queue.peek()
    if (to === undefined) return
    const all = early.peek()
    batch(() => {
      early.value = []
      for (const { files, position, follows } of all) to.add(files, position, follows)
    })
  }
  const load = async (): Promise<void> => {
    try {
      const { openQueue } = await import('./queue.ts')
      queue.value = openQueue(input)
      if (insert !== undefined) stopQueue = queue.value.start(insert)
      flush()
    } catch {
      // The sender may fail to load offline. The page requests it again when the network returns.
      loading = undefined
    }
  }
  const open = (): void => void (loading ??= load())

  return {
    list: computed(() => queue.value?.list.value ?? []),
    said: computed(() => queue.value?.said.value ?? ''),
    onlyHere: computed(() => early.value.reduce((sum, { files }) => sum + files.length, queue.value?.onlyHere.value ?? 0)),
    allowed: canEdit,
    placeOf: (upload) => queue.peek()?.placeOf(upload) ?? text.length,
    add(files, at, follows = false) {
      early.value = [
        ...early.peek(),
        { files, position: Y.createRelativePositionFromTypeIndex(text, Math.min(at, text.length), -1), follows }
      ]
      flush()
      open()
    },
    cancel: (upload) => queue.peek()?.cancel(upload),
    retry: (upload) => queue.peek()?.retry(upload),
    start(inserter) {
      insert = inserter
      const begun = queue.peek()
      if (begun !== undefined) stopQueue = begun.start(inserter)
      const callOff = whenIdle(open)
      addEventListener('online', open)
      return () => {
        insert = undefined
        callOff()
        removeEventListener('online', open)
        stopQueue()
      }
    }
  }
}
