import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../shared/client.ts'
import { limits } from '../../shared/limits.ts'
import { type Assignment, assign, assignmentOf, close, keyOf, requestFor, type Reviewer, seed, stored } from '../support/reviews.ts'
import { type Answer, type Json, type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

interface Review {
  readonly owner: Person & { readonly created: Json }
  readonly assignment: Assignment
  readonly ada: Reviewer
}

/** Creates a document with an assignment that Ada has started. */
const begin = async (content = 'text'): Promise<Review> => {
  const owner = await world.create(content)
  const assignment = await assign(world, owner)
  const ada = assignment.by('Ada')
  expect((await ada.start()).status).toBe(200)
  return { owner, assignment, ada }
}

/** Expects a refusal that changes nothing. */
const refused = async ({ owner, assignment }: Review, report: () => Promise<Answer>, problem: object): Promise<void> => {
  const before = await stored(world, owner.doc)
  expect(await report()).toMatchObject(problem)
  expect(await stored(world, owner.doc)).toEqual(before)
  expect((await owner.ask('GET', `/tasks/${assignment.id}`)).json.task).toMatchObject({ status: 'started', report: null })
}

const numbered = (prefix: string, count: number): string[] => Array.from({ length: count }, (_each, index) => `${prefix}${index}`)

test('[REPORT-1] a report has version, summary and outputs, and makes one event', async () => {
  const { owner, assignment, ada } = await begin()
  await seed(world, owner.doc, 'comment', ['c1', 'c2'])
  await seed(world, owner.doc, 'suggestion', ['s1'])
  const fields = {
    reviewedVersion: owner.created.version,
    summary: 'Good.\r\nMostly.',
    commentIds: ['c2', 'c1', 'c2'],
    suggestionIds: ['s1']
  }
  const { status, json } = await ada.report(fields)
  expect(status).toBe(200)
  expect(json.task).toMatchObject({ id: assignment.id, status: 'reported', startedBy: { name: 'Ada' } })
  expect(json.task.report).toEqual({
    reviewedVersion: owner.created.version,
    summary: 'Good.\nMostly.',
    commentIds: ['c2', 'c1'],
    suggestionIds: ['s1'],
    stale: false,
    reportedBy: { kind: 'guest', id: assignment.task.share.id, name: 'Ada' },
    reportedAt: expect.stringMatching(/^\d{4}-.*Z$/)
  })
  const { reviewedVersion, commentIds, suggestionIds, stale } = json.task.report
  expect((await owner.events()).events.at(-1)).toMatchObject({
    kind: 'task.reported',
    actor: 'Ada',
    payload: { taskId: assignment.id, reviewedVersion, commentIds, suggestionIds, stale }
  })
})

test('[REPORT-1] lists may be left out, and the summary may be empty', async () => {
  const { ada } = await begin()
  expect((await ada.report({ summary: '' })).json.task.report).toMatchObject({ summary: '', commentIds: [], suggestionIds: [] })
})

test.each<[string, (review: Review) => string | Promise<string>]>([
  ['of another document', async () => (await world.create('text')).created.version],
  ['invented', () => '1-000000000000'],
  ['not yet reached', () => '99-000000000000'],
  ['nonsense', () => 'nonsense'],
  ['empty', () => ''],
  ['any', () => '*'],
  ['two of them', ({ owner }) => `${owner.created.version}, ${owner.created.version}`],
  ['a prototype', () => '__proto__']
])('[REPORT-2] a version that this document never had returns 422: %s', async (_what, make) => {
  const review = await begin()
  const reviewedVersion = await make(review)
  await refused(review, () => review.ada.report({ reviewedVersion }), { status: 422, json: { code: 'unknown_reviewed_version' } })
})

test.each(['"V"', 'W/"V"', ' V '])('[REPORT-2] a version is accepted in the form of an ETag: %s', async (form) => {
  const { owner, ada } = await begin()
  const { status, json } = await ada.report({ reviewedVersion: form.replace('V', owner.created.version) })
  expect({ status, version: json.task.report.reviewedVersion }).toEqual({ status: 200, version: owner.created.version })
})

test('[REPORT-3] a report of an older version is accepted and marked stale', async () => {
  const put = await begin('one')
  await put.owner.replace('two')
  expect((await put.ada.report()).json.task.report).toMatchObject({ reviewedVersion: put.owner.created.version, stale: true })
  const typed = await begin('one')
  const editor = await typed.owner.connect()
  editor.type(0, 'zero ')
  await editor.saved()
  expect((await typed.ada.report()).json.task.report.stale).toBe(true)
  expect((await typed.owner.events()).events.at(-1).payload.stale).toBe(true)
})

test('[REPORT-3] a report of the newest version is not stale, however old the assignment, and stays so', async () => {
  const { owner, assignment, ada } = await begin('one')
  const { version } = await owner.replace('two')
  expect((await ada.report({ reviewedVersion: version })).json.task).toMatchObject({
    startingVersion: owner.created.version,
    report: { stale: false }
  })
  await owner.replace('three')
  expect((await owner.ask('GET', `/tasks/${assignment.id}`)).json.task.report.stale).toBe(false)
})

test('[REPORT-3] the first version of an empty document counts like any other', async () => {
  const { ada } = await begin('')
  expect((await ada.report()).json.task.report).toMatchObject({ stale: false })
})

test('[REPORT-4] ids that this document does not have return 422 with their names: unknown, of another document, of the other kind', async () => {
  const review = await begin()
  const other = await world.create('other')
  await seed(world, review.owner.doc, 'comment', ['mine'])
  await seed(world, review.owner.doc, 'suggestion', ['proposal'])
  await seed(world, other.doc, 'comment', ['theirs'])
  await seed(world, other.doc, 'suggestion', ['theirs'])
  const odd = ['__proto__', 'constructor', '', ' ', '../mine', 'x'.repeat(limits.idUnitsMax), review.assignment.id]
  const wrong: [string[], string[], string[], string[]][] = [
    [['theirs'], [], ['theirs'], []],
    [['mine', 'theirs'], ['theirs', 'proposal'], ['theirs'], ['theirs']],
    [['proposal'], ['mine'], ['proposal'], ['mine']],
    [['mine'], ['theirs'], [], ['theirs']],
    [['mine', ...odd], ['proposal'], odd, []]
  ]
  for (const [commentIds, suggestionIds, unknownComments, unknownSuggestions] of wrong)
    await refused(review, () => review.ada.report({ commentIds, suggestionIds }), {
      status: 422,
      json: { code: 'unknown_ids', commentIds: unknownComments, suggestionIds: unknownSuggestions }
    })
  expect((await review.ada.report({ commentIds: ['mine'], suggestionIds: ['proposal'] })).status).toBe(200)
})

test.each(['commentIds', 'suggestionIds'] as const)('[REPORT-5] a hundred %s are accepted, one more returns 422', async (list) => {
  const review = await begin()
  const ids = numbered('id', limits.taskIdsMax + 1)
  await seed(world, review.owner.doc, 'comment', ids)
  await seed(world, review.owner.doc, 'suggestion', ids)
  const details = [{ path: list, message: 'has 101 ids; the limit is 100' }]
  await refused(review, () => review.ada.report({ [list]: ids }), { status: 422, json: { code: 'too_many_ids', details } })
  const both = { commentIds: ids.slice(1), suggestionIds: ids.slice(1) }
  expect((await review.ada.report(both)).json.task.report).toMatchObject(both)
})

test('[REPORT-6] the same report again returns 200, in any order of its ids, without a second event', async () => {
  const { owner, ada } = await begin()
  await seed(world, owner.doc, 'comment', ['a', 'b'])
  const fields = { commentIds: ['a', 'b'] }
  const first = await ada.report(fields)
  await owner.replace('changed')
  // A report that was valid when it arrived stays valid when it is sent again.
  await world.service.ledger.write(owner.doc, 'system', (draft) => draft.delete(['d', owner.doc, 'comment', 'a']))
  const before = await stored(world, owner.doc)
  for (const again of [fields, { commentIds: ['b', 'a', 'a'] }, { ...fields, reviewedVersion: `"${owner.created.version}"` }])
    expect(await ada.report(again)).toMatchObject({ status: 200, json: first.json })
  expect(await stored(world, owner.doc)).toEqual(before)
})

test('[REPORT-6] another report after the first returns 409 and changes nothing', async () => {
  const { owner, assignment, ada } = await begin()
  const { version } = await owner.replace('two')
  await seed(world, owner.doc, 'comment', ['a', 'b'])
  await seed(world, owner.doc, 'suggestion', ['a'])
  const first = await ada.report({ commentIds: ['a'] })
  const before = await stored(world, owner.doc)
  const others = [
    { commentIds: ['a'], summary: 'Something else.' },
    { commentIds: ['a'], reviewedVersion: version },
    { commentIds: [] },
    { commentIds: ['b'] },
    { commentIds: ['a', 'b'] },
    { commentIds: ['a'], suggestionIds: ['a'] },
    // The refusal of a second report takes precedence over the other error.
    { commentIds: ['unknown'] },
    { reviewedVersion: 'unknown' },
    { commentIds: numbered('x', limits.taskIdsMax + 1) }
  ]
  for (const other of others) expect(await ada.report(other)).toMatchObject({ status: 409, json: { code: 'already_reported' } })
  // The same report by somebody else is not a retry.
  expect(await assignment.by('Bob').report({ commentIds: ['a'] })).toMatchObject({ status: 403, json: { code: 'not_starter' } })
  expect(await stored(world, owner.doc)).toEqual(before)
  await close(owner, assignment)
  expect(await ada.report({ commentIds: ['a'] })).toMatchObject({ status: 200, json: { task: { status: 'closed' } } })
  expect(await ada.report({ summary: 'Other.' })).toMatchObject({ status: 409, json: { code: 'task_closed' } })
  expect(await assignment.by('Bob').report({ commentIds: ['a'] })).toMatchObject({ status: 409, json: { code: 'task_closed' } })
  expect((await owner.ask('GET', `/tasks/${assignment.id}`)).json.task.report).toEqual(first.json.task.report)
})

test('[REPORT-6] ten identical concurrent reports count as one', async () => {
  const { owner, ada } = await begin()
  const answers = await Promise.all(numbered('', 10).map(() => ada.report()))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect((await owner.events({ types: 'task.reported' })).events.length).toBe(1)
})

describe('[REPORT-7] an invalid field is named and nothing is reported', () => {
  test.each<[string, Record<string, unknown>]>([
    ['reviewedVersion', { reviewedVersion: undefined }],
    ['reviewedVersion', { reviewedVersion: 7 }],
    ['reviewedVersion', { reviewedVersion: 'x'.repeat(81) }],
    ['summary', { summary: undefined }],
    ['summary', { summary: ['x'] }],
    ['summary', { summary: 'a\0b' }],
    ['summary', { summary: '\ud800' }],
    ['summary', { summary: 'x'.repeat(limits.taskTextUnitsMax + 1) }],
    ['commentIds', { commentIds: 'a' }],
    ['commentIds', { commentIds: { 0: 'a' } }],
    ['commentIds.1', { commentIds: ['a', 7] }],
    ['commentIds.0', { commentIds: ['\ud800'] }],
    ['commentIds.0', { commentIds: ['a\0b'] }],
    ['suggestionIds.0', { suggestionIds: [null] }],
    ['suggestionIds.0', { suggestionIds: ['x'.repeat(limits.idUnitsMax + 1)] }]
  ])('[REPORT-7] %s: %j', async (path, fields) => {
    const review = await begin()
    const details = [{ path, message: expect.any(String) }]
    await refused(review, () => review.ada.report(fields), { status: 400, json: { code: 'invalid_request', details } })
  })
})

// ——— the complete sequence ———

/** The headers of a reviewer's requests. */
interface Way {
  readonly who: string
  ask(assignment: Assignment, method: string, path: string, fields?: Record<string, unknown>): Promise<Answer>
}

const guest: Way = {
  who: 'a guest who has the link as an address, with the name in the body',
  ask: (assignment, method, path, fields) =>
    world.ask(
      method,
      `/api/docs/${assignment.task.docId}${path}${path.includes('?') ? '&' : '?'}key=${keyOf(assignment.task.share.url)}`,
      method === 'GET' ? {} : { json: { author: 'Greta', ...fields } }
    )
}

const agent: Way = {
  who: 'an agent with headers',
  ask: (assignment, method, path, fields) =>
    world.ask(method, `/api/docs/${assignment.task.docId}${path}`, {
      headers: { 'X-Share-Key': keyOf(assignment.task.share.url), 'X-Agent-Author': 'review-bot/1' },
      ...(fields === undefined ? {} : { json: fields })
    })
}

test.each([guest, agent])('[REPORT-8] the whole sequence, by $who: create, read, start, make, report, close', async ({ ask }) => {
  // The owner is a program that uses the typed client.
  const made = await createClient({ baseUrl: world.url, author: 'Olga' }).createDocument({ content: '# Draft\n' })
  const owner = createClient({ baseUrl: world.url, key: made.key ?? '', author: 'Olga' })
  const request = { requestId: 'sequence', title: 'Check the draft', instructions: 'Facts only.' }
  const created = await owner.createTask(made.id, request)
  expect((await owner.createTask(made.id, request)).task.id).toBe(created.task.id)
  const assignment = assignmentOf(world, created.task)
  const at = `/tasks/${assignment.id}`

  expect((await ask(assignment, 'POST', `${at}/report`, { reviewedVersion: made.version, summary: 'Too early.' })).json.code).toBe(
    'not_started'
  )
  expect((await ask(assignment, 'GET', at)).json.task).toMatchObject({
    title: request.title,
    instructions: request.instructions,
    status: 'open'
  })
  expect((await ask(assignment, 'GET', '/tasks')).json.tasks.length).toBe(1)
  const read = await ask(assignment, 'GET', '/content')
  const version = read.headers.get('ETag') ?? ''
  expect(read.text).toBe('# Draft\n')
  expect(await ask(assignment, 'POST', `${at}/start`, {})).toMatchObject({ status: 200, json: { task: { status: 'started' } } })
  expect(await ask(assignment, 'PUT', '/content', { content: 'Mine now.' })).toMatchObject({ status: 403, json: { requiredRole: 'edit' } })
  // A comment made under the assignment has the assignment's id.
  const annotation = (await ask(assignment, 'POST', '/comments', { body: 'Only a draft?', find: 'Draft' })).json.comment
  const proposal = (await ask(assignment, 'POST', '/suggestions', { operation: 'insert', find: 'Draft', text: ' of mine' })).json.suggestion
  const whole = (await ask(assignment, 'PUT', '/content?as=suggestions', { content: '# Draft\n\nThe end.\n' })).json.suggestions
  expect(whole.length).toBe(1)
  for (const each of [annotation, proposal, ...whole])
    expect(each).toMatchObject({ taskId: assignment.id, authorKind: 'guest', version: made.version })
  expect(await ask(assignment, 'POST', `/suggestions/${proposal.id}`, { action: 'accept' })).toMatchObject({
    status: 403,
    json: { requiredRole: 'edit' }
  })
  await owner.replaceContent(made.id, { content: '# Draft two\n' })

  const report = {
    reviewedVersion: version,
    summary: 'One mistake.',
    commentIds: [annotation.id],
    suggestionIds: [proposal.id, whole[0].id]
  }
  const elsewhere = await world.create('# Draft\n')
  const foreign = (await elsewhere.ask('POST', '/comments', { json: { body: 'x' } })).json.id
  expect(await ask(assignment, 'POST', `${at}/report`, { ...report, commentIds: [foreign] })).toMatchObject({
    status: 422,
    json: { code: 'unknown_ids', commentIds: [foreign] }
  })
  expect((await ask(assignment, 'POST', `${at}/report`, { ...report, commentIds: ['comment-9'] })).json.code).toBe('unknown_ids')
  expect((await ask(assignment, 'POST', `${at}/report`, { ...report, reviewedVersion: '9-999999999999' })).json.code).toBe(
    'unknown_reviewed_version'
  )
  const reported = await ask(assignment, 'POST', `${at}/report`, report)
  expect(reported).toMatchObject({ status: 200, json: { task: { status: 'reported', report: { stale: true } } } })
  expect((await ask(assignment, 'POST', `${at}/report`, report)).json).toEqual(reported.json)
  expect((await ask(assignment, 'POST', `${at}/report`, { ...report, summary: 'Two.' })).json.code).toBe('already_reported')
  expect(await ask(assignment, 'POST', `${at}/close`, {})).toMatchObject({
    status: 403,
    json: { code: 'forbidden', requiredRole: 'owner' }
  })

  await expect(owner.startTask(made.id, { taskId: assignment.id })).rejects.toMatchObject({ code: 'task_link_required' })
  await expect(owner.createTask(made.id, { ...request, title: 'Another' })).rejects.toMatchObject({ code: 'request_id_conflict' })
  expect((await owner.listTasks(made.id)).tasks[0]?.report).toMatchObject({ summary: 'One mistake.', stale: true })
  expect((await owner.closeTask(made.id, { taskId: assignment.id })).task).toMatchObject({ status: 'closed', closedBy: { name: 'Olga' } })
  expect((await owner.closeTask(made.id, { taskId: assignment.id })).task.status).toBe('closed')
  expect((await ask(assignment, 'POST', `${at}/report`, report)).json.task.status).toBe('closed')
  expect((await ask(assignment, 'POST', `${at}/report`, { ...report, summary: 'Two.' })).json.code).toBe('task_closed')
  // Closing an assignment accepts no suggestions. The owner decides about them, with the typed client too.
  expect((await owner.listSuggestions(made.id, { taskId: assignment.id, status: 'pending' })).total).toBe(2)
  const { results } = await owner.decideSuggestions(made.id, {
    decisions: report.suggestionIds.map((suggestionId) => ({ suggestionId, action: 'accept' }))
  })
  expect(results.map(({ ok }) => ok)).toEqual([true, true])
  expect(await (await fetch(assignment.task.share.agentUrl)).text()).toBe('# Draft of mine two\n\nThe end.\n')
  await owner.resolveComment(made.id, { commentId: annotation.id })
  expect((await owner.listComments(made.id, { status: 'resolved' })).comments[0]).toMatchObject({ anchored: true, resolvedBy: 'Olga' })
  const { events } = await owner.listEvents(made.id, { types: 'task.created,task.started,task.reported,task.closed' })
  expect(events.map(({ kind }) => kind)).toEqual(['task.created', 'task.started', 'task.reported', 'task.closed'])
})

test('[REPORT-8] three reviewers work on one document at once, each with their own assignment', async () => {
  const owner = await world.create('text')
  await seed(world, owner.doc, 'comment', ['c'])
  const people = await Promise.all(['Ada', 'Bob', 'Cyd'].map(async (name) => (await assign(world, owner, requestFor())).by(name)))
  expect((await Promise.all(people.map((person) => person.start()))).map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await Promise.all(people.map((person) => person.report({ commentIds: ['c'] })))).map(({ status }) => status)).toEqual([
    200, 200, 200
  ])
  const { tasks } = (await owner.ask('GET', '/tasks')).json
  expect(tasks.map((task: Json) => task.report.reportedBy.name).toSorted()).toEqual(['Ada', 'Bob', 'Cyd'])
})
