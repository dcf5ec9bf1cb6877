import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyEdits, diff } from '../../shared/text/diff.ts'
import { granularities, parted } from '../../shared/text/granularity.ts'
import { limits } from '../../shared/limits.ts'
import { type Answer, type Json, type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const before = '# One\n\nThe cat sat. It slept well. Then it left.\n\nA dog came by.\n\n# Two\n\nNobody saw it.\n'
const after = '# One\n\nThe old cat sat here. It slept well. Then it ran.\n\nA wolf came by.\n\n# Two\n\nEverybody saw it.\n'

const propose = (owner: Person, fields: Json = {}): Promise<Answer> =>
  owner.ask('PUT', '/content', { json: { content: after, mode: 'suggest', ...fields } })

test.each([
  ['word', 5],
  ['sentence', 4],
  ['paragraph', 3],
  ['section', 2]
] as const)('[SUGG-18] with %s an entire document becomes %d suggestions, which together give that text', async (granularity, count) => {
  const owner = await world.create(before)
  const answer = await propose(owner, { granularity })
  expect(answer.status).toBe(200)
  expect(answer.json.suggestions).toHaveLength(count)
  expect((await owner.read()).content).toBe(before)
  await owner.ask('POST', '/decisions', { json: { setId: answer.json.setId, action: 'accept' } })
  expect((await owner.read()).content).toBe(after)
})

test('[SUGG-18] edits are split the same way, too many return 422, and another word 400', async () => {
  const owner = await world.create(before)
  const operations = [{ op: 'set_document', markdown: after }]
  const edits = await owner.ask('POST', '/edits', { json: { operations, mode: 'suggest', granularity: 'section' } })
  expect(edits.json.suggestions).toHaveLength(2)
  expect((await propose(owner, { granularity: 'letter' })).status).toBe(400)
  const words = Array.from({ length: limits.suggestionsAtOnceMax + 1 }, (_word, index) => `w${index} same${index}`).join(' ')
  const many = await world.create(words)
  const content = words.replaceAll(/w\d+/g, 'new')
  expect(await propose(many, { content, granularity: 'word' })).toMatchObject({ status: 422, json: { code: 'too_many_changes' } })
  expect((await propose(many, { content, granularity: 'paragraph' })).json.suggestions).toHaveLength(1)
  const whole = { operations: [{ op: 'set_document', markdown: content }], mode: 'suggest', granularity: 'word' }
  for (const dryRun of [true, false])
    expect(await many.ask('POST', '/edits', { json: { ...whole, dryRun } })).toMatchObject({
      status: 422,
      json: { code: 'too_many_changes' }
    })
})

test.each([
  ['word', 'Second', '2nd'],
  ['sentence', 'Second sentence here.', '2nd sentence Here.'],
  ['paragraph', 'First one is. Second sentence here. Third.', 'First one is. 2nd sentence Here. Third.'],
  ['section', '# A\n\nFirst one is. Second sentence here. Third.', '# A\n\nFirst one is. 2nd sentence Here. Third.']
] as const)('[SUGG-18] with %s a suggestion covers whole units', async (granularity, original, text) => {
  const content = '# A\n\nFirst one is. Second sentence here. Third.\n\n# B\n\nEnd.\n'
  const owner = await world.create(content)
  const operations = [{ op: 'replace', find: 'Second', with: '2nd' }]
  const changed = content.replace('Second', '2nd').replace('here', 'Here')
  const whole = await propose(owner, { content: changed, granularity })
  expect(whole.json.suggestions[0]).toMatchObject({ original, text })
  const edits = await owner.ask('POST', '/edits', { json: { operations, mode: 'suggest', granularity } })
  expect(edits.json.suggestions).toMatchObject([{ original, text: original.replace('Second', '2nd') }])
})

test('[SUGG-18] an extended word is one change to the whole word', async () => {
  const owner = await world.create(before)
  const operations = [{ op: 'replace', find: 'cat', with: 'cats' }]
  const { json } = await owner.ask('POST', '/edits', { json: { operations, mode: 'suggest', granularity: 'word' } })
  expect(json.suggestions).toMatchObject([{ operation: 'replace', original: 'cat', text: 'cats' }])
})

test('[SUGG-18] the parts produce the same text, for any two texts', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'b ', '. ', '\n', '\n\n', '# h\n', '。', '! ', '😀'), { maxLength: 30 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(texts, texts, fc.constantFrom(...granularities), (old, young, granularity) => {
      expect(applyEdits(old, parted(old, diff(old, young), granularity))).toBe(young)
    })
  )
})

test.each([
  ['PUT', '/content', { content: after }],
  ['POST', '/edits', { operations: [{ op: 'replace', find: 'cat', with: 'dog' }] }]
])('[SUGG-18] [SUGG-19] %s %s with a granularity or a note, but no mode, writes nothing', async (method, path, json) => {
  const owner = await world.create(before)
  const { version } = await owner.read()
  for (const fields of [{ granularity: 'word' }, { note: 'Please consider' }, { note: 'x', mode: 'apply' }]) {
    const answer = await owner.ask(method, path, { json: { ...json, ...fields, baseVersion: version } })
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request'])
    expect(answer.json.hint).toContain('mode: "suggest"')
  }
  expect((await owner.read()).version).toBe(version)
})

test('[SUGG-21] a dry run shows the same suggestions as the real call, without ids, and makes none', async () => {
  const owner = await world.create(before)
  const operations = [
    { op: 'replace', find: 'cat', with: 'dog' },
    { op: 'delete', find: 'A dog came by.' },
    { op: 'append', markdown: 'The end.' }
  ]
  const asks = [
    (dryRun: boolean) => propose(owner, { granularity: 'sentence', note: 'why', dryRun }),
    (dryRun: boolean) => propose(owner, { dryRun }),
    (dryRun: boolean) => owner.ask('POST', '/edits', { json: { operations, mode: 'suggest', label: 'why', dryRun } })
  ]
  for (const ask of asks) {
    const { total } = (await owner.ask('GET', '/suggestions')).json
    const { json: tried } = await ask(true)
    expect((await owner.ask('GET', '/suggestions')).json.total).toBe(total)
    const { json: made } = await ask(false)
    const { setId, suggestions, ...rest } = made
    expect(tried.suggestions.length).toBeGreaterThan(1)
    expect(tried).toEqual({
      ...rest,
      diff: tried.diff,
      suggestions: suggestions.map(({ id: _id, setId: _set, ...shown }: Json) => ({ ...shown, createdAt: expect.any(String) }))
    })
    expect(typeof setId).toBe('string')
  }
  expect((await propose(owner, { content: before, dryRun: true })).json.suggestions).toEqual([])
})

test('[SUGG-19] a note is on every suggestion made together', async () => {
  const owner = await world.create(before)
  const whole = await propose(owner, { granularity: 'section', note: 'Livelier.', label: 'x' })
  expect(whole.json.suggestions.map(({ note }: Json) => note)).toEqual(['Livelier.', 'Livelier.'])
  const operations = [{ op: 'replace', find: 'dog', with: 'wolf' }]
  const edits = await owner.ask('POST', '/edits', { json: { operations, mode: 'suggest', note: 'Why not?' } })
  expect(edits.json.suggestions).toMatchObject([{ note: 'Why not?' }])
})

test('[SUGG-20] a rejection has its reason, on the suggestion and in its event; reopening makes it a reply', async () => {
  const owner = await world.create(before)
  const { suggestions, setId } = (await propose(owner, { granularity: 'section' })).json as { suggestions: Json[]; setId: string }
  const id = String(suggestions[0]?.['id'])
  const decide = (fields: Json): Promise<Answer> => owner.ask('POST', `/suggestions/${id}`, { json: fields })
  expect((await decide({ action: 'accept', reason: 'No.' })).status).toBe(400)
  expect((await decide({ action: 'reject', reason: 'x'.repeat(limits.reasonUnitsMax + 1) })).status).toBe(400)
  const rejected = (await decide({ action: 'reject', reason: 'Cats are fine.' })).json.suggestion
  expect(rejected).toMatchObject({ status: 'rejected', reason: 'Cats are fine.', decidedBy: expect.any(String) })
  expect((await owner.events()).events.at(-1)).toMatchObject({ kind: 'suggestion.rejected', payload: { reason: 'Cats are fine.' } })
  await owner.ask('POST', `/suggestions/${id}/replies`, { json: { body: 'Are they?' } })
  const reopened = (await decide({ action: 'reopen' })).json.suggestion
  expect(reopened.reason).toBeUndefined()
  expect(reopened.replies).toMatchObject([{ body: 'Cats are fine.', author: rejected.decidedBy }, { body: 'Are they?' }])
  // A rejection without a reason adds no reply.
  await decide({ action: 'reject' })
  expect((await decide({ action: 'reopen' })).json.suggestion.replies).toEqual(reopened.replies)
  const all = await owner.ask('POST', '/decisions', { json: { setId, action: 'reject', reason: 'Not now.' } })
  expect(all.json.results.map(({ suggestion }: Json) => (suggestion as Json)['reason'])).toEqual(['Not now.', 'Not now.'])
})
