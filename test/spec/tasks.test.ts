import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { callerOfDocument } from '../../server/domain/rights/access.ts'
import { taskOf } from '../../server/domain/rights/caller.ts'
import type { Key } from '../../server/domain/ports.ts'
import { errorMeanings, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { roles } from '../../shared/roles.ts'
import {
  type TaskAction,
  taskActions,
  type TaskActor,
  taskActors,
  taskOutcome,
  type TaskState,
  taskStates
} from '../../shared/task-states.ts'
import { withFaultyStore } from '../support/faulty-store.ts'
import { withLimit } from '../support/limits.ts'
import { type Assignment, assign, assignmentOf, close, keyOf, requestFor, stored, unchangedBy } from '../support/reviews.ts'
import { startProcess } from '../support/start.ts'
import { type Answer, ask, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

let world: World
const store = withFaultyStore((started) => (world = started))

const create = (owner: Person, json: Record<string, unknown>): Promise<Answer> => owner.ask('POST', '/tasks', { json })
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).toSorted((one, other) => one - other)
const kinds = async (person: Person): Promise<string[]> => (await person.events()).events.map((event: Json) => event.kind)
const links = async (owner: Person): Promise<Json[]> => (await owner.ask('GET', '/shares')).json.shares

const changesNothing = unchangedBy(() => world)

// ——— creating ———

test('[TASK-1] the owner creates an assignment with its own suggest link, and one event reports it', async () => {
  const owner = await world.create('# Text')
  const { status, json } = await owner.ask('POST', '/tasks', {
    json: { requestId: 'r1', title: 'Check the tone', instructions: 'Be kind.\r\nBe quick.' },
    headers: { 'X-Agent-Author': 'Olga' }
  })
  expect(status).toBe(201)
  expect(json.created).toBe(true)
  const { task } = json
  expect(task).toEqual({
    id: expect.stringMatching(/^[\w-]{16}$/),
    taskId: task.id,
    docId: owner.doc,
    requestId: 'r1',
    title: 'Check the tone',
    instructions: 'Be kind.\nBe quick.',
    status: 'open',
    startingVersion: owner.created.version,
    share: expect.objectContaining({ role: 'suggest' }),
    createdBy: { kind: 'guest', id: expect.any(String), name: 'Olga' },
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    startedBy: null,
    startedAt: null,
    report: null,
    closedBy: null,
    closedAt: null
  })
  expect(task.share.url).toBe(`${world.url}/d/${owner.doc}?key=${keyOf(task.share.url)}`)
  expect(await (await fetch(task.share.agentUrl)).text()).toBe('# Text')
  expect((await owner.events()).events.slice(1)).toMatchObject([
    {
      kind: 'task.created',
      actor: 'Olga',
      version: task.startingVersion,
      payload: { taskId: task.id, title: task.title, shareId: task.share.id }
    }
  ])
  expect(await links(owner)).toContainEqual(
    expect.objectContaining({ id: task.share.id, role: 'suggest', label: 'Review: Check the tone', revoked: false })
  )
})

test('[TASK-1] the starting version is the newest one, including typed text', async () => {
  const owner = await world.create('one')
  const editor = await owner.connect()
  editor.type(3, ' two')
  await editor.saved()
  const { task } = await assign(world, owner)
  expect(task.startingVersion).toBe((await owner.read()).version)
  expect(await owner.at(task.startingVersion)).toBe('one two')
})

test('[TASK-2] the same requestId and contents return the same assignment, in any state', async () => {
  const owner = await world.create('text')
  const request = requestFor()
  const assignment = assignmentOf(world, (await create(owner, request)).json.task)
  const again = async (): Promise<Json> => {
    const { status, json } = await changesNothing(owner.doc, () => create(owner, request))
    expect({ status, created: json.created }).toEqual({ status: 200, created: false })
    return json.task
  }
  expect(await again()).toEqual(assignment.task)
  await assignment.by('Ada').start()
  expect(await again()).toMatchObject({ id: assignment.id, status: 'started', share: assignment.task.share })
  await close(owner, assignment)
  expect(await again()).toMatchObject({ id: assignment.id, status: 'closed', share: assignment.task.share })
})

test('[TASK-2] the same requestId with other contents returns 409 and changes nothing', async () => {
  const owner = await world.create('text')
  const request = requestFor()
  const { id } = (await create(owner, request)).json.task
  for (const other of [{ title: 'Another' }, { instructions: 'Others' }, { title: `${String(request['title'])} ` }])
    expect(await changesNothing(owner.doc, () => create(owner, { ...request, ...other }))).toMatchObject({
      status: 409,
      json: { code: 'request_id_conflict', taskId: id }
    })
})

test('[TASK-2] a requestId is scoped to its document', async () => {
  const [one, other] = [await world.create('text'), await world.create('text')]
  const request = requestFor()
  const [made, also] = [await create(one, request), await create(other, { ...request, title: 'Another' })]
  expect([made.status, also.status]).toEqual([201, 201])
  expect(also.json.task.id).not.toBe(made.json.task.id)
})

test('[TASK-3] twenty concurrent creations with one requestId make one assignment and one link', async () => {
  const owner = await world.create('text')
  const request = requestFor()
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(owner, request)))
  expect(statuses(answers)).toEqual([...Array.from({ length: 19 }, () => 200), 201])
  expect(new Set(answers.map(({ json }) => json.task.share.url)).size).toBe(1)
  expect((await links(owner)).length).toBe(2)
  expect((await owner.ask('GET', '/tasks')).json.tasks.length).toBe(1)
  expect(await kinds(owner)).toEqual(['doc.created', 'task.created'])
})

test('[TASK-3] of concurrent creations with different contents one succeeds and the others return 409', async () => {
  const owner = await world.create('text')
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_each, n) => create(owner, requestFor({ requestId: 'r', title: `Title ${n}` })))
  )
  expect(statuses(answers)).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
  expect(await kinds(owner)).toEqual(['doc.created', 'task.created'])
})

test('[TASK-4] assignments survive a restart: the same request returns the same one, and its starter continues', async () => {
  let own = await startWorld()
  const request = requestFor()
  const before = await own.create('text')
  const { task } = (await create(before, request)).json
  await assignmentOf(own, task).by('Ada').start()
  own = await own.restart()
  const owner = own.person(before.doc, before.key)
  const { status, json } = await create(owner, request)
  expect(status).toBe(200)
  expect(keyOf(json.task.share.url)).toBe(keyOf(task.share.url))
  const assignment = assignmentOf(own, json.task)
  expect(await assignment.by('Bob').start()).toMatchObject({ status: 409 })
  expect(await assignment.by('Ada').report()).toMatchObject({ status: 200, json: { task: { status: 'reported' } } })
  await own.stop()
})

test('[TASK-4] an acknowledged assignment survives kill -9', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-test-'))
  let server = await startProcess({ folder })
  const { id, key } = (await ask(server.url, 'POST', '/new', { json: { content: 'text' } })).json
  const json = requestFor()
  const first = await ask(server.url, 'POST', `/api/docs/${id}/tasks`, { key, json })
  const at = `/api/docs/${id}/tasks/${first.json.task.id}`
  await ask(server.url, 'POST', `${at}/start`, { key: keyOf(first.json.task.share.url), headers: { 'X-Agent-Author': 'Ada' } })
  await server.kill('SIGKILL')
  server = await startProcess({ folder })
  const again = await ask(server.url, 'POST', `/api/docs/${id}/tasks`, { key, json })
  expect(again).toMatchObject({ status: 200, json: { created: false, task: { status: 'started', startedBy: { name: 'Ada' } } } })
  expect(keyOf(again.json.task.share.url)).toBe(keyOf(first.json.task.share.url))
  await server.stop()
  await rm(folder, { recursive: true })
})

test('[TASK-5] the link of an assignment identifies it, to the service and to its holder', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const suggester = await owner.share('suggest')
  const callerWith = async (key: string): Promise<string | null> => taskOf(await callerOfDocument(world.service, owner.doc, { key }))
  expect(await callerWith(assignment.by().key)).toBe(assignment.id)
  expect(await callerWith(suggester.key)).toBeNull()
  expect(await callerWith(owner.key)).toBeNull()
  const allowed = async (person: Person): Promise<string[]> => (await person.ask('GET', '')).json.capabilities
  expect(await allowed(assignment.by())).toEqual(expect.arrayContaining(['readTask', 'startTask', 'reportTask']))
  for (const person of [suggester, owner]) expect(await allowed(person)).not.toEqual(expect.arrayContaining(['startTask']))
  expect((await assignment.by().ask('GET', '')).json.role).toBe('suggest')
})

test('[TASK-6] live links of assignments are counted separately; an existing one is still returned', async () => {
  const owner = await world.create('text')
  const request = requestFor()
  await withLimit('taskSharesMax', 2, () =>
    withLimit('sharesMax', 2, async () => {
      await owner.share('view')
      expect(await owner.ask('POST', '/shares', { json: { role: 'view' } })).toMatchObject({ status: 400 })
      expect((await create(owner, request)).status).toBe(201)
      const second = await assign(world, owner)
      const refused = await changesNothing(owner.doc, () => create(owner, requestFor()))
      expect(refused).toMatchObject({ status: 400, json: { code: 'invalid_request', message: expect.stringContaining('revokeLink') } })
      expect((await create(owner, request)).status).toBe(200)
      // Closing an assignment keeps its link, unless the request also revokes the link. Revoking the link frees its place.
      expect((await owner.ask('POST', `/tasks/${second.id}/close`)).json.task.share.revoked).toBe(false)
      expect((await create(owner, requestFor())).status).toBe(400)
      const closed = await owner.ask('POST', `/tasks/${second.id}/close`, { json: { revokeLink: true } })
      expect(closed.json.task).toMatchObject({ status: 'closed', share: { revoked: true } })
      expect(await second.by('Ada').start()).toMatchObject({ status: 401 })
      expect((await create(owner, requestFor())).status).toBe(201)
    })
  )
})

// ——— states ———

type Outcomes = Readonly<Record<TaskState, Record<TaskAction, readonly [starter: string, another: string]>>>

/** The table is written out here a second time, so that a changed cell is noticed. */
const expected: Outcomes = {
  open: { start: ['started', 'started'], report: ['not_started', 'not_started'], close: ['closed', 'closed'] },
  started: { start: ['started', 'already_started'], report: ['reported', 'not_starter'], close: ['closed', 'closed'] },
  reported: { start: ['reported', 'already_started'], report: ['already_reported', 'not_starter'], close: ['closed', 'closed'] },
  closed: { start: ['task_closed', 'task_closed'], report: ['task_closed', 'task_closed'], close: ['closed', 'closed'] }
}

const names: Readonly<Record<TaskActor, string>> = { starter: 'Ada', another: 'Bob' }

/** Brings an assignment to a state, with Ada as the reviewer who starts it. */
const bring = async (owner: Person, assignment: Assignment, state: TaskState): Promise<void> => {
  const ada = assignment.by('Ada')
  if (state === 'open') return
  expect((await ada.start()).status).toBe(200)
  if (state === 'started') return
  expect((await ada.report()).status).toBe(200)
  if (state === 'closed') expect((await close(owner, assignment)).status).toBe(200)
}

const act = (owner: Person, assignment: Assignment, action: TaskAction, name: string): Promise<Answer> => {
  if (action === 'start') return assignment.by(name).start()
  if (action === 'report') return assignment.by(name).report({ summary: 'Something else.' })
  return close(owner, assignment, { headers: { 'X-Agent-Author': name } })
}

const announced: Readonly<Record<TaskAction, string>> = { start: 'task.started', report: 'task.reported', close: 'task.closed' }

const cells = taskStates.flatMap((state) => taskActions.flatMap((action) => taskActors.map((actor) => ({ state, action, actor }))))

test.each(cells)(
  '[TASK-7] $state, $action by $actor: the next state with one event, or the code of the refusal',
  async ({ state, action, actor }) => {
    const outcome = expected[state][action][taskActors.indexOf(actor)] ?? ''
    expect(taskOutcome(state, action, actor)).toBe(outcome)
    const owner = await world.create('text')
    const assignment = await assign(world, owner)
    await bring(owner, assignment, state)
    const before = { records: await stored(world, owner.doc), kinds: await kinds(owner) }
    const answer = await act(owner, assignment, action, names[actor])
    const now = (await owner.ask('GET', `/tasks/${assignment.id}`)).json.task
    if (outcome in errorMeanings)
      expect(answer).toMatchObject({ status: outcome === 'not_starter' ? 403 : 409, json: { code: outcome, taskStatus: state } })
    else expect(answer).toMatchObject({ status: 200, json: { task: { id: assignment.id, status: outcome } } })
    if (outcome in errorMeanings || outcome === state) {
      expect(now.status).toBe(state)
      expect(await stored(world, owner.doc)).toEqual(before.records)
    } else {
      expect(now).toEqual(answer.json.task)
      expect(await kinds(owner)).toEqual([...before.kinds, announced[action]])
    }
  }
)

test.each(['open', 'started', 'reported'] as const)('[TASK-7] an assignment closed when it was %s stays closed', async (state) => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  await bring(owner, assignment, state)
  await close(owner, assignment)
  for (const action of ['start', 'report'] as const)
    expect(await changesNothing(owner.doc, () => act(owner, assignment, action, 'Ada'))).toMatchObject({
      status: 409,
      json: { code: 'task_closed' }
    })
  expect((await owner.events()).events.at(-1)).toMatchObject({ kind: 'task.closed', payload: { taskId: assignment.id, from: state } })
})

test('[TASK-8] closing edits nothing, accepts nothing and keeps the link; again it returns 200 without a second event', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  await bring(owner, assignment, 'reported')
  const first = await close(owner, assignment, { headers: { 'X-Agent-Author': 'Olga' } })
  expect(first.json.task).toMatchObject({ status: 'closed', closedBy: { kind: 'guest', name: 'Olga' }, closedAt: expect.any(String) })
  const again = await changesNothing(owner.doc, () => close(owner, assignment, { headers: { 'X-Agent-Author': 'Otto' } }))
  expect(again).toMatchObject({ status: 200, json: first.json })
  expect(await owner.read()).toEqual({ content: 'text', version: owner.created.version })
  expect((await links(owner)).find(({ id }) => id === assignment.task.share.id)).toMatchObject({ revoked: false })
  expect(await assignment.by().read()).toMatchObject({ content: 'text' })
  expect((await assignment.by().ask('GET', `/tasks/${assignment.id}`)).json.task.status).toBe('closed')
})

test('[TASK-8] revoking the link ends the reviewer’s access; the assignment can still be closed', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  await owner.ask('DELETE', `/shares/${assignment.task.share.id}`)
  expect(await assignment.by('Ada').start()).toMatchObject({ status: 401, json: { code: 'credential_invalid' } })
  expect(await close(owner, assignment)).toMatchObject({ status: 200, json: { task: { status: 'closed' } } })
})

// ——— permissions ———

test('[TASK-9] only the link of the assignment can start and report it: the owner and other links are refused', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const people = [owner, await owner.share('suggest'), await owner.share('edit')]
  const reader = await owner.share('comment')
  for (const action of ['start', 'report']) {
    const json = action === 'start' ? {} : { reviewedVersion: owner.created.version, summary: '' }
    const at = `/tasks/${assignment.id}/${action}`
    for (const person of people)
      expect(await changesNothing(owner.doc, () => person.ask('POST', at, { json }))).toMatchObject({
        status: 403,
        json: { code: 'task_link_required' }
      })
    expect(await reader.ask('POST', at, { json })).toMatchObject({ status: 403, json: { code: 'forbidden', requiredRole: 'suggest' } })
  }
})

test('[TASK-9] the link of one assignment has no effect on another, of this document or another one', async () => {
  const [owner, stranger] = [await world.create('text'), await world.create('text')]
  const [mine, other, elsewhere] = [await assign(world, owner), await assign(world, owner), await assign(world, stranger)]
  const json = { reviewedVersion: owner.created.version, summary: '' }
  for (const { id } of [other, elsewhere])
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/start'],
      ['POST', '/report']
    ] as const)
      expect(await mine.by('Ada').ask(method, `/tasks/${id}${path}`, path === '/report' ? { json } : {})).toMatchObject({
        status: 404,
        json: { code: 'not_found' }
      })
  expect(await owner.ask('GET', `/tasks/${elsewhere.id}`)).toMatchObject({ status: 404 })
  expect(await owner.ask('POST', `/tasks/${elsewhere.id}/close`)).toMatchObject({ status: 404 })
  expect((await stranger.ask('GET', `/tasks/${elsewhere.id}`)).json.task.status).toBe('open')
})

test('[TASK-9] an unknown assignment returns 404 to everyone', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const json = { reviewedVersion: owner.created.version, summary: '' }
  for (const id of ['A'.repeat(16), '__proto__', 'constructor', '7', '😀'])
    for (const person of [owner, assignment.by(), await owner.share('suggest')]) {
      const at = `/tasks/${encodeURIComponent(id)}`
      const asked = [person.ask('GET', at), person.ask('POST', `${at}/start`), person.ask('POST', `${at}/report`, { json })]
      for (const answer of await Promise.all(asked)) expect(answer, id).toMatchObject({ status: 404, json: { code: 'not_found' } })
    }
})

test('[TASK-10] the identity of a guest is the link and the name: from header, query or body, composed or not', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const nobody = assignment.by()
  const started = await nobody.start({ json: { author: 'Zo\u00e9' } })
  expect(started.json.task.startedBy).toEqual({ kind: 'guest', id: assignment.task.share.id, name: 'Zo\u00e9' })
  for (const same of [
    nobody.start({ query: { author: 'Zo\u00e9' } }),
    nobody.start({ json: { author: 'Zoe\u0301' } }),
    nobody.start({ json: { author: '  Zo\u00e9\u0007 ' } })
  ])
    expect(await same).toMatchObject({ status: 200, json: started.json })
  for (const other of [nobody.start(), nobody.start({ json: { author: 'zo\u00e9' } }), assignment.by('Zoe').start()])
    expect(await other).toMatchObject({ status: 409, json: { code: 'already_started' } })
  // The header takes precedence over the body.
  expect(await assignment.by('Ada').start({ json: { author: 'Zo\u00e9' } })).toMatchObject({ status: 409 })
})

test('[TASK-10] without a name a guest still is an identity: nobody with a name can continue', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  expect((await assignment.by().start()).json.task.startedBy).toMatchObject({ name: null })
  expect(await assignment.by('Ada').report()).toMatchObject({ status: 403, json: { code: 'not_starter' } })
  expect(await assignment.by().report()).toMatchObject({ status: 200 })
})

test('[TASK-10] if a guest started under a number, a person with the link can report under a name', async () => {
  const assignment = await assign(world, await world.create('text'))
  await assignment.by('Guest 27').start()
  expect(await assignment.by('Gus').start()).toMatchObject({ status: 409, json: { code: 'already_started' } })
  const { status, json } = await assignment.by('Gus').report()
  expect(status).toBe(200)
  expect(json.task).toMatchObject({ startedBy: { name: 'Guest 27' }, report: { reportedBy: { name: 'Gus' } } })
})

test('[TASK-10] an agent token that nobody issued is refused, even with a valid link', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  for (const token of ['ai_nonsense', 'asess_nonsense'])
    expect(await assignment.by().start({ headers: { Authorization: `Bearer ${token}` } })).toMatchObject({
      status: 401,
      json: { code: 'credential_invalid' }
    })
})

test('[TASK-11] of two identities that start at once exactly one succeeds', async () => {
  for (let round = 0; round < 10; round++) {
    const owner = await world.create('text')
    const assignment = await assign(world, owner)
    const people = ['Ada', 'Bob', 'Cyd', 'Dan']
    const answers = await Promise.all(people.map((name) => assignment.by(name).start()))
    expect(statuses(answers)).toEqual([200, 409, 409, 409])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect((await owner.ask('GET', `/tasks/${assignment.id}`)).json.task.startedBy.name).toBe(people[winner])
    expect(await kinds(owner)).toEqual(['doc.created', 'task.created', 'task.started'])
  }
})

test('[TASK-11] with a concurrent close, a report comes first or is refused', async () => {
  for (let round = 0; round < 10; round++) {
    const owner = await world.create('text')
    const assignment = await assign(world, owner)
    await bring(owner, assignment, 'started')
    const [report, closed] = await Promise.all([assignment.by('Ada').report(), close(owner, assignment)])
    const { task } = (await owner.ask('GET', `/tasks/${assignment.id}`)).json
    expect({ closed: closed.status, status: task.status }).toEqual({ closed: 200, status: 'closed' })
    expect(report.status).toBe(task.report === null ? 409 : 200)
  }
})

// ——— visibility ———

test('[TASK-12] the owner sees all with their links, other links all without, and the link of an assignment only that one', async () => {
  const owner = await world.create('text')
  const [first, second] = [await assign(world, owner), await assign(world, owner)]
  const list = async (person: Person): Promise<Json[]> => (await person.ask('GET', '/tasks')).json.tasks
  expect(await list(owner)).toEqual([second.task, first.task])
  const { share: _one, ...shown } = first.task
  const { share: _other, ...also } = second.task
  for (const role of roles.filter((each) => each !== 'owner')) {
    const person = await owner.share(role)
    expect(await list(person)).toEqual([also, shown])
    expect((await person.ask('GET', `/tasks/${first.id}`)).json).toEqual({ task: shown })
  }
  expect(await list(await owner.share('owner'))).toEqual([second.task, first.task])
  expect(await list(first.by('Ada'))).toEqual([first.task])
  expect((await first.by().ask('GET', `/tasks/${first.id}`)).json.task).toEqual(first.task)
  expect((await first.by().ask('GET', '/tasks')).json.nextBefore).toBeNull()
})

test('[TASK-13] the list is paged by nextBefore, 50 per page, newest first, each once', { timeout: 60_000 }, async () => {
  const owner = await world.create('text')
  const viewer = await owner.share('view')
  const made: string[] = []
  const more = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each++) made.unshift((await assign(world, owner)).id)
  }
  const pages = async (person: Person, between?: () => Promise<unknown>): Promise<string[][]> => {
    const found: string[][] = []
    let before: number | undefined
    do {
      const { json } = await person.ask('GET', '/tasks', { query: before === undefined ? {} : { before } })
      found.push(json.tasks.map((task: Json) => task.id))
      before = json.nextBefore ?? undefined
      await between?.()
    } while (before !== undefined)
    return found
  }
  expect(await pages(owner)).toEqual([[]])
  await more(50)
  expect(await pages(owner)).toEqual([made])
  await more(70)
  const then = [...made]
  expect(await pages(viewer)).toEqual([then.slice(0, 50), then.slice(50, 100), then.slice(100)])
  // An assignment created since is newer than the page that was read.
  expect((await pages(owner, () => more(1))).flat()).toEqual(then)
  for (const before of ['x', '-1', '1.5', '1e999'])
    expect(await owner.ask('GET', '/tasks', { query: { before } }), before).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' }
    })
  expect((await owner.ask('GET', '/tasks', { query: { before: 0 } })).json).toEqual({ tasks: [], nextBefore: null })
})

test('[TASK-13] the link of an assignment pages over its own', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const list = async (before: number): Promise<number> =>
    (await assignment.by().ask('GET', '/tasks', { query: { before } })).json.tasks.length
  const created = (await owner.events()).latest
  expect([await list(created), await list(created + 1)]).toEqual([0, 1])
})

test('[TASK-14] open pages receive every change to the assignments that they see, never with the link', async () => {
  const owner = await world.create('text')
  const other = await assign(world, owner)
  const mine = await assign(world, owner)
  const pages = {
    owner: await owner.connect(),
    viewer: await (await owner.share('view')).connect(),
    mine: await mine.by().connect(),
    other: await other.by().connect()
  }
  const heard = (page: keyof typeof pages): Json[] => pages[page].messages.filter(({ type }) => type === 'task').map(({ task }) => task)
  const statesOn = (page: keyof typeof pages): string[] =>
    heard(page).map(({ id, status }) => `${id === mine.id ? 'mine' : 'fresh'} ${status}`)
  // Each step reaches the pages before the next one, because other nodes may leave out a state that another one follows quickly (NODES-24).
  const steps: string[] = []
  const reach = async (step: string): Promise<void> => {
    steps.push(step)
    // The page with the link of `mine` does not see the first step.
    for (const page of ['owner', 'viewer'] as const) await until(() => statesOn(page).length >= steps.length, step)
    await until(() => statesOn('mine').length >= steps.length - 1, step)
  }
  const fresh = await assign(world, owner)
  await reach('fresh open')
  await mine.by('Ada').start()
  await mine.by('Ada').start()
  await mine.by('Bob').start()
  await reach('mine started')
  await mine.by('Ada').report()
  await reach('mine reported')
  await close(owner, mine)
  await reach('mine closed')
  for (const page of ['owner', 'viewer'] as const) expect(statesOn(page)).toEqual(steps)
  expect(statesOn('mine')).toEqual(steps.slice(1))
  expect(heard('other')).toEqual([])
  const { share: _link, ...last } = (await owner.ask('GET', `/tasks/${mine.id}`)).json.task
  expect(heard('viewer').at(-1)).toEqual(last)
  const said = JSON.stringify(Object.values(pages).map(({ messages }) => messages))
  for (const { task } of [other, mine, fresh]) expect(said).not.toContain(keyOf(task.share.url))
})

test('[TASK-15] the secret of the link appears in no event, in no answer to others, in no log and not in the data folder', async () => {
  const own = await startWorld()
  const owner = await own.create('text')
  const assignment = await assign(own, owner)
  const secret = assignment.by().key
  const ada = assignment.by('Ada')
  await ada.start({ headers: { 'Idempotency-Key': 'once' } })
  await ada.report()
  await own.ask('GET', `/api/docs/${owner.doc}/tasks?key=${secret}`)
  const viewer = await owner.share('edit')
  for (const path of ['/events', '/tasks', `/tasks/${assignment.id}`]) expect((await viewer.ask('GET', path)).text).not.toContain(secret)
  expect((await owner.ask('GET', '/events')).text).not.toContain(secret)
  expect(own.lines.filter((line) => line.includes(secret))).toEqual([])
  const found = await readdir(own.folder, { recursive: true, withFileTypes: true })
  const files = await Promise.all(found.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))))
  expect(files.some((file) => file.includes(secret))).toBe(false)
  await own.stop()
})

// ——— invalid input ———

const long = 'x'.repeat(limits.taskTextUnitsMax + 1)
const badRequests: [string, unknown][] = [
  ['requestId', { requestId: undefined }],
  ['requestId', { requestId: '' }],
  ['requestId', { requestId: ' \t ' }],
  ['requestId', { requestId: 7 }],
  ['requestId', { requestId: 'a\nb' }],
  ['requestId', { requestId: 'a\0b' }],
  ['requestId', { requestId: '\ud800' }],
  ['requestId', { requestId: 'r'.repeat(limits.requestIdUnitsMax + 1) }],
  ['title', { title: undefined }],
  ['title', { title: '' }],
  ['title', { title: '   ' }],
  ['title', { title: ['x'] }],
  ['title', { title: 'a\r\nb' }],
  ['title', { title: 'x'.repeat(limits.titleUnitsMax + 1) }],
  ['instructions', { instructions: undefined }],
  ['instructions', { instructions: null }],
  ['instructions', { instructions: 'a\0b' }],
  ['instructions', { instructions: '\udc00' }],
  ['instructions', { instructions: long }],
  ['author', { author: 'x'.repeat(limits.authorUnitsMax + 1) }]
]

describe('[TASK-16] an invalid field is named and nothing is created', () => {
  test.each(badRequests)('[TASK-16] %s: %j', async (path, fields) => {
    const owner = await world.create('text')
    const answer = await changesNothing(owner.doc, () => create(owner, requestFor(fields as Record<string, unknown>)))
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
    expect(answer.json.details.map((detail: Json) => detail.path)).toEqual([path])
  })
})

test('[TASK-16] an oversize body returns 413, a body that is not a JSON object 400, a different media type 415, an odd id 400', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const bodies: [number, string, string][] = [
    [413, 'application/json', JSON.stringify(requestFor({ instructions: 'x'.repeat(limits.bodyBytesMax) }))],
    [400, 'application/json', '[]'],
    [400, 'application/json', '{"requestId":'],
    [415, 'text/markdown', '# Task']
  ]
  for (const [status, type, body] of bodies)
    for (const [person, path] of [
      [owner, '/tasks'],
      [assignment.by('Ada'), `/tasks/${assignment.id}/report`]
    ] as const)
      expect(await changesNothing(owner.doc, () => person.ask('POST', path, { body, type }))).toMatchObject({ status })
  expect(await owner.ask('GET', `/tasks/${'x'.repeat(limits.idUnitsMax + 1)}`)).toMatchObject({ status: 400 })
  expect(await owner.ask('GET', '/tasks/a%0Ab')).toMatchObject({ status: 400 })
})

test('[TASK-17] hostile text comes back unchanged, and creates neither another assignment nor a line of their own', async () => {
  const owner = await world.create('text')
  const hostile = [
    '__proto__',
    'constructor',
    '<script>alert(1)</script>',
    '../../etc',
    '{"$ne":1}',
    'a b',
    'a\u202eb',
    '\u001b[31m',
    '😀'.repeat(90),
    "';--"
  ]
  for (const text of hostile) {
    const request = { requestId: text, title: text, instructions: `${text}\n${text}` }
    const { status, json } = await create(owner, request)
    expect(status, text).toBe(201)
    expect(json.task).toMatchObject(request)
    expect((await create(owner, request)).json).toMatchObject({ created: false, task: { id: json.task.id } })
    const name = encodeURIComponent(text)
    const started = await assignmentOf(world, json.task)
      .by()
      .start({ query: { author: text } })
    expect(started.json.task.startedBy.name, name).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(started.json.task.startedBy.name.length).toBeLessThanOrEqual(limits.authorUnitsMax)
  }
  expect((await owner.ask('GET', '/tasks')).json.tasks.length).toBe(hostile.length)
})

test('[TASK-17] the longest text is accepted in any script', async () => {
  const owner = await world.create('text')
  const request = {
    requestId: '界'.repeat(limits.requestIdUnitsMax),
    title: '界'.repeat(limits.titleUnitsMax),
    instructions: '界'.repeat(limits.taskTextUnitsMax)
  }
  const { status, json } = await create(owner, request)
  expect(status).toBe(201)
  expect(json.task).toMatchObject(request)
  const ada = assignmentOf(world, json.task).by('Ada')
  await ada.start()
  const ids = { commentIds: [], suggestionIds: [] }
  expect((await ada.report({ summary: '界'.repeat(limits.taskTextUnitsMax), ...ids })).status).toBe(200)
})

test('[TASK-18] synonyms are accepted, unknown fields refused', async () => {
  const owner = await world.create('text')
  const asked = { requestId: 'r', title: 'T', body: 'I' }
  expect(await create(owner, { ...asked, status: 'closed', id: 'mine', share: { role: 'owner' } })).toMatchObject({
    status: 400,
    json: { details: [{ path: 'status' }, { path: 'id' }, { path: 'share' }] }
  })
  const made = await create(owner, asked)
  expect(made).toMatchObject({ status: 201, json: { task: { instructions: 'I', status: 'open', share: { role: 'suggest' } } } })
  const ada = assignmentOf(world, made.json.task).by('Ada')
  expect((await ada.start({ json: { status: 'closed' } })).status).toBe(400)
  await ada.start()
  const { json } = await ada.ask('POST', `/tasks/${made.json.task.id}/report`, {
    json: { version: owner.created.version, text: 'S', comments: [], suggestions: [] },
    headers: { 'X-Agent-Author': 'Ada' }
  })
  expect(json.task.report).toMatchObject({ reviewedVersion: owner.created.version, summary: 'S', commentIds: [], suggestionIds: [] })
})

// ——— failures of the store ———

test('[TASK-19] if the store fails, an assignment stays unchanged after any request', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const ada = assignment.by('Ada')
  const request = requestFor()
  // The link is used once before, so that no time of use is written during the test.
  await ada.read()
  const steps: (() => Promise<Answer>)[] = [
    () => create(owner, request),
    () => ada.start(),
    () => ada.report(),
    () => close(owner, assignment)
  ]
  for (const take of steps) {
    const refused = await changesNothing(owner.doc, async () => {
      store.fault = new ServiceError('storage_unavailable')
      return take().finally(() => (store.fault = undefined))
    })
    expect(refused).toMatchObject({ status: 503, json: { code: 'storage_unavailable' } })
    expect((await take()).status).toBeLessThan(300)
  }
  expect((await kinds(owner)).slice(2)).toEqual(['task.created', 'task.started', 'task.reported', 'task.closed'])
})

test('[TASK-19] record, link and event of each change are one commit, with the head', async () => {
  const owner = await world.create('text')
  const commits: string[][] = []
  const kindOf = (key: Key): string => (key[0] === 'key' ? 'key' : String(key[2] ?? 'head'))
  // The notification of the creation must not arrive after `watch`.
  await world.service.storage.nodes?.heard()
  const stop = world.service.storage.watch([], (keys) => {
    // Times of use share a commit with other waiting changes or have a separate one, so they are left out.
    const ours = keys.filter((key) => key[0] === 'key' || key[1] === owner.doc)
    const touched = ours.map(kindOf).filter((kind) => kind !== 'used')
    if (touched.length > 1) commits.push(touched.toSorted())
  })
  const assignment = await assign(world, owner)
  const ada = assignment.by('Ada')
  await ada.start()
  await ada.report()
  await close(owner, assignment)
  await world.service.storage.nodes?.heard()
  stop()
  const step = ['event', 'head', 'task']
  const reported = ['event', 'head', 'notice', 'task']
  expect(commits).toEqual([['event', 'head', 'key', 'notice', 'share', 'task', 'task number'], step, reported, step])
})

test('[TASK-20] deleting the document deletes its assignments with all their contents', async () => {
  const own = await startWorld()
  const owner = await own.create('text')
  const assignment = await assign(own, owner, { requestId: 'zebra-request', title: 'zebra-title', instructions: 'zebra-instructions' })
  await assignment.by('zebra-name').start({ headers: { 'Idempotency-Key': 'zebra' } })
  await assignment.by('zebra-name').report({ summary: 'zebra-summary' })
  const zebras = async (): Promise<number> => {
    const entries = await Promise.all(['d', 'request', 'key'].map((root) => own.service.storage.list([root])))
    return entries.flat().filter(({ key, value }) => JSON.stringify(key).includes('zebra') || Buffer.from(value).includes('zebra')).length
  }
  expect(await zebras()).toBeGreaterThan(3)
  await owner.ask('DELETE', '', { query: { permanent: 1 } })
  expect(await zebras()).toBe(0)
  expect(await own.service.storage.list(['d', owner.doc])).toEqual([])
  for (const person of [owner, assignment.by('zebra-name')])
    expect(await person.ask('GET', `/tasks/${assignment.id}`)).toMatchObject({ status: 410, json: { code: 'document_deleted' } })
  await own.stop()
})

test('[TASK-21] creation, start, report and close repeated with their Idempotency-Key return the same answer', async () => {
  const owner = await world.create('text')
  const once = (key: string): { headers: Record<string, string> } => ({ headers: { 'Idempotency-Key': key } })
  const json = requestFor()
  const assignment = assignmentOf(world, (await owner.ask('POST', '/tasks', { json, ...once('create') })).json.task)
  const ada = assignment.by('Ada')
  const steps: [string, () => Promise<Answer>][] = [
    ['start', () => ada.start(once('start'))],
    ['report', () => ada.report({}, once('report'))],
    ['close', () => close(owner, assignment, once('close'))]
  ]
  const answers = []
  for (const [, take] of steps) answers.push(await take())
  const before = await stored(world, owner.doc)
  const again = await owner.ask('POST', '/tasks', { json, ...once('create') })
  expect({ status: again.status, json: again.json }).toEqual({ status: 201, json: { task: assignment.task, created: true } })
  for (const [index, [, take]] of steps.entries()) {
    const replayed = await take()
    expect({ status: replayed.status, json: replayed.json }).toEqual({ status: 200, json: answers[index]?.json })
    expect(replayed.headers.get('Idempotency-Replayed')).toBe('true')
  }
  expect(await stored(world, owner.doc)).toEqual(before)
  // Somebody else with the same link does not get Ada's answer.
  expect(await assignment.by('Bob').start(once('start'))).toMatchObject({ status: 409, json: { code: 'task_closed' } })
})

test('[TASK-22] an assignment shows that its link was revoked', async () => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const shown = async (): Promise<Json> => (await owner.ask('GET', `/tasks/${assignment.id}`)).json.task.share
  const { id, revoked } = await shown()
  expect(revoked).toBe(false)
  expect((await owner.ask('DELETE', `/shares/${id}`)).status).toBe(200)
  expect((await shown()).revoked).toBe(true)
  expect((await owner.ask('GET', '/tasks')).json.tasks[0].share.revoked).toBe(true)
})
