/**
 * Sends suggestions while they are being typed. The service receives them shortly after the person pauses, and others see them. Each suggestion has
 * an id. Later versions change the same suggestion, even if they come from a page that has taken over its draft. If the tab closes first, the draft
 * is in web/device/drafts.ts: annotations/suggesting-mode.ts stores it there when suggesting.ts reports that the page is being hidden or closed.
 */
import { effect, signal, untracked, type Signal } from '@preact/signals'
import type { ChangeSet, Text } from '@codemirror/state'
import type { Range } from '../../../shared/text/targets.ts'
import { RequestError } from '../../client/api.ts'
import { signature } from '../../presence/person.ts'
import type { Sent } from './accepted.ts'
import { changesToBoth } from '../outbox/both-versions.ts'
import { newDraftId, shownName } from '../outbox/draft-name.ts'
import type { Hunk } from './hunks.ts'
import {
  addVersion,
  type LiveDraft,
  meets,
  moveDraft,
  newDraft,
  type Resumed,
  resumedDraft,
  type SentSuggestion,
  versionOf
} from './live-draft.ts'
import { prepareDraft } from '../outbox/outbox.ts'
import { passes } from '../outbox/refusals.ts'
import { isRejected, type Suggestion } from '../outbox/records.ts'
import type { Store } from '../outbox/store.ts'
import type { DraftName, SuggestAction } from '../outbox/entry.ts'

/** Delay before the first characters are sent, in milliseconds. The next value is the delay between a response and the next version. */
const firstMs = 250
const nextMs = 500
/** Delay before a failed attempt is repeated, in milliseconds. */
const againMs = 3000
/** How long the text may already contain the suggested words before the service reports that they were accepted, in milliseconds. */
const acceptedMs = 5000
/** Maximum number of bytes that drafts use when the page closes. At that moment, browsers send at most 64 KiB, and other requests need some of it. */
const leavingBytesMax = 48 * 1024

export interface Drafting {
  /** Whether the service has everything that the person typed. */
  readonly saved: Signal<boolean>
  /** Called when the set of typed changes has changed. */
  changed(): void
  /** Returns the versions that the service may have accepted, newest first. */
  sent(): readonly Sent[]
  /** Returns the versions of the suggestions that this person edits again, as they were before. */
  formers(): readonly Sent[]
  /** Called when others have changed the text `base`, with the versions that they accepted. */
  follow(base: Text, theirs: ChangeSet, accepted: readonly Sent[]): void
  /** Returns the name under which a hunk is sent. From then on, another part of the page sends the hunk. */
  claim(hunk: Hunk): DraftName
  /** Continues a suggestion that was sent before, in the range of the document's text that it changes. */
  resume(range: Range, sent: Resumed): void
  /**
   * Ends a draft without sending it. Returns the id of its suggestion. Undefined if `claim` must send it: only an unchanged suggestion that was sent
   * before needs no request, and one that the service has when this person may no longer suggest.
   */
  giveBack(hunk: Hunk): string | undefined
  /** Returns the version that was sent before the suggestion in a hunk was edited again. Undefined if the suggestion is new. */
  formerOf(hunk: Hunk): SentSuggestion | undefined
  /** Returns the id of the suggestion in a hunk, or of its entry in the outbox while the service does not have it. Undefined for new text. */
  editedIn(hunk: Hunk): string | undefined
  /** Returns the names of all hunks, in order. A hunk without a name has nothing to send. */
  named(hunks: readonly Hunk[]): readonly (DraftName | undefined)[]
  /** Sends everything that the service lacks, because the page may be closing. */
  leave(): void
  close(): void
}

interface DraftingInput {
  readonly doc: string
  readonly key: string
  readonly store: Store
  readonly hunks: () => readonly Hunk[]
  readonly actionFor: (hunk: Hunk) => SuggestAction
  /** Called when others have rejected the suggestion in a hunk. */
  readonly onRejected: (hunk: Hunk, suggestion: Suggestion) => void
  /** Changes the text of a hunk in the editor, because the same person changed it in another tab. Returns false if that is not possible now. */
  readonly onOtherVersion: (hunk: Hunk, changes: ChangeSet) => boolean
}

export function openDrafting({ doc, key, store, hunks, actionFor, onRejected, onOtherVersion }: DraftingInput): Drafting {
  const saved = signal(true)
  const live = new Set<LiveDraft>()
  /** Drafts whose words have become part of the text, until it is clear whether somebody accepted them or typed the same text by chance. */
  const became = new Map<LiveDraft, ReturnType<typeof setTimeout>>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  const found = (draft: LiveDraft) =>
    store.proposals.peek().find(({ suggestion }) => suggestion.draftId === shownName(draft.id))?.suggestion
  const later = (ms: number): void => {
    if (!isClosed) timer ??= setTimeout(tick, ms)
  }

  /** Ends a draft whose text was typed and then removed. */
  const forget = (draft: LiveDraft): void => {
    live.delete(draft)
    if (draft.suggestion !== undefined) store.act({ kind: 'withdraw', suggestion: draft.suggestion })
  }

  /** Pairs each hunk with the draft from which it developed, or with a new one. */
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
      const made = newDraft(hunk)
      store.hold(made.id, made.author)
      live.add(made)
      return [made, hunk] as const
    })
    for (const draft of left) if (!draft.isSending) forget(draft)
    return paired
  }

  /**
   * Sends the typed text as a new suggestion, because the service has different text under this name or no longer changes that suggestion.
   */
  const renew = (draft: LiveDraft): void => {
    live.delete(draft)
    store.release(draft.id)
    later(nextMs)
  }

  const nextOf = (draft: LiveDraft, hunk: Hunk): SuggestAction => {
    addVersion(draft, hunk)
    return { ...actionFor(hunk), draft: { id: draft.id, step: draft.step } }
  }

  const draftAt = (hunk: Hunk): LiveDraft | undefined => [...live].find((each) => meets(each, hunk))
  const isSaved = (draft: LiveDraft, hunk: Hunk): boolean => draft.saved === versionOf(actionFor(hunk))
  /** Returns the name of the next version. */
  const nextName = (draft: LiveDraft, hunk: Hunk): DraftName => ({
    id: draft.id,
    step: draft.step + 1,
    isDelivered: isSaved(draft, hunk),
    ...(draft.told?.original === hunk.original && { before: draft.told.text })
  })
  /** Whether a sent suggestion was not changed since its author began to edit it. */
  const isUnchanged = (draft: LiveDraft, hunk: Hunk): boolean => draft.step === draft.former?.draft.step && isSaved(draft, hunk)

  /**
   * Takes in a version that this person sent from another tab. The editor and the next version then have the words of both tabs. Returns false if this
   * page knows no such version, or cannot combine it.
   */
  const takeOther = (draft: LiveDraft, hunk: Hunk): boolean => {
    const { told, step } = draft
    const other = found(draft)
    if (told === undefined || other?.status !== 'pending' || (other.step ?? 0) <= step || draft.isSending) return false
    if (other.original !== told.original || hunk.original !== told.original) return false
    if (!onOtherVersion(hunk, changesToBoth(told.text, hunk.text, other.text))) return false
    const { original, text, operation, note } = other
    draft.step = other.step ?? step
    draft.told = { original, text }
    draft.saved = versionOf({ original, text, operation, note: note ?? '' })
    draft.isBehind = false
    return true
  }

  /** Takes in what other tabs have sent. Returns whether the editor has changed. */
  const takeOthers = (): boolean => hunks().some((hunk) => [...live].some((draft) => meets(draft, hunk) && takeOther(draft, hunk)))

  /** Reads the version of another tab. If that did not help, the words become a new suggestion. */
  const isStale = (draft: LiveDraft, step: number): void => {
    if (draft.told === undefined || draft.isBehind) return renew(draft)
    draft.isBehind = true
    draft.step = step - 1
    store.readDraft(draft.id)
  }

  /** Ends a draft that others decided while it was being typed. Later changes become another suggestion. Returns false if it has not been decided. */
  const settle = (draft: LiveDraft): boolean => {
    // The text that is in its place now was typed later.
    if (!live.has(draft)) return true
    const suggestion = found(draft)
    if (suggestion === undefined || (suggestion.status !== 'accepted' && suggestion.status !== 'rejected')) return false
    live.delete(draft)
    store.release(draft.id)
    const hunk = hunks().find((each) => meets(each, draft))
    if (hunk !== undefined && isRejected(suggestion)) onRejected(hunk, suggestion)
    return true
  }

  const send = async (draft: LiveDraft, hunk: Hunk): Promise<void> => {
    const action = nextOf(draft, hunk)
    const version = versionOf(action)
    draft.isSending = true
    try {
      const answer = await prepareDraft(action, false).send({ id: doc, key, author: draft.author })
      if (answer.suggestion.text !== action.text) return renew(draft)
      draft.saved = version
      draft.told = { original: action.original, text: action.text }
      draft.suggestion = answer.suggestion.id
      store.drafted(answer.suggestion, draft.author, draft.id)
      const at = draft.sent.findIndex(({ text, original }) => text === action.text && original === action.original)
      draft.sent = draft.sent.slice(0, at + 1)
      later(nextMs)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      if (error.code === 'already_decided' && !settle(draft)) store.readDraft(draft.id)
      else if (error.code === 'suggestion_fixed') {
        // Two suggestions in the same place could both be accepted.
        if (draft.suggestion !== undefined) store.act({ kind: 'withdraw', suggestion: draft.suggestion })
        renew(draft)
      }
      // A later step of this page arrived first.
      else if (error.code === 'stale_step' && (error.step <= (action.draft?.step ?? 0) || error.step > draft.step))
        isStale(draft, error.step)
      // The service might not have these words yet, but will receive them soon.
      else if (!passes(error) && error.status !== 422 && error.status !== 409) draft.refused = version
      later(againMs)
    } finally {
      draft.isSending = false
    }
  }

  function tick(): void {
    timer = undefined
    if (isClosed) return
    while (takeOthers());
    const all = pairs(hunks())
    const isOn = store.isConnected.peek() && store.canSuggest.peek()
    let isDone = true
    for (const [draft, hunk] of all) {
      const version = versionOf(actionFor(hunk))
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
        for (const draft of live) {
          if (draft.suggestion === undefined) continue
          if (settle(draft) || (found(draft)?.step ?? 0) > draft.step) later(firstMs)
        }
      })
    })
  ]

  /** Returns the name of a hunk that is no longer in the editor, so only its position identifies it. */
  const claim = (hunk: Hunk): DraftName => {
    const draft = draftAt(hunk)
    if (draft === undefined) {
      const id = newDraftId()
      store.hold(id, signature.peek())
      return { id, step: 1 }
    }
    live.delete(draft)
    return nextName(draft, hunk)
  }

  const endBecame = (draft: LiveDraft): void => {
    clearTimeout(became.get(draft))
    became.delete(draft)
    store.release(draft.id)
  }

  return {
    saved,
    changed() {
      const all = hunks()
      const isUnsaved = (hunk: Hunk): boolean => draftAt(hunk)?.saved !== versionOf(actionFor(hunk))
      // Nothing is unsaved while a person only has the caret in a suggestion that was sent before.
      if (all.length !== live.size || all.some(isUnsaved)) saved.value = false
      later(firstMs)
    },
    sent: () => [...live].flatMap(({ sent }) => sent),
    formers: () => [...live].flatMap(({ formerSent }) => formerSent ?? []),
    follow(base, theirs, accepted) {
      // If the words changed once more, the acceptance was undone: the suggestion is open again and stays.
      for (const draft of became.keys()) if (theirs.touchesRange(draft.from, draft.to) !== false) endBecame(draft)
      for (const draft of [...live, ...became.keys()]) {
        const isText = accepted.some((each) => each.draft === draft.id)
        if (isText) {
          live.delete(draft)
          // A person may have typed the same text by chance. The suggestion is then still pending, and is withdrawn.
          const timer = setTimeout(() => {
            const suggestion = found(draft)
            if (suggestion?.status === 'pending') store.act({ kind: 'withdraw', suggestion: suggestion.id })
            endBecame(draft)
          }, acceptedMs)
          became.set(draft, timer)
        }
        moveDraft(draft, base, theirs)
      }
      later(firstMs)
    },
    claim,
    resume(range, sent) {
      store.edit(sent.action.draft, sent.author, sent.entry)
      live.add(resumedDraft(range, sent))
    },
    giveBack(hunk) {
      const draft = draftAt(hunk)
      if (draft === undefined) return undefined
      const isStored = isSaved(draft, hunk) && !store.canSuggest.peek()
      if (!isUnchanged(draft, hunk) && !isStored) return undefined
      live.delete(draft)
      store.release(draft.id)
      return draft.suggestion
    },
    editedIn: (hunk) => {
      const draft = draftAt(hunk)
      return draft?.suggestion ?? draft?.entry
    },
    formerOf: (hunk) => draftAt(hunk)?.former,
    named: (all) => pairs(all).map(([draft, hunk]) => (isUnchanged(draft, hunk) ? undefined : nextName(draft, hunk))),
    leave() {
      if (!navigator.onLine || !store.canSuggest.peek()) return
      let left = leavingBytesMax
      for (const [draft, hunk] of pairs(hunks())) {
        if (isUnchanged(draft, hunk)) continue
        const { bytes, send: sendNow } = prepareDraft(nextOf(draft, hunk), true)
        left -= bytes
        if (left < 0) return
        sendNow({ id: doc, key, author: draft.author, keepalive: true }).catch(() => undefined)
      }
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      // Once it is closed, this module no longer follows the text. If an acceptance is undone later, the suggestion must not be withdrawn.
      for (const draft of became.keys()) endBecame(draft)
      for (const stop of stops) stop()
    }
  }
}
