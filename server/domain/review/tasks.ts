/**
 * Review assignments. The owner asks for a review; the holder of the assignment's link starts the review and reports on it
 * (docs/api.md, Review assignments). shared/task-states.ts defines the order of states, and task-reports.ts checks reports. This file decides who
 * sees an assignment, who may act on it, and which records are written.
 */
import { hash } from 'node:crypto'
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { isGuestNumber } from '../../../shared/names.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { isTaskState, type TaskAction, type TaskOutcome, taskOutcome, type TaskState, taskStates } from '../../../shared/task-states.ts'
import { actorOf, authorOf, type Caller, sameAuthor, taskOf } from '../rights/caller.ts'
import { remember } from '../records/idempotency.ts'
import { formatVersion } from '../text/journal.ts'
import { type Author, decodeRecord, encodeRecord, keys, type Task, type TaskReport } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { makerOf } from '../rights/lineage.ts'
import { nextStepOf } from './own-assignment.ts'
import type { Service } from '../service.ts'
import type { OpenDocument } from '../text/open-document.ts'
import type { OnDocument } from '../on-document.ts'
import { agentUrl, makeRoom, putShare, revokeShare, shareUrl } from '../rights/shares.ts'
import { examineReport, isRetry } from './task-reports.ts'

type TaskAnswer = Output<'readTask'>

const instant = (ms: number): string => new Date(ms).toISOString()
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

// ——— Visibility ———

/**
 * Whether the caller sees an assignment. An assignment's link shows only that assignment, because reviewers must not read each other's assignments.
 * Every other caller sees all assignments.
 */
const sees = (caller: Caller, id: string): boolean => taskOf(caller) === null || taskOf(caller) === id

/** Whether the caller sees an assignment's link. The link is a secret that only the owner and its holder know. */
const seesLink = (caller: Caller, id: string): boolean => caller.role === 'owner' || taskOf(caller) === id

const presentLink = (service: Service, { docId, share }: Task): NonNullable<TaskAnswer['task']['share']> => {
  const secret = service.vault.open(share.sealed, share.id)
  const revoked = share.revoked === true
  return { id: share.id, role: 'suggest', url: shareUrl(service, docId, secret), agentUrl: agentUrl(service, docId, secret), revoked }
}

const presentReport = ({ reportedAt, ...report }: TaskReport): NonNullable<TaskAnswer['task']['report']> => ({
  ...report,
  commentIds: [...report.commentIds],
  suggestionIds: [...report.suggestionIds],
  reportedAt: instant(reportedAt)
})

const present = (service: Service, task: Task, withLink: boolean): TaskAnswer['task'] => ({
  id: task.id,
  taskId: task.id,
  docId: task.docId,
  requestId: task.requestId,
  title: task.title,
  instructions: task.instructions,
  status: task.status,
  startingVersion: task.startingVersion,
  ...(withLink ? { share: presentLink(service, task) } : {}),
  createdBy: task.createdBy,
  createdAt: instant(task.createdAt),
  startedBy: task.startedBy,
  startedAt: instantOrNull(task.startedAt),
  report: task.report && presentReport(task.report),
  closedBy: task.closedBy,
  closedAt: instantOrNull(task.closedAt)
})

// ——— Reading ———

const unknownTask = (): ServiceError =>
  new ServiceError('not_found', { message: 'There is no such assignment, or your link belongs to another one.' })

/** Returns an assignment. Throws `not_found` if there is none, or if the caller may not see it. */
const getTask = async ({ storage }: Service, caller: Caller, doc: string, id: string): Promise<Task> => {
  const entry = sees(caller, id) ? await storage.get(keys.task(doc, id)) : undefined
  if (entry === undefined) throw unknownTask()
  return decodeRecord<Task>(entry.value)
}

export const readTask = async (service: Service, caller: Caller, doc: string, { taskId }: Input<'readTask'>): Promise<TaskAnswer> =>
  withNext(service, caller, present(service, await getTask(service, caller, doc, taskId), seesLink(caller, taskId)))

/** Returns the response about an assignment. The response contains the next step if the caller holds the assignment's link. */
const withNext = (service: Service, caller: Caller, task: TaskAnswer['task']): TaskAnswer => ({
  task,
  ...(taskOf(caller) === task.id && { next: nextStepOf(service, task) })
})

export const listTasks = async (
  service: Service,
  caller: Caller,
  doc: string,
  { before = Number.MAX_SAFE_INTEGER }: Input<'listTasks'>
): Promise<Output<'listTasks'>> => {
  const shown = (task: Task): TaskAnswer['task'] => present(service, task, seesLink(caller, task.id))
  const own = taskOf(caller)
  if (own !== null) {
    const task = await getTask(service, caller, doc, own)
    return { tasks: task.number < before ? [shown(task)] : [], nextBefore: null }
  }
  const entries = await service.storage.list(keys.taskNumbers(doc), { reverse: true, limit: limits.taskPageMax + 1, before })
  const ids = entries.slice(0, limits.taskPageMax).map((entry) => decodeRecord<string>(entry.value))
  const tasks = await Promise.all(ids.map((id) => getTask(service, caller, doc, id)))
  return { tasks: tasks.map(shown), nextBefore: entries.length > ids.length ? (tasks.at(-1)?.number ?? null) : null }
}

// ——— Writing ———

const startedBy = (task: Task, identity: Author): boolean => task.startedBy !== null && sameAuthor(task.startedBy, identity)

/**
 * Whether the identity may report. A page starts an assignment under the number of a guest who has no name. The guest may choose a name or sign in
 * afterward, so each person with the link counts as this guest.
 */
const mayReport = (task: Task, identity: Author): boolean =>
  startedBy(task, identity) || (identity.kind !== 'agent' && task.startedBy?.kind === 'guest' && isGuestNumber(task.startedBy.name))

const outcomeOf = (task: Task, action: TaskAction, identity: Author): TaskOutcome => {
  const isStarter = action === 'report' ? mayReport(task, identity) : startedBy(task, identity)
  return taskOutcome(task.status, action, isStarter ? 'starter' : 'another')
}

const refusal = (code: ErrorCode, { status, startedBy: starter }: Task): ServiceError => {
  if ((code !== 'already_started' && code !== 'not_starter') || starter?.kind !== 'guest')
    return new ServiceError(code, { taskStatus: status })
  // The most likely cause is an agent that sends its name in only one of the two requests.
  const hint = `If you started this assignment, send ${starter.name === null ? 'no X-Agent-Author' : `X-Agent-Author: ${starter.name}`}, as you did when you started it. Otherwise, ask the owner for your own assignment.`
  return new ServiceError(code, { taskStatus: status, startedBy: starter, hint })
}

/** Returns the new state. Throws the error that the state table names. */
const stateOf = (outcome: TaskOutcome, task: Task): TaskState => {
  if (!isTaskState(outcome)) throw refusal(outcome, task)
  return outcome
}

/** A request to act on an assignment. */
interface Request {
  readonly service: Service
  readonly caller: Caller
  readonly doc: string
  readonly id: string
}

/**
 * Changes one assignment. No other change can come between reading the record and writing the result of `change`. If `change` returns the same
 * record, nothing is written. Afterward, open pages that may see the assignment are notified. The notification does not contain the link.
 */
const write = async <T>(
  { service, caller, doc, id }: Request,
  change: (tx: Transaction, found: Task | undefined) => Task,
  answerOf: (task: TaskAnswer['task'], changed: boolean) => T
): Promise<T> => {
  const key = keys.task(doc, id)
  const changeRecord = (tx: Transaction): { task: Task; changed: boolean; answer: T } => {
    const found = tx.read<Task>(key)
    const task = change(tx, found)
    const changed = task !== found
    if (changed) tx.put(key, encodeRecord(task))
    const answer = answerOf(present(service, task, seesLink(caller, id)), changed)
    return { task, changed, answer: remember(service, tx, caller, doc, answer) }
  }
  const { task, changed, answer } = await service.ledger.write(doc, caller, changeRecord, { reads: [key] })
  if (changed) announceTask(service, doc, task)
  return answer
}

/** The newest state of each assignment that this node has announced since it loaded the document. */
const announced = new WeakMap<OpenDocument, Map<string, TaskState>>()

/**
 * Notifies the open pages that may see an assignment. Does nothing if this node has already announced this state or a later one. That happens if
 * several nodes change an assignment at nearly the same time.
 */
const announceTask = (service: Service, doc: string, task: Task): void => {
  const openDoc = service.live.find(doc)
  if (openDoc === undefined) return
  const states = announced.get(openDoc) ?? new Map<string, TaskState>()
  announced.set(openDoc, states)
  const last = states.get(task.id)
  if (last !== undefined && taskStates.indexOf(task.status) <= taskStates.indexOf(last)) return
  states.set(task.id, task.status)
  service.live.announce(doc, { type: 'task', task: present(service, task, false) }, (other) => sees(other, task.id))
}

/** Notifies open pages of an assignment that another node has changed. */
export const announceStoredTask = async (service: Service, doc: string, id: string): Promise<void> => {
  // This node may know the event before it knows that the record has changed. Its cache would then return the former state.
  await service.storage.nodes?.heard()
  const entry = await service.storage.get(keys.task(doc, id))
  if (entry !== undefined) announceTask(service, doc, decodeRecord<Task>(entry.value))
}

/** Changes the state of an existing assignment. Throws `not_found`. */
const step = (request: Request, take: (tx: Transaction, task: Task) => Task): Promise<TaskAnswer> => {
  const change = (tx: Transaction, found: Task | undefined): Task => {
    if (found === undefined) throw unknownTask()
    return take(tx, found)
  }
  return write(request, change, (task) => withNext(request.service, request.caller, task))
}

/** Returns the id of an assignment. The id is derived from the requestId, so that one requestId cannot create two assignments. */
const taskIdOf = (doc: string, requestId: string): string => hash('sha256', `${doc} ${requestId}`, 'base64url').slice(0, 16)

const makeTask = (service: Service, tx: Transaction, caller: Caller, doc: string, id: string, input: Input<'createTask'>): Task => {
  const label = `Review: ${input.title}`.slice(0, limits.labelUnitsMax).toWellFormed()
  const { share } = putShare(service, tx, doc, {
    by: caller,
    maker: makerOf(tx, caller),
    role: 'suggest',
    label,
    expiresAt: null,
    task: id
  })
  const startingVersion = formatVersion(tx.head)
  const payload = { taskId: id, title: input.title, shareId: share.id }
  const event = tx.event('task.created', actorOf(caller), payload, startingVersion)
  tx.notify(event, { by: authorOf(caller), task: id })
  const number = event.seq
  tx.put(keys.taskNumber(doc, number), encodeRecord(id))
  return {
    id,
    docId: doc,
    number,
    requestId: input.requestId,
    title: input.title,
    instructions: input.instructions,
    status: 'open',
    startingVersion,
    share: { id: share.id, sealed: share.sealed },
    createdBy: authorOf(caller),
    createdAt: tx.now,
    startedBy: null,
    startedAt: null,
    report: null,
    closedBy: null,
    closedAt: null
  }
}

export const createTask: OnDocument<'createTask'> = async (service, caller, doc, input) => {
  const id = taskIdOf(doc, input.requestId)
  const change = (tx: Transaction, found: Task | undefined): Task => {
    if (found === undefined) return makeTask(service, tx, caller, doc, id, input)
    const same = found.title === input.title && found.instructions === input.instructions
    if (!same) throw new ServiceError('request_id_conflict', { taskId: id })
    return found
  }
  await makeRoom(service, doc)
  return write({ service, caller, doc, id }, change, (task, created) => ({ task, created }))
}

/** Checks that the caller uses the assignment's link. Throws `task_link_required`, or `not_found` if the caller may not see the assignment. */
const requireTaskLink = async ({ service, caller, doc, id }: Request): Promise<void> => {
  if (taskOf(caller) === id) return
  await getTask(service, caller, doc, id)
  throw new ServiceError('task_link_required')
}

export const startTask = async (service: Service, caller: Caller, doc: string, { taskId }: Input<'startTask'>): Promise<TaskAnswer> => {
  const request = { service, caller, doc, id: taskId }
  await requireTaskLink(request)
  const identity = authorOf(caller)
  return step(request, (tx, task) => {
    const status = stateOf(outcomeOf(task, 'start', identity), task)
    if (status === task.status) return task
    tx.event('task.started', actorOf(caller), { taskId, title: task.title })
    return { ...task, status, startedBy: identity, startedAt: tx.now }
  })
}

export const reportTask = async (service: Service, caller: Caller, doc: string, input: Input<'reportTask'>): Promise<TaskAnswer> => {
  const request = { service, caller, doc, id: input.taskId }
  await requireTaskLink(request)
  const identity = authorOf(caller)
  const { contents, point } = await examineReport(service, doc, input)
  return step(request, (tx, task) => {
    const outcome = outcomeOf(task, 'report', identity)
    // A repeated report is also accepted if the owner has since closed the assignment. A caller who missed the first response must not have to do the
    // work again.
    const taken = outcome === 'already_reported' || (outcome === 'task_closed' && mayReport(task, identity))
    if (taken && isRetry(task.report, contents)) return task
    const status = stateOf(outcome, task)
    // The permission to report is checked first, and the contents of the report after it. A retry still counts as a retry even if a comment in its
    // list has since been deleted.
    if (point instanceof ServiceError) throw point
    const stale = point.seq < tx.head.seq
    const { reviewedVersion, commentIds, suggestionIds } = contents
    const payload = { taskId: task.id, title: task.title, reviewedVersion, stale, commentIds, suggestionIds }
    const event = tx.event('task.reported', actorOf(caller), payload)
    tx.notify(event, { by: identity, people: [task.createdBy] })
    return { ...task, status, report: { ...contents, stale, reportedBy: identity, reportedAt: tx.now } }
  })
}

/**
 * Closes an assignment. Closing does not edit the text or accept anything. It keeps the link unless the request revokes it
 * (docs/api.md, Review assignments). If the server crashes before it revokes the link, a repeated call revokes it.
 */
export const closeTask = async (service: Service, caller: Caller, doc: string, input: Input<'closeTask'>): Promise<TaskAnswer> => {
  const { taskId, revokeLink = false } = input
  const identity = authorOf(caller)
  const closed = await step({ service, caller, doc, id: taskId }, (tx, task) => {
    const status = stateOf(outcomeOf(task, 'close', identity), task)
    if (status === task.status) return task
    const event = tx.event('task.closed', actorOf(caller), { taskId, title: task.title, from: task.status })
    // Tells a reviewer who is still working to stop.
    if (task.status === 'started' && task.startedBy !== null) tx.notify(event, { by: identity, people: [task.startedBy] })
    return { ...task, status, closedBy: identity, closedAt: tx.now }
  })
  if (!revokeLink || closed.task.share === undefined) return closed
  await revokeShare(service, { ...caller, request: null }, doc, { share: closed.task.share.id })
  return readTask(service, caller, doc, { taskId })
}
