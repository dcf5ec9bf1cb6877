/** Helpers for review assignments: an owner who asks for a review, and reviewers who have its link. */
import { expect } from 'vitest'
import { type Comment, decodeRecord, encodeRecord, keys, type Share, type Suggestion } from '../../server/domain/records/keys.ts'
import type { Answer, Ask, Json, Person, World } from './world.ts'

/** Returns the key in an address. */
export const keyOf = (url: string): string => new URL(url).searchParams.get('key') ?? ''

/** A person with the link of an assignment, who uses their own name. */
export interface Reviewer extends Person {
  start(what?: Ask): Promise<Answer>
  report(fields?: Record<string, unknown>, what?: Ask): Promise<Answer>
}

export interface Assignment {
  readonly id: string
  /** The record of the assignment when it was created. */
  readonly task: Json
  /** Returns a person who has the link. Without a name, it is an unnamed guest. */
  by(name?: string): Reviewer
}

export const assignmentOf = (world: World, task: Json): Assignment => {
  const person = world.person(task.docId, keyOf(task.share.url))
  const post = (action: string, name: string | undefined, what: Ask): Promise<Answer> =>
    person.ask('POST', `/tasks/${task.id}/${action}`, {
      ...what,
      headers: { ...(name === undefined ? {} : { 'X-Agent-Author': name }), ...what.headers }
    })
  return {
    id: task.id,
    task,
    by: (name) => ({
      ...person,
      start: (what = {}) => post('start', name, what),
      report: (fields = {}, what = {}) =>
        post('report', name, { json: { reviewedVersion: task.startingVersion, summary: 'Reads well.', ...fields }, ...what })
    })
  }
}

let requests = 0

export const requestFor = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  requestId: `request ${++requests}`,
  title: 'Read the introduction',
  instructions: 'Is it clear?\n\n- Tone\n- Facts',
  ...fields
})

/** Creates an assignment on the owner's document. */
export const assign = async (world: World, owner: Person, fields?: Record<string, unknown>): Promise<Assignment> => {
  const { status, json, text } = await owner.ask('POST', '/tasks', { json: requestFor(fields) })
  if (status !== 201) throw new Error(`${status} ${text}`)
  return assignmentOf(world, json.task)
}

export const close = (owner: Person, { id }: Assignment, what?: Ask): Promise<Answer> => owner.ask('POST', `/tasks/${id}/close`, what)

/** Returns all stored records of a document's assignments, annotations, links and feed. A refusal must not change them. */
export const stored = async ({ service }: World, doc: string): Promise<string[]> => {
  await service.ledger.idle()
  const kinds = ['task', 'task number', 'share', 'event', 'comment', 'suggestion']
  const entries = (await Promise.all(kinds.map((kind) => service.storage.list(['d', doc, kind])))).flat()
  const links = entries.filter(({ key }) => key[2] === 'share').map(({ value }) => keys.key(decodeRecord<Share>(value).hash))
  const indexes = await Promise.all(links.map((link) => service.storage.get(link)))
  return [...entries, ...indexes].map((entry) => `${JSON.stringify(entry?.key)} ${Buffer.from(entry?.value ?? []).toString()}`)
}

/** Runs requests that must not change a document in a world. */
export const unchangedBy =
  (world: () => World) =>
  async (doc: string, request: () => Promise<Answer>): Promise<Answer> => {
    const before = await stored(world(), doc)
    const answer = await request()
    expect(await stored(world(), doc)).toEqual(before)
    return answer
  }

/** Stores comments and suggestions on the document, with ids that the test chooses. */
export const seed = async ({ service }: World, doc: string, kind: 'comment' | 'suggestion', ids: readonly string[]): Promise<void> => {
  const author = { kind: 'guest', id: '', name: null } as const
  const common = { pin: null, author, createdAt: 0, version: '', task: null }
  const records = ids.map((id, number): Comment | Suggestion => {
    const record = { ...common, id, number }
    const target = { kind: 'document', quote: '', prefix: '', suffix: '', line: null, from: null, to: null } as const
    return kind === 'comment'
      ? { ...record, body: 'x', target, updatedAt: 0, resolvedAt: null, resolvedBy: null, replies: [] }
      : {
          ...record,
          operation: 'insert',
          original: '',
          text: 'x',
          note: null,
          status: 'pending',
          decidedBy: null,
          decidedAt: null,
          resultVersion: null,
          set: null
        }
  })
  await service.storage.commit({ puts: records.map((record) => ({ key: keys[kind](doc, record.id), value: encodeRecord(record) })) })
}
