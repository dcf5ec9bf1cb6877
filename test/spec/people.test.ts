import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { hueOfName } from '../../shared/hues.ts'
import { guestNumberOf } from '../../server/domain/rights/guest-numbers.ts'
import { createHash } from 'node:crypto'
import * as encoding from 'lib0/encoding'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withLimit } from '../support/limits.ts'
import { openDeaf } from '../support/deaf-socket.ts'
import { type Editor, frameOf, startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Named = { readonly name?: unknown } | undefined

/** Returns the first message of a type that a page received. */
const told = async ({ messages }: Editor, type: string): Promise<Record<string, unknown>> => {
  await until(() => messages.some((message) => message['type'] === type), `the message ${type}`)
  return messages.find((message) => message['type'] === type) ?? {}
}

test('[WHO-1] a page gets the name that its own link was made for, and no other page does', async () => {
  const owner = await world.create('text')
  const ana = await owner.share('comment', { label: 'Ana' })
  const unnamed = await owner.share('view')
  const { json } = await owner.ask('POST', '/tasks', { json: { requestId: 'one', title: 'Check', instructions: 'Read it.' } })
  const reviewer = world.person(owner.doc, new URL(json.task.share.url).searchParams.get('key') ?? '')
  const pages = await Promise.all([ana, unnamed, owner, reviewer].map((person) => person.connect()))
  const names = (await Promise.all(pages.map((page) => told(page, 'role')))).map(({ name }) => name)
  // The owner's first link and the links of assignments are labeled by purpose, so they give no name.
  expect(names).toEqual(['Ana', undefined, undefined, undefined])
  expect(JSON.stringify(pages[1]?.messages)).not.toContain('Ana')
})

test('[WHO-5] a guest without a name appears under that of the link, and later under the chosen one', async () => {
  const owner = await world.create('text')
  const [watcher, ana, unnamed] = await Promise.all(
    [owner, await owner.share('comment', { label: 'Ana' }), await owner.share('view')].map((person) => person.connect())
  )
  if (watcher === undefined || ana === undefined || unnamed === undefined) throw new Error('no page')
  const shown = (page: Editor): unknown => (watcher.provider.awareness?.getStates().get(page.ydoc.clientID)?.['user'] as Named)?.name
  ana.provider.awareness?.setLocalState({ user: { name: '' } })
  unnamed.provider.awareness?.setLocalState({ user: { name: '' } })
  await until(() => shown(ana) !== undefined && shown(unnamed) !== undefined, 'everyone')
  expect([shown(ana), shown(unnamed)]).toEqual(['Ana', 'Guest'])
  ana.provider.awareness?.setLocalState({ user: { name: 'Anastasia' } })
  await until(() => shown(ana) === 'Anastasia', 'the given name')
})

test('[WHO-9] each unnamed guest has a number, the same for everyone and every day, and none once they have a name', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('edit')
  const pages = await Promise.all([owner, guest, await owner.share('view')].map((person) => person.connect()))
  const [watcher, one, other] = pages
  if (watcher === undefined || one === undefined || other === undefined) throw new Error('no page')
  type Shown = { readonly name: string; readonly number?: number } | undefined
  const shown = (page: Editor): Shown => watcher.provider.awareness?.getStates().get(page.ydoc.clientID)?.['user'] as Shown
  one.provider.awareness?.setLocalState({ user: { name: '' }, device: 'a secret of one' })
  other.provider.awareness?.setLocalState({ user: { name: '' }, device: 'a secret of the other' })
  await until(() => shown(one) !== undefined && shown(other) !== undefined, 'everyone')
  const [first, second] = [shown(one), shown(other)]
  expect(first).toMatchObject({ name: 'Guest', number: expect.any(Number) })
  expect(second).toMatchObject({ name: 'Guest', number: expect.any(Number) })
  // Each page receives its own number.
  expect(await told(one, 'you')).toMatchObject({ number: first?.number })
  // Text is stored under the number. A comment under this name counts as a comment by a guest and not by a program.
  one.type(0, 'a ')
  await one.saved()
  const name = `Guest ${first?.number}`
  const { json } = await owner.ask('GET', '/attribution')
  expect(json.lines[0]).toMatchObject({ author: name, authorKind: 'guest' })
  const signed = await guest.ask('POST', '/comments', { json: { find: 'text', body: 'Mine', author: name } })
  expect(signed.json.comment).toMatchObject({ author: name, authorKind: 'guest' })
  expect([...(watcher.provider.awareness?.getStates().values() ?? [])].map(({ user }) => (user as Named)?.name)).not.toContain(name)
  one.provider.awareness?.setLocalState({ user: { name: 'Ana' }, device: 'a secret of one' })
  await until(() => shown(one)?.name === 'Ana', 'the given name')
  expect(shown(one)?.number).toBeUndefined()
})

/** The number that earlier versions gave a device. Two devices of a document could have the same one. */
const derivedNumber = (doc: string, device: string): number =>
  (createHash('sha256').update(`guest ${doc} ${device}`).digest().readUInt32BE() % 90) + 10

/** Returns two devices for which earlier versions had the same number. */
const devicesAlike = (doc: string): [string, string] => {
  const known = new Map<number, string>()
  for (let index = 0; ; index++) {
    const device = `device ${index}`
    const other = known.get(derivedNumber(doc, device))
    if (other !== undefined) return [other, device]
    known.set(derivedNumber(doc, device), device)
  }
}

test('[WHO-30] two guests of a document never have the same number, and each keeps their own', async () => {
  const owner = await world.create('text')
  const link = await owner.share('edit')
  const devices = devicesAlike(owner.doc)
  const numberOfPage = async (device: string): Promise<{ page: Editor; number: unknown }> => {
    const page = await link.connect()
    page.provider.awareness?.setLocalState({ user: { name: '' }, device })
    return { page, number: (await told(page, 'you'))['number'] }
  }
  const pages = await Promise.all(devices.map(numberOfPage))
  const numbers = pages.map(({ number }) => number)
  // One of them keeps the number of earlier versions. The other gets one that no earlier entry can have.
  expect(new Set(numbers)).toEqual(new Set([derivedNumber(owner.doc, devices[0]), 100]))
  // Their text is stored under different numbers, and the numbers survive a new connection.
  for (const { page } of pages) {
    page.type(0, 'word\n')
    await page.saved()
  }
  const { json } = await owner.ask('GET', '/attribution')
  const authors = (json.lines as { author: string }[]).map(({ author }) => author)
  expect(authors.slice(0, 2)).toEqual(numbers.toReversed().map((number) => `Guest ${String(number)}`))
  for (const { page } of pages) page.close()
  const again = await Promise.all(devices.toReversed().map(numberOfPage))
  expect(again.map(({ number }) => number)).toEqual(numbers.toReversed())
})

test('[WHO-30] many guests who come at once get distinct numbers, which are stored', async () => {
  const { doc } = await world.create('text')
  const devices = Array.from({ length: 120 }, (_, index) => `device ${index}`)
  const numbers = await Promise.all(devices.map((device) => guestNumberOf(world.service, doc, device)))
  expect(new Set(numbers).size).toBe(devices.length)
  expect(await Promise.all(devices.map((device) => guestNumberOf(world.service, doc, device)))).toEqual(numbers)
  // The first guest with a number of earlier versions has it.
  const derived = new Set(devices.map((device) => derivedNumber(doc, device)))
  const given = Array.from({ length: devices.length - derived.size }, (_, index) => 100 + index)
  expect(numbers.toSorted((one, next) => one - next)).toEqual([...[...derived].toSorted((one, next) => one - next), ...given])
  // A number means nothing in another document.
  const { doc: other } = await world.create('text')
  expect(await Promise.all(devices.map((device) => guestNumberOf(world.service, other, device)))).not.toEqual(numbers)
})

test('[WHO-31] beyond the highest number, guests get numbers that others may have', async () => {
  const { doc } = await world.create('text')
  const [one, other] = devicesAlike(doc)
  const third = Array.from({ length: 5000 }, (_, index) => `third ${index}`).find(
    (device) => derivedNumber(doc, device) === derivedNumber(doc, one)
  )
  await withLimit('guestNumberMax', 100, async () => {
    const numbers: number[] = []
    for (const device of [one, other, third ?? '', other]) numbers.push(await guestNumberOf(world.service, doc, device))
    expect(numbers).toEqual([derivedNumber(doc, one), 100, derivedNumber(doc, one), 100])
  })
})

test('[WHO-6] the page of a signed-in person gets the name of the account', async () => {
  const ana = (await createAccount(world.service, { email: 'ana@example.org', name: 'ana', password: 'correct horse battery' })) as Account
  const { token } = await openSession(world.service, ana.id, 'app', 'a test')
  const { json } = await world.ask('POST', '/api/docs', { headers: { Authorization: `Bearer ${token}` }, json: { content: 'text' } })
  const page = await world.person(json.id, token).connect()
  expect(await told(page, 'role')).toEqual({ type: 'role', role: 'owner', account: 'ana' })
})

test('[WHO-21] the page of a signed-in person gets the earlier names of the account', async () => {
  const bea = (await createAccount(world.service, { email: 'bea@example.org', name: 'bea', password: 'correct horse battery' })) as Account
  const { token } = await openSession(world.service, bea.id, 'app', 'a test')
  const headers = { Authorization: `Bearer ${token}` }
  const { json } = await world.ask('POST', '/api/docs', { headers, json: { content: 'text' } })
  for (const name of ['Bea Lee', 'Bea', 'bea', 'Beatrice']) await world.ask('PATCH', '/api/me', { headers, json: { name } })
  const page = await world.person(json.id, token).connect()
  expect(await told(page, 'role')).toMatchObject({ account: 'Beatrice', formerNames: ['bea', 'Bea', 'Bea Lee'] })
  expect(JSON.stringify((await world.ask('GET', '/api/me', { headers })).json)).not.toContain('Bea Lee')
})

test('[WHO-2] pages of one browser share a mark in the presence, which needs the browser’s secret', async () => {
  const owner = await world.create('text')
  const link = await owner.share('edit')
  const open = async (device?: string): Promise<Editor> => {
    const page = await link.connect()
    page.provider.awareness?.setLocalState({ user: { name: 'Ana', person: 'made-up' }, ...(device !== undefined && { device }) })
    return page
  }
  const watcher = await owner.connect()
  const [one, again, other, without] = [await open('browser-1'), await open('browser-1'), await open('browser-2'), await open()]
  const stateOf = (page: Editor): Record<string, Record<string, unknown>> | undefined =>
    watcher.provider.awareness?.getStates().get(page.ydoc.clientID) as Record<string, Record<string, unknown>> | undefined
  await until(() => [one, again, other, without].every((page) => stateOf(page)?.['user'] !== undefined), 'everyone')
  const markOf = (page: Editor): unknown => stateOf(page)?.['user']?.['person']
  expect(markOf(one)).toMatch(/^[\w-]{16}$/)
  expect(markOf(again)).toBe(markOf(one))
  expect(markOf(other)).not.toBe(markOf(one))
  expect(markOf(without)).toBeUndefined()
  expect(JSON.stringify([...(watcher.provider.awareness?.getStates().values() ?? [])])).not.toContain('browser-1')
  expect(await told(again, 'you')).toEqual({ type: 'you', person: markOf(one), hue: hueOfName('Ana') })
  // On another document, the same browser is unknown.
  const elsewhere = await world.create('text')
  const page = await elsewhere.connect()
  page.provider.awareness?.setLocalState({ user: { name: 'Ana' }, device: 'browser-1' })
  expect((await told(page, 'you'))['person']).not.toBe(markOf(one))
})

test('[WHO-22] people keep their color while they are present, and those who come later get a free one', async () => {
  const owner = await world.create('text')
  const link = await owner.share('edit')
  const watcher = await owner.connect()
  const twin = Array.from({ length: 100 }, (_none, index) => `Twin ${index}`).filter((name) => hueOfName(name) === hueOfName('Ana'))
  const hueOf = (page: Editor): unknown =>
    (watcher.provider.awareness?.getStates().get(page.ydoc.clientID)?.['user'] as { hue?: unknown } | undefined)?.hue
  const enter = async (name: string, device: string): Promise<Editor> => {
    const page = await link.connect()
    page.provider.awareness?.setLocalState({ user: { name }, device })
    await until(() => hueOf(page) !== undefined, name)
    return page
  }
  // The order of the marks, which depends on the devices, does not matter.
  for (const device of ['a', 'b', 'c', 'd']) {
    const ana = await enter('Ana', `ana ${device}`)
    const [first, second] = [await enter(twin[0] ?? '', `first ${device}`), await enter(twin[1] ?? '', `second ${device}`)]
    const colors = [ana, first, second].map(hueOf)
    expect(colors[0]).toBe(hueOfName('Ana'))
    expect(new Set(colors).size).toBe(3)
    expect((await told(second, 'you'))['hue']).toBe(colors[2])
    // Another tab of the same person has the same color.
    const tab = await enter(twin[1] ?? '', `second ${device}`)
    expect(hueOf(tab)).toBe(colors[2])
    ana.close()
    await until(() => hueOf(ana) === undefined, 'Ana has left')
    first.provider.awareness?.setLocalStateField('cursor', { anchor: null, head: null })
    const isMoved = (): boolean => watcher.provider.awareness?.getStates().get(first.ydoc.clientID)?.['cursor'] !== undefined
    await until(isMoved, 'the cursor')
    expect([first, second].map(hueOf)).toEqual(colors.slice(1))
    for (const page of [first, second, tab]) page.close()
    await until(() => hueOf(tab) === undefined && hueOf(first) === undefined && hueOf(second) === undefined, 'everyone has left')
  }
})

/** Returns a presence message with one state of one client (y-protocols, awareness). */
const presence = (doc: string, client: number, state: object): Uint8Array =>
  frameOf(doc, 1, (encoder) => {
    const update = encoding.createEncoder()
    for (const number of [1, client, 1]) encoding.writeVarUint(update, number)
    encoding.writeVarString(update, JSON.stringify(state))
    encoding.writeVarUint8Array(encoder, encoding.toUint8Array(update))
  })

test('[WHO-7] [WHO-8] a page that reconnects under another role reappears, and leaves like the first time', async () => {
  const owner = await world.create('text')
  const link = await owner.share('edit', { label: 'Ana' })
  const [watcher, ana] = [await owner.connect(), await link.connect()]
  const { awareness } = ana.provider
  if (awareness === null) throw new Error('no presence')
  // Stops the renewal of the presence every 15 s, and its removal after 30 s.
  clearInterval(awareness._checkInterval as unknown as NodeJS.Timeout)
  const shown = (): unknown =>
    (watcher.provider.awareness?.getStates().get(ana.ydoc.clientID)?.['user'] as { role?: unknown } | undefined)?.role
  awareness.setLocalState({ user: { name: '' } })
  await until(() => shown() === 'edit', 'Ana')
  const { json } = await owner.ask('GET', '/shares')
  const { id } = json.shares.find(({ label }: { label: string }) => label === 'Ana')
  await owner.ask('PATCH', `/shares/${id}`, { json: { role: 'comment' } })
  await until(() => shown() === undefined, 'nobody')
  await until(() => ana.messages.findLast(({ type }) => type === 'role')?.['role'] === 'comment', 'the new role')
  awareness.setLocalState({ user: { name: '' } })
  await until(() => shown() === 'comment', 'Ana again')
  await owner.ask('DELETE', `/shares/${id}`)
  await until(() => shown() === undefined, 'nobody')
})

test.each(['revoked', 'lowered'])('[WHO-7] a person whose link is %s leaves the presence at once', async (how) => {
  const owner = await world.create('text')
  const link = await owner.share('edit')
  const watcher = await owner.connect()
  const shown = (): boolean => watcher.provider.awareness?.getStates().has(7) === true
  // This socket never answers the close frame.
  const deaf = await openDeaf(world.url)
  await deaf.open(owner.doc, link.key)
  deaf.send(presence(owner.doc, 7, { user: { name: 'Ana' } }))
  await until(shown, 'Ana')
  if (how === 'revoked') await owner.ask('DELETE', `/shares/${link.key}`)
  else {
    const { json } = await owner.ask('GET', '/shares')
    const { id } = json.shares.find(({ role }: { role: string }) => role === 'edit')
    await owner.ask('PATCH', `/shares/${id}`, { json: { role: 'view' } })
  }
  await until(() => !shown(), 'nobody')
  expect(deaf.ended()).toBe(false)
  deaf.destroy()
})
