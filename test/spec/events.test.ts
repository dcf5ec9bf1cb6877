import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { assign } from '../support/reviews.ts'
import { type Editor, type Json, type Person, settledWithin, startWorld, until, type World } from '../support/world.ts'

const clock = testClock()
let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

/** Advances the time until edits are announced, which happens a second after an edit. */
const announce = async (): Promise<void> => {
  clock.advance(limits.announceMs)
  await world.service.ledger.idle()
}

test('[EVENT-1] every change is an event, and cursors have no gaps from 1', async () => {
  const owner = await world.create({ title: 'T', content: 'one' })
  const guest = await owner.share('view')
  await owner.replace('two', { author: 'Ada' })
  await owner.ask('POST', '/restore', { json: { revision: 1 } })
  await owner.ask('DELETE', `/shares/${guest.key}`)
  const { events, latest } = await owner.events()
  expect(events.map((event: { kind: string }) => event.kind)).toEqual([
    'doc.created',
    'share.created',
    'content.replaced',
    'content.restored',
    'share.revoked'
  ])
  expect(events.map((event: { seq: number }) => event.seq)).toEqual([1, 2, 3, 4, 5])
  expect(latest).toBe(5)
  expect(events[2]).toMatchObject({ id: 3, type: 'content.replaced', actor: 'Ada', actorKind: 'guest', ts: clock.now() })
  expect(events[2].at).toBe(new Date(clock.now()).toISOString())
})

test('[EVENT-2] the event of an API write has versions, lines and revision', async () => {
  const owner = await world.create('a\nb\nc\n')
  const { version, revisionId } = await owner.replace('a\nB\nc\nd\n', { author: 'Ada' })
  expect((await owner.events()).events.at(-1)).toMatchObject({
    version,
    payload: {
      fromVersion: owner.created.version,
      toVersion: version,
      revisionId,
      actors: ['Ada'],
      hunks: [
        { line: 2, removed: ['b'], added: ['B'] },
        { line: 4, removed: [], added: ['d'] }
      ]
    }
  })
})

test('[EVENT-3] since lists the events after the cursor; since=latest lists none and returns the newest', async () => {
  const owner = await world.create('one')
  await owner.replace('two')
  expect((await owner.events({ since: 1 })).events.map((event: { seq: number }) => event.seq)).toEqual([2])
  expect(await owner.events({ since: 2 })).toEqual({ events: [], latest: 2 })
  expect(await owner.events({ since: 'latest' })).toEqual({ events: [], latest: 2 })
  expect(await owner.events({ since: 999 })).toEqual({ events: [], latest: 2 })
})

test.each([{ since: -1 }, { since: 1.5 }, { since: 'x' }, { since: 'Latest' }, { wait: 'x' }, { wait: 'NaN' }])(
  '[EVENT-4] a cursor or wait that is not a number returns 400: %j',
  async (query) => {
    const owner = await world.create('one')
    const { status, json } = await owner.ask('GET', '/events', { query: query as unknown as Record<string, string> })
    expect(status).toBe(400)
    expect(json).toMatchObject({ code: 'invalid_request', details: [{ path: Object.keys(query)[0] }] })
  }
)

test('[EVENT-5] a wait that times out returns 200, empty, with the same cursor; it is clamped to 55 seconds', async () => {
  const owner = await world.create('one')
  for (const [wait, seconds] of [
    [20, 20],
    [1000, 55],
    [55, 55]
  ] as const) {
    const poll = owner.events({ since: 'latest', wait })
    await until(() => clock.awaits(seconds * 1000), 'the wait')
    clock.advance(seconds * 1000 - 1)
    expect(await settledWithin(poll, 30)).toBe('waiting')
    clock.advance(1)
    expect(await poll).toEqual({ events: [], latest: 1 })
  }
  expect(await owner.events({ since: 'latest', wait: -5 })).toEqual({ events: [], latest: 1 })
})

test('[EVENT-6] an event wakes every waiter at once', async () => {
  const owner = await world.create('one')
  const polls = Array.from({ length: 20 }, () => owner.events({ since: 1, wait: 55 }))
  expect(await settledWithin(Promise.race(polls), 50)).toBe('waiting')
  await owner.replace('two')
  for (const { events, latest } of await Promise.all(polls)) {
    expect(events).toMatchObject([{ seq: 2, kind: 'content.replaced' }])
    expect(latest).toBe(2)
  }
  expect((await owner.events({ since: 1, wait: 55 })).events.length).toBe(1)
})

test('[EVENT-7] types and excludeActor filter, the cursor moves past filtered events, and a wait continues', async () => {
  const owner = await world.create('one')
  await owner.replace('two', { author: 'Ada' })
  await owner.replace('three', { author: 'Ben' })
  const kinds = async (query: Record<string, string>): Promise<unknown[]> =>
    (await owner.events(query)).events.map((event: { seq: number }) => event.seq)
  expect(await kinds({ types: 'content.replaced, doc.created' })).toEqual([1, 2, 3])
  expect(await kinds({ types: 'content.replaced', excludeActor: 'Ada' })).toEqual([3])
  expect(await owner.events({ types: 'share.created' })).toEqual({ events: [], latest: 3 })
  const poll = owner.events({ since: 3, wait: 55, excludeActor: 'Ada' })
  await owner.replace('four', { author: 'Ada' })
  expect(await settledWithin(poll, 60)).toBe('waiting')
  await owner.replace('five', { author: 'Ben' })
  expect(await poll).toMatchObject({ events: [{ seq: 5, actor: 'Ben' }], latest: 5 })
})

test('[EVENT-8] a page has 200 events and says that there are more', { timeout: 60_000 }, async () => {
  const owner = await world.create('one')
  for (let count = 0; count < 260; count++) await owner.replace(`text ${count}`)
  const first = await owner.events()
  expect(first).toMatchObject({ capped: true, latest: 200 })
  expect(first.events.length).toBe(200)
  const second = await owner.events({ since: first.latest })
  expect(second.events.length).toBe(61)
  expect(second).not.toHaveProperty('capped')
  expect(await owner.events({ types: 'share.created' })).toMatchObject({ events: [], latest: 200, capped: true })
})

test('[EVENT-9] typing in browsers makes one content.changed after a second, with its lines and actors', async () => {
  const owner = await world.create('a\nb\n')
  const editor = await owner.connect()
  for (const letter of 'word') editor.type(editor.ytext.length, letter)
  await editor.saved()
  const { latest } = await owner.events({ since: 'latest' })
  expect(latest).toBe(1)
  await announce()
  await until(async () => (await owner.events({ since: 1 })).events.length > 0, 'the announcement')
  const { events } = await owner.events({ since: 1 })
  const { version } = await owner.read()
  expect(events).toMatchObject([
    {
      kind: 'content.changed',
      actorKind: 'guest',
      version,
      payload: {
        fromVersion: owner.created.version,
        toVersion: version,
        hunks: [{ line: 3, removed: [], added: ['word'] }],
        actors: ['guest']
      }
    }
  ])
})

test('[EVENT-10] a PUT first announces text typed earlier', async () => {
  const owner = await world.create('a\n')
  const editor = await owner.connect()
  editor.type(0, 'typed ')
  await editor.saved()
  const between = await owner.read()
  await owner.replace('put\n', { author: 'Ada' })
  await announce()
  const { events } = await owner.events({ since: 1 })
  expect(events).toMatchObject([
    { kind: 'content.changed', payload: { fromVersion: owner.created.version, toVersion: between.version } },
    { kind: 'content.replaced', payload: { fromVersion: between.version } }
  ])
  expect(events.length).toBe(2)
})

test.each(['text\n', ''])('[EVENT-11] edits that were not announced before a crash are announced later: begun with %j', async (content) => {
  let own = await startWorld({ clock: testClock() })
  const created = await own.create(content)
  const editor = await created.connect()
  editor.type(0, 'typed')
  await editor.saved()
  // This simulates a crash: memory is lost, and no document is saved.
  own.service.live.fence(created.doc, new Error('crash'))
  editor.close()
  const before = (await own.service.ledger.head(created.doc)).announcedSeq
  const clockAfter = testClock(Date.UTC(2030, 0, 2))
  own = await own.restart({ clock: clockAfter })
  expect((await own.service.ledger.head(created.doc)).announcedSeq).toBe(before)
  const owner = own.person(created.doc, created.key)
  await owner.events()
  clockAfter.advance(limits.announceMs)
  await until(async () => (await owner.events({ since: 1 })).events.length > 0, 'the announcement')
  expect((await owner.events({ since: 1 })).events).toMatchObject([
    {
      kind: 'content.changed',
      payload: { fromVersion: created.created.version, hunks: [{ line: 1, added: [expect.stringContaining('typed')] }] }
    }
  ])
  expect((await owner.read()).content).toBe(`typed${content}`)
  await own.stop()
})

test('[EVENT-12] open pages receive events over their socket', async () => {
  const owner = await world.create('one')
  const editor = await owner.connect()
  await owner.replace('two')
  await until(() => editor.messages.some((message) => message.type === 'event' && message.event.kind === 'content.replaced'), 'the message')
  expect(editor.messages[0]).toEqual({ type: 'role', role: 'owner' })
})

test('[EVENT-13] the link of an assignment sees no other assignment and no other link, and its cursor moves past them', async () => {
  const owner = await world.create('# T\n\nText.\n')
  const one = await assign(world, owner)
  const two = await assign(world, owner)
  await owner.share('view')
  await two.by('Bea').start()
  await one.by('Ana').start()
  const all = (await owner.events()).events
  expect(all.filter(({ kind }: Json) => kind.startsWith('task.')).length).toBe(4)
  const { events, latest } = await one.by('Ana').events()
  const foreign = (await owner.ask('GET', '/shares')).json.shares.map(({ id }: Json) => id).filter((id: string) => id !== one.task.share.id)
  const said = JSON.stringify(events)
  for (const id of [two.id, ...foreign]) expect(said).not.toContain(id)
  expect(events.filter(({ kind }: Json) => kind.startsWith('task.')).map(({ kind }: Json) => kind)).toEqual([
    'task.created',
    'task.started'
  ])
  expect(latest).toBe(all.at(-1)?.seq)
  expect(events.every(({ seq }: Json) => all.some((each: Json) => each.seq === seq))).toBe(true)
})

const chatOf = (...lines: readonly string[]): string => `# Talk\n\n\`\`\`chat\n${lines.join('\n')}\n\`\`\`\n\nAfter\n`
const old = '[2029-12-31T10:00Z] @Cy: Ask @ana'
const said = '[2030-01-01T00:00Z] @Bo: @ana and @Claude-2, look at `@nobody`'

/** Advances the time until every mention in a chat has been announced. */
const quiet = (): void => clock.advance(limits.tidyCheckMs * 2 + limits.tidyQuietMs)

/** Waits for a number of announced mentions, and returns them. */
const mentioned = async (person: Person, count: number): Promise<Json[]> => {
  const list = async (): Promise<Json[]> => (await person.events({ types: 'chat.mentioned' })).events
  await until(async () => (await list()).length >= count, 'the mentions')
  return list()
}

/** Replaces the text of a page like an editor, and waits until the change reaches the server. */
const rewrite = async (owner: Person, editor: Editor, text: string): Promise<void> => {
  editor.ydoc.transact(() => {
    editor.ytext.delete(0, editor.ytext.length)
    editor.ytext.insert(0, text)
  })
  await editor.saved()
  expect((await owner.read()).content).toBe(text)
}

test('[EVENT-14] a mention in a new chat message makes an event once the message is stable; in code it does not', async () => {
  const owner = await world.create(chatOf(old))
  const viewer = await owner.share('view')
  const editor = await owner.connect({ name: 'Bo' })
  // An unfinished name is not a mention.
  await rewrite(owner, editor, chatOf(old, '[2030-01-01T00:00Z] @Bo: @an'))
  clock.advance(limits.tidyCheckMs)
  await rewrite(owner, editor, chatOf(old, said, '  twice for @ana'))
  clock.advance(limits.tidyCheckMs)
  expect((await owner.events({ types: 'chat.mentioned' })).events).toEqual([])
  quiet()
  const [event, ...more] = await mentioned(viewer, 1)
  expect(more).toEqual([])
  expect(event).toMatchObject({
    kind: 'chat.mentioned',
    actor: 'Bo',
    actorKind: 'guest',
    version: (await owner.read()).version,
    payload: { names: ['ana', 'Claude-2'], author: 'Bo', sentAt: '2030-01-01T00:00Z', text: expect.stringContaining('twice'), line: 5 }
  })
  await until(() => editor.messages.some(({ type, event: shown }) => type === 'event' && shown.kind === 'chat.mentioned'), 'the page')
  await expect(world.person(owner.doc, 'x'.repeat(32)).events()).rejects.toMatchObject({ status: 401 })
})

test('[COMP-152] a mention makes no second event when its guest takes a name', async () => {
  const owner = await world.create(chatOf(old))
  const editor = await owner.connect({ name: 'Kim' })
  const by = (author: string): string => `[2030-01-01T00:00Z] @${author}: For @ana`
  for (const lines of [[by('Guest 27')], [by('Kim')], [by('Kim'), '[2030-01-01T00:05Z] @Kim: And @dora']]) {
    await rewrite(owner, editor, chatOf(old, ...lines))
    quiet()
    await editor.saved()
  }
  expect((await mentioned(owner, 2)).map(({ payload }) => payload.names)).toEqual([['ana'], ['dora']])
})

test('[EVENT-15] a mention makes one event: none when its message moves, is edited, copied, deleted and restored, or after a restart', async () => {
  const owner = await world.create(chatOf('[2030-01-01T00:00Z] @Cy: Hm', old))
  const editor = await owner.connect({ name: 'Bo' })
  const steps = [
    chatOf('[2030-01-01T00:00Z] @Cy: Hm', old, said),
    // The message moves, and is then edited.
    chatOf(said, old),
    chatOf(`${said}!`, old),
    // The message and an earlier one are deleted. Both are restored, and one of them appears twice.
    chatOf('[2030-01-01T00:00Z] @Cy: Hm'),
    chatOf('[2030-01-01T00:00Z] @Cy: Hm', old, said),
    chatOf(said, '[2030-01-01T00:00Z] @Cy: Hm', old, said)
  ]
  for (const step of steps) {
    await rewrite(owner, editor, step)
    quiet()
  }
  expect(await mentioned(owner, 1)).toHaveLength(1)
  // Restoring an earlier version causes no announcement. A message by an agent is announced, and so is a second message in the same minute.
  // A node counts Bo, who writes on another node, as a recent editor for this long.
  clock.advance(limits.announceLateMs)
  await owner.replace(chatOf(old, `${said}?`, '[2030-01-01T00:00Z] @Bo: @ana, again'), { author: 'Robo' })
  quiet()
  await mentioned(owner, 2)
  await owner.replace('Empty\n')
  quiet()
  await owner.ask('POST', '/restore', { json: { revision: 1 } })
  quiet()
  await world.service.live.open(owner.doc).then(async (opened) => {
    await opened.follower.settle()
    opened.release()
  })
  world = await world.restart({ clock })
  const back = world.person(owner.doc, owner.key)
  await back.replace(chatOf(old, said))
  quiet()
  await back.replace(chatOf(old, said, '[2030-01-01T00:05Z] @Bo: The last, @dora'))
  quiet()
  expect((await mentioned(back, 3)).map(({ payload, actor }) => [payload.names, payload.text, actor])).toEqual([
    [['ana', 'Claude-2'], '@ana and @Claude-2, look at `@nobody`', 'Bo'],
    [['ana'], '@ana, again', 'Robo'],
    [['dora'], 'The last, @dora', null]
  ])
})

test('[EVENT-16] events of comments and suggestions have their current words, with a note if truncated; deleting a comment removes them', async () => {
  const owner = await world.create('The quick brown fox jumps.\n')
  const long = 'x'.repeat(limits.eventBodyUnitsMax - 1)
  const made = await owner.ask('POST', '/comments', { json: { body: 'Whose @ana?', find: 'quick' } })
  const { id } = made.json
  await owner.ask('POST', `/comments/${id}/replies`, { json: { body: `${long}😀!` } })
  const changed = await owner.ask('POST', '/suggestions', { json: { operation: 'replace', find: 'brown', text: 'red', note: 'Livelier.' } })
  await owner.ask('POST', `/suggestions/${changed.json.id}/replies`, { json: { body: 'Is it?' } })
  await owner.ask('POST', `/suggestions/${changed.json.id}`, { json: { action: 'reject' } })
  const words = async (): Promise<Json[]> =>
    (await owner.events({ since: 1 })).events.map(({ kind, payload }: Json) => [
      kind,
      payload.body,
      payload.quote,
      payload.replacement,
      payload.cut
    ])
  expect(await words()).toEqual([
    ['comment.created', 'Whose @ana?', 'quick', undefined, undefined],
    ['comment.mentioned', 'Whose @ana?', 'quick', undefined, undefined],
    ['comment.replied', long, 'quick', undefined, ['body']],
    ['suggestion.created', 'Livelier.', 'brown', 'red', undefined],
    ['suggestion.replied', 'Is it?', 'brown', 'red', undefined],
    ['suggestion.rejected', 'Livelier.', 'brown', 'red', undefined]
  ])
  await owner.ask('PATCH', `/comments/${id}`, { json: { body: 'Hers.' } })
  expect((await words()).filter(([kind]) => kind === 'comment.created')).toEqual([
    ['comment.created', 'Hers.', 'quick', undefined, undefined]
  ])
  await owner.ask('DELETE', `/comments/${id}`)
  expect((await words()).filter(([kind]) => kind.startsWith('comment.')).flatMap((row) => row.slice(1))).toEqual(
    Array.from({ length: 5 * 4 }, () => undefined)
  )
})

test.each([{ permanent: 0 }, { permanent: 1 }])('[EVENT-17] a deletion is an event that long polls receive: %j', async (query) => {
  const owner = await world.create('one')
  const viewer = await owner.share('view')
  const polls = [owner, viewer].map((person) => person.ask('GET', '/events', { query: { since: 'latest', wait: 50 } }))
  const elsewhere = viewer.ask('GET', '/events', { query: { since: 'latest', wait: 50, types: 'comment.created' } })
  expect(await settledWithin(Promise.race([...polls, elsewhere]), 50)).toBe('waiting')
  const { json } = await owner.ask('DELETE', '', { query })
  for (const { status, json: heard } of await Promise.all(polls)) {
    expect(status).toBe(200)
    expect(heard.events).toMatchObject([{ kind: 'doc.deleted', payload: { restorableUntil: json.restorableUntil } }])
  }
  expect(await elsewhere).toMatchObject({ status: 410, json: { code: 'document_deleted' } })
  expect(await viewer.ask('GET', '/events')).toMatchObject({ status: 410 })
  const after = await owner.ask('GET', '/events', { query: { since: 2 } })
  if (query.permanent === 1) return expect(after.status).toBe(410)
  expect(after.json).toMatchObject({ events: [{ kind: 'doc.deleted' }], latest: 3 })
  // Nothing can happen after the deletion, so the call does not wait.
  expect(await owner.ask('GET', '/events', { query: { since: 3, wait: 50 } })).toMatchObject({ status: 410 })
  return expect((await owner.ask('GET', '/events', { query: { since: 3 } })).json).toEqual({ events: [], latest: 3 })
})

test('[EVENT-18] author in the body names the actor of links and of publishing', async () => {
  const owner = await world.create('one')
  const { json: link } = await owner.ask('POST', '/shares', { json: { role: 'edit', author: 'Ada' } })
  await owner.ask('PATCH', `/shares/${link.id}`, { json: { role: 'view', author: 'Ben' } })
  await owner.ask('POST', '/publish', { json: { author: 'Cy' } })
  await owner.ask('POST', '/publish', { json: { published: false, author: 'Dee' } })
  await owner.ask('DELETE', `/shares/${link.id}`, { json: { author: 'Eve' } })
  const { events } = await owner.events({ since: 1 })
  expect(events.map(({ kind, actor }: Json) => [kind, actor])).toEqual([
    ['share.created', 'Ada'],
    ['share.changed', 'Ben'],
    ['doc.published', 'Cy'],
    ['doc.unpublished', 'Dee'],
    ['share.revoked', 'Eve']
  ])
})
