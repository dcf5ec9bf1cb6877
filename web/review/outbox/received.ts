/** The records that the service sent: comments, suggestions and assignments. The lists are read, and messages change them. */
import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { LiveMessage } from '../../../shared/live-protocol.ts'
import type { Session } from '../../session/session.ts'
import { type DecidedPages, openDecided } from './decided.ts'
import { orderMessages, recordOf } from './messages.ts'
import { notePlace } from './named-places.ts'
import { isUndecided, type Comment, type Suggestion, type Task } from './records.ts'
import { listComments, listSuggestions, listTasks, readSuggestion } from './requests.ts'

/** The records that the service returned. */
export interface Lists {
  readonly comments: readonly Comment[]
  /** The undecided suggestions. */
  readonly suggestions: readonly Suggestion[]
  readonly tasks: readonly Task[]
}

type ById<Item> = ReadonlySignal<ReadonlyMap<string, Item>>

export interface Received {
  readonly comments: ById<Comment>
  readonly suggestions: ById<Suggestion>
  readonly tasks: ById<Task>
  /** `ready` once the lists have arrived, `failed` if they could not be loaded. */
  readonly state: ReadonlySignal<'reading' | 'ready' | 'failed'>
  /** The date of the lists, in milliseconds since 1970. Undefined if they are current. */
  readonly asOf: ReadonlySignal<number | undefined>
  /** The decided suggestions of earlier visits. */
  readonly decided: DecidedPages
  /** Adds or replaces records. */
  add(records: { readonly comment?: Comment; readonly suggestion?: Suggestion; readonly task?: Task }): void
  /** Adds the response to a version of a typed suggestion. It may arrive after messages about newer states. */
  addTyped(suggestion: Suggestion): void
  removeComment(id: string): void
  /** Shows lists that this device has stored until the service responds. */
  offer(lists: Lists, at: number): void
  /** Reads one suggestion, because the lists contain only undecided ones. */
  readOne(suggestionId: string): void
  /** Reads all lists again, after a short delay. */
  read(): void
  /** Handles messages that waited for a response. */
  release(): void
  hear(message: LiveMessage): void
  close(): void
}

interface ReceivedInput {
  readonly session: Session
  /** Called with the records of a message before they are added. */
  readonly onMessage: (comment: Comment | undefined, suggestion: Suggestion | undefined) => void
  /** Whether this page waits for the response to a request. */
  readonly isSending: () => boolean
  /** Whether the outbox has entries for a comment. */
  readonly hasEntries: (record: string) => boolean
}

const readAfterMs = 250

const byId = <Item extends { readonly id: string }>(items: readonly Item[]): ReadonlyMap<string, Item> =>
  new Map(items.map((item) => [item.id, item]))

const merge = <Item extends { readonly id: string }>(into: Signal<ReadonlyMap<string, Item>>, item: Item | undefined): void => {
  if (item !== undefined) into.value = new Map(into.value).set(item.id, item)
}

/** Returns an assignment with the link of an earlier version, because messages omit the link. It never changes. */
const withLink = (task: Task, { share }: Partial<Task> = {}): Task =>
  task.share === undefined && share !== undefined ? { ...task, share } : task

/** Whether a state of a typed suggestion is newer than another one that the service reported for its author. */
const isNewer = (known: Suggestion, reported: Suggestion): boolean =>
  (!isUndecided(known) && isUndecided(reported)) ||
  (known.updatedAt ?? '') > (reported.updatedAt ?? '') ||
  // A deletion of a reply also changes the time.
  (known.updatedAt === reported.updatedAt && (known.replies?.length ?? 0) > (reported.replies?.length ?? 0))

export function openReceived({ session, onMessage, isSending, hasEntries }: ReceivedInput): Received {
  const comments = signal<ReadonlyMap<string, Comment>>(new Map())
  const suggestions = signal<ReadonlyMap<string, Suggestion>>(new Map())
  const tasks = signal<ReadonlyMap<string, Task>>(new Map())
  const state = signal<'reading' | 'ready' | 'failed'>('reading')
  const asOf = signal<number | undefined>(undefined)
  /** Ids of records that arrived since the lists were requested. These records are newer than the lists. */
  const touched = new Set<string>()

  // A record that is already known may be newer.
  const decided = openDecided(session, (page) => {
    suggestions.value = new Map([...byId(page), ...suggestions.value])
  })

  const removeComment = (id: string): void => {
    const rest = new Map(comments.value)
    if (rest.delete(id)) comments.value = rest
  }

  const handle = (message: LiveMessage): void => {
    const comment = message.type === 'comment' ? message.comment : undefined
    const suggestion = message.type === 'suggestion' ? message.suggestion : undefined
    const record = recordOf(message)
    notePlace(message)
    onMessage(comment, suggestion)
    merge(comments, comment)
    merge(suggestions, suggestion)
    if (record !== undefined) touched.add(record)
    if (message.type === 'comment.deleted') removeComment(message.commentId)
    if (message.type === 'task') {
      const { task } = message
      merge(tasks, withLink(task, tasks.peek().get(task.id)))
      touched.add(task.id)
    }
    if (message.type === 'annotations') readSoon()
  }

  const messages = orderMessages({
    isSending,
    // An unknown record may be the one that the request creates.
    isConcerned: (record) => hasEntries(record) || !(comments.peek().has(record) || suggestions.peek().has(record)),
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

  const add: Received['add'] = ({ comment, suggestion, task }) => {
    merge(comments, comment)
    merge(suggestions, suggestion)
    merge(tasks, task)
    for (const record of [comment, suggestion, task]) if (record !== undefined) touched.add(record.id)
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
      const seen = [...suggestions.value.values()].filter((each) => !isUndecided(each))
      suggestions.value = new Map([...byId(seen), ...refreshed(suggestions.value, someSuggestions)])
      const listed = byId(someTasks)
      tasks.value = byId([...refreshed(tasks.value, someTasks).values()].map((task) => withLink(task, listed.get(task.id))))
      state.value = 'ready'
      asOf.value = undefined
      decided.again()
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

  return {
    comments,
    suggestions,
    tasks,
    state,
    asOf,
    decided,
    add,
    addTyped(suggestion) {
      const known = suggestions.peek().get(suggestion.id)
      if (known === undefined || !isNewer(known, suggestion)) merge(suggestions, suggestion)
    },
    removeComment,
    offer(lists, at) {
      batch(() => {
        comments.value = new Map([...byId(lists.comments), ...comments.value])
        suggestions.value = new Map([...byId(lists.suggestions), ...suggestions.value])
        tasks.value = new Map([...byId(lists.tasks), ...tasks.value])
        asOf.value = at
      })
    },
    readOne(suggestionId) {
      void readSuggestion(session, { suggestionId }).then(({ suggestion }) => add({ suggestion }), readSoon)
    },
    read: readSoon,
    release: messages.release,
    hear: messages.hear,
    close: () => clearTimeout(timer)
  }
}

/** Returns the records as lists, with the undecided suggestions only. */
export const listsOf = ({ comments, suggestions, tasks }: Pick<Received, 'comments' | 'suggestions' | 'tasks'>): Lists => ({
  comments: [...comments.value.values()],
  suggestions: [...suggestions.value.values()].filter(isUndecided),
  tasks: [...tasks.value.values()]
})
