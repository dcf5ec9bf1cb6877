import * as encoding from 'lib0/encoding'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { told } from '../support/mcp.ts'
import { type Editor, frameOf, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

const clock = testClock()
let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

const text = '# Plan\n\nIntro.\n\n## Costs\n\nMuch.\n'

interface Seen {
  readonly client: number
  readonly name: string
  readonly kind: string
  readonly role: string
  /** The text that the cursor covers. */
  readonly at: string | undefined
}

const place = (ydoc: Y.Doc, position: unknown): number =>
  Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(position), ydoc)?.index ?? -1

/** Returns the programs that a page shows. */
const agents = ({ provider, ydoc, ytext }: Editor): Seen[] =>
  [...(provider.awareness?.getStates() ?? [])].flatMap(([client, { user, cursor }]: [number, Json]) =>
    user?.kind === 'agent'
      ? [
          {
            client,
            name: user.name,
            kind: user.kind,
            role: user.role,
            at: cursor && ytext.toString().slice(place(ydoc, cursor.anchor), place(ydoc, cursor.head))
          }
        ]
      : []
  )

const names = (editor: Editor): string[] => agents(editor).map(({ name }) => name)
const by = (name: string): { headers: Record<string, string> } => ({ headers: { 'X-Agent-Author': name } })
const edit = (who: Person, name: string, find: string, words: string): Promise<Json> =>
  who.ask('POST', '/edits', { ...by(name), json: { operations: [{ op: 'replace', find, with: words }] } })

test('[PROGRAM-1] a program that writes by HTTP or MCP under a name appears where it wrote, with its role', async () => {
  const owner = await world.create(text)
  const guest = await owner.share('edit')
  const page = await owner.connect({ name: 'Ana' })
  expect((await edit(guest, 'scribe', 'Much.', 'Not much.')).status).toBe(200)
  await until(() => names(page).length === 1, 'the program')
  expect(agents(page)[0]).toMatchObject({ name: 'scribe', kind: 'agent', role: 'edit', at: 'Not m' })
  await guest.replace(text.replace('Intro.', 'Introduction.'), by('writer'))
  await told(world.url, 'append_doc', { doc: guest.doc, key: guest.key, content: 'The end.', author: 'robot' })
  await owner.ask('POST', '/comments', { ...by('critic'), json: { body: 'Why?', find: 'Introduction' } })
  await owner.ask('POST', '/suggestions', { ...by('editor'), json: { operation: 'delete', find: 'Plan' } })
  await until(() => names(page).length === 5, 'all of them')
  expect(Object.fromEntries(agents(page).map(({ name, at }) => [name, at]))).toMatchObject({
    robot: '\nThe end.\n',
    critic: 'Introduction',
    editor: 'Plan'
  })
  // A page that opens later also sees the programs.
  const late = await owner.connect()
  await until(() => names(late).length === 5, 'all of them')
})

test('[PROGRAM-2] it appears for 30 seconds after its last write, once, at that place', async () => {
  const owner = await world.create(text)
  const page = await owner.connect()
  await edit(owner, 'scribe', 'Intro.', 'Hello.')
  clock.advance(20_000)
  await edit(owner, 'scribe', 'Much.', 'Little.')
  await until(() => agents(page)[0]?.at?.startsWith('Little') === true, 'the second place')
  clock.advance(limits.agentShownSeconds * 1000 - 1)
  await edit(owner, 'other', 'Plan', 'Plans')
  await until(() => names(page).length === 2, 'the other')
  clock.advance(1)
  await until(() => names(page).length === 1, 'the end')
  expect(names(page)).toEqual(['other'])
  clock.advance(limits.agentShownSeconds * 1000)
  await until(() => names(page).length === 0, 'the end of both')
})

test('[PROGRAM-3] it disappears at once when its link is revoked or its document deleted', async () => {
  const owner = await world.create(text)
  const guest = await owner.share('edit')
  const page = await owner.connect()
  await edit(guest, 'scribe', 'Intro.', 'Hello.')
  await edit(owner, 'stays', 'Much.', 'Little.')
  await until(() => names(page).length === 2, 'both')
  await owner.ask('DELETE', `/shares/${guest.link.id}`)
  await until(() => names(page).length === 1, 'the end', 1)
  expect(names(page)).toEqual(['stays'])
  expect((await owner.ask('DELETE', '')).status).toBe(200)
  clock.advance(limits.agentShownSeconds * 1000)
})

test('[PROGRAM-4] a writer without a name, or with an open page under that name and link, does not appear as a program', async () => {
  const owner = await world.create(text)
  const page = await owner.connect()
  const ana = await owner.connect({ name: 'Ana' })
  await until(() => page.provider.awareness?.getStates().has(ana.ydoc.clientID), 'Ana')
  await owner.replace(`${text}one\n`)
  await edit(owner, 'Ana', 'Intro.', 'Hello.')
  // A second link with the same name counts as a different agent.
  const guest = await owner.share('edit')
  await edit(guest, 'Ana', 'Much.', 'Little.')
  await until(() => names(page).length === 1, 'the other Ana')
  expect(agents(page)[0]).toMatchObject({ name: 'Ana', role: 'edit' })
})

test('[PROGRAM-4] a person whose request arrives before the page is shown as a program only until the page connects', async () => {
  const owner = await world.create(text)
  const page = await owner.connect()
  await edit(owner, 'Ana', 'Intro.', 'Hello.')
  await until(() => names(page).join() === 'Ana', 'Ana as a program')
  await owner.connect({ name: 'Bo' })
  const ana = await owner.connect({ name: 'Ana' })
  await until(() => page.provider.awareness?.getStates().has(ana.ydoc.clientID), 'the page of Ana')
  await until(() => names(page).length === 0, 'no program')
})

test('[PROGRAM-5] nobody else can set or remove the presence of a program', async () => {
  const owner = await world.create(text)
  const page = await owner.connect()
  await edit(owner, 'scribe', 'Intro.', 'Hello.')
  await until(() => names(page).length === 1, 'the program')
  const { client } = agents(page)[0] as Seen
  const socket = await world.socket()
  await socket.open(owner.doc, owner.key)
  const say = (state: object | null, clockOf: number): void =>
    socket.send(
      frameOf(owner.doc, 1, (encoder) => {
        const message = encoding.createEncoder()
        encoding.writeVarUint(message, 1)
        encoding.writeVarUint(message, client)
        encoding.writeVarUint(message, clockOf)
        encoding.writeVarString(message, JSON.stringify(state))
        encoding.writeVarUint8Array(encoder, encoding.toUint8Array(message))
      })
    )
  say({ user: { name: 'Mallory' } }, 100)
  say(null, 200)
  // Later messages on the same socket arrive after the forged ones, so those have been handled.
  const bob = await owner.connect({ name: 'Bob' })
  bob.type(0, 'x')
  await page.shows((shown) => shown.startsWith('x'))
  await edit(owner, 'second', 'Much.', 'Little.')
  await until(() => names(page).length === 2, 'the second')
  expect(names(page)).toEqual(['scribe', 'second'])
  socket.close()
})

test('[PROGRAM-6] a document shows a limited number of programs', async () => {
  const owner = await world.create(text)
  const page = await owner.connect()
  const many = limits.agentsShownMax + 1
  for (let n = 0; n < many; n++) await told(world.url, 'append_doc', { doc: owner.doc, key: owner.key, content: 'x', author: `agent ${n}` })
  await until(() => names(page).includes(`agent ${many - 1}`) && !names(page).includes('agent 0'), 'the last')
  expect(names(page)).toHaveLength(limits.agentsShownMax)
})
