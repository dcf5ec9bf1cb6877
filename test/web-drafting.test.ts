/** Suggestions that are typed on a network that loses, delays and cuts off messages, with a simulated service. */
import { ChangeSet, Text } from '@codemirror/state'
import { signal } from '@preact/signals'
import { afterEach, expect, test, vi } from 'vitest'
import { shownName } from '../web/review/outbox/draft-name.ts'
import type { Store } from '../web/review/outbox/store.ts'
import { openDrafting, type Drafting } from '../web/review/suggestions/drafting.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/**
 * The fate of a request. `unreached`: the service never receives it. `lost`: its answer never arrives. `cut`: the connection ends within the answer.
 * `silent`: nothing arrives. `other`: the service has different text under this name.
 */
type Fate = 'ok' | 'unreached' | 'lost' | 'cut' | 'silent' | 'other'

interface Typing {
  readonly drafting: Drafting
  /** Returns the text that the service has. */
  readonly texts: () => readonly string[]
  type(text: string): void
}

/** Opens a page on which one suggestion is typed. `next` decides what happens to the next request, and how long each direction takes. */
function openTyping(next: () => { readonly fate: Fate; readonly milliseconds: number }): Typing {
  const service = new Map<string, { step: number; text: string }>()
  const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))
  const cut = (): ReadableStream => new ReadableStream({ start: (controller) => controller.error(new TypeError('cut')) })
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { onLine: true })
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const limit = new AbortController()
    setTimeout(() => limit.abort(), milliseconds)
    return limit.signal
  })
  vi.stubGlobal('fetch', async (path: string, { body, signal: limit }: { body: string; signal: AbortSignal }) => {
    const { fate, milliseconds } = next()
    const draftId = decodeURIComponent(path.split('/').at(-1) ?? '')
    const { step, text } = JSON.parse(body) as { step: number; text: string }
    await wait(milliseconds)
    if (fate === 'unreached') throw new TypeError('Failed to fetch')
    const known = service.get(draftId)
    const isStale = known !== undefined && (step < known.step || (step === known.step && text !== known.text))
    if (!isStale) service.set(draftId, { step, text })
    await wait(milliseconds)
    if (fate === 'lost') throw new TypeError('Failed to fetch')
    if (fate === 'silent') {
      await new Promise((ended) => limit.addEventListener('abort', ended))
      throw limit.reason
    }
    if (fate === 'cut') return new Response(cut())
    if (isStale) return Response.json({ code: 'stale_step', step: known.step }, { status: 409 })
    const shown = fate === 'other' ? 'Other words' : text
    return Response.json({ ok: true, suggestion: { id: draftId, draftId: shownName(draftId), text: shown, status: 'pending' } })
  })
  let typed = ''
  const store = {
    proposals: signal([]),
    isConnected: signal(true),
    canSuggest: signal(true),
    hold: () => undefined,
    release: () => undefined,
    drafted: () => undefined,
    read: () => undefined,
    act: ({ suggestion }: { suggestion: string }) => service.delete(suggestion)
  } as unknown as Store
  const drafting = openDrafting({
    doc: 'doc',
    key: 'key',
    store,
    hunks: () => (typed === '' ? [] : [{ from: 5, to: 5, original: '', text: typed, fromShown: 5, toShown: 5 + typed.length }]),
    actionFor: ({ text }) => ({ kind: 'suggest', operation: 'insert', original: '', text, target: null, note: '' }),
    onRejected: () => undefined
  })
  return {
    drafting,
    texts: () => [...service.values()].map(({ text }) => text),
    type(text) {
      typed += text
      drafting.changed()
    }
  }
}

test('[SUGG-9] text that others type before a suggested insertion is not part of the versions that they can accept', async () => {
  const { drafting, type } = openTyping(() => ({ fate: 'ok', milliseconds: 1 }))
  type('\nnew')
  await vi.advanceTimersByTimeAsync(1000)
  drafting.follow(Text.of(['first', 'next']), ChangeSet.of({ from: 5, insert: ' and more' }, 10), [])
  expect(drafting.sent()).toMatchObject([{ from: 14, to: 14, original: '', text: '\nnew' }])
  drafting.close()
})

test('[SUGG-23] an answer that is cut off is asked for again, so that the suggestion is told to be saved', async () => {
  const fates: Fate[] = ['cut']
  const { drafting, type, texts } = openTyping(() => ({ fate: fates.shift() ?? 'ok', milliseconds: 10 }))
  type('Words')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(texts()).toEqual(['Words'])
  expect(drafting.saved.value).toBe(true)
  drafting.close()
})

/** Types twice, with a pause, while the first answer has this fate. Returns the texts at the service, which the page must report as saved. */
async function textsAfter(fate: Fate, milliseconds: number, pauseMs: number): Promise<readonly string[]> {
  const fates: Fate[] = [fate]
  const { drafting, type, texts } = openTyping(() => ({ fate: fates.shift() ?? 'ok', milliseconds }))
  type('Words')
  await vi.advanceTimersByTimeAsync(pauseMs)
  type(' and more')
  await vi.advanceTimersByTimeAsync(120_000)
  expect(drafting.saved.value).toBe(true)
  drafting.close()
  return texts()
}

test('[SUGG-23] an answer that never comes is asked for again', async () => {
  expect(await textsAfter('silent', 10, 1000)).toEqual(['Words and more'])
})

test('[SUGG-23] what is typed while the service answers with other words is sent without another key', async () => {
  expect(await textsAfter('other', 500, 400)).toContain('Words and more')
})

test('[SUGG-23] whatever the network does with each request, and whenever the page is hidden, what was typed reaches the service, once', async () => {
  for (let seed = 1; seed <= 100; seed++) {
    let state = seed
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return (state >> 8) % below
    }
    let isOver = false
    const fates: readonly Fate[] = ['ok', 'ok', 'unreached', 'lost', 'cut']
    const times = [5, 300, 900, 3500]
    const { drafting, type, texts } = openTyping(() => ({
      fate: isOver ? 'ok' : (fates[random(5)] ?? 'ok'),
      milliseconds: times[random(4)] ?? 5
    }))
    let typed = ''
    for (let turn = 0; turn < 12; turn++) {
      if (random(3) < 2) {
        type(`w${turn} `)
        typed += `w${turn} `
      } else drafting.leave()
      await vi.advanceTimersByTimeAsync(random(2) === 0 ? random(300) : random(4000))
    }
    isOver = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(texts(), `seed ${seed}`).toEqual(typed === '' ? [] : [typed])
    expect(drafting.saved.value, `seed ${seed}`).toBe(true)
    drafting.close()
  }
})
