/**
 * The comments, suggestions and assignments of one open document. It combines the service's data with actions on this page for which no response has
 * arrived. It exposes signals and has no user interface code.
 */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { limits } from '../../../shared/limits.ts'
import { isGuestNumber } from '../../../shared/names.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { includesRole } from '../../../shared/roles.ts'
import type { RequestError } from '../../client/api.ts'
import { findUser } from '../../client/documents.ts'
import type { Session } from '../../session/session.ts'
import { displayName } from '../../presence/people.ts'
import { formerNames, personName, signature } from '../../presence/person.ts'
import { t } from '../../text/t.ts'
import { bothVersions } from './both-versions.ts'
import { newDraftId, shownName } from './draft-name.ts'
import { openOutbox, type Outbox } from './outbox.ts'
import { ownIds } from './own-ids.ts'
import { type Lists, listsOf, openReceived, type Received } from './received.ts'
import { excerpt, isRejected, isUndecided, type Comment, type Suggestion, type Task } from './records.ts'
import { refusalOf } from './refusals.ts'
import { openRefusedDecisions } from './refused-decisions.ts'
import { retryAllowed } from './retry-allowed.ts'
import { entriesByComment, proposalsOf, type Proposal, type Thread, threadsOf } from './shown-records.ts'
import type { Decision, Action, DraftName, SuggestAction, Target, OutboxEntry } from './entry.ts'

export interface Store {
  readonly threads: ReadonlySignal<readonly Thread[]>
  readonly proposals: ReadonlySignal<readonly Proposal[]>
  readonly tasks: ReadonlySignal<readonly Task[]>
  readonly outbox: Outbox
  /** `ready` once the lists have arrived, `failed` if they could not be loaded. */
  readonly state: ReadonlySignal<'reading' | 'ready' | 'failed'>
  readonly lists: ReadonlySignal<Lists>
  /** The date of the displayed lists, in milliseconds since 1970. Undefined if they are current. */
  readonly asOf: ReadonlySignal<number | undefined>
  /** The decided suggestions of earlier visits. */
  readonly decided: Received['decided']
  /** Shows earlier lists until the service sends the current ones. */
  offer(lists: Lists, at: number): void
  readonly canComment: ReadonlySignal<boolean>
  /** Whether this person may no longer comment. While the page does not know the role, nobody is barred. */
  readonly isBarred: ReadonlySignal<boolean>
  readonly canSuggest: ReadonlySignal<boolean>
  readonly canDecide: ReadonlySignal<boolean>
  readonly isOwner: ReadonlySignal<boolean>
  /** Name of the signed-in account. Undefined if nobody is signed in or the page does not know yet. */
  readonly account: ReadonlySignal<string | undefined>
  readonly isConnected: ReadonlySignal<boolean>
  /** Whether this person wrote a comment, reply or suggestion, as far as this device knows. The service has the final decision. */
  isOwn(record: Pick<Comment, 'id' | 'author' | 'authorKind'>): boolean
  /** Whether this person, or a guest with the same name, wrote a record. For a reply, the page cannot find out more about the author. */
  isMe(record: Pick<Comment, 'id' | 'author' | 'authorKind'>): boolean
  /** Maps the ids of outbox entries to the ids of their records, for the annotations that this page has sent. */
  readonly recordIds: ReadonlySignal<ReadonlyMap<string, string>>
  /** The waiting or refused entries of each comment, by the comment's id, or by the id of its own entry while it is unsent. */
  readonly entriesOf: ReadonlySignal<ReadonlyMap<string, readonly OutboxEntry[]>>
  /** The last announcement for screen readers. */
  readonly said: Signal<string>
  /** Suggestions that the editor itself displays, because they are being typed here. They are identified by the ids that this page assigned. */
  readonly held: ReadonlySignal<ReadonlySet<string>>
  hold(draft: string, author: string): void
  release(draft: string): void
  /** The held suggestions that were sent before and are being edited. Their cards stay. They are identified like those in `held`. */
  readonly edited: ReadonlySignal<ReadonlySet<string>>
  /**
   * Holds a suggestion that was sent before, because its author edits it. `draft` is the last version that was sent. `entry` is its entry in the
   * outbox, which is discarded then.
   */
  edit(draft: DraftName, author: string, entry?: string): void
  /** Returns the name of the version that the service has of a suggestion. Undefined if this device did not send the suggestion. */
  draftOf(suggestion: Suggestion): DraftName | undefined
  /** Returns the name under which this device sent a record. */
  nameOf(record: string): string | undefined
  /** The name under which a suggestion is sent while it is typed. The name does not change, because only its author may change a suggestion. */
  authorOf(draft: string): string
  /** Called when the service has stored a version of a suggestion that is being typed here. */
  drafted(suggestion: Suggestion, author: string, draft: string): void
  act(action: Action, author?: string): OutboxEntry
  /** Decides suggestions. `reason` is the reason for a rejection. */
  decide(action: Decision, suggestions: readonly string[], reason?: string): void
  /** Reads all lists again. */
  read(): void
  /** Reads a suggestion of this device again, by the full id of its draft. */
  readDraft(draft: string): void
  start(): () => void
}

interface StoreInput {
  readonly session: Session
  /** Returns a new description of a waiting annotation's place. Undefined if it has not changed. */
  readonly newTargetOf: (item: OutboxEntry) => Target | undefined
  /** Returns the remaining part of a suggestion that others decided while it was being typed. */
  readonly restOf: (action: SuggestAction, decided: Suggestion) => Action | undefined
  /** Called when others have rejected a suggestion before they could see this version. `isLeft` says whether the rest is sent again. */
  readonly onRejected: (action: SuggestAction, rejected: Suggestion, isLeft: boolean) => void
  readonly onDeciding: (action: Decision, suggestions: readonly string[]) => void
  /** Called when the service has carried out decisions made on this page. `left` says how many others of the request it refused, and why. */
  readonly onDecided: (action: Decision, suggestions: readonly string[], left: string | undefined) => void
  /** Called when suggestions could not be decided. `words` gives the reason, unless the page shows it elsewhere. `canReopen` says whether the person can reopen them. */
  readonly onUndecided: (suggestions: readonly string[], words: string | undefined, canReopen?: boolean) => void
}

export function openStore({ session, newTargetOf, restOf, onRejected, onDeciding, onDecided, onUndecided }: StoreInput): Store {
  const { id, key } = session
  const account = signal<string | undefined>(undefined)
  const recordIds = signal<ReadonlyMap<string, string>>(new Map())
  const said = signal('')
  const own = ownIds(id)
  const received = openReceived({
    session,
    onMessage: (comment, suggestion) => announce(comment, suggestion),
    isSending: () => outbox.sending.peek(),
    hasEntries: (record) => entriesOf.peek().has(record)
  })
  const { comments, suggestions, tasks } = received
  const refused = openRefusedDecisions({
    suggestions,
    onSuggestion: (suggestion) => received.add({ suggestion }),
    onDecided,
    onUndecided,
    rejectAgain: (ids, reason) => decideNow('reject', ids, reason)
  })
  const connected = computed(() => session.link.socket.value === 'synced')
  const may = (role: 'comment' | 'suggest' | 'edit' | 'owner'): ReadonlySignal<boolean> =>
    computed(() => session.link.ended.value === undefined && includesRole(session.role.value, role))

  const canComment = may('comment')
  const canSuggest = may('suggest')

  /** Ids of the suggestions that the editor itself displays. */
  const typed = signal<ReadonlySet<string>>(new Set())
  const authors = new Map<string, string>()
  /** The discarded entries of suggestions that are or were edited before the service had them. */
  const discarded = new Map<string, string>()
  /** The last versions that were sent before the suggestions were edited again. */
  const edited = signal<ReadonlyMap<string, number>>(new Map())
  const letGo = (draft: string): void => {
    const name = shownName(draft)
    if (!typed.peek().has(name)) return
    batch(() => {
      typed.value = new Set([...typed.peek()].filter((each) => each !== name))
      edited.value = new Map([...edited.peek()].filter(([each]) => each !== name))
    })
  }
  const letGoOf = ({ id: draft, step }: DraftName): void => {
    // The response to an earlier version does not end the editing.
    if (step > (edited.peek().get(shownName(draft)) ?? 0)) letGo(draft)
  }
  /** Reads a suggestion of this device again. Without its id, all undecided suggestions and the newest decided ones are read. */
  const readDraft = (draft: string): void => {
    const known = own.withDraft(draft)
    if (known !== undefined) return received.readOne(known)
    received.read()
    if (received.decided.state.peek() !== 'all') received.decided.more()
  }
  /** Returns the action to send after a version that the same person sent from another tab. It has the words of both. */
  const afterStaleStep = (
    action: SuggestAction,
    { id: draft, isDelivered, before }: DraftName,
    known: Suggestion
  ): Action | 'done' | undefined => {
    if (isDelivered === true || known.text.includes(action.text)) return 'done'
    if (before === undefined || !isUndecided(known) || known.original !== action.original) return restOf(action, known)
    const text = bothVersions(before, action.text, known.text)
    return { ...action, text, draft: { id: draft, step: (known.step ?? 0) + 1, before: known.text } }
  }
  /** Returns the action to send instead of a suggestion that others decided, or replied to, while it was being typed. */
  const afterRefusal = ({ action }: OutboxEntry, { code, step }: RequestError): Action | 'later' | 'done' | undefined => {
    if (action.kind === 'restore') return action.instead
    if (action.kind !== 'suggest' || action.draft === undefined) return undefined
    const draft = shownName(action.draft.id)
    const known = [...suggestions.peek().values()].find(({ draftId }) => draftId === draft)
    if (known !== undefined && isUndecided(known) && known.text === action.text && known.original === action.original) {
      // The service has had this version since the person typed it.
      letGoOf(action.draft)
      return 'done'
    }
    if (code !== 'already_decided' && code !== 'stale_step' && code !== 'suggestion_fixed') return undefined
    letGoOf(action.draft)
    if (known !== undefined && isRejected(known)) {
      const rest = restOf(action, known)
      onRejected(action, known, rest !== undefined)
      return rest ?? 'done'
    }
    if (code === 'stale_step' && known !== undefined && (known.step ?? 0) >= step) return afterStaleStep(action, action.draft, known)
    if (code === 'suggestion_fixed' && known !== undefined) {
      act({ kind: 'withdraw', suggestion: known.id }, own.nameOf(known.id) ?? signature.value)
      return restOf(action, known)
    }
    if (known !== undefined && !isUndecided(known)) return restOf(action, known)
    readDraft(action.draft.id)
    return 'later'
  }

  /** Adds the records of a response to the lists. */
  const take = ({ id: sent, action, author }: OutboxEntry, answer: unknown): void => {
    // The service's responses have these types (openapi.json). The pages and the server are built and tested together.
    if (action.kind === 'decide') {
      refused.take(action, answer as Output<'decideSuggestions'>)
      return
    }
    const { comment, suggestion, task, reply } = answer as {
      comment?: Comment
      suggestion?: Suggestion
      task?: Task
      reply?: Comment['replies'][number]
    }
    if (reply !== undefined) own.add(reply.id, author)
    if (action.kind === 'start' && task !== undefined) own.add(task.id, author)
    if (action.kind === 'suggest' && suggestion !== undefined) received.addTyped(suggestion)
    else received.add({ comment, suggestion, task })
    const record = action.kind === 'comment' ? comment : action.kind === 'suggest' ? suggestion : undefined
    if (record !== undefined) {
      own.add(record.id, author, action.kind === 'suggest' ? action.draft?.id : undefined)
      recordIds.value = new Map(recordIds.value).set(sent, record.id)
      outbox.redirect(sent, record.id)
    }
    if (action.kind === 'suggest' && action.draft !== undefined) letGoOf(action.draft)
    if (action.kind === 'delete') received.removeComment(action.comment)
  }

  const outbox = openOutbox({
    doc: id,
    key,
    connected,
    newTargetOf,
    afterRefusal,
    // A card changes from the entry to its record in one step.
    onAnswer: (entry, answer) => batch(() => take(entry, answer)),
    onRefusal({ id: entry, action }, error) {
      if (action.kind === 'suggest' && action.draft !== undefined) letGoOf(action.draft)
      const decided = action.kind === 'decide' ? action.suggestions : action.kind === 'withdraw' ? [action.suggestion] : []
      const reason = action.kind === 'decide' ? action.reason : undefined
      for (const suggestion of decided) refused.refuse(suggestion, refusalOf(error), reason)
      // Nothing is lost, because the card keeps the reason.
      if (decided.length > 0 || (error.code === 'not_found' && ['resolve', 'delete', 'deleteReply'].includes(action.kind)))
        outbox.drop(entry)
      if (action.kind === 'delete' && error.code === 'not_found') received.removeComment(action.comment)
      // If the person has fewer rights than this page assumes, the next read corrects that.
      if (error.code === 'not_found') received.read()
      said.value = t('Not saved: {why}', { why: refusalOf(error) })
      // The card may no longer exist.
      if (decided.length > 0) onUndecided(decided, said.value)
    }
  })

  const announce = (comment: Comment | undefined, suggestion: Suggestion | undefined): void => {
    if (comment !== undefined && !comments.peek().has(comment.id) && !own.has(comment.id))
      said.value = t('{name} commented: {text}', { name: displayName(comment.author), text: excerpt(comment.body, 120) })
    const isHere = suggestion?.draftId !== undefined && typed.peek().has(suggestion.draftId)
    if (suggestion !== undefined && !isHere && !suggestions.peek().has(suggestion.id) && !own.has(suggestion.id))
      said.value = t('{name} suggested a change', { name: displayName(suggestion.author) })
  }

  const entriesOf = computed(() => entriesByComment(outbox.list.value))
  const threads = computed(() => threadsOf(comments.value.values(), entriesOf.value))
  const proposals = computed(() =>
    proposalsOf(suggestions.value.values(), outbox.list.value, refused.refusals.value, refused.reasons.value)
  )

  const act = (action: Action, author = signature.value): OutboxEntry => {
    const stored = 'comment' in action ? recordIds.peek().get(action.comment) : undefined
    return outbox.add(stored === undefined || !('comment' in action) ? action : { ...action, comment: stored }, author)
  }
  /** Sends decisions on the versions that this page has. */
  const decideNow = (action: Decision, ids: readonly string[], reason: string | undefined): void => {
    const stepOf = (id: string): [string, number][] => {
      const step = suggestions.peek().get(id)?.step
      return step === undefined ? [] : [[id, step]]
    }
    for (let at = 0; at < ids.length; at += limits.suggestionsAtOnceMax) {
      const some = ids.slice(at, at + limits.suggestionsAtOnceMax)
      act({
        kind: 'decide',
        action,
        suggestions: some,
        steps: Object.fromEntries(some.flatMap(stepOf)),
        ...(reason !== undefined && { reason })
      })
    }
  }
  /**
   * Returns the name for a report. The service identifies the holder of an assignment by the name under which it was started. A guest who started it
   * without a name reports under a name chosen later, or else under the number from the start, which differs from the number on another device.
   */
  const holderOf = (task: string): string => {
    const known = own.nameOf(task)
    const starter = tasks.peek().get(task)?.startedBy
    const name = known ?? (starter?.kind === 'guest' ? starter.name : undefined)
    if (isGuestNumber(name)) return personName.value || (name ?? '')
    return known ?? personName.value
  }
  const isAccount = (name: string): boolean => account.value !== undefined && (name === account.value || formerNames.value.includes(name))
  const isWritten: Store['isMe'] = (record) => own.has(record.id) || (record.authorKind === 'account' && isAccount(record.author))

  return {
    threads,
    proposals,
    tasks: computed(() => [...tasks.value.values()].toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))),
    outbox,
    lists: computed(() => listsOf(received)),
    asOf: received.asOf,
    decided: received.decided,
    offer: received.offer,
    state: received.state,
    canComment,
    isBarred: computed(() => !canComment.value && (session.link.ended.value !== undefined || session.role.value !== null)),
    canSuggest,
    canDecide: may('edit'),
    isOwner: may('owner'),
    isConnected: connected,
    account,
    isOwn: isWritten,
    isMe(record) {
      // Records are recognized by their ids, because in earlier versions two unnamed guests could have the same number.
      const name = record.id === '' ? signature.value : personName.value
      return isWritten(record) || (record.authorKind === 'guest' && name !== '' && record.author === name)
    },
    recordIds,
    entriesOf,
    said,
    held: typed,
    hold(draft, author) {
      authors.set(shownName(draft), author)
      typed.value = new Set(typed.peek()).add(shownName(draft))
    },
    release: letGo,
    edited: computed(() => new Set(edited.value.keys())),
    edit({ id: draft, step }, author, entry) {
      const name = shownName(draft)
      authors.set(name, author)
      if (entry !== undefined) discarded.set(name, entry)
      batch(() => {
        edited.value = new Map(edited.peek()).set(name, step)
        typed.value = new Set(typed.peek()).add(name)
      })
    },
    draftOf({ id: suggestion, step }) {
      const draft = own.draftOf(suggestion)
      return draft === undefined ? undefined : { id: draft, step: step ?? 0 }
    },
    nameOf: own.nameOf,
    authorOf: (draft) => authors.get(shownName(draft)) ?? signature.value,
    drafted(suggestion, author, draft) {
      own.add(suggestion.id, author, draft)
      const entry = discarded.get(shownName(draft))
      batch(() => {
        received.addTyped(suggestion)
        // The card of the entry becomes that of the record.
        if (entry !== undefined) recordIds.value = new Map(recordIds.peek()).set(entry, suggestion.id)
      })
    },
    act(action, author) {
      if (author === undefined && action.kind === 'report') return act(action, holderOf(action.task))
      if (author === undefined && (action.kind === 'withdraw' || action.kind === 'restore'))
        return act(action, own.nameOf(action.suggestion))
      if (author === undefined && 'reply' in action) return act(action, own.nameOf(action.reply))
      if (author === undefined && 'comment' in action) return act(action, own.nameOf(action.comment))
      if (action.kind !== 'suggest') return act(action, author)
      // With the name, its author can still change the suggestion.
      const draft = action.draft ?? { id: newDraftId(), step: 1 }
      return act({ ...action, draft }, author ?? authors.get(shownName(draft.id)))
    },
    decide(action, ids, reason) {
      refused.clear(ids)
      onDeciding(action, ids)
      decideNow(action, ids, reason)
    },
    read: received.read,
    readDraft,
    start() {
      const stopHearing = session.onMessage(received.hear)
      const stopSending = outbox.start()
      const stops = [
        retryAllowed({
          outbox,
          role: session.role,
          isAllowed: ({ kind }) => (kind === 'suggest' || kind === 'withdraw' ? canSuggest.value : canComment.value)
        }),
        effect(() => {
          if (connected.value) received.read()
        }),
        effect(() => {
          if (!outbox.sending.value) queueMicrotask(received.release)
        })
      ]
      if (key === '')
        void findUser().then(
          (user) => (account.value = user?.name ?? account.value),
          () => undefined
        )
      received.read()
      return () => {
        for (const stop of stops) stop()
        stopHearing()
        stopSending()
        received.close()
      }
    }
  }
}
