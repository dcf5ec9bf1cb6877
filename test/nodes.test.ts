/** Several nodes in this process, on one PostgreSQL. `AGMD_TEST_SEED` repeats a run. */
import * as Y from 'yjs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createAccount, type Account } from '../server/domain/accounts/accounts.ts'
import { openSession, revokeSession } from '../server/domain/accounts/sessions.ts'
import { encodeRecord, keys, type Task } from '../server/domain/records/keys.ts'
import { auditPut, listAudit, sweepAudit } from '../server/domain/records/audit.ts'
import { claimSweep } from '../server/domain/records/claims.ts'
import { consoleOperator } from '../server/domain/operator/operator.ts'
import { runAct } from '../server/domain/operator/acts.ts'
import { callerOfService } from '../server/domain/rights/access.ts'
import { closeCodes } from '../shared/live-protocol.ts'
import { textRootName } from '../shared/names.ts'
import { heldReads, type HeldReads, heldStorage } from './support/held-storage.ts'
import { type NodeWorlds, startNodeWorlds } from './support/node-worlds.ts'
import { noPostgres } from './support/postgres.ts'
import { withLimit } from './support/limits.ts'
import { assign, type Assignment, close } from './support/reviews.ts'
import { seeded } from './support/typist.ts'
import { png } from './support/media.ts'
import { dialIn, newSigned } from './support/nodes.ts'
import { start } from './support/start.ts'
import { startWire } from './support/wire.ts'
import { type Editor, type Json, type Person, personAt, type Refused, startWorld, until, type World } from './support/world.ts'

const seed = Number(process.env['AGMD_TEST_SEED'] ?? Date.now() % 1_000_000)

describe.skipIf(noPostgres !== undefined)('nodes', () => {
  let started: NodeWorlds
  let worlds: World[]
  beforeAll(async () => {
    started = await startNodeWorlds(3)
    worlds = started.worlds
  })
  afterAll(() => started?.stop())

  /** Returns the same person on each node. */
  const everywhere = ({ doc, key }: Person): Person[] => worlds.map((world) => world.person(doc, key))

  const connectAll = async (people: readonly Person[]): Promise<Editor[]> => {
    const editors = await Promise.all(people.map((person) => person.connect()))
    onTestFinished(() => editors.forEach((editor) => editor.close()))
    return editors
  }

  test('[NODES-1] an edit on one node reaches the pages on all others, and is acknowledged when it is on disk', async () => {
    const people = everywhere(await worlds[0]!.create('one'))
    const editors = await connectAll(people)
    editors[1]!.type(3, ' two')
    for (const editor of editors) await editor.shows('one two')
    await editors[1]!.saved()
    for (const person of people) expect((await person.read()).content).toBe('one two')
    const versions = await Promise.all(people.map((person) => person.read()))
    expect(new Set(versions.map(({ version }) => version)).size).toBe(1)
  })

  test('[NODES-2] random edits on three nodes at once converge to the same text and version everywhere', async () => {
    const random = seeded(seed)
    const people = everywhere(await worlds[0]!.create('start'))
    const editors = await connectAll([...people, ...people])
    for (let round = 0; round < 40; round++) {
      for (const editor of editors) {
        const { length } = editor.text()
        if (random(4) === 0 && length > 3) editor.erase(random(length - 2), 1 + random(2))
        else editor.type(random(length + 1), `${round}`)
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const editor of editors) await editor.saved()
    const text = await people[0]!.read()
    for (const editor of editors) await editor.shows(text.content)
    for (const person of people) expect(await person.read(), `seed ${seed}`).toEqual(text)
    expect(editors.flatMap(({ closes }) => closes)).toEqual([])
    expect(await people[1]!.at(text.version)).toBe(text.content)
  })

  test('[NODES-3] exactly one of simultaneous replacements of one version on different nodes wins', async () => {
    const people = everywhere(await worlds[0]!.create('base'))
    for (let round = 0; round < 5; round++) {
      const { version } = await people[round % 3]!.read()
      const answers = await Promise.allSettled(
        people.map((person, n) => person.replace(`round ${round} of ${n}`, { ifMatch: `"${version}"` }))
      )
      const won = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []))
      expect(won).toHaveLength(1)
      for (const answer of answers) if (answer.status === 'rejected') expect((answer.reason as Refused).code).toBe('version_conflict')
      for (const person of people) expect((await person.read()).content).toBe(`round ${round} of ${won[0]}`)
    }
  })

  const types = (editor: Editor): unknown[] => editor.messages.map(({ type, event }) => event?.kind ?? type)

  test('[NODES-18] a change on one node is decided by the records that another node has just written', async () => {
    // The notice of the second change arrives late.
    await withLimit('nodeNoticeMs', 500, async () => {
      const owner = await worlds[0]!.create('text')
      const assignment = await assign(worlds[0]!, owner)
      const key = keys.task(owner.doc, assignment.id)
      const { storage, ledger } = worlds[1]!.service
      await storage.nodes!.heard()
      await storage.get(key)
      expect((await assignment.by('Ada').start()).status).toBe(200)
      const found = await ledger.write(
        owner.doc,
        'system',
        (draft) => {
          const task = draft.read<Task>(key)!
          draft.put(key, encodeRecord(task))
          return task.startedBy?.name
        },
        { reads: [key] }
      )
      expect(found).toBe('Ada')
    })
  })

  test('[NODES-23] long polls on all nodes receive the event of a permanent deletion', async () => {
    // Other nodes learn of the deletion late.
    await withLimit('nodeNoticeMs', 200, async () => {
      const owner = await worlds[0]!.create('text')
      const viewer = await owner.share('view')
      const polls = everywhere(viewer).map((person) => person.ask('GET', '/events', { query: { since: 'latest', wait: 50 } }))
      for (const world of worlds) await until(() => world.service.live.isUsed(owner.doc, viewer.link.id), 'the poll')
      expect((await owner.ask('DELETE', '', { query: { permanent: 1 } })).status).toBe(200)
      for (const { status, json } of await Promise.all(polls)) {
        expect(status).toBe(200)
        expect(json.events).toMatchObject([{ kind: 'doc.deleted' }])
      }
    })
  })

  /** Starts another node, whose store the test can hold back. */
  const startLate = async ({ storage }: Pick<HeldReads, 'storage'>): Promise<World> => {
    const late = await startWorld({ env: started.env, besides: worlds[0]!, storage })
    onTestFinished(() => late.stop())
    return late
  }

  const statesOf = ({ messages }: Editor, { id }: Assignment): string[] =>
    messages.filter(({ type, task }) => type === 'task' && task.id === id).map(({ task }) => task.status)

  test('[NODES-24] a page receives a state even if its event arrives before the notification of its commit', async () => {
    const reads = heldReads(({ length }) => length === 2)
    const late = await startLate(reads)
    const owner = await worlds[0]!.create('text')
    const there = late.person(owner.doc, owner.key)
    const [editor] = await connectAll([there])
    const assignment = await assign(worlds[0]!, owner)
    await until(() => statesOf(editor!, assignment).length === 1, 'the assignment')
    expect((await there.ask('GET', `/tasks/${assignment.id}`)).json.task.status).toBe('open')
    await withLimit('nodeNoticeMs', 500, async () => {
      // The first request with a link makes a commit of its own. Its notification lets the other node read the head.
      reads.hold('after')
      await assignment.by('Ada').start()
      await until(reads.isHeld, 'the held read')
      reads.release()
      await until(() => statesOf(editor!, assignment).includes('started'), 'the state')
    })
  })

  test('[NODES-24] pages on other nodes receive the states of an assignment in order, and each once', async () => {
    const reads = heldReads(([, , kind]) => kind === 'task')
    const late = await startLate(reads)
    const owner = await worlds[0]!.create('text')
    const there = late.person(owner.doc, owner.key)
    const [editor] = await connectAll([there])

    const one = await assign(worlds[0]!, owner)
    await until(() => statesOf(editor!, one).length === 1, 'the assignment')
    reads.hold()
    await one.by('Ada').start()
    await until(reads.isHeld, 'the held read')
    await one.by('Ada').report()
    await until(() => types(editor!).includes('task.reported'), 'the event')
    // A second read that does not wait for the held one is over by then.
    expect((await there.ask('GET', `/tasks/${one.id}`)).json.task.status).toBe('reported')
    reads.release()
    await until(() => statesOf(editor!, one).includes('reported'), 'the report')
    const two = await assign(worlds[0]!, owner)
    await until(() => statesOf(editor!, two).length === 1, 'the next assignment')
    expect(statesOf(editor!, one)).toEqual(['open', 'started', 'reported'])

    reads.hold()
    await two.by('Ada').start()
    await until(reads.isHeld, 'the held read')
    expect((await close(there, two)).status).toBe(200)
    await until(() => statesOf(editor!, two).includes('closed'), 'the end')
    reads.release()
    const three = await assign(worlds[0]!, owner)
    await until(() => statesOf(editor!, three).length === 1, 'the last assignment')
    expect(statesOf(editor!, two)).toEqual(['open', 'closed'])
  })

  test('[NODES-25] a page receives a comment that its node reads before it knows of the commit', async () => {
    const reads = heldReads(([, , kind]) => kind === 'comment')
    const late = await startLate(reads)
    const owner = await worlds[0]!.create('text')
    const there = late.person(owner.doc, owner.key)
    const [editor] = await connectAll([there])
    const told = (type: string): Json[] => editor!.messages.filter((message) => message.type === type)
    reads.hold('after')
    const list = there.ask('GET', '/comments')
    await until(reads.isHeld, 'the held read')
    const { id } = (await owner.ask('POST', '/comments', { json: { body: 'first' } })).json
    await until(() => types(editor!).includes('comment.created'), 'the event')
    reads.release()
    expect((await list).json.comments).toMatchObject([{ id }])
    await until(() => told('comment').length > 0, 'the comment')
    expect((await owner.ask('DELETE', `/comments/${id}`)).status).toBe(200)
    await until(() => told('comment.deleted').length > 0, 'the deletion')
    const next = (await owner.ask('POST', '/comments', { json: { body: 'next' } })).json
    await until(() => told('comment').some(({ comment }) => comment.id === next.id), 'the next comment')
    expect(told('comment').map(({ comment }) => comment.body)).toEqual(['first', 'next'])
    expect(told('comment.deleted')).toHaveLength(1)
    expect(told('annotations')).toEqual([])
  })

  test('[NODES-25] a page receives a state of a comment from another node once, even if the node hears of two changes at a time', async () => {
    const reads = heldReads(({ length }) => length === 2)
    const late = await startLate(reads)
    const owner = await worlds[0]!.create('text')
    const [editor] = await connectAll([late.person(owner.doc, owner.key)])
    const shown = (id: string): string[] => editor!.messages.flatMap(({ comment }) => (comment?.id === id ? [comment.body] : []))
    reads.hold()
    const { id } = (await owner.ask('POST', '/comments', { json: { body: 'first' } })).json
    await until(reads.isHeld, 'the held read')
    expect((await owner.ask('PATCH', `/comments/${id}`, { json: { body: 'second' } })).status).toBe(200)
    await late.service.storage.nodes!.heard()
    reads.release()
    await until(() => shown(id).length > 0, 'the comment')
    const next = (await owner.ask('POST', '/comments', { json: { body: 'next' } })).json
    await until(() => shown(next.id).length > 0, 'the next comment')
    expect(shown(id)).toEqual(['second'])
  })

  test('[NODES-4] every event reaches the pages, the long polls and the feeds of all nodes exactly once, in order', async () => {
    const people = everywhere(await worlds[0]!.create('a\n'))
    const editors = await connectAll(people)
    const polls = people.map((person) => person.events({ since: 1, wait: 30 }))
    await Promise.all(people.map((person, n) => person.ask('POST', '/comments', { json: { body: `from ${n}` } })))
    for (const poll of await Promise.all(polls)) expect(poll.events[0]).toMatchObject({ seq: 2, kind: 'comment.created' })
    for (const person of people) {
      const { events } = await person.events()
      expect(events.map(({ seq, kind }: Json) => [seq, kind])).toEqual([
        [1, 'doc.created'],
        [2, 'comment.created'],
        [3, 'comment.created'],
        [4, 'comment.created']
      ])
    }
    const shown = (editor: Editor): Json[] => editor.messages.filter(({ type }) => type === 'event').map(({ event }) => event.seq)
    for (const editor of editors) await until(() => shown(editor).length >= 3, 'the events')
    for (const editor of editors) expect(shown(editor)).toEqual([2, 3, 4])
  })

  test('[NODES-5] comments and suggestions made on one node are anchored, shown and decided on all others', async () => {
    const people = everywhere(await worlds[0]!.create('The quick brown fox.\n'))
    const editors = await connectAll(people)
    const made = await people[0]!.ask('POST', '/comments', { json: { body: 'which?', find: 'fox' } })
    editors[1]!.type(0, 'Look: ')
    await editors[1]!.saved()
    const { json } = await people[2]!.ask('GET', '/comments')
    expect(json.comments).toMatchObject([{ id: made.json.id, anchored: true, anchor: { from: 22, to: 25 } }])
    const suggested = await people[1]!.ask('POST', '/suggestions', { json: { operation: 'replace', find: 'brown', text: 'red' } })
    const decided = await Promise.all(
      [2, 0].map((n) => people[n]!.ask('POST', `/suggestions/${suggested.json.id}`, { json: { action: 'accept' } }))
    )
    expect(decided.map(({ status }) => status)).toEqual([200, 200])
    for (const editor of editors) await editor.shows('Look: The quick red fox.\n')
    for (const editor of editors)
      await until(() => editor.messages.some(({ suggestion }) => suggestion?.status === 'accepted'), 'the decision on the page')
    const { events } = await people[1]!.events({ types: 'suggestion.accepted' })
    expect(events).toHaveLength(1)
  })

  test('[NODES-6] a revoked link, a changed role and a deletion act on the sockets and long polls of all nodes', async () => {
    const owner = await worlds[0]!.create('text')
    const [viewer, editing] = [await owner.share('view'), await owner.share('edit')]
    const there = worlds.map((world) => world.person(owner.doc, viewer.key))
    const editors = await connectAll(there)
    const polls = there.map((person) => person.ask('GET', '/events', { query: { since: 'latest', wait: 30 } }))
    for (const world of worlds) await until(() => world.service.live.isUsed(owner.doc, viewer.link.id), 'the poll')
    const before = performance.now()
    await worlds[1]!.person(owner.doc, owner.key).ask('DELETE', `/shares/${viewer.link.id}`)
    for (const editor of editors) await until(() => editor.closes.length > 0, 'the end of the socket')
    for (const { status } of await Promise.all(polls)) expect(status).toBe(401)
    expect(performance.now() - before).toBeLessThan(1000)
    for (const person of there) expect((await person.ask('GET', '/content')).status).toBe(401)

    const written = await connectAll(worlds.map((world) => world.person(owner.doc, editing.key)))
    await worlds[2]!.person(owner.doc, owner.key).ask('PATCH', `/shares/${editing.link.id}`, { json: { role: 'view' } })
    for (const editor of written) await until(() => types(editor).filter((type) => type === 'role').length === 2, 'the new role')
    await worlds[1]!.person(owner.doc, owner.key).ask('DELETE', '')
    for (const editor of written) await until(() => editor.closes.some(({ code }) => code === 4404), 'the end of the document')
    await worlds[2]!.person(owner.doc, owner.key).ask('POST', '/undelete')
    for (const person of everywhere(owner)) expect((await person.read()).content).toBe('text')
  })

  test('[NODES-6] a document that was taken down ends its sockets on all nodes with that reason', async () => {
    const editors = await connectAll(everywhere(await worlds[0]!.create('libel')))
    await runAct(worlds[1]!.service, consoleOperator, 'takeDown', { doc: editors[0]!.provider.configuration.name })
    for (const editor of editors) {
      await until(() => editor.closes.length > 0, 'the end of the socket')
      expect(editor.closes.map(({ code }) => code)).toEqual([4451])
    }
  })

  test('[NODES-7] the end of a session ends its sockets on all nodes', async () => {
    const { service } = worlds[0]!
    const { id } = (await createAccount(service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
    const [used, other] = [await openSession(service, id, 'app', 'a test'), await openSession(service, id, 'app', 'another')]
    const headers = { Authorization: `Bearer ${used.token}` }
    const { json } = await worlds[1]!.ask('POST', '/api/docs', { headers, json: { content: 'mine' } })
    const editors = await connectAll(worlds.map((world) => world.person(json.id, used.token)))
    const caller = await callerOfService(worlds[2]!.service, { bearer: other.token })
    await revokeSession(worlds[2]!.service, caller, used.session.id)
    for (const editor of editors) await until(() => editor.closes.some(({ code }) => code === 4401), 'the end of the socket')
  })

  test('[NODES-7] a page of a disabled account gets that reason on all nodes', async () => {
    const dan = await newSigned(worlds[0]!, 'dan@example.org')
    const { doc } = await dan.document()
    const token = dan.headers['Authorization']!.slice('Bearer '.length)
    const editors = await connectAll(worlds.map((world) => world.person(doc, token)))
    await runAct(worlds[1]!.service, consoleOperator, 'disable', { account: 'dan@example.org' })
    for (const editor of editors) {
      await until(() => editor.closes.length > 0, 'the end of the socket')
      expect(editor.closes.map(({ code }) => code)).toEqual([closeCodes.accountDisabled])
    }
  })

  const names = (editor: Editor): string[] =>
    [...(editor.provider.awareness?.getStates().values() ?? [])]
      .flatMap(({ user }: Json) => user?.name ?? [])
      .toSorted((one, other) => one.localeCompare(other))

  test('[NODES-8] people on other nodes are shown with their cursors, and those of a node that stops disappear', async () => {
    const owner = await worlds[0]!.create('text')
    const last = await start({ env: started.env, besides: worlds[0]! })
    const editors = await Promise.all(
      [...worlds, last].map((world, n) => personAt(world.url, owner.doc, owner.key).connect({ name: `Person ${n}` }))
    )
    onTestFinished(() => editors.forEach((editor) => editor.close()))
    for (const editor of editors) await until(() => names(editor).length === 4, 'everybody')
    editors[1]!.close()
    await until(() => names(editors[0]!).join() === 'Person 0,Person 2,Person 3', 'the end of one')
    await last.stop()
    await until(() => names(editors[0]!).join() === 'Person 0,Person 2', 'the end of the node')
  })

  test('[NODES-8] the pages of one person have the same mark on all nodes', async () => {
    const editors = await connectAll(everywhere(await worlds[0]!.create('text')))
    for (const editor of editors) editor.provider.awareness?.setLocalState({ user: { name: 'Ana' }, device: 'one browser' })
    const marks = (): unknown[] =>
      editors.flatMap(({ provider, ydoc }) =>
        [...(provider.awareness?.getStates() ?? [])].flatMap(([client, { user }]: Json) =>
          client === ydoc.clientID ? [] : (user?.person ?? [])
        )
      )
    // Each page sees the two others.
    await until(() => marks().length === 6, 'everybody')
    expect(new Set(marks()).size).toBe(1)
  })

  test('[NODES-8] a guest whose page is on another node is not shown a second time when the guest comments', async () => {
    const owner = await worlds[0]!.create('text')
    const guest = await owner.share('edit')
    const [page, watcher] = await connectAll([guest, worlds[1]!.person(owner.doc, owner.key)])
    page!.provider.awareness?.setLocalState({ user: { name: 'Gus' }, device: 'a device' })
    watcher!.provider.awareness?.setLocalState({ user: { name: 'Olga' }, device: 'another device' })
    await until(() => names(watcher!).includes('Gus'), 'the guest')
    const send = (author: string): Promise<unknown> =>
      worlds[1]!.person(owner.doc, guest.key).ask('POST', '/comments', { json: { find: 'text', body: 'Mine', author } })
    await send('Gus')
    await send('Robo')
    await until(() => names(watcher!).includes('Robo'), 'the program')
    expect(names(watcher!)).toEqual(['Gus', 'Olga', 'Robo'])
  })

  test('[NODES-13] a reader who shows presence under the id of an absent editor does not lock the editor out of another node', async () => {
    const owner = await worlds[0]!.create('one')
    const viewer = await owner.share('view')
    const [ana] = await connectAll([owner])
    ana!.type(0, 'a ')
    await ana!.saved()
    ana!.close()
    const [reader, watcher] = await connectAll([worlds[1]!.person(owner.doc, viewer.key), worlds[2]!.person(owner.doc, owner.key)])
    const { awareness } = reader!.provider
    awareness!.clientID = ana!.ydoc.clientID
    // The clock of the state must exceed that of the editor's last state.
    for (let clock = 0; clock < 20; clock++) awareness!.setLocalState({ user: { name: 'Eve' }, clock })
    await until(() => watcher!.provider.awareness?.getStates().has(ana!.ydoc.clientID), 'the presence')
    ana!.ytext.insert(0, 'offline ')
    const back = await worlds[2]!.person(owner.doc, owner.key).connect({ ydoc: ana!.ydoc, eager: true })
    onTestFinished(() => back.close())
    await watcher!.shows('offline a one')
    expect(back.closes).toEqual([])
  })

  /** Returns a copy of a page's document, with which the page connects to another node. */
  const movedFrom = ({ ydoc }: Editor): Y.Doc => {
    const moved = new Y.Doc()
    Y.applyUpdate(moved, Y.encodeStateAsUpdate(ydoc))
    moved.clientID = ydoc.clientID
    return moved
  }

  test('[NODES-22] a page that moved to another node can write there soon after its former connection ends', async () => {
    const owner = await worlds[0]!.create('one')
    const [former, watcher] = await connectAll([owner, worlds[2]!.person(owner.doc, owner.key)])
    former!.type(0, 'a ')
    await former!.saved()
    const moved = movedFrom(former!)
    moved.getText(textRootName).insert(0, 'moved ')
    const back = await worlds[1]!.person(owner.doc, owner.key).connect({ ydoc: moved, eager: true })
    onTestFinished(() => back.close())
    await until(() => back.closes.length > 0, 'the refusal')
    former!.close()
    await watcher!.shows('moved a one')
  })

  const moveTo = async (person: Person, former: Editor): Promise<Editor> => {
    const page = await person.connect({ ydoc: movedFrom(former) })
    onTestFinished(() => page.close())
    return page
  }

  test.for(['first', 'later'])(
    '[NODES-26] two nodes accept the %s edits of a page that has moved, and the text contains them once',
    async (which) => {
      const held = heldStorage()
      const slow = await startLate(held)
      const owner = await worlds[0]!.create('text')
      const there = slow.person(owner.doc, owner.key)
      const [page, watcher, other] = await connectAll([there, there, owner])
      if (which === 'later') {
        page!.type(4, ' one')
        await other!.shows('text one')
      }
      const { openDoc, release } = await slow.service.live.open(owner.doc)
      const before = other!.text()
      const { seq } = openDoc
      held.hold()
      // The first and the last update are not by the page that moves.
      watcher!.type(0, 'a ')
      await until(() => held.waiting() > 0, 'the commit')
      page!.type(0, 'two ')
      await until(() => openDoc.snapshot().content.includes('two'), 'the edit')
      page!.close()
      const moved = await moveTo(owner, page!)
      await other!.shows((text) => text.includes('two'))
      moved.type(0, 'three ')
      await moved.saved()
      held.release()
      for (const each of [watcher!, other!, moved]) await each.shows((text) => text.includes('a '))
      const { content } = await owner.read()
      for (const words of ['a ', 'two ', 'three ', before]) expect(content.split(words), content).toHaveLength(2)
      expect(content).toHaveLength(`a two three ${before}`.length)
      for (const each of [watcher!, other!, moved]) await each.shows(content)
      expect([watcher!, other!, moved].flatMap(({ closes }) => closes)).toEqual([])
      await watcher!.saved()
      const { version, ...read } = await there.read()
      expect(read.content).toBe(content)
      // Each of the three edits is one version.
      expect(Number.parseInt(version, 10)).toBe(seq + 3)
      release()
    }
  )

  test('[NODES-27] a document that loads while its node writes something else has the newest text of the other nodes', async () => {
    const loads = heldReads(([, , kind]) => kind === 'update')
    const reads = heldReads(([, , kind]) => kind === 'task')
    const late = await startLate({ storage: (usual) => reads.storage(loads.storage(usual)) })
    const owner = await worlds[0]!.create('text')
    const there = late.person(owner.doc, owner.key)
    const [page] = await connectAll([owner])
    await there.read()
    // The node reads the head, and then the journal slowly.
    loads.hold()
    const { live, ledger, storage } = late.service
    const opening = live.open(owner.doc)
    await until(loads.isHeld, 'the held load')
    page!.type(4, ' of another node')
    await page!.saved()
    await storage.nodes!.heard()
    // The node makes a change on the newest head, before the document is loaded. The change is written after that.
    reads.hold()
    const change = ledger.write(owner.doc, 'system', (tx) => tx.event('doc.renamed', 'system:', { title: 'text', givenTitle: null }), {
      reads: [keys.task(owner.doc, 'none')]
    })
    await until(reads.isHeld, 'the held change')
    loads.release()
    await until(() => live.find(owner.doc), 'the loaded document')
    reads.release()
    await change
    const { openDoc, release } = await opening
    expect((await there.read()).content).toBe('text of another node')
    const editor = await there.connect()
    onTestFinished(() => editor.close())
    editor.type(0, 'new ')
    await editor.saved()
    await page!.shows('new text of another node')
    expect(openDoc.failed).toBe(false)
    release()
  })

  test('[NODES-29] a change whose node lost the turn can be sent again', async () => {
    const people = everywhere(await worlds[0]!.create(`start\n${'A line of some text.\n'.repeat(2000)}`))
    const { texts } = worlds[0]!.service
    const usual = texts.do.bind(texts) as (...job: readonly unknown[]) => Promise<unknown>
    const edit = (person: Person, markdown: string): ReturnType<Person['ask']> =>
      person.ask('POST', '/edits', { json: { operations: [{ op: 'append', markdown }] } })
    await withLimit('turnWaitSecondsMax', 0.1, async () => {
      let isSlow = true
      Object.assign(texts, {
        async do(...job: readonly unknown[]) {
          const result = await usual(...job)
          // Another job on the text, such as the index of mentions, does not hold the turn.
          if (!isSlow || job[0] !== people[0]!.doc || job[1] !== 'planEdits') return result
          isSlow = false
          expect((await edit(people[1]!, 'other')).status).toBe(200)
          return result
        }
      })
      expect(await edit(people[0]!, 'slow')).toMatchObject({ status: 503, json: { code: 'storage_unavailable', retryable: true } })
      Object.assign(texts, { do: usual })
      expect((await edit(people[0]!, 'slow')).status).toBe(200)
    })
    const { content } = await people[2]!.read()
    expect(content.match(/other|slow/g)).toEqual(['other', 'slow'])
  })

  test('[NODES-14] a sweep that has to run once runs on one node at a time', async () => {
    const services = worlds.map(({ service }) => service)
    const name = `test ${seed}`
    const claim = (n: number): Promise<boolean> => claimSweep(services[n]!, name, 600)
    const claims = await Promise.all([claim(0), claim(1), claim(2)])
    expect(claims.filter((won) => won)).toHaveLength(1)
    const winner = claims.indexOf(true)
    // The winner continues. The others get their turn only when it has been silent for too long.
    expect(await claim(winner)).toBe(true)
    expect(await claim((winner + 1) % 3)).toBe(false)
    const later = { ...services[(winner + 1) % 3]!, clock: { ...services[0]!.clock, now: () => Date.now() + 601_000 } }
    expect(await claimSweep(later, name, 600)).toBe(true)
    expect(await claim(winner)).toBe(false)
  })

  test('[NODES-21] a node that sweeps the audit log after another node removes no record within the limit', async () => {
    const [first, second] = [worlds[0]!.service, worlds[1]!.service]
    const records = Array.from({ length: 150 }, (_none, n) =>
      auditPut(first.clock.now() + n, { kind: 'link.made', by: { kind: 'system' }, doc: 'many' })
    )
    await first.storage.commit({ puts: records })
    await sweepAudit(first)
    await withLimit('auditRecordsMax', 120, async () => {
      for (const service of [second, first]) {
        await service.storage.nodes!.heard()
        await sweepAudit(service)
        expect((await listAudit(service, { limit: 500 })).records).toHaveLength(120)
      }
    })
  })

  test('[NODES-9] a node whose listening connection was cut has the newest text when the connection is back', async () => {
    const people = everywhere(await worlds[0]!.create('one'))
    const editors = await connectAll(people)
    const { nodes } = worlds[1]!.service.storage
    for (let round = 0; round < 3; round++) {
      await started.cluster.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'agmd node ${nodes!.id}'`)
      editors[0]!.type(0, `${round} `)
      await editors[0]!.saved()
      const { content } = await people[0]!.read()
      await editors[1]!.shows(content)
      expect((await people[1]!.read()).content).toBe(content)
      await until(() => nodes!.isListening(), 'the connection')
    }
  })

  test('[NODES-17] a node that can read but cannot listen answers with the newest text, and its open documents show it within five seconds', async () => {
    const wire = await startWire(started.cluster.port)
    onTestFinished(() => wire.stop())
    const throughWire = new URL(started.env.AGMD_STORAGE)
    throughWire.port = String(wire.port)
    const deaf = await startWorld({ env: { AGMD_STORAGE: throughWire.href }, besides: worlds[0]! })
    onTestFinished(() => deaf.stop())
    const owner = await worlds[0]!.create('one')
    const there = deaf.person(owner.doc, owner.key)
    const page = await there.connect()
    onTestFinished(page.close)
    const { nodes } = deaf.service.storage
    const name = `agmd node ${nodes!.id}`
    wire.refused = name
    await started.cluster.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'`)
    await until(() => !nodes!.isListening(), 'the end of the connection')
    for (const text of ['two', 'three', 'four']) {
      await owner.replace(text)
      expect((await there.read()).content).toBe(text)
    }
    await owner.replace('five')
    await until(() => page.text() === 'five', 'the text', 5)
    expect(nodes!.isListening()).toBe(false)
    wire.refused = undefined
    await until(() => nodes!.isListening(), 'the connection')
  })

  test('[NODES-10] a node gives the turn to write back when another node asks, and a killed node loses it', async () => {
    const owner = await worlds[0]!.create('one')
    const turnOf = async (): Promise<string | undefined> => (await worlds[0]!.service.ledger.head(owner.doc)).turn
    const [first, second] = everywhere(owner)
    await first!.replace('two')
    expect(await turnOf()).toBe(worlds[0]!.service.storage.nodes!.id)
    await second!.replace('three')
    expect(await turnOf()).toBe(worlds[1]!.service.storage.nodes!.id)
    // A node that was killed leaves its name in the head.
    await worlds[0]!.service.ledger.write(owner.doc, 'system', (draft) => {
      draft.head = { ...draft.head, title: 'changed with the text' }
    })
    await worlds[1]!.service.turns!.leave(owner.doc)
    await worlds[1]!.service.ledger.write(owner.doc, 'system', (draft) => {
      draft.head = { ...draft.head, turn: '00000000-0000-0000-0000-000000000000' }
    })
    const [editor] = await connectAll([first!])
    editor!.type(0, 'typed ')
    await editor!.saved()
    await second!.replace('four')
    expect(await turnOf()).toBe(worlds[1]!.service.storage.nodes!.id)
    await editor!.shows('four')
  })

  test('[NODES-11] a compute node runs jobs that any node receives, and a starting node does not restart its job', async () => {
    const cleo = await newSigned(worlds[0]!, 'cleo@example.org')
    const { id, token } = await cleo.nodeToken()
    const compute = await dialIn(worlds[1]!, token)
    onTestFinished(() => compute.die())
    const { headers } = cleo
    await until(async () => (await worlds[2]!.ask('GET', '/api/relay/status', { headers })).json.nodes === 1, 'the offer')
    const { doc } = await cleo.document()
    const begin = async (world: World): Promise<string> => {
      const answer = await world.ask('POST', `/api/docs/${doc}/media/ocr`, { headers, body: png(3, 3), type: 'image/png' })
      expect(answer.status).toBe(202)
      return answer.json.ocrId
    }
    const first = await begin(worlds[2]!)
    const { job } = await compute.next()
    await worlds[0]!.service.relay.recover()
    await compute.answer(job, { text: 'words' })
    const poll = async (ocr: string): Promise<Json> => (await worlds[0]!.ask('GET', `/api/docs/${doc}/media/ocr/${ocr}`, { headers })).json
    await until(async () => (await poll(first)).status === 'done', 'the result')
    expect(compute.jobs).toHaveLength(1)
    await worlds[2]!.ask('DELETE', `/api/me/nodes/${id}`, { headers })
    await until(() => compute.closed() !== undefined, 'the end of the compute node')
  })
})
