/** Six tasks for an agent that knows only `/agents.md` and one link. `npm run agents` runs this file alone and prints the cost of each task. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exitCodes } from '../../shared/exit-codes.ts'
import type { Role } from '../../shared/roles.ts'
import { buildClient, newMachine } from '../support/cli.ts'
import { requestFor } from '../support/reviews.ts'
import { type Json, type Person, startWorld, type World } from '../support/world.ts'
import { type Agent, callIn, newAgent } from './agent.ts'

let world: World
const rows: string[] = []
beforeAll(async () => {
  world = await startWorld({ clientFile: await buildClient() })
})
afterAll(async () => {
  process.stdout.write(`\n| task | calls | at most | bytes |\n|---|---|---|---|\n${rows.join('\n')}\n`)
  await world.stop()
})

const bytesMax = 32 * 1024

const within = (task: string, agent: Agent, callsMax: number): void => {
  rows.push(`| ${task} | ${agent.calls()} | ${callsMax} | ${agent.bytes()} |`)
  expect(agent.calls(), task).toBeLessThanOrEqual(callsMax)
  expect(agent.bytes(), task).toBeLessThanOrEqual(bytesMax)
}

const linkTo = (doc: string, key: string): string => `${world.url}/d/${doc}?key=${key}`

const prose = '# Plan\n\nThe first paragraph stands here.\n\nThe second one stands there.\n\n## Open\n\n- Who pays?\n'

/** Returns the suggested body, in which real text replaces the examples. */
const filled = (body: string | undefined, words: Readonly<Record<string, string>>): Json => {
  const text = (body ?? '').replaceAll(/"(words of the text|new words|…)"/g, (_match, name: string) => JSON.stringify(words[name]))
  return JSON.parse(text) as Json
}

/** Creates a document, and gives an agent a link to this document. */
const invited = async (role: Role): Promise<{ owner: Person; agent: Agent }> => {
  const owner = await world.create(prose)
  return { owner, agent: await newAgent(linkTo(owner.doc, (await owner.share(role)).key)) }
}

test('[AGENT-8] an edit next to a typing person', async () => {
  const { owner, agent } = await invited('edit')
  const person = await owner.connect()
  person.type(person.text().indexOf('The second'), 'Typed meanwhile. ')
  await person.saved()
  const edit = agent.told('edit')
  const answer = await agent.do(edit, filled(edit.body, { 'words of the text': 'first paragraph', 'new words': 'opening' }))
  expect(answer.changed).toBe(true)
  await person.shows((text) => text.includes('The opening stands here.') && text.includes('Typed meanwhile. The second'))
  within('edit next to a person', agent, 4)
})

test('[AGENT-8] a rewrite as suggestions', async () => {
  const { owner, agent } = await invited('suggest')
  const suggest = agent.told('suggest')
  const body = filled(suggest.body, { 'words of the text': '', 'new words': '' })
  const paragraphs = agent.text.split('\n\n').filter((each) => /^\w/.test(each))
  const [example] = body.operations
  const operations = paragraphs.map((find) => ({ ...example, find, with: find.replace('stands', 'is') }))
  const answer = await agent.do(suggest, { ...body, operations })
  expect(answer).toMatchObject({ changed: false, suggestions: [{ status: 'pending' }, { status: 'pending' }] })
  expect((await owner.read()).content).toBe(prose)
  within('rewrite as suggestions', agent, 6)
})

test('[AGENT-8] a comment, a person’s answer, and the agent’s reply', async () => {
  const { owner, agent } = await invited('comment')
  const comment = agent.told('comment')
  const made = await agent.do(comment, filled(comment.body, { 'words of the text': 'Who pays?', '…': 'Shall I ask?' }))
  const follow = agent.told('follow')
  const own = await agent.do(follow)
  // The agent continues from its last cursor, as the guide says.
  expect(agent.guide).toContain('To continue, pass `latest` of each answer as `since`')
  const waits = agent.do({ ...follow, url: follow.url.replace(/since=\d+/, `since=${own.latest}`) })
  await owner.ask('POST', `/comments/${made.id}/replies`, { json: { body: 'Yes, please.', author: 'Ana' } })
  const { events } = await waits
  expect(JSON.stringify(events)).toContain('Yes, please.')
  const replies = /`POST (\S+\/replies)`/.exec(agent.guide)?.[1]?.replace('{commentId}', made.id).replace('{id}', owner.doc)
  await agent.do({ method: 'POST', url: `${world.url}${replies}`, body: undefined }, { body: 'I will.' })
  expect((await owner.ask('GET', '/comments')).json.comments[0].replies).toHaveLength(2)
  within('comment and follow', agent, 6)
})

test('[AGENT-8] the whole assignment', async () => {
  const owner = await world.create(prose)
  const { task } = (await owner.ask('POST', '/tasks', { json: requestFor({ title: 'Check the tone', instructions: 'Is it kind?' }) })).json
  const agent = await newAgent(task.share.url)
  expect(agent.head).toContain('Check the tone')
  const started = await agent.do(agent.told('next'))
  const [comment, suggest] = [agent.told('comment'), agent.told('suggest')]
  const annotation = await agent.do(comment, filled(comment.body, { 'words of the text': 'Who pays?', '…': 'Rather blunt.' }))
  const change = await agent.do(suggest, filled(suggest.body, { 'words of the text': 'Who pays?', 'new words': 'Who could pay?' }))
  const report = callIn(started.next)
  for (const field of ['reviewedVersion', 'summary', 'commentIds', 'suggestionIds']) expect(report.body).toContain(field)
  const reported = await agent.do(report, {
    reviewedVersion: /^version: (\S+)$/m.exec(agent.head)?.[1],
    summary: 'Kind but for one question.',
    commentIds: [annotation.id],
    suggestionIds: change.suggestions.map(({ id }: Json) => id)
  })
  expect(reported).toMatchObject({
    task: { status: 'reported', report: { stale: false } },
    next: expect.stringContaining('Nothing is left')
  })
  within('the whole assignment', agent, 7)
})

test('[AGENT-8] one section by MCP', async () => {
  const owner = await world.create(prose)
  const link = linkTo(owner.doc, (await owner.share('edit')).key)
  const agent = await newAgent(link, { reads: false })
  const examples = [...agent.guide.matchAll(/```json\n(\{ "jsonrpc"[^\n]*\})\n```/g)].map(
    ([, text = '']) => JSON.parse(text.replaceAll(/"[^"]*\/d\/ID\?key=KEY"/g, JSON.stringify(link))) as Json
  )
  const [reading, appending] = examples
  const url = /\*\*MCP\*\*: `([^`]+)`/.exec(agent.guide)?.[1] ?? ''
  const send = async (message: Json): Promise<Json> => {
    const { result } = await agent.do({ method: 'POST', url, body: undefined }, message)
    expect(result.isError, JSON.stringify(result)).not.toBe(true)
    return result.structuredContent
  }
  const { headings } = await send(reading)
  const section = headings.find(({ title }: Json) => title === 'Open').title
  const { view: _view, ...whole } = reading.params.arguments
  const { content } = await send({ ...reading, params: { ...reading.params, arguments: { ...whole, section } } })
  expect(content).toContain('Who pays?')
  await send({
    ...appending,
    params: { ...appending.params, arguments: { ...appending.params.arguments, section, content: '- When?' } }
  })
  expect((await owner.read()).content).toBe(`${prose}- When?\n`)
  within('MCP on one section', agent, 7)
})

test('[AGENT-8] a conflict with the client', async () => {
  const owner = await world.create(prose)
  const { key } = await owner.share('edit')
  const link = linkTo(owner.doc, key)
  const machine = await newMachine()
  await machine.shell('rm bin/agmd')
  const agent = await newAgent(link, { reads: false })
  // Reading the guide does not count as a command of the task.
  const before = agent.calls()
  const told = /\*\*Command line\*\*: (.*)/.exec(agent.guide)?.[1] ?? ''
  const [install = '', pull = '', push = ''] = [...told.matchAll(/`([^`]+)`/g)].map(([, line = '']) => line.replace('LINK', `'${link}'`))
  await agent.run(machine, `export AGMD_INSTALL_DIR="$HOME/bin"; ${install}`)
  await agent.run(machine, pull)
  machine.write('notes.md', prose.replace('Who pays?', 'Who pays the bill?'))
  await owner.replace(prose.replace('Who pays?', 'Who will pay?'))
  const refused = await agent.run(machine, push, exitCodes.conflict)
  const merge = /agmd docs push \S+ --merge/.exec(refused.stderr)?.[0] ?? ''
  const conflicted = await agent.run(machine, merge, exitCodes.conflict)
  machine.write('notes.md', machine.read('notes.md').replace(/<<<<<<<[\s\S]*>>>>>>> [^\n]*\n/, '- Who will pay the bill?\n'))
  await agent.run(machine, /agmd docs push \S+/.exec(conflicted.stderr)?.[0] ?? '')
  expect((await owner.read()).content).toBe(prose.replace('Who pays?', 'Who will pay the bill?'))
  rows.push(`| the client with a conflict | ${agent.calls() - before} commands | 8 | ${agent.bytes()} |`)
  expect(agent.calls() - before).toBeLessThanOrEqual(8)
  expect(agent.bytes()).toBeLessThanOrEqual(bytesMax)
  await machine.remove()
})
