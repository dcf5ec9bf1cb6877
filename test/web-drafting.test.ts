/** Suggestions that are typed on a network that loses, delays and cuts off messages, with a simulated service. */
import { ChangeSet, EditorState, Text, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { signal } from '@preact/signals'
import { afterEach, expect, test, vi } from 'vitest'
import * as Y from 'yjs'
import { refusedIn, takingBack } from '../web/review/annotations/refused-ids.ts'
import { bothVersions } from '../web/review/outbox/both-versions.ts'
import { shownName } from '../web/review/outbox/draft-name.ts'
import type { Store } from '../web/review/outbox/store.ts'
import { openDrafting, type Drafting } from '../web/review/suggestions/drafting.ts'
import { draftsOf } from '../web/review/suggestions/draft-field.ts'
import { suggesting, takeRejected } from '../web/review/suggestions/suggesting.ts'
import { tellRejected } from '../web/review/annotations/rejected.ts'
import type { Suggestion } from '../web/review/outbox/records.ts'
import { Toasts } from '../web/ui/toast.tsx'
import { unseenIn } from '../web/review/suggestions/unseen-words.ts'

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
  /** Returns the words in the editor. */
  readonly shown: () => string
  /** Sends another version of the suggestion, as another tab of the same person. The page hears of it if `isTold`. */
  sendElsewhere(text: string, isTold: boolean): void
  type(text: string): void
  /** Rejects the version that the service has, and reports that to the page. The page then removes the words of this version. */
  reject(): void
  /** The texts that the page removed. */
  readonly removed: string[]
}

/** Opens a page on which one suggestion is typed. `next` decides what happens to the next request, and how long each direction takes. */
function openTyping(next: () => { readonly fate: Fate; readonly milliseconds: number }): Typing {
  const service = new Map<string, { step: number; text: string; isRejected?: boolean }>()
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
    if (known?.isRejected === true) return Response.json({ code: 'already_decided' }, { status: 409 })
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
  const removed: string[] = []
  const proposals = signal<readonly unknown[]>([])
  const tell = (draft: string): void => {
    const { step, text } = service.get(draft) ?? {}
    const suggestion = { draftId: shownName(draft), status: 'pending', operation: 'insert', original: '', text, step, note: null }
    proposals.value = [{ suggestion }]
  }
  const store = {
    proposals,
    isConnected: signal(true),
    canSuggest: signal(true),
    hold: () => undefined,
    release: () => undefined,
    drafted: () => undefined,
    readDraft: (draft: string) => tell(draft),
    act: ({ suggestion }: { suggestion: string }) => service.delete(suggestion)
  } as unknown as Store
  const drafting = openDrafting({
    doc: 'doc',
    key: 'key',
    store,
    hunks: () => (typed === '' ? [] : [{ from: 5, to: 5, original: '', text: typed, fromShown: 5, toShown: 5 + typed.length }]),
    actionFor: ({ text }) => ({ kind: 'suggest', operation: 'insert', original: '', text, target: null, note: '' }),
    onRejected({ text }, rejected) {
      const unseen = unseenIn(text, rejected.text, false) ?? { from: text.length, to: text.length }
      removed.push(text.slice(0, unseen.from))
      typed = text.slice(unseen.from, unseen.to)
    },
    onOtherVersion(_hunk, changes) {
      typed = changes.apply(Text.of([typed])).toString()
      return true
    }
  })
  return {
    drafting,
    removed,
    texts: () => [...service.values()].map(({ text }) => text),
    reject() {
      for (const [id, known] of service) {
        known.isRejected = true
        proposals.value = [{ suggestion: { draftId: shownName(id), status: 'rejected', text: known.text } }]
      }
    },
    shown: () => typed,
    sendElsewhere(text, isTold) {
      for (const [id, known] of service) {
        known.step += 1
        known.text = text
        if (isTold) tell(id)
      }
    },
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

test('[SUGG-60] [SUGG-90] words that others could not see when they rejected a suggestion become the beginning of a new one', async () => {
  const { drafting, type, texts, reject, removed } = openTyping(() => ({ fate: 'ok', milliseconds: 400 }))
  type('Words')
  await vi.advanceTimersByTimeAsync(1500)
  // A newer version is on its way, and some letters are not.
  type(' and')
  await vi.advanceTimersByTimeAsync(300)
  type(' mo')
  reject()
  expect(removed).toEqual(['Words'])
  type('re')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(removed).toEqual(['Words'])
  expect(texts()).toEqual(['Words', ' and more'])
  drafting.close()
})

const ignore = (): undefined => undefined

/** Returns the texts of the editor after others have rejected one version of a typed change: all of it, what is suggested, and with the caret. */
function afterRejection(base: string, [from, to]: readonly [number, number], typed: string, rejected: string) {
  const input = { onHunks: ignore, onUprooted: ignore, onDrafts: ignore, onLeave: ignore, isExplaining: () => false }
  const [drafting, typedSteps] = [{ sent: () => [], formers: () => [], follow: ignore }, { follow: ignore }]
  let state = EditorState.create({ doc: base, extensions: suggesting(new Y.Doc().getText(), { ...input, drafting, typedSteps }) })
  const view = {
    get state() {
      return state
    },
    dispatch(...specs: TransactionSpec[]) {
      state = state.update(...specs).state
    }
  } as unknown as EditorView
  view.dispatch({ changes: { from, to, insert: typed }, selection: { anchor: from + typed.length } })
  const [hunk] = draftsOf(state)
  expect(hunk).toBeDefined()
  const isLeft = hunk !== undefined && takeRejected(view, hunk, rejected)
  const { head } = state.selection.main
  const left = draftsOf(state).map(({ original, text }) => (original === '' ? text : `${original}→${text}`))
  return [isLeft, left.join(), `${state.doc.sliceString(0, head)}|${state.doc.sliceString(head)}`]
}

test('[SUGG-60] [SUGG-61] [SUGG-90] the words that others could not see stay in the editor, with the caret, and no word is torn', () => {
  const base = 'The plan.'
  expect(afterRejection(base, [8, 8], ' alpha charlie d', ' alpha charli')).toEqual([true, ' charlie d', 'The plan charlie d|.'])
  expect(afterRejection(base, [9, 9], ' It works, too', ' It works')).toEqual([true, ', too', 'The plan., too|'])
  expect(afterRejection(base, [4, 4], 'big bol', 'big bo')).toEqual([true, 'bol', 'The bol|plan.'])
  expect(afterRejection(base, [4, 4], 'big ', 'big ')).toEqual([false, '', 'The |plan.'])
  // The words in the middle are new.
  expect(afterRejection(base, [4, 4], 'very old and grey ', 'very grey ')).toEqual([true, 'old and ', 'The old and |plan.'])
  // A replaced word stays, unless the unseen letters belong to the only word in its place.
  expect(afterRejection(base, [4, 8], 'big idea', 'big')).toEqual([true, ' idea', 'The plan idea|.'])
  expect(afterRejection(base, [4, 8], 'idea', 'ide')).toEqual([true, 'plan→idea', 'The idea|.'])
  expect(afterRejection(base, [4, 8], '', '')).toEqual([false, '', 'The |plan.'])
  expect(afterRejection('| a |\n| - |\n| b |', [3, 3], ' | c', ' | ')[0]).toBe(false)
  const offers = (): number => JSON.stringify(Toasts({})).split('Copy text').length
  const offer = (typed: string): boolean => {
    const before = offers()
    tellRejected(typed, { text: ' | ', decidedBy: 'Eve' } as Suggestion, ignore)
    return offers() > before
  }
  expect([' | c', ''].map(offer)).toEqual([true, false])
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

test('[SUGG-73] a suggestion that its author changes in two tabs stays one suggestion with the words of both', async () => {
  const { drafting, type, texts, shown, sendElsewhere } = openTyping(() => ({ fate: 'ok', milliseconds: 10 }))
  type('Words')
  await vi.advanceTimersByTimeAsync(2000)
  // Here the person types before this page has heard of the other version.
  sendElsewhere('Words there', false)
  type(' here')
  await vi.advanceTimersByTimeAsync(10_000)
  expect([texts(), shown()]).toEqual([['Words there here'], 'Words there here'])
  sendElsewhere('Those words there here', true)
  await vi.advanceTimersByTimeAsync(2000)
  expect([texts(), shown()]).toEqual([['Those words there here'], 'Those words there here'])
  type(' too')
  await vi.advanceTimersByTimeAsync(2000)
  expect(texts()).toEqual(['Those words there here too'])
  drafting.close()
  expect(bothVersions('A red apple', 'A red apple now', 'The red apple')).toBe('The red apple now')
})

test('[SUGG-70] edits that another tab has suggested are taken back by the ids of their characters', () => {
  const docOf = (...updates: readonly Uint8Array[]): { doc: Y.Doc; text: Y.Text } => {
    const doc = new Y.Doc()
    for (const update of updates) Y.applyUpdate(doc, update)
    return { doc, text: doc.getText('content') }
  }
  const service = docOf()
  service.text.insert(0, 'One apple. Two pears.')
  const stored = Y.encodeStateAsUpdate(service.doc)
  const first = docOf(stored)
  first.text.delete(4, 5)
  first.text.insert(4, 'plum')
  first.text.insert(0, '# ')
  // The second tab has loaded the edits of the first one, and has edits of its own, within the others and apart from them.
  const second = docOf(stored, Y.encodeStateAsUpdate(first.doc))
  second.text.insert(8, '-x-')
  second.text.delete(2, 1)
  second.text.insert(second.text.length, ' Three.')
  expect(second.text.toString()).toBe('# ne pl-x-um. Two pears. Three.')
  service.text.insert(10, '!')
  const [copy, { doc, text }] = [service.doc, second]
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(copy))
  Y.applyUpdate(first.doc, Y.encodeStateAsUpdate(copy))
  const suggested = refusedIn(first.doc, copy)
  for (const { from, to, insert } of takingBack(doc, copy, suggested).toReversed()) {
    text.delete(from, to - from)
    text.insert(from, insert)
  }
  expect(text.toString().replace('-x-', '')).toBe('ne apple.! Two pears. Three.')
  expect(text.toString()).toContain('-x-')
  // The first tab has nothing left that it has not suggested.
  for (const { from, to, insert } of takingBack(first.doc, copy, suggested).toReversed()) {
    first.text.delete(from, to - from)
    first.text.insert(from, insert)
  }
  expect(first.text.toString()).toBe(service.text.toString())
})
