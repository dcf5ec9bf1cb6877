/**
 * The comments, suggestions and assignments of one open document. It combines the data of the service with actions of this page that the service has
 * not answered. It exposes signals and has no user interface code.
 */
import type { LiveMessage } from '../../../shared/live-protocol.ts'
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { limits } from '../../../shared/limits.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { includesRole } from '../../../shared/roles.ts'
import type { RequestError } from '../../client/api.ts'
import { findUser } from '../../client/documents.ts'
import { documentValue } from '../../device/device.ts'
import { readDevice, writeDevice } from '../../device/values.ts'
import type { Session } from '../../session/session.ts'
import { displayName } from '../../presence/people.ts'
import { personName } from '../../presence/person.ts'
import { signature } from '../../presence/signature.ts'
import { t } from '../../text/t.ts'
import { shownName } from './draft-name.ts'
import { orderMessages, recordOf } from './messages.ts'
import { openOutbox, type Outbox } from './outbox.ts'
import { excerpt, isUndecided, type Comment, type Suggestion, type Task } from './records.ts'
import { refusalOf } from './refusals.ts'
import { listComments, listSuggestions, listTasks } from './requests.ts'
import type { Decision, Action, SuggestAction, Target, OutboxEntry } from './entry.ts'

/** A comment as it will be once all waiting actions have arrived. */
export interface Thread {
  readonly comment: Comment
  /** Entries for this comment that are waiting or were refused. */
  readonly waiting: readonly OutboxEntry[]
}

export interface Proposal {
  readonly suggestion: Suggestion
  /** The decision of this page that is waiting for an answer. */
  readonly deciding: Decision | 'withdraw' | undefined
  /** Replies that are waiting or were refused. */
  readonly waiting: readonly OutboxEntry[]
  /** The reason why a decision of this page was refused. */
  readonly refusal: string | undefined
  /** The reason given in a rejection of this page that is waiting or was refused. */
  readonly reason: string | undefined
}

/** The records that the service returned. */
export interface Lists {
  readonly comments: readonly Comment[]
  /** The undecided suggestions. */
  readonly suggestions: readonly Suggestion[]
  readonly tasks: readonly Task[]
}

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
  /** Shows earlier lists until the service sends the current ones. */
  offer(lists: Lists, at: number): void
  readonly canComment: ReadonlySignal<boolean>
  readonly canSuggest: ReadonlySignal<boolean>
  readonly canDecide: ReadonlySignal<boolean>
  readonly isOwner: ReadonlySignal<boolean>
  /** Name of the signed-in account. Undefined if nobody is signed in or the page does not know yet. */
  readonly account: ReadonlySignal<string | undefined>
  readonly isConnected: ReadonlySignal<boolean>
  /** Whether this person wrote a comment or suggestion, as far as this device knows. The service has the final decision. */
  isOwn(record: Comment | Suggestion): boolean
  /** Whether this person, or a guest with the same name, wrote a record. For a reply, this is all that the page can find out about the author. */
  isMe(record: Pick<Comment, 'id' | 'author' | 'authorKind'>): boolean
  /** Maps the ids of outbox entries to the ids of their records, for the annotations that this page has sent. */
  readonly recordIds: ReadonlySignal<ReadonlyMap<string, string>>
  /** The waiting or refused entries of each comment, by the id of the comment, or of its own entry while it is unsent. */
  readonly entriesOf: ReadonlySignal<ReadonlyMap<string, readonly OutboxEntry[]>>
  /** The last announcement for screen readers. */
  readonly said: Signal<string>
  /** Suggestions that the editor itself displays, because they are being typed here. They are identified by the ids that this page assigned. */
  readonly held: ReadonlySignal<ReadonlySet<string>>
  hold(draft: string, author: string): void
  release(draft: string): void
  /** The name under which a suggestion is sent while it is typed. The name does not change, because only its author may change a suggestion. */
  authorOf(draft: string): string
  /** Called when the service has stored a version of a suggestion that is being typed here. */
  drafted(suggestion: Suggestion, author: string): void
  act(action: Action, author?: string): OutboxEntry
  /** Decides suggestions. `reason` is the reason for a rejection. */
  decide(action: Decision, suggestions: readonly string[], reason?: string): void
  /** Reads all lists again. */
  read(): void
  start(): () => void
}

const readAfterMs = 250

const byId = <Item extends { readonly id: string }>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]))

const merge = <Item extends { readonly id: string }>(into: Signal<ReadonlyMap<string, Item>>, item: Item): void => {
  into.value = new Map(into.value).set(item.id, item)
}

/** Returns a comment with its waiting actions applied. */
function withEntries(comment: Comment, entries: readonly OutboxEntry[]): Comment {
  let next = comment
  for (const { action, refusal } of entries) {
    if (refusal !== undefined) continue
    if (action.kind === 'edit') next = { ...next, body: action.body }
    if (action.kind === 'resolve') next = { ...next, resolved: action.resolved, status: action.resolved ? 'resolved' : 'open' }
  }
  return next
}

/** The ids of records written on this device, each with the person's name at that time. A guest is identified by link and name. */
function ownIds(doc: string): { has(id: string): boolean; nameOf(id: string): string | undefined; add(id: string, name: string): void } {
  const storageKey = documentValue('own', doc)
  const read = (): Map<string, string> => {
    try {
      return new Map(JSON.parse(readDevice(storageKey) ?? '[]') as [string, string][])
    } catch {
      return new Map()
    }
  }
  let known = read()
  return {
    has: (id) => known.has(id),
    nameOf: (id) => known.get(id),
    add(id, name) {
      // The value is read again because another tab may have changed it.
      known = read().set(id, name)
      writeDevice(storageKey, JSON.stringify([...known].slice(-limits.annotationPageMax)))
    }
  }
}

interface StoreInput {
  readonly session: Session
  /** Returns a new description of a waiting annotation's place. Undefined if it has not changed. */
  readonly newTargetOf: (item: OutboxEntry) => Target | undefined
  /** Returns the remaining part of a suggestion that others decided while it was being typed. */
  readonly restOf: (action: SuggestAction, decided: Suggestion) => Action | undefined
  readonly onDeciding: (action: Decision, suggestions: readonly string[]) => void
  /** Called when the service has carried out decisions of this page. */
  readonly onDecided: (action: Decision, suggestions: readonly string[]) => void
  /** Called when suggestions could not be decided. `words` gives the reason, unless the page shows it elsewhere. */
  readonly onUndecided: (suggestions: readonly string[], words: string | undefined) => void
}

export function openStore({ session, newTargetOf, restOf, onDeciding, onDecided, onUndecided }: StoreInput): Store {
  const { id, key } = session
  const comments = signal<ReadonlyMap<string, Comment>>(new Map())
  const suggestions = signal<ReadonlyMap<string, Suggestion>>(new Map())
  const tasks = signal<ReadonlyMap<string, Task>>(new Map())
  const refusals = signal<ReadonlyMap<string, string>>(new Map())
  /** The reasons of refused rejections. Their text stays on the cards. */
  const reasons = signal<ReadonlyMap<string, string>>(new Map())
  const state = signal<'reading' | 'ready' | 'failed'>('reading')
  const asOf = signal<number | undefined>(undefined)
  const account = signal<string | undefined>(undefined)
  const recordIds = signal<ReadonlyMap<string, string>>(new Map())
  const said = signal('')
  const own = ownIds(id)
  const connected = computed(() => session.link.socket.value === 'synced')
  const may = (role: 'comment' | 'suggest' | 'edit' | 'owner'): ReadonlySignal<boolean> =>
    computed(() => session.link.ended.value === undefined && includesRole(session.role.value, role))

  /** Ids of the suggestions that the editor itself displays. */
  const typed = signal<ReadonlySet<string>>(new Set())
  const authors = new Map<string, string>()
  const letGo = (draft: string): void => {
    const left = new Set(typed.peek())
    if (left.delete(shownName(draft))) typed.value = left
  }
  /** Returns the action to send instead of a suggestion that others decided, or replied to, while it was being typed. */
  const afterRefusal = ({ action }: OutboxEntry, { code }: RequestError): Action | 'later' | 'done' | undefined => {
    if (action.kind !== 'suggest' || action.draft === undefined) return undefined
    if (code !== 'already_decided' && code !== 'stale_step' && code !== 'suggestion_fixed') return undefined
    const draft = shownName(action.draft.id)
    const known = [...suggestions.peek().values()].find(({ draftId }) => draftId === draft)
    letGo(action.draft.id)
    if (code === 'stale_step' && known !== undefined) return known.text.includes(action.text) ? 'done' : restOf(action, known)
    if (code === 'suggestion_fixed' && known !== undefined) {
      act({ kind: 'withdraw', suggestion: known.id }, own.nameOf(known.id) ?? signature.value)
      return restOf(action, known)
    }
    if (known !== undefined && !isUndecided(known)) return restOf(action, known)
    readSoon()
    return 'later'
  }

  const refuse = (suggestion: string, words: string, reason?: string): void => {
    refusals.value = new Map(refusals.value).set(suggestion, words)
    if (reason !== undefined) reasons.value = new Map(reasons.value).set(suggestion, reason)
  }

  /** Adds the records of an answer to the lists. */
  const take = ({ id: sent, action, author }: OutboxEntry, answer: unknown): void => {
    // The service answers with these types (openapi.json). The pages and the server are built and tested together.
    if (action.kind === 'decide') {
      const { results } = answer as Output<'decideSuggestions'>
      const changed = t('The text has changed since, so this cannot be undone.')
      for (const { suggestionId, ok, message, suggestion } of results) {
        if (suggestion !== undefined) merge(suggestions, suggestion)
        const isOther = suggestion !== undefined && isUndecided(suggestion) && suggestion.step !== action.steps?.[suggestionId]
        const why = isOther ? t('The suggestion has changed. Check it again.') : (message ?? t('That did not work.'))
        if (!ok) refuse(suggestionId, action.action === 'reopen' ? changed : why, action.reason)
      }
      const idsOf = (done: boolean): string[] => results.filter(({ ok }) => ok === done).map(({ suggestionId }) => suggestionId)
      const [done, left] = [idsOf(true), idsOf(false)]
      if (left.length > 0) onUndecided(left, action.action === 'reopen' ? changed : undefined)
      if (done.length > 0) onDecided(action.action, done)
      return
    }
    const { comment, suggestion, task, reply } = answer as {
      comment?: Comment
      suggestion?: Suggestion
      task?: Task
      reply?: Comment['replies'][number]
    }
    if (reply !== undefined) own.add(reply.id, author)
    if (comment !== undefined) merge(comments, comment)
    if (suggestion !== undefined) merge(suggestions, suggestion)
    if (task !== undefined) merge(tasks, task)
    const record = action.kind === 'comment' ? comment : action.kind === 'suggest' ? suggestion : undefined
    if (record !== undefined) {
      own.add(record.id, author)
      recordIds.value = new Map(recordIds.value).set(sent, record.id)
      outbox.redirect(sent, record.id)
    }
    if (action.kind === 'suggest' && action.draft !== undefined) letGo(action.draft.id)
    if (action.kind === 'delete') without(action.comment)
  }

  const without = (comment: string): void => {
    const left = new Map(comments.value)
    if (left.delete(comment)) comments.value = left
  }

  const outbox = openOutbox({
    doc: id,
    key,
    connected,
    newTargetOf,
    afterRefusal,
    // A card changes from the entry to its record in one step.
    onAnswer: (entry, answer) => batch(() => take(entry, answer)),
    onRefusal({ id: refused, action }, error) {
      if (action.kind === 'suggest' && action.draft !== undefined) letGo(action.draft.id)
      const decided = action.kind === 'decide' ? action.suggestions : action.kind === 'withdraw' ? [action.suggestion] : []
      const reason = action.kind === 'decide' ? action.reason : undefined
      for (const suggestion of decided) refuse(suggestion, refusalOf(error), reason)
      // Nothing is lost, because the card keeps the reason.
      if (decided.length > 0 || (error.code === 'not_found' && (action.kind === 'resolve' || action.kind === 'delete')))
        outbox.drop(refused)
      if (action.kind === 'delete' && error.code === 'not_found') without(action.comment)
      // If the person has fewer rights than this page assumes, the next read corrects that.
      if (error.code === 'not_found') readSoon()
      said.value = t('Not saved: {why}', { why: error.message })
      // The card may no longer exist.
      if (decided.length > 0) onUndecided(decided, said.value)
    }
  })

  // ——— data from the service ———

  /** Ids of records that arrived by message since the lists were requested. These records are newer than the lists. */
  const touched = new Set<string>()

  const announce = (comment: Comment | undefined, suggestion: Suggestion | undefined): void => {
    if (comment !== undefined && !comments.peek().has(comment.id) && !own.has(comment.id))
      said.value = t('{name} commented: {text}', { name: displayName(comment.author), text: excerpt(comment.body, 120) })
    const isHere = suggestion?.draftId !== undefined && typed.peek().has(suggestion.draftId)
    if (suggestion !== undefined && !isHere && !suggestions.peek().has(suggestion.id) && !own.has(suggestion.id))
      said.value = t('{name} suggested a change', { name: displayName(suggestion.author) })
  }

  const handle = (message: LiveMessage): void => {
    const comment = message.type === 'comment' ? message.comment : undefined
    const suggestion = message.type === 'suggestion' ? message.suggestion : undefined
    const record = recordOf(message)
    announce(comment, suggestion)
    if (comment !== undefined) merge(comments, comment)
    if (suggestion !== undefined) merge(suggestions, suggestion)
    if (record !== undefined) touched.add(record)
    if (message.type === 'comment.deleted') without(message.commentId)
    if (message.type === 'task') {
      const { task } = message
      // Messages omit the link, which never changes.
      const { share } = tasks.peek().get(task.id) ?? {}
      merge(tasks, share === undefined ? task : { ...task, share })
    }
    if (message.type === 'annotations') readSoon()
  }

  const messages = orderMessages({
    isSending: () => outbox.sending.peek(),
    // An unknown record may be the one that the request creates.
    isConcerned: (record) => entriesOf.peek().has(record) || !(comments.peek().has(record) || suggestions.peek().has(record)),
    handle
  })

  const refreshed = <Item extends { readonly id: string }>(
    now: ReadonlyMap<string, Item>,
    listed: readonly Item[]
  ): ReadonlyMap<string, Item> => {
    const next = new Map(byId(listed))
    for (const each of touched) {
      const newer = now.get(each)
      if (newer !== undefined) next.set(each, newer)
      else next.delete(each)
    }
    return next
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  let reading: Promise<void> | undefined
  const read = async (): Promise<void> => {
    touched.clear()
    try {
      const [someComments, someSuggestions, someTasks] = await Promise.all([
        listComments(session),
        listSuggestions(session),
        listTasks(session)
      ])
      comments.value = refreshed(comments.value, someComments)
      // Decided suggestions that this page has seen stay until the page closes.
      const decided = [...suggestions.value.values()].filter(({ status }) => status === 'accepted' || status === 'rejected')
      suggestions.value = new Map([...byId(decided), ...refreshed(suggestions.value, someSuggestions)])
      tasks.value = byId(someTasks)
      state.value = 'ready'
      asOf.value = undefined
    } catch {
      if (state.value !== 'ready') state.value = 'failed'
    }
  }
  function readSoon(): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (reading !== undefined) return void reading.then(readSoon)
      reading = read().finally(() => (reading = undefined))
    }, readAfterMs)
  }

  const entriesOf = computed((): ReadonlyMap<string, readonly OutboxEntry[]> => {
    const found = new Map<string, OutboxEntry[]>()
    for (const item of outbox.list.value) {
      const { action } = item
      if (!('comment' in action)) continue
      found.set(action.comment, [...(found.get(action.comment) ?? []), item])
    }
    return found
  })
  const none: readonly OutboxEntry[] = []
  const threads = computed(() =>
    [...comments.value.values()].flatMap((comment): Thread[] => {
      const waiting = entriesOf.value.get(comment.id) ?? none
      const isGoing = waiting.some(({ action, refusal }) => action.kind === 'delete' && refusal === undefined)
      return isGoing ? [] : [{ comment: withEntries(comment, waiting), waiting }]
    })
  )
  const proposals = computed(() => {
    const deciding = new Map<string, Decision | 'withdraw'>()
    const answers = new Map<string, OutboxEntry[]>()
    const why = new Map(reasons.value)
    for (const item of outbox.list.value) {
      const { action, refusal } = item
      if (action.kind === 'answer') answers.set(action.suggestion, [...(answers.get(action.suggestion) ?? []), item])
      if (action.kind === 'withdraw' && refusal === undefined) deciding.set(action.suggestion, 'withdraw')
      if (action.kind === 'decide' && refusal === undefined)
        for (const each of action.suggestions) {
          deciding.set(each, action.action)
          if (action.reason !== undefined) why.set(each, action.reason)
        }
    }
    return [...suggestions.value.values()].map((suggestion): Proposal => ({
      suggestion,
      deciding: deciding.get(suggestion.id),
      waiting: answers.get(suggestion.id) ?? none,
      refusal: refusals.value.get(suggestion.id),
      reason: why.get(suggestion.id)
    }))
  })

  // The holder of an assignment is identified by the name under which the assignment was started. That name is never the number of a guest.
  const signed = (action: Action): string => ('task' in action || action.kind === 'ask' ? personName.value : signature.value)
  const act = (action: Action, author = signed(action)): OutboxEntry => {
    const stored = 'comment' in action ? recordIds.peek().get(action.comment) : undefined
    return outbox.add(stored === undefined || !('comment' in action) ? action : { ...action, comment: stored }, author)
  }
  const isWritten: Store['isMe'] = (record) => own.has(record.id) || (record.authorKind === 'account' && record.author === account.value)

  return {
    threads,
    proposals,
    tasks: computed(() => [...tasks.value.values()].toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))),
    outbox,
    lists: computed(() => ({
      comments: [...comments.value.values()],
      suggestions: [...suggestions.value.values()].filter(isUndecided),
      tasks: [...tasks.value.values()]
    })),
    asOf,
    offer(lists, at) {
      batch(() => {
        comments.value = new Map([...byId(lists.comments), ...comments.value])
        suggestions.value = new Map([...byId(lists.suggestions), ...suggestions.value])
        tasks.value = new Map([...byId(lists.tasks), ...tasks.value])
        asOf.value = at
      })
    },
    state,
    canComment: may('comment'),
    canSuggest: may('suggest'),
    canDecide: may('edit'),
    isOwner: may('owner'),
    isConnected: connected,
    account,
    isOwn: isWritten,
    isMe(record) {
      // Records are recognized by their ids, because two unnamed guests have the same number in one of ninety cases.
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
    authorOf: (draft) => authors.get(shownName(draft)) ?? signature.value,
    drafted(suggestion, author) {
      own.add(suggestion.id, author)
      merge(suggestions, suggestion)
    },
    act(action, author) {
      if (author === undefined && action.kind === 'withdraw') return act(action, own.nameOf(action.suggestion))
      if (author === undefined && 'comment' in action) return act(action, own.nameOf(action.comment))
      if (author === undefined && action.kind === 'suggest' && action.draft !== undefined)
        return act(action, authors.get(shownName(action.draft.id)))
      return act(action, author)
    },
    decide(action, ids, reason) {
      const without = (all: ReadonlyMap<string, string>) => new Map([...all].filter(([each]) => !ids.includes(each)))
      refusals.value = without(refusals.value)
      reasons.value = without(reasons.value)
      onDeciding(action, ids)
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
    },
    read: readSoon,
    start() {
      const stopHearing = session.onMessage(messages.hear)
      const stopSending = outbox.start()
      const stops = [
        effect(() => {
          if (connected.value) readSoon()
        }),
        effect(() => {
          if (!outbox.sending.value) queueMicrotask(messages.release)
        })
      ]
      if (key === '')
        void findUser().then(
          (user) => (account.value = user?.name ?? account.value),
          () => undefined
        )
      readSoon()
      return () => {
        for (const stop of stops) stop()
        stopHearing()
        stopSending()
        clearTimeout(timer)
      }
    }
  }
}
