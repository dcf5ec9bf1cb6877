/**
 * Sends what people did, one after the other, in the order in which they did it; what cannot be sent now waits. Of several pages of one
 * device one sends at a time, and reads anew what waits, so nothing is sent twice. Signals; no user interface.
 */
import { effect, signal, type ReadonlySignal } from '@preact/signals'
import { call, RequestError, type Call } from '../api.ts'
import { newId } from '../new-id.ts'
import { dropLeftDeed, leaveDeeds, leftDeeds } from './left-deeds.ts'
import { missesPlace, passes, refusalOf } from './refusals.ts'
import { waiting as kept, type Deed, type SuggestDeed, type Target, type Waiting } from './waiting.ts'

export interface Outbox {
  /** What is not answered yet, and what was refused, oldest first. */
  readonly list: ReadonlySignal<readonly Waiting[]>
  /** A request is under way. */
  readonly sending: ReadonlySignal<boolean>
  /** What this page alone holds: it is lost with it. */
  readonly onlyHere: ReadonlySignal<number>
  add(deed: Deed, author: string): Waiting
  /** Sends those again whose place was not found, and that have another name now. */
  aimAgain(): void
  /** Sends a refused one again. */
  retry(id: string): void
  /** Lets go of a refused one, or of one that waits. */
  drop(id: string): void
  /** Begins to send, also what an earlier page left behind. Answers how to stop. */
  start(): () => void
}

interface OutboxInput {
  readonly doc: string
  readonly key: string
  readonly connected: ReadonlySignal<boolean>
  /** How the place of a remark is named now, if not as before. */
  readonly aim: (item: Waiting) => Target | undefined
  /** What becomes of one that was refused: what is sent in its place, or that it waits. */
  readonly afresh: (item: Waiting, error: RequestError) => Deed | 'later' | 'done' | undefined
  readonly onAnswer: (done: Waiting, answer: unknown) => void
  readonly onRefusal: (refused: Waiting, error: RequestError) => void
}

/** How often what waits is tried again without a sign of the network, in milliseconds. */
const againMs = 15_000
/** How long until one is tried again that the others just decided, in milliseconds. */
const afreshMs = 1000
/** Bytes that browsers send for a page that is gone: 64 KiB, of which what is being typed takes most. */
const leavingBytesMax = 12 * 1024

const said = ({ operation, text, note, target }: SuggestDeed): object => ({
  operation,
  ...(operation === 'delete' ? {} : { text }),
  ...(note === '' ? {} : { note }),
  ...(target ?? { at: 'start' })
})

/** Each names the version that stood on its card. */
const decisionsOf = ({ action, suggestions, steps = {}, reason }: Deed & { readonly kind: 'decide' }): readonly object[] =>
  suggestions.map((suggestionId) => {
    const step = steps[suggestionId]
    return { suggestionId, action, ...(step !== undefined && { step }), ...(reason !== undefined && { reason }) }
  })

/** What tells the service of a suggestion that is typed. `done`: nothing more is typed for now. */
export const draftRequestOf = (deed: SuggestDeed, done: boolean): { readonly path: string; readonly body: object } => ({
  path: `drafts/${encodeURIComponent(deed.draft?.id ?? '')}`,
  body: { ...said(deed), step: deed.draft?.step ?? 0, done }
})

const requestOf = (deed: Deed): Required<Pick<Call, 'method'>> & { readonly path: string; readonly body?: unknown } => {
  const comment = (id: string): string => `comments/${encodeURIComponent(id)}`
  switch (deed.kind) {
    case 'comment':
      return { method: 'POST', path: 'comments', body: { body: deed.body, ...deed.target, characters: deed.characters, unanchored: true } }
    case 'reply':
      return { method: 'POST', path: `${comment(deed.comment)}/replies`, body: { body: deed.body } }
    case 'edit':
      return { method: 'PATCH', path: comment(deed.comment), body: { body: deed.body } }
    case 'delete':
      return { method: 'DELETE', path: comment(deed.comment) }
    case 'resolve':
      return { method: 'POST', path: `${comment(deed.comment)}/resolve`, body: { resolved: deed.resolved } }
    case 'answer':
      return { method: 'POST', path: `suggestions/${encodeURIComponent(deed.suggestion)}/replies`, body: { body: deed.body } }
    case 'suggest':
      if (deed.draft !== undefined) return { method: 'PUT', ...draftRequestOf(deed, true) }
      return { method: 'POST', path: 'suggestions', body: said(deed) }
    case 'decide':
      return { method: 'POST', path: 'decisions', body: { decisions: decisionsOf(deed) } }
    case 'withdraw':
      return { method: 'DELETE', path: `suggestions/${encodeURIComponent(deed.suggestion)}` }
    case 'ask':
      return { method: 'POST', path: 'tasks', body: { title: deed.title, instructions: deed.instructions } }
    case 'report': {
      const { kind: _kind, task, ...body } = deed
      return { method: 'POST', path: `tasks/${encodeURIComponent(task)}/report`, body }
    }
    case 'start':
    case 'close':
      return { method: 'POST', path: `tasks/${encodeURIComponent(deed.task)}/${deed.kind}`, body: {} }
  }
}

/** Runs when no other page of this device does. Without locks (no secure origin) at once. */
async function alone(doc: string, work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager }
  await (locks === undefined ? work() : locks.request(`agmd-review:${doc}`, work))
}

export function openOutbox({ doc, key, connected, aim, afresh, onAnswer, onRefusal }: OutboxInput): Outbox {
  const list = signal<readonly Waiting[]>([])
  const sending = signal(false)
  const onlyHere = signal(0)
  /** Those that the device would not keep. */
  const here = new Map<string, Waiting>()
  /** Those that are on their way to the disk. */
  const unwritten = new Map<string, Waiting>()
  const channel = new BroadcastChannel(`agmd-review:${doc}`)
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopped = false
  let last = 0
  /** Every write to the device, in order: reading waits for them. */
  let writes: Promise<unknown> = Promise.resolve()

  const show = (change: (before: readonly Waiting[]) => readonly Waiting[]): void => {
    list.value = change(list.value)
  }
  const hold = (item: Waiting, isHeld: boolean): void => {
    if (isHeld) here.delete(item.id)
    else here.set(item.id, item)
    onlyHere.value = here.size
  }
  /** The page may go at any moment now. */
  const leave = (): void => leaveDeeds(doc, [...unwritten.values(), ...here.values()])
  /** Sends what is new and not answered: each is known by its id, so the next page does none of it twice. */
  const sendLeft = (): void => {
    leave()
    let left = leavingBytesMax
    for (const { id, deed, author, refusal } of list.peek()) {
      const isNew = deed.kind === 'comment' || deed.kind === 'suggest' || deed.kind === 'reply' || deed.kind === 'answer'
      if (!isNew || refusal !== undefined || !navigator.onLine) continue
      const { path, ...request } = requestOf(deed)
      left -= JSON.stringify(request.body).length * 3
      if (left < 0) return
      call(`/api/docs/${doc}/${path}`, { ...request, key, author, idempotencyKey: id, keepalive: true }).catch(() => undefined)
    }
  }
  const leaveHidden = (): void => {
    if (document.visibilityState === 'hidden') leave()
  }
  const put = (item: Waiting): void => {
    unwritten.set(item.id, item)
    // IndexedDB says later whether it has it; until then nothing else would.
    leave()
    writes = writes.then(async () => {
      // It was done or dropped before its turn came.
      if (!unwritten.has(item.id)) return
      const isKept = await kept.put(item)
      hold(item, isKept)
      if (unwritten.get(item.id) === item) unwritten.delete(item.id)
      if (isKept) dropLeftDeed(doc, item.id)
      channel.postMessage('changed')
    })
  }
  const remove = (id: string): void => {
    show((before) => before.filter((other) => other.id !== id))
    here.delete(id)
    unwritten.delete(id)
    dropLeftDeed(doc, id)
    onlyHere.value = here.size
    writes = writes.then(async () => {
      await kept.drop(id)
      channel.postMessage('changed')
    })
  }
  const replace = (item: Waiting): void => {
    show((before) => before.map((other) => (other.id === item.id ? item : other)))
    put(item)
  }

  /** Names the place of a remark anew; false: it is named as before. */
  const rename = (item: Waiting): boolean => {
    const target = aim(item)
    if (target === undefined) return false
    const { refusal: _refusal, isLost: _isLost, ...rest } = item
    replace({ ...rest, deed: { ...item.deed, target } as Deed })
    return true
  }

  /** Reads what waits, whichever page put it there. */
  const read = async (): Promise<readonly Waiting[]> => {
    await writes
    const found = (await kept.list(doc)) ?? []
    const all = [...found.filter(({ id }) => !here.has(id)), ...here.values()].toSorted((one, other) => one.at - other.at)
    if (!stopped) list.value = all
    return all
  }

  /** False: not now. */
  const send = async (item: Waiting): Promise<boolean> => {
    const { path, ...request } = requestOf(item.deed)
    const body = item.deed.kind === 'ask' ? { ...(request.body as object), requestId: item.id } : request.body
    try {
      const answer = await call(`/api/docs/${doc}/${path}`, { ...request, body, key, author: item.author, idempotencyKey: item.id })
      if (!stopped) onAnswer(item, answer)
      remove(item.id)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (passes(error)) {
        again(error.retryAfterSeconds === undefined ? againMs : error.retryAfterSeconds * 1000)
        return false
      }
      const isLost = missesPlace(error)
      if (isLost && rename(item)) return true
      const next = afresh(item, error)
      if (next === 'done') {
        remove(item.id)
        return true
      }
      if (next === 'later') {
        again(afreshMs)
        return false
      }
      if (next !== undefined) {
        replace({ ...item, deed: next })
        return true
      }
      replace({ ...item, refusal: refusalOf(error), isLost })
      if (!stopped) onRefusal(item, error)
    }
    return true
  }

  const drain = async (): Promise<void> => {
    for (;;) {
      const next = (await read()).find(({ refusal }) => refusal === undefined)
      if (next === undefined || stopped || !navigator.onLine) return
      sending.value = true
      if (!(await send(next))) return
    }
  }

  let working: Promise<void> | undefined
  let asked = false
  function work(): void {
    if (stopped) return
    if (working !== undefined) {
      asked = true
      return
    }
    asked = false
    working = alone(doc, drain).finally(() => {
      working = undefined
      sending.value = false
      if (asked) work()
    })
  }

  function again(afterMs: number): void {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(work, afterMs)
  }

  return {
    list,
    sending,
    onlyHere,
    add(deed, author) {
      last = Math.max(Date.now(), last + 0.01)
      const item: Waiting = { id: newId(), doc, at: last, author, deed }
      show((before) => [...before, item])
      put(item)
      work()
      return item
    },
    aimAgain() {
      const renamed = list.value.filter(({ isLost }) => isLost === true).filter(rename)
      if (renamed.length > 0) work()
    },
    retry(id) {
      const found = list.value.find((item) => item.id === id)
      if (found === undefined) return
      const { refusal: _refusal, ...item } = found
      replace(item)
      work()
    },
    drop: remove,
    start() {
      channel.addEventListener('message', () => void read())
      addEventListener('pagehide', sendLeft)
      document.addEventListener('visibilitychange', leaveHidden)
      for (const item of leftDeeds(doc)) put(item)
      addEventListener('online', work)
      const stop = effect(() => {
        if (connected.value) queueMicrotask(work)
      })
      work()
      return () => {
        stopped = true
        clearTimeout(timer)
        removeEventListener('online', work)
        removeEventListener('pagehide', sendLeft)
        document.removeEventListener('visibilitychange', leaveHidden)
        stop()
        channel.close()
      }
    }
  }
}
