/** Edits and deletions of replies, and deletions by owners. */
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../shared/errors.ts'
import type { Role } from '../../shared/roles.ts'
import { asAuthor, comment, comments, foxText as text, readComment, readSuggestion, suggest } from '../support/annotations.ts'
import { withFaultyStore } from '../support/faulty-store.ts'
import { refused, told } from '../support/mcp.ts'
import { stored, unchangedBy } from '../support/reviews.ts'
import { type Answer, type Ask, type Json, type Person, type World } from '../support/world.ts'

let world: World
const store = withFaultyStore((started) => (world = started))

const changesNothing = unchangedBy(() => world)

const kinds = ['comments', 'suggestions'] as const
type Kind = (typeof kinds)[number]

/** Adds a reply and returns its id. */
const reply = async (person: Person, kind: Kind, id: string, body: string, what?: Ask): Promise<string> =>
  (await person.ask('POST', `/${kind}/${id}/replies`, { json: { body }, ...what })).json.id

const edit = (person: Person, id: string, body: string, what?: Ask): Promise<Answer> =>
  person.ask('PATCH', `/replies/${id}`, { json: { body }, ...what })

const remove = (person: Person, id: string, what?: Ask): Promise<Answer> => person.ask('DELETE', `/replies/${id}`, what)

/** Creates a comment or suggestion of the owner. */
const thread = async (owner: Person, kind: Kind): Promise<string> =>
  (kind === 'comments'
    ? await comment(owner, { body: 'Which fox?', find: 'brown fox' })
    : await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'red fox' })
  ).id

const read = (owner: Person, kind: Kind, id: string): Promise<Json> =>
  kind === 'comments' ? readComment(owner, id) : readSuggestion(owner, id)

/** Returns the last event of a document. */
const lastEvent = async (owner: Person): Promise<Json> => (await owner.events()).events.at(-1)

const idOf = (kind: Kind, id: string): Json => (kind === 'comments' ? { commentId: id } : { suggestionId: id })

describe.each(kinds)('replies to %s', (kind) => {
  test('[REVIEW-170] the author of a reply edits and deletes it; the answer has the thread, and an event has its id', async () => {
    const owner = await world.create(text)
    const ana = await owner.share('comment')
    const id = await thread(owner, kind)
    const replyId = await reply(ana, kind, id, 'first', asAuthor('Ana'))
    const kept = await reply(ana, kind, id, 'kept', asAuthor('Bo'))
    const edited = await edit(ana, replyId, 'second', asAuthor('Ana'))
    expect(edited.status).toBe(200)
    const record = await read(owner, kind, id)
    expect(edited.json).toEqual({ ok: true, [kind.slice(0, -1)]: record })
    expect(record.replies).toMatchObject([{ id: replyId, body: 'second', author: 'Ana' }, { id: kept }])
    expect(Date.parse(record.replies[0].editedAt)).toBe(Date.parse(record.updatedAt))
    expect(record.replies[1]).not.toHaveProperty('editedAt')
    expect(await lastEvent(owner)).toMatchObject({
      kind: 'comment.edited',
      actor: 'Ana',
      payload: { ...idOf(kind, id), replyId, body: 'second' }
    })
    const deleted = await remove(ana, replyId, asAuthor('Ana'))
    expect(deleted.json).toEqual({ ok: true, [kind.slice(0, -1)]: await read(owner, kind, id) })
    expect((await read(owner, kind, id)).replies).toMatchObject([{ id: kept }])
    const { kind: told, actor, payload } = await lastEvent(owner)
    expect([told, actor]).toEqual(['comment.deleted', 'Ana'])
    expect(payload).toMatchObject({ ...idOf(kind, id), replyId })
    expect(payload).not.toHaveProperty('body')
  })

  // The author of the reply used the name Ana and a link with the role “comment”.
  test.each<[string, Role, string, string | undefined, string | undefined]>([
    ['another author with the same role', 'comment', 'Ana', 'not_author', 'not_author'],
    ['an editor', 'edit', 'Ana', 'not_author', 'not_author'],
    ['an owner', 'owner', 'Ana', 'not_author', undefined],
    ['a viewer', 'view', 'Ana', 'forbidden', 'forbidden']
  ])(
    '[REVIEW-171] %s of the document: an owner deletes any reply, and nobody edits the reply of another',
    async (_who, role, name, ...codes) => {
      const owner = await world.create(text)
      const id = await thread(owner, kind)
      const replyId = await reply(await owner.share('comment'), kind, id, 'first', asAuthor('Ana'))
      const other = await owner.share(role)
      const calls = [() => edit(other, replyId, 'second', asAuthor(name)), () => remove(other, replyId, asAuthor(name))]
      for (const [index, call] of calls.entries()) {
        const code = codes[index]
        if (code === undefined) expect((await call()).status).toBe(200)
        else expect(await changesNothing(owner.doc, call)).toMatchObject({ status: 403, json: { code } })
      }
      expect((await read(owner, kind, id)).replies ?? []).toHaveLength(codes[1] === undefined ? 0 : 1)
    }
  )

  test('[REVIEW-171] another name on the same link is another author, and an author whose role was lowered edits nothing', async () => {
    const owner = await world.create(text)
    const ana = await owner.share('comment')
    const id = await thread(owner, kind)
    const replyId = await reply(ana, kind, id, 'first', asAuthor('Ana'))
    for (const call of [edit(ana, replyId, 'x', asAuthor('Bo')), remove(ana, replyId, asAuthor('Bo'))])
      expect(await call).toMatchObject({ status: 403, json: { code: 'not_author' } })
    await owner.ask('PATCH', `/shares/${ana.link.id}`, { json: { role: 'view' } })
    for (const call of [edit(ana, replyId, 'x', asAuthor('Ana')), remove(ana, replyId, asAuthor('Ana'))])
      expect(await call).toMatchObject({ status: 403, json: { code: 'forbidden' } })
  })

  test('[REVIEW-172] an id that the document does not have, of a deleted reply or of another document returns 404', async () => {
    const owner = await world.create(text)
    const other = await world.create(text)
    const id = await thread(owner, kind)
    const gone = await reply(owner, kind, id, 'x')
    await remove(owner, gone)
    const theirs = await reply(other, kind, await thread(other, kind), 'theirs')
    for (const odd of [gone, theirs, id, 'unknown', '__proto__'])
      for (const call of [() => edit(owner, odd, 'y'), () => remove(owner, odd)])
        expect(await changesNothing(owner.doc, call)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  })

  test('[REVIEW-174] a reply edited without a change makes no event; an edit notifies only the people that it adds', async () => {
    const owner = await world.create(text)
    const id = await thread(owner, kind)
    const replyId = await reply(owner, kind, id, 'For @ana.')
    await changesNothing(owner.doc, () => edit(owner, replyId, 'For @ana.'))
    for (const body of ['Nobody.', '@ANA, @bo', '@bo']) await edit(owner, replyId, body)
    const { events } = await owner.events({ types: 'comment.mentioned' })
    expect(events.map(({ payload }: Json) => [payload.replyId, payload.names])).toEqual([
      [replyId, ['ana']],
      [replyId, ['bo']]
    ])
    const inbox = async (name: string): Promise<Json[]> =>
      (await world.ask('GET', '/api/inbox', { key: (await owner.share('view')).key, ...asAuthor(name) })).json.items
    expect(await inbox('Bo')).toMatchObject([{ reason: 'mention', text: '@bo', replyId }])
    // The deletion also removes the text from the feed and the inbox.
    await edit(owner, replyId, '@bo, the word is swordfish')
    await remove(owner, replyId)
    expect(JSON.stringify([await inbox('Bo'), (await owner.events()).events, await stored(world, owner.doc)])).not.toContain('swordfish')
  })

  test('[REVIEW-175] the change and its event are one commit; a repeated request acts once and gets the same answer', async () => {
    const owner = await world.create(text)
    const id = await thread(owner, kind)
    const replyId = await reply(owner, kind, id, 'x')
    const calls: ((what: Ask) => Promise<Answer>)[] = [(what) => edit(owner, replyId, 'y', what), (what) => remove(owner, replyId, what)]
    for (const [index, call] of calls.entries()) {
      const before = [await stored(world, owner.doc), await read(owner, kind, id)]
      store.fault = new ServiceError('storage_unavailable')
      const failed = await call({})
      store.fault = undefined
      expect(failed.status).toBe(503)
      expect([await stored(world, owner.doc), await read(owner, kind, id)]).toEqual(before)
      const headers = { 'Idempotency-Key': `key ${index}` }
      const first = await call({ headers })
      const again = await changesNothing(owner.doc, () => call({ headers }))
      expect([again.status, again.json]).toEqual([200, first.json])
    }
  })
})

test('[REVIEW-171] an owner deletes the comment of another, with its replies, and does not edit it', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('comment')
  const { id } = await comment(ana, { body: 'first' }, asAuthor('Ana'))
  await reply(ana, 'comments', id, 'more', asAuthor('Ana'))
  const call = (who: Person, method: string, json?: Json): Promise<Answer> => who.ask(method, `/comments/${id}`, json && { json })
  expect((await call(owner, 'PATCH', { body: 'x' })).json.code).toBe('not_author')
  expect((await call(await owner.share('edit'), 'DELETE')).json.code).toBe('not_author')
  expect((await call(await owner.share('owner'), 'DELETE')).status).toBe(200)
  expect(await comments(owner)).toEqual([])
})

test('[REVIEW-172] the replies of a deleted comment return 404', async () => {
  const owner = await world.create(text)
  const id = await thread(owner, 'comments')
  const replyId = await reply(owner, 'comments', id, 'x')
  await owner.ask('DELETE', `/comments/${id}`)
  expect([(await edit(owner, replyId, 'y')).status, (await remove(owner, replyId)).status]).toEqual([404, 404])
})

test('[REVIEW-176] once its only reply is deleted, a suggestion has no list of replies, and its author can type it again', async () => {
  const owner = await world.create(text)
  const type = (step: number): Promise<Answer> =>
    owner.ask('PUT', '/drafts/d1.secret', { json: { step, operation: 'replace', find: 'brown fox', text: `red fox ${step}` } })
  const { suggestion } = (await type(1)).json
  const replyId = await reply(owner, 'suggestions', suggestion.id, 'Why red?')
  expect((await type(2)).json.code).toBe('suggestion_fixed')
  await remove(owner, replyId)
  expect(await readSuggestion(owner, suggestion.id)).not.toHaveProperty('replies')
  expect((await type(3)).json.suggestion.text).toBe('red fox 3')
})

test('[REVIEW-177] a comment says when its text was edited, and only then', async () => {
  const owner = await world.create(text)
  const { id } = await comment(owner, { body: 'first' })
  await reply(owner, 'comments', id, 'x')
  expect(await readComment(owner, id)).not.toHaveProperty('editedAt')
  const { json } = await owner.ask('PATCH', `/comments/${id}`, { json: { body: 'second' } })
  expect(json.comment.editedAt).toBe(json.comment.updatedAt)
})

test('[REVIEW-178] the tools for comments edit and delete replies by replyId', async () => {
  const owner = await world.create(text)
  const place = { doc: owner.doc, key: owner.key }
  const id = await thread(owner, 'suggestions')
  const replyId = await reply(owner, 'suggestions', id, 'x')
  expect((await told(world.url, 'edit_comment', { ...place, replyId, body: 'y' })).suggestion.replies).toMatchObject([{ body: 'y' }])
  for (const ids of [{}, { commentId: 'c', replyId }])
    for (const name of ['edit_comment', 'delete_comment'])
      expect((await refused(world.url, name, { ...place, ...ids, body: 'y' })).code).toBe('invalid_request')
  await told(world.url, 'delete_comment', { ...place, replyId })
  expect(await readSuggestion(owner, id)).not.toHaveProperty('replies')
})
