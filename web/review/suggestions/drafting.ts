/**
 * Sends suggestions while they are typed: the service has what was typed a moment after the person rests, and the others see it. Each has
 * an id of its own, so later versions of it, from this page or from one that adopts what this page left, change the same suggestion.
 */
import { effect, signal, untracked, type Signal } from '@preact/signals'
import type { ChangeSet } from '@codemirror/state'
import type { Range } from '../../../shared/text/anchors.ts'
import { RequestError } from '../../client/api.ts'
import { personName } from '../../presence/person.ts'
import type { Sent } from './accepted.ts'
import { newDraftId, shownName } from '../outbox/draft-name.ts'
import type { Hunk } from './hunks.ts'
import { prepareDraft } from '../outbox/outbox.ts'
import { passes } from '../outbox/refusals.ts'
import type { Store } from '../outbox/store.ts'
import type { DraftName, SuggestDeed } from '../outbox/waiting.ts'

/** How long after the first letter it is sent, and how long after an answer what came since, in milliseconds. */
const firstMs = 250
const nextMs = 500
/** How long until what could not be sent is tried again, in milliseconds. */
const againMs = 3000
/** How long text may read like what was suggested without the service saying that it was accepted, in milliseconds. */
const acceptedMs = 5000
/** Versions of one suggestion that the service may have, next to the one that it has told. */
const sentMax = 8
/** Bytes that browsers send for a page that is gone: 64 KiB, of which other requests take some. */
const leavingBytesMax = 48 * 1024

interface LiveDraft extends Range {
  readonly id: string
  readonly author: string
  from: number
  to: number
  step: number
  /** Newest first. */
  sent: Sent[]
  /** The version that the service has. */
  saved: string | undefined
  /** The version that the service refused: sent again once it is another one. */
  refused: string | undefined
  isSending: boolean
  /** Its id at the service. */
  suggestion: string | undefined
}

export interface Drafting {
  /** The service has all that is typed. */
  readonly saved: Signal<boolean>
  /** The changes that are typed are others. */
  changed(): void
  /** Versions that the service may have accepted, newest first. */
  sent(): readonly Sent[]
  /** Others changed the text; of these drafts they made text. */
  follow(theirs: ChangeSet, accepted: readonly Sent[]): void
  /** The name under which a hunk is sent, from now on by somebody else. */
  claim(hunk: Hunk): DraftName
  /** The names of all hunks, in their order. */
  named(hunks: readonly Hunk[]): readonly DraftName[]
  /** The page may go: sends what the service does not have. */
  leave(): void
  close(): void
}

interface DraftingInput {
  readonly doc: string
  readonly key: string
  readonly store: Store
  readonly hunks: () => readonly Hunk[]
  readonly deedFor: (hunk: Hunk) => SuggestDeed
  /** The others rejected what stands there, word for word. */
  readonly onRejected: (hunk: Hunk, by: string) => void
}

const meets = (one: Range, other: Range): boolean => one.from <= other.to && one.to >= other.from
const versionOf = ({ operation, original, text, note }: SuggestDeed): string => JSON.stringify([operation, original, text, note])

export function openDrafting({ doc, key, store, hunks, deedFor, onRejected }: DraftingInput): Drafting {
  const saved = signal(true)
  const live = new Set<LiveDraft>()
  /** Drafts whose words are text by now, until it is clear whether somebody accepted them or wrote the same by chance. */
  const became = new Map<LiveDraft, ReturnType<typeof setTimeout>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const found = (draft: LiveDraft) =>
    store.proposals.peek().find(({ suggestion }) => suggestion.draftId === shownName(draft.id))?.suggestion
  const later = (ms: number): void => {
    if (!isClosed) timer ??= setTimeout(tick, ms)
  }

  /** Words that were typed and taken back belong to no draft. */
  const forget = (draft: LiveDraft): void => {
    live.delete(draft)
    if (draft.suggestion !== undefined) store.act({ kind: 'withdraw', suggestion: draft.suggestion })
  }

  /** The draft of each hunk: the one that it grew out of, else a new one. */
  const pairs = (all: readonly Hunk[]): readonly (readonly [LiveDraft, Hunk])[] => {
    const left = new Set(live)
    const paired = all.map((hunk) => {
      const known = [...left].find((draft) => meets(draft, hunk))
      if (known !== undefined) {
        left.delete(known)
        known.from = hunk.from
        known.to = hunk.to
        return [known, hunk] as const
      }
      const { from, to } = hunk
      const states = { step: 0, sent: [], saved: undefined, refused: undefined, isSending: false, suggestion: undefined }
      const made: LiveDraft = { id: newDraftId(), author: personName.peek(), from, to, ...states }
      store.hold(made.id)
      live.add(made)
      return [made, hunk] as const
    })
    for (const draft of left) if (!draft.isSending) forget(draft)
    return paired
  }

  /** The service has other words by this name, or keeps those that it has: what is typed is sent as a new suggestion. */
  const renew = (draft: LiveDraft): void => {
    live.delete(draft)
    store.release(draft.id)
  }

  const nextOf = (draft: LiveDraft, hunk: Hunk): SuggestDeed => {
    draft.step += 1
    const { from, to, original, text } = hunk
    draft.sent = [{ draft: draft.id, from, to, original, text }, ...draft.sent].slice(0, sentMax)
    return { ...deedFor(hunk), draft: { id: draft.id, step: draft.step } }
  }

  /** The others decided it while it was typed. Changes typed since are a suggestion of their own. */
  const settle = (draft: LiveDraft): boolean => {
    const suggestion = found(draft)
    if (suggestion === undefined || (suggestion.status !== 'accepted' && suggestion.status !== 'rejected')) return false
    live.delete(draft)
    store.release(draft.id)
    const hunk = hunks().find((each) => meets(each, draft))
    const isSame = hunk !== undefined && hunk.text === suggestion.text && hunk.original === suggestion.original
    if (suggestion.status === 'rejected' && suggestion.withdrawn !== true && isSame) onRejected(hunk, suggestion.decidedBy ?? '')
    return true
  }

  const send = async (draft: LiveDraft, hunk: Hunk): Promise<void> => {
    const deed = nextOf(draft, hunk)
    const version = versionOf(deed)
    draft.isSending = true
    try {
      const answer = await prepareDraft(deed, false).send({ id: doc, key, author: draft.author })
      if (answer.suggestion.text !== deed.text) return renew(draft)
      draft.saved = version
      draft.suggestion = answer.suggestion.id
      store.drafted(answer.suggestion, draft.author)
      const at = draft.sent.findIndex(({ text, original }) => text === deed.text && original === deed.original)
      draft.sent = draft.sent.slice(0, at + 1)
      later(nextMs)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (error.code === 'already_decided' && !settle(draft)) store.read()
      else if (error.code === 'suggestion_fixed') {
        // Two on one place would both be accepted.
        if (draft.suggestion !== undefined) store.act({ kind: 'withdraw', suggestion: draft.suggestion })
        renew(draft)
      }
      // A later step of this page was there first.
      else if (error.code === 'stale_step' && (error.step <= (deed.draft?.step ?? 0) || error.step > draft.step)) renew(draft)
      // Words that the service does not know yet it knows a moment later.
      else if (!passes(error) && error.status !== 422 && error.status !== 409) draft.refused = version
      later(againMs)
    } finally {
      draft.isSending = false
    }
  }

  function tick(): void {
    timer = undefined
    if (isClosed) return
    const all = pairs(hunks())
    const isOn = store.isConnected.peek() && store.canSuggest.peek()
    let isDone = true
    for (const [draft, hunk] of all) {
      const version = versionOf(deedFor(hunk))
      if (draft.saved === version) continue
      isDone = false
      if (isOn && !draft.isSending && draft.refused !== version) void send(draft, hunk)
    }
    if ([...live].some(({ isSending }) => isSending)) isDone = false
    saved.value = isDone
  }

  const stops = [
    effect(() => {
      if (store.isConnected.value) later(firstMs)
    }),
    effect(() => {
      void store.proposals.value
      untracked(() => {
        for (const draft of live) if (draft.suggestion !== undefined && settle(draft)) later(firstMs)
      })
    })
  ]

  /** The hunk is no longer in the editor, so nothing but its place tells which one it is. */
  const claim = (hunk: Hunk): DraftName => {
    const draft = [...live].find((each) => meets(each, hunk))
    if (draft === undefined) {
      const id = newDraftId()
      store.hold(id)
      return { id, step: 1 }
    }
    live.delete(draft)
    return { id: draft.id, step: draft.step + 1 }
  }

  const endBecame = (draft: LiveDraft): void => {
    clearTimeout(became.get(draft))
    became.delete(draft)
    store.release(draft.id)
  }

  return {
    saved,
    changed() {
      saved.value = false
      later(firstMs)
    },
    sent: () => [...live].flatMap(({ sent }) => sent),
    follow(theirs, accepted) {
      // Words that changed again were accepted and given back: the suggestion is open, and stays.
      for (const draft of became.keys()) if (theirs.touchesRange(draft.from, draft.to) !== false) endBecame(draft)
      for (const draft of [...live, ...became.keys()]) {
        const isText = accepted.some((each) => each.draft === draft.id)
        if (isText) {
          live.delete(draft)
          // A person who wrote the same by chance has accepted nothing.
          const timer = setTimeout(() => {
            const suggestion = found(draft)
            if (suggestion?.status === 'pending') store.act({ kind: 'withdraw', suggestion: suggestion.id })
            endBecame(draft)
          }, acceptedMs)
          became.set(draft, timer)
        }
        const mapped = <At extends Range>(at: At): At => ({ ...at, from: theirs.mapPos(at.from, -1), to: theirs.mapPos(at.to, 1) })
        const { from, to } = { from: theirs.mapPos(draft.from, -1), to: theirs.mapPos(draft.to, 1) }
        draft.from = from
        draft.to = to
        draft.sent = draft.sent.map(mapped)
      }
      later(firstMs)
    },
    claim,
    named: (all) => {
      const of = new Map(pairs(all).map(([draft, hunk]) => [hunk, { id: draft.id, step: draft.step + 1 }]))
      return all.map((hunk) => of.get(hunk) ?? { id: newDraftId(), step: 1 })
    },
    leave() {
      if (!navigator.onLine || !store.canSuggest.peek()) return
      let left = leavingBytesMax
      for (const [draft, hunk] of pairs(hunks())) {
        const { bytes, send: sendNow } = prepareDraft(nextOf(draft, hunk), true)
        left -= bytes
        if (left < 0) return
        sendNow({ id: doc, key, author: draft.author, keepalive: true }).catch(() => undefined)
      }
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      for (const stop of stops) stop()
    }
  }
}
