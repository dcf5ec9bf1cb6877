/** Suggestions that others see while they are typed, decisions that are undone, and replies. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ServiceError } from '../../shared/errors.ts'
import type { Storage } from '../../server/domain/ports.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { withLimit } from '../support/limits.ts'
import { asAuthor, comment, commented, decide, readSuggestion, suggest, suggestions, foxText as text } from '../support/annotations.ts'
import { unchangedBy } from '../support/reviews.ts'
import { type Answer, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

const store = faultyStore()
/** Total size of the answers that were stored for retries, in bytes. */
let rememberedBytes = 0

let world: World
beforeAll(async () => {
  const storage = (inner: Storage): Storage => {
    const faulty = store.storage(inner)
    const commit: Storage['commit'] = (batch) => {
      for (const { key, value } of batch.puts ?? []) if (key[2] === 'request') rememberedBytes += value.length
      return faulty.commit(batch)
    }
    return { ...faulty, commit }
  }
  world = await startWorld({ storage })
})
afterAll(() => world.stop())

const changesNothing = unchangedBy(() => world)
const events = async (person: Person): Promise<Json[]> => (await person.events()).events
const content = async (person: Person): Promise<string> => (await person.read()).content
const draft = (person: Person, id: string, json: Json, name = 'Ana'): Promise<Answer> =>
  person.ask('PUT', `/drafts/${id}`, { json, ...asAuthor(name) })
const kinds = async (person: Person): Promise<string[]> =>
  (await events(person)).map(({ type }) => type).filter((type) => type.startsWith('suggestion.'))

test('[SUGG-1] [SUGG-95] a suggestion exists while it is typed, changes in place by its author, and open pages get each change', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const page = await owner.connect()
  const first = await draft(ana, 'one.secret', { step: 1, operation: 'insert', find: 'quick', text: ' re' })
  expect(first).toMatchObject({
    status: 200,
    json: { ok: true, suggestion: { status: 'pending', text: ' re', author: 'Ana', draftId: 'one' } }
  })
  const { id } = first.json.suggestion
  await draft(ana, 'one.secret', { step: 2, operation: 'insert', find: 'quick', text: ' red' })
  const third = await draft(ana, 'one.secret', { step: 3, operation: 'replace', find: 'brown', text: 'red', note: 'Colour.', done: true })
  expect(third.json.suggestion).toMatchObject({ id, operation: 'replace', original: 'brown', text: 'red', note: 'Colour.' })
  expect(await suggestions(owner)).toEqual([third.json.suggestion])
  const heard = (): string[] => page.messages.filter(({ type }) => type === 'suggestion').map(({ suggestion }) => suggestion.text)
  await until(() => heard().length === 3, 'the messages')
  expect(heard()).toEqual([' re', ' red', 'red'])
  // The messages name the characters, because the offsets hold only in the text of the server.
  const places = page.messages.filter(({ type }) => type === 'suggestion').map(({ place }) => place)
  const letters = places.map(({ spans }) => spans.filter((_each: number, index: number) => index % 3 === 2))
  expect(letters).toEqual([[], [], ['brown'.length]])
  expect(places[0].left).toEqual([expect.any(Number), expect.any(Number)])
  expect(await content(owner)).toBe(text)
  await decide(owner, id, 'accept')
  expect(await content(owner)).toBe(text.replace('brown', 'red'))
})

test('[SUGG-17] a person who types a suggestion does not appear as a program', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const page = await owner.connect()
  const shown = (): string[] => [...(page.provider.awareness?.getStates().values() ?? [])].flatMap(({ user }: Json) => user?.name ?? [])
  await draft(ana, 'closed.secret', { step: 1, operation: 'insert', find: 'quick', text: ' red' })
  // The page already shows a later change, so it would also show this one.
  await suggest(ana, { operation: 'insert', find: 'lazy', text: ' old' }, asAuthor('scribe'))
  await until(() => shown().includes('scribe'), 'the program')
  expect(shown()).not.toContain('Ana')
})

test('[SUGG-2] late and repeated steps change nothing, late ones and those with other text return 409, and one event reports all changes at the end', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const at = { operation: 'insert', find: 'quick' }
  await draft(ana, 'one', { ...at, step: 5, text: ' and red' })
  for (const step of [3, 5]) {
    const late = await changesNothing(owner.doc, () => draft(ana, 'one', { ...at, step, text: ' and' }))
    expect(late).toMatchObject({ status: 409, json: { code: 'stale_step', step: 5 } })
  }
  const again = await changesNothing(owner.doc, () => draft(ana, 'one', { ...at, step: 5, text: ' and red' }))
  expect(again).toMatchObject({ status: 200, json: { suggestion: { text: ' and red' } } })
  for (let step = 6; step < 20; step++) await draft(ana, 'one', { ...at, step, text: ` and red${'d'.repeat(step)}` })
  expect(await kinds(owner)).toEqual(['suggestion.created'])
  const last = { ...at, step: 20, text: ' and reddish', done: true }
  await draft(ana, 'one', last)
  expect(await kinds(owner)).toEqual(['suggestion.created', 'suggestion.edited'])
  await draft(ana, 'one', last)
  await draft(ana, 'one', { ...last, step: 21 })
  expect(await kinds(owner)).toEqual(['suggestion.created', 'suggestion.edited'])
  expect(await suggestions(owner)).toHaveLength(1)
})

test('[SUGG-3] only its author changes a typed suggestion, with the suggest role, and a decided one stays as decided', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const fields = { step: 1, operation: 'insert', find: 'quick', text: ' red' }
  const made = (await draft(ana, 'one', fields)).json.suggestion
  expect(await changesNothing(owner.doc, () => draft(ana, 'one', { ...fields, step: 2 }, 'Bea'))).toMatchObject({
    status: 403,
    json: { code: 'not_author' }
  })
  for (const role of ['view', 'comment'] as const) {
    const other = await owner.share(role)
    expect(await changesNothing(owner.doc, () => draft(other, 'two', fields))).toMatchObject({ status: 403 })
  }
  // If the same id is sent through another link, it belongs to a different suggestion.
  expect((await draft(await owner.share('suggest'), 'one', fields)).json.suggestion.id).not.toBe(made.id)
  expect(await changesNothing(owner.doc, () => draft(ana, 'two', { ...fields, find: 'nowhere' }))).toMatchObject({
    json: { code: 'target_not_found' }
  })
  expect(await changesNothing(owner.doc, () => draft(ana, 'x'.repeat(300), fields))).toMatchObject({ status: 400 })
  await decide(owner, made.id, 'accept')
  const after = { ...fields, step: 9, text: ' redder', find: 'The' }
  expect(await changesNothing(owner.doc, () => draft(ana, 'one', after))).toMatchObject({
    status: 409,
    json: { code: 'already_decided', suggestionStatus: 'accepted' }
  })
  const same = await changesNothing(owner.doc, () => draft(ana, 'one', { ...fields, step: 9, done: true }))
  expect(same).toMatchObject({ status: 200, json: { suggestion: { status: 'accepted', text: ' red' } } })
})

test('[SUGG-4] a draft whose words others deleted keeps its text, and returns with them; if the store fails it stays unchanged', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const fields = { operation: 'replace', find: 'brown fox' }
  const { id } = (await draft(ana, 'one', { ...fields, step: 1, text: 'hen' })).json.suggestion
  await owner.replace('Other words.')
  expect((await draft(ana, 'one', { ...fields, step: 2, text: 'red hen' })).json.suggestion).toMatchObject({
    status: 'orphaned',
    original: 'brown fox',
    text: 'red hen'
  })
  await owner.replace(text)
  expect(await readSuggestion(owner, id)).toMatchObject({ status: 'pending', text: 'red hen', from: text.indexOf('brown fox') })
  store.fault = new ServiceError('storage_unavailable')
  expect(await draft(ana, 'one', { step: 3, operation: 'insert', find: 'brown', text: 'x' })).toMatchObject({ status: 503 })
  store.fault = undefined
  expect(await readSuggestion(owner, id)).toMatchObject({ text: 'red hen', from: text.indexOf('brown fox') })
})

test('[SUGG-5] a concurrent decision and change each apply to the other’s result: the text matches the record', async () => {
  const owner = await world.create('')
  const ana = await owner.share('suggest')
  for (let round = 0; round < 12; round++) {
    const before = await content(owner)
    const words = `round ${round} `
    const at = before === '' ? { at: 'start' } : { at: 'end' }
    const { id } = (await draft(ana, `d${round}`, { ...at, step: 1, operation: 'insert', text: words })).json.suggestion
    const typing = [2, 3, 4].map((step) => draft(ana, `d${round}`, { ...at, step, operation: 'insert', text: words.repeat(step) }))
    await Promise.all([...typing.slice(0, round % 3), decide(owner, id, 'accept'), ...typing.slice(round % 3)])
    const found = await readSuggestion(owner, id)
    expect(found.status).toBe('accepted')
    expect(await content(owner)).toBe(before + found.text)
  }
})

test('[SUGG-11] a decision that names the step it has read is refused if the suggestion has changed, with its current text', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const { id, step } = (await draft(ana, 'one', { step: 1, operation: 'replace', find: 'brown', text: 'red' })).json.suggestion
  expect(step).toBe(1)
  await draft(ana, 'one', { step: 2, operation: 'replace', find: 'brown', text: 'dead' })
  const one = (seen: number) => owner.ask('POST', `/suggestions/${id}`, { json: { action: 'accept', step: seen } })
  expect(await changesNothing(owner.doc, () => one(1))).toMatchObject({
    status: 409,
    json: { code: 'target_changed', suggestion: { id, text: 'dead', step: 2 } }
  })
  const several = (seen: number) =>
    owner.ask('POST', '/decisions', { json: { decisions: [{ suggestionId: id, action: 'accept', step: seen }] } })
  expect(await changesNothing(owner.doc, () => several(1))).toMatchObject({
    json: { ok: false, results: [{ ok: false, code: 'target_changed', suggestion: { text: 'dead', step: 2 } }] }
  })
  // The end of typing does not change the text that the person has read.
  await draft(ana, 'one', { step: 3, operation: 'replace', find: 'brown', text: 'dead', done: true })
  expect(await changesNothing(owner.doc, () => one(1))).toMatchObject({ status: 409, json: { code: 'target_changed' } })
  expect(await changesNothing(owner.doc, () => one(4))).toMatchObject({ status: 409, json: { code: 'target_changed' } })
  expect((await several(2)).json.ok).toBe(true)
  expect(await content(owner)).toBe(text.replace('brown', 'dead'))
})

test('[SUGG-12] typing moves a suggestion within its place only, and not at all once somebody has replied to it', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const { id } = (await draft(ana, 'one', { step: 1, operation: 'replace', find: 'quick', text: 'slow' })).json.suggestion
  const fixed = { status: 409, json: { code: 'suggestion_fixed' } }
  const swapped = { step: 2, operation: 'replace', find: 'lazy', text: 'evil' }
  expect(await changesNothing(owner.doc, () => draft(ana, 'one', swapped))).toMatchObject(fixed)
  const grown = { operation: 'replace', find: 'quick brown', text: 'slow red' }
  expect(await draft(ana, 'one', { ...grown, step: 3 })).toMatchObject({
    status: 200,
    json: { suggestion: { id, original: 'quick brown' } }
  })
  await owner.ask('POST', `/suggestions/${id}/replies`, { json: { body: 'Looks good.' } })
  expect(await changesNothing(owner.doc, () => draft(ana, 'one', { ...grown, step: 4, text: 'evil' }))).toMatchObject(fixed)
  // The page may still report the end of typing.
  expect(await draft(ana, 'one', { ...grown, step: 4, done: true })).toMatchObject({
    status: 200,
    json: { suggestion: { text: 'slow red' } }
  })
  await decide(owner, id, 'accept')
  expect(await content(owner)).toBe(text.replace('quick brown', 'slow red'))
})

test('[SUGG-13] a caller with the author’s link and name learns only the name of a draftId, and changes nothing with it', async () => {
  const owner = await world.create(text)
  const guests = await owner.share('suggest')
  const page = await guests.connect()
  const fields = { operation: 'insert', find: 'quick', text: ' red' }
  await draft(guests, 'name.secret', { ...fields, step: 1 })
  await draft(guests, 'silent', { ...fields, step: 1 })
  const heard = (wanted: string): number => page.messages.filter(({ type }) => type === wanted).length
  // A node that has not yet heard which suggestions another node wrote tells its pages to list them again.
  await until(() => heard('suggestion') === 2 || heard('annotations') > 0, 'the messages')
  const told = JSON.stringify([await suggestions(guests), await events(guests), page.messages])
  expect(told).toContain('"draftId":"name"')
  expect(told).not.toContain('secret')
  expect(told).not.toContain('silent')
  for (const guessed of ['name.other', 'name.'])
    expect(await changesNothing(owner.doc, () => draft(guests, guessed, { ...fields, step: 99, text: ' x' }))).toMatchObject({
      status: 403,
      json: { code: 'not_author' }
    })
  expect((await draft(guests, 'name.secret', { ...fields, step: 2, text: ' dark red' })).json.suggestion.text).toBe(' dark red')
})

test('[SUGG-14] typed suggestions and replies count toward the byte limit of annotations', async () => {
  const owner = await world.create(text)
  const at = { operation: 'insert', find: 'quick' }
  const { id } = (await draft(owner, 'one', { ...at, step: 1, text: ' red' })).json.suggestion
  await withLimit('annotationsBytesMax', 4096, async () => {
    const long = 'x'.repeat(5000)
    const full = { status: 400, json: { code: 'invalid_request' } }
    expect(await changesNothing(owner.doc, () => draft(owner, 'one', { ...at, step: 2, text: long }))).toMatchObject(full)
    const reply = (): Promise<Answer> => owner.ask('POST', `/suggestions/${id}/replies`, { json: { body: long } })
    expect(await changesNothing(owner.doc, reply)).toMatchObject(full)
    expect(await draft(owner, 'one', { ...at, step: 3, text: ' dark red' })).toMatchObject({ status: 200 })
  })
})

test('[SUGG-15] a page of the list ends before it becomes too large, and the next one continues', async () => {
  const owner = await world.create(text)
  const ids: string[] = []
  for (let round = 0; round < 5; round++) ids.unshift((await suggest(owner, { operation: 'insert', text: 'x'.repeat(1000) })).id)
  await withLimit('annotationPageBytesMax', 3500, async () => {
    const found: string[] = []
    const sizes: number[] = []
    for (let before: number | null | undefined; before !== null;) {
      const { json } = await owner.ask('GET', '/suggestions', { query: before === undefined ? {} : { before: String(before) } })
      found.push(...json.suggestions.map(({ id }: Json) => id))
      sizes.push(json.suggestions.length)
      before = json.nextBefore
    }
    expect(found).toEqual(ids)
    expect(sizes).toEqual([2, 2, 1])
  })
})

test('[SUGG-16] large answers are remembered by the ids of their records, and rebuilt for a repeated request', async () => {
  const owner = await world.create(text)
  const long = 'x'.repeat(20_000)
  const made = await suggest(owner, { operation: 'insert', text: long })
  const decisions = [{ suggestionId: made.id, action: 'reject' }]
  for (const [path, json, key] of [
    [`/suggestions/${made.id}/replies`, { body: 'Hm.' }, 'reply'],
    ['/decisions', { decisions }, 'decide']
  ] as const) {
    const ask = (): Promise<Answer> => owner.ask('POST', path, { json, headers: { 'Idempotency-Key': key } })
    rememberedBytes = 0
    const first = await ask()
    expect(rememberedBytes).toBeGreaterThan(0)
    expect(rememberedBytes).toBeLessThan(2000)
    const again = await ask()
    expect(again.headers.get('Idempotency-Replayed')).toBe('true')
    expect(again.json).toEqual(first.json)
  }
})

test('[UNDO-1] undoing a decision restores the text, keeps later typing by others, and reopens the suggestion', async () => {
  const owner = await world.create(text)
  for (const [fields, accepted] of [
    [{ operation: 'replace', find: 'brown fox', text: 'red fox' }, text.replace('brown fox', 'red fox')],
    [{ operation: 'insert', find: 'quick', text: ' and sly' }, text.replace('quick', 'quick and sly')],
    [{ operation: 'delete', find: ' lazy' }, text.replace(' lazy', '')],
    [{ operation: 'delete', line: 5 }, text.replace('- one fish\n', '')]
  ] as const) {
    const { id } = await suggest(owner, fields, asAuthor('Ana'))
    await decide(owner, id, 'accept', asAuthor('Eve'))
    expect(await content(owner)).toBe(accepted)
    await owner.replace(accepted.replace('# Title', '# Another title').replace('two fish', 'two fishes'))
    const { status, json } = await decide(owner, id, 'reopen', asAuthor('Eve'))
    expect({ status, suggestion: json.suggestion }).toMatchObject({
      status: 200,
      suggestion: { status: 'pending', decidedBy: null, decidedAt: null, resultVersion: null, author: 'Ana' }
    })
    expect((await events(owner)).at(-1)).toMatchObject({
      type: 'suggestion.reopened',
      actor: 'Eve',
      payload: { suggestionId: id, author: 'Ana' }
    })
    expect(await content(owner)).toBe(text.replace('# Title', '# Another title').replace('two fish', 'two fishes'))
    expect((await owner.revisions()).revisions[0]).toMatchObject({ cause: 'reopen', author: 'Eve' })
    // The suggestion is open like any other. It follows its text and can be decided again.
    expect(await changesNothing(owner.doc, () => decide(owner, id, 'reopen'))).toMatchObject({ status: 200 })
    await decide(owner, id, 'accept')
    await decide(owner, id, 'reopen')
    await decide(owner, id, 'reject')
    await decide(owner, id, 'reopen')
    const { from, to, original } = await readSuggestion(owner, id)
    expect((await content(owner)).slice(from, to)).toBe(original)
    await decide(owner, id, 'reject')
    await owner.replace(text)
  }
})

test('[UNDO-2] an acceptance cannot be undone if its text has changed: 409, and nothing changes; its comments stay', async () => {
  const owner = await world.create(text)
  const note = await comment(owner, { body: 'Hm.', find: 'brown' })
  const { id } = await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'red hen' })
  await decide(owner, id, 'accept')
  const hen = (await owner.read()).content
  await owner.ask('PATCH', '/content', { json: { edits: [{ find: 'red hen', replace: 'red old hen' }] } })
  const refused = await changesNothing(owner.doc, () => decide(owner, id, 'reopen'))
  expect(refused).toMatchObject({ status: 409, json: { code: 'target_changed' } })
  await owner.ask('PATCH', '/content', { json: { edits: [{ find: 'red old hen', replace: 'red hen' }] } })
  expect(await content(owner)).toBe(hen)
  await decide(owner, id, 'reopen')
  expect(await content(owner)).toBe(text)
  expect(await commented(owner, note.id)).toBe('brown')
})

test('[UNDO-7] a deletion cannot be undone if its words have returned; if the same words were next to it before, it can', async () => {
  const owner = await world.create('start WORD end')
  const { id } = await suggest(owner, { operation: 'delete', find: 'WORD ' })
  await decide(owner, id, 'accept')
  await owner.replace('start WORD end')
  expect(await changesNothing(owner.doc, () => decide(owner, id, 'reopen'))).toMatchObject({
    status: 409,
    json: { code: 'target_changed' }
  })
  await owner.replace('start end')
  await decide(owner, id, 'reopen')
  expect(await content(owner)).toBe('start WORD end')
  const twice = await world.create('a very very good one')
  const second = await suggest(twice, { operation: 'delete', find: 'very ', occurrence: 2 })
  await decide(twice, second.id, 'accept')
  expect(await decide(twice, second.id, 'reopen')).toMatchObject({ status: 200 })
  expect(await content(twice)).toBe('a very very good one')
})

test.for<[string, Json, Json]>([
  ['deletions next to each other', { operation: 'delete', find: 'quick brown ' }, { operation: 'delete', find: 'fox ' }],
  ['deletions, the later one before the earlier', { operation: 'delete', find: 'brown ' }, { operation: 'delete', find: 'quick ' }],
  [
    'new words that a deletion removed',
    { operation: 'replace', find: 'brown', text: 'red' },
    { operation: 'delete', find: 'quick red fox ' }
  ]
])('[UNDO-20] decisions on words next to each other are undone one by one, newest first: %s', async ([, first, second]) => {
  const owner = await world.create(text)
  const ids: string[] = []
  for (const fields of [first, second]) {
    ids.unshift((await suggest(owner, fields)).id)
    await decide(owner, ids[0] ?? '', 'accept')
  }
  for (const id of ids) expect(await decide(owner, id, 'reopen')).toMatchObject({ status: 200 })
  expect(await content(owner)).toBe(text)
  // The open suggestions have their words, so both can be accepted together.
  const { json } = await owner.ask('POST', '/decisions', {
    json: { decisions: ids.map((suggestionId) => ({ suggestionId, action: 'accept' })) }
  })
  expect(json.results[1]).toMatchObject({ ok: true })
})

test('[UNDO-20] a rejected insertion has its place again if the words next to it returned by an undo', async () => {
  const owner = await world.create(text)
  const added = await suggest(owner, { operation: 'insert', find: 'quick', text: ' red' })
  await decide(owner, added.id, 'reject')
  const deleted = await suggest(owner, { operation: 'delete', find: 'quick brown ' })
  await decide(owner, deleted.id, 'accept')
  await decide(owner, deleted.id, 'reopen')
  await decide(owner, added.id, 'reopen')
  const at = text.indexOf(' brown')
  expect(await readSuggestion(owner, added.id)).toMatchObject({ from: at, to: at })
  await decide(owner, added.id, 'accept')
  expect(await content(owner)).toBe(text.replace('quick', 'quick red'))
})

test('[UNDO-3] several decisions are undone in one commit, even after a restart', async () => {
  const own = await startWorld()
  const owner = await own.create(text)
  const ids: string[] = []
  for (const [find, words] of [
    ['quick', 'slow'],
    ['brown', 'green'],
    ['lazy', 'busy']
  ])
    ids.push((await suggest(owner, { operation: 'replace', find, text: words })).id)
  const all = (person: Person, action: string): Promise<Answer> =>
    person.ask('POST', '/decisions', { json: { action, suggestionIds: ids } })
  await all(owner, 'accept')
  const second = await own.restart()
  const later = second.person(owner.doc, owner.key)
  expect((await all(later, 'reopen')).json).toMatchObject({ ok: true, results: ids.map((suggestionId) => ({ suggestionId, ok: true })) })
  expect(await content(later)).toBe(text)
  await all(later, 'reject')
  const third = await second.restart()
  const last = third.person(owner.doc, owner.key)
  expect((await all(last, 'reopen')).json.ok).toBe(true)
  await all(last, 'accept')
  expect(await content(last)).toBe(text.replace('quick', 'slow').replace('brown', 'green').replace('lazy', 'busy'))
  await third.stop()
})

test('[UNDO-4] a withdrawal is recorded as its author’s, and nobody else can undo it; deciding and undoing need the edit role', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const { id } = await suggest(ana, { operation: 'delete', find: ' lazy' }, asAuthor('Ana'))
  await ana.ask('DELETE', `/suggestions/${id}`, asAuthor('Ana'))
  expect(await readSuggestion(owner, id)).toMatchObject({ status: 'rejected', withdrawn: true, decidedBy: 'Ana' })
  expect((await events(owner)).at(-1)).toMatchObject({ type: 'suggestion.rejected', payload: { withdrawn: true } })
  expect(await changesNothing(owner.doc, () => decide(owner, id, 'reopen'))).toMatchObject({ status: 403, json: { code: 'not_author' } })
  const other = await suggest(ana, { operation: 'delete', find: ' brown' }, asAuthor('Ana'))
  await decide(owner, other.id, 'reject')
  expect(await readSuggestion(owner, other.id)).not.toHaveProperty('withdrawn')
  expect(await changesNothing(owner.doc, () => decide(ana, other.id, 'reopen', asAuthor('Ana')))).toMatchObject({ status: 403 })
})

test('[SUGG-80] the author of a withdrawn suggestion opens it again with the suggest role, with its id, age and replies', async () => {
  const owner = await world.create(text)
  const ana = await owner.share('suggest')
  const { id } = await suggest(ana, { operation: 'delete', find: ' lazy' }, asAuthor('Ana'))
  await owner.ask('POST', `/suggestions/${id}/replies`, { json: { body: 'Why?' } })
  const before = await readSuggestion(owner, id)
  const restore = (name = 'Ana', which = id): Promise<Answer> =>
    ana.ask('DELETE', `/suggestions/${which}`, { query: { undo: 'true' }, ...asAuthor(name) })
  await ana.ask('DELETE', `/suggestions/${id}`, asAuthor('Ana'))
  expect(await changesNothing(owner.doc, () => restore('Bea'))).toMatchObject({ status: 403, json: { code: 'not_author' } })
  expect(await restore()).toMatchObject({ status: 200, json: { ok: true, suggestion: { id, status: 'pending' } } })
  expect(await readSuggestion(owner, id)).toEqual(before)
  expect((await events(owner)).at(-1)).toMatchObject({ type: 'suggestion.reopened', payload: { suggestionId: id } })
  expect(await changesNothing(owner.doc, () => restore())).toMatchObject({ status: 200 })
  // The author cannot undo the decision of somebody else.
  for (const action of ['reject', 'accept'] as const) {
    await decide(owner, id, action)
    expect(await changesNothing(owner.doc, () => restore())).toMatchObject({ status: 409, json: { code: 'already_decided' } })
    await decide(owner, id, 'reopen')
  }
  expect(await restore('Ana', 'none')).toMatchObject({ status: 404 })
})

test('[REPLY-1] a suggestion has replies, the comment role is enough, and each reply and each mention makes an event', async () => {
  const owner = await world.create(text)
  const { id } = await suggest(owner, { operation: 'delete', find: ' lazy' }, asAuthor('Ana'))
  const page = await owner.connect()
  const reply = (person: Person, body: string): Promise<Answer> =>
    person.ask('POST', `/suggestions/${id}/replies`, { json: { body }, ...asAuthor('Bea') })
  const commenter = await owner.share('comment')
  const answer = await reply(commenter, 'Why, @Ana?')
  expect(answer).toMatchObject({
    status: 201,
    json: { reply: { body: 'Why, @Ana?', author: 'Bea' }, suggestion: { id, status: 'pending' } }
  })
  expect(answer.json.suggestion.replies).toEqual([answer.json.reply])
  expect((await events(owner)).slice(-2)).toMatchObject([
    { type: 'suggestion.replied', actor: 'Bea', payload: { suggestionId: id, replyId: answer.json.id } },
    { type: 'comment.mentioned', payload: { suggestionId: id, names: ['Ana'] } }
  ])
  await until(() => page.messages.some(({ type, suggestion }) => type === 'suggestion' && suggestion.replies?.length === 1), 'the message')
  const viewer = await owner.share('view')
  expect(await changesNothing(owner.doc, () => reply(viewer, 'Hm.'))).toMatchObject({ status: 403 })
  expect(await changesNothing(owner.doc, () => reply(commenter, ' '))).toMatchObject({ status: 400 })
  expect(await commenter.ask('POST', '/suggestions/none/replies', { json: { body: 'Hm.' } })).toMatchObject({ status: 404 })
  // Replies survive decisions, including later ones.
  await decide(owner, id, 'accept')
  await reply(commenter, 'Good.')
  await decide(owner, id, 'reopen')
  expect((await readSuggestion(owner, id)).replies.map(({ body }: Json) => body)).toEqual(['Why, @Ana?', 'Good.'])
})

test('[UNDO-6] the history names the author of accepted text, and the person who accepted it', async () => {
  const owner = await world.create(text)
  const { id } = await suggest(owner, { operation: 'delete', find: ' lazy' }, asAuthor('Ana'))
  await decide(owner, id, 'accept', asAuthor('Eve'))
  const { json } = await owner.ask('GET', '/revisions')
  expect(json.revisions[0]).toMatchObject({ cause: 'accept', author: 'Eve', authors: ['Ana', 'Eve'] })
})
