import { describe, expect, test } from 'vitest'
import { UndoManager } from 'yjs'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { anonymous } from '../../server/domain/rights/caller.ts'
import { withAnnotationsRead } from '../../server/domain/review/annotated-document.ts'
import { createMovesNow } from '../../server/domain/review/moves-now.ts'
import { judge } from '../../server/domain/review/verdicts.ts'
import { withFaultyStore } from '../support/faulty-store.ts'
import {
  asAuthor,
  comment,
  commented,
  decide,
  postSuggestion,
  readSuggestion,
  suggest,
  suggestions,
  foxText as text
} from '../support/annotations.ts'
import { withLimit } from '../support/limits.ts'
import { assign, stored, unchangedBy } from '../support/reviews.ts'
import { type Answer, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

let world: World
const store = withFaultyStore((started) => (world = started))

const changesNothing = unchangedBy(() => world)

const content = async (person: Person): Promise<string> => (await person.read()).content
const events = async (person: Person): Promise<Json[]> => (await person.events()).events

describe('proposing', () => {
  test('[SUGGEST-1] creating a suggestion returns 201 with its record, changes no text, and makes one event', async () => {
    const owner = await world.create(text)
    const { version } = await owner.read()
    const person = await owner.share('suggest')
    const fields = { operation: 'replace', find: 'brown fox', text: 'red fox', note: 'Foxes are red.' }
    const { status, json } = await postSuggestion(person, fields, asAuthor('Ana'))
    expect(status).toBe(201)
    const from = text.indexOf('brown fox')
    expect(json).toEqual({
      id: expect.stringMatching(/^[\w-]{16}$/),
      suggestionId: json.id,
      suggestion: {
        id: json.id,
        operation: 'replace',
        type: 'replace',
        status: 'pending',
        original: 'brown fox',
        text: 'red fox',
        note: 'Foxes are red.',
        from,
        to: from + 9,
        line: 3,
        author: 'Ana',
        authorKind: 'guest',
        guest: true,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        version,
        decidedBy: null,
        decidedByKind: null,
        decidedAt: null,
        resultVersion: null
      }
    })
    expect(await owner.read()).toEqual({ content: text, version })
    expect((await events(owner)).at(-1)).toMatchObject({
      kind: 'suggestion.created',
      actor: 'Ana',
      version,
      payload: { suggestionId: json.id, operation: 'replace' }
    })
    expect(await suggestions(owner)).toEqual([json.suggestion])
  })

  const line = '- one fish'
  test.each<[string, Record<string, unknown>, string]>([
    ['replaces words', { operation: 'replace', find: 'brown fox', text: 'red hen' }, text.replace('brown fox', 'red hen')],
    ['replaces a line', { operation: 'replace', line: 5, text: '- no fish' }, text.replace(line, '- no fish')],
    ['replaces a range', { operation: 'replace', anchor: { from: 2, to: 7 }, text: 'Name' }, text.replace('Title', 'Name')],
    ['fills an empty line', { operation: 'replace', line: 2, text: 'Sub' }, text.replace('\n\n', '\nSub\n')],
    ['replaces by nothing', { operation: 'replace', find: ' lazy', text: '' }, text.replace(' lazy', '')],
    ['deletes words', { operation: 'delete', find: ' lazy' }, text.replace(' lazy', '')],
    ['deletes a line with its end', { operation: 'delete', line: 5 }, text.replace(`${line}\n`, '')],
    ['deletes an empty line', { operation: 'delete', line: 2 }, text.replace('\n\n', '\n')],
    ['inserts after words', { operation: 'insert', find: 'brown', text: ' old' }, text.replace('brown', 'brown old')],
    ['inserts before words', { operation: 'insert', find: 'brown', at: 'before', text: 'old ' }, text.replace('brown', 'old brown')],
    ['inserts at a point', { operation: 'insert', anchor: { from: 0, to: 0 }, text: 'x' }, `x${text}`],
    ['inserts a line after one', { operation: 'insert', line: 5, text: '- more' }, text.replace(line, `${line}\n- more`)],
    ['inserts a line before one', { operation: 'insert', line: 5, at: 'before', text: '- more\n' }, text.replace(line, `- more\n${line}`)],
    ['inserts at the start of a line', { operation: 'insert', line: 5, at: 'start', text: '> ' }, text.replace(line, `> ${line}`)],
    ['inserts at the end of a line', { operation: 'insert', line: 5, at: 'end', text: '!' }, text.replace(line, `${line}!`)],
    ['inserts at the end of the document', { operation: 'insert', text: 'end' }, `${text}end`],
    ['inserts at its start', { operation: 'insert', at: 'start', text: 'x\r\n' }, `x\n${text}`]
  ])('[SUGGEST-2] accepting what %s gives exactly that', async (_what, fields, after) => {
    const owner = await world.create(text)
    const { id, original } = await suggest(await owner.share('suggest'), fields)
    expect(text).toContain(original)
    const { status, json } = await decide(owner, id, 'accept')
    expect({ status, content: await content(owner) }).toEqual({ status: 200, content: after })
    expect(json).toMatchObject({
      ok: true,
      suggestion: { status: 'accepted', from: null, to: null },
      version: (await owner.read()).version
    })
  })

  test('[SUGGEST-2] accepting the first words of an empty document', async () => {
    const owner = await world.create('')
    const { id } = await suggest(owner, { operation: 'insert', text: 'Hello' })
    await decide(owner, id, 'accept')
    expect(await content(owner)).toBe('Hello')
  })

  test.each<[string, Record<string, unknown>, number, string]>([
    ['no operation', { operation: undefined }, 400, 'invalid_request'],
    ['another operation', { operation: 'move' }, 400, 'invalid_request'],
    ['words that are not there', { find: 'purple' }, 422, 'target_not_found'],
    ['words that are there twice', { find: 'fish' }, 422, 'target_ambiguous'],
    ['a line beyond the text', { find: undefined, line: 99 }, 422, 'target_not_found'],
    ['a range beyond the text', { find: undefined, anchor: { from: 0, to: 9999 } }, 422, 'target_not_found'],
    ['a reversed range', { find: undefined, anchor: { from: 3, to: 2 } }, 400, 'invalid_request'],
    ['nothing to replace', { find: undefined }, 400, 'invalid_request'],
    ['nothing to delete', { operation: 'delete', find: undefined, anchor: { from: 3, to: 3 } }, 400, 'invalid_request'],
    ['no text to replace by', { text: undefined }, 400, 'invalid_request'],
    ['no text to insert', { operation: 'insert', text: '' }, 400, 'invalid_request'],
    ['text with NUL', { text: 'a\0' }, 400, 'invalid_request'],
    ['another place', { at: 'middle' }, 400, 'invalid_request'],
    ['an invented version', { baseVersion: '1-000000000000' }, 404, 'unknown_version'],
    ['a note of more than 10 KiB', { note: 'x'.repeat(limits.annotationBytesMax + 1) }, 413, 'text_too_large'],
    ['a request of more than 64 KiB', { text: 'x'.repeat(limits.bodyBytesMax) }, 413, 'body_too_large']
  ])('[SUGGEST-3] bad input changes nothing: %s', async (_what, fields, status, code) => {
    const owner = await world.create(text)
    const request = { operation: 'replace', find: 'brown', text: 'red', ...fields }
    const answer = await changesNothing(owner.doc, () => postSuggestion(owner, request))
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code })
  })

  test('[SUGGEST-3] a target of more than 64 Ki units returns 413', async () => {
    const owner = await world.create(`${'x'.repeat(limits.targetUnitsMax)}y\n`)
    for (const fields of [
      { operation: 'delete', line: 1 },
      { operation: 'replace', anchor: { from: 0, to: limits.targetUnitsMax + 1 }, text: '' }
    ])
      expect(await changesNothing(owner.doc, () => postSuggestion(owner, fields))).toMatchObject({
        status: 413,
        json: { code: 'text_too_large' }
      })
    const { id } = await suggest(owner, { operation: 'delete', anchor: { from: 0, to: limits.targetUnitsMax } })
    await decide(owner, id, 'accept')
    expect(await content(owner)).toBe('y\n')
  })

  test.each([
    { find: 'brown', text: 'brown' },
    { line: 5, text: '- one fish' },
    { find: 'quick  brown', text: 'quick brown' }
  ])('[SUGGEST-29] a replacement that changes nothing is refused with the next step: %j', async (fields) => {
    const owner = await world.create(text)
    const answer = await changesNothing(owner.doc, () => postSuggestion(owner, { operation: 'replace', ...fields }))
    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', details: [{ path: 'text' }], hint: expect.stringContaining('comment') }
    })
    expect((await suggestions(owner)).length).toBe(0)
  })

  test('[SUGGEST-4] synonyms are accepted', async () => {
    const owner = await world.create(text)
    for (const op of ['operation', 'type', 'op', 'kind'])
      for (const words of ['text', 'content', 'with', 'replacement'])
        expect(await suggest(owner, { [op]: 'replace', quote: 'lazy dog', [words]: 'cat' })).toMatchObject({
          operation: 'replace',
          original: 'lazy dog',
          text: 'cat'
        })
  })

  test('[SUGGEST-5] a target in an earlier version is followed to the current text; changed text returns 409', async () => {
    const owner = await world.create(text)
    const { version: baseVersion } = await owner.read()
    await owner.replace(`Before.\n\n${text.replace('lazy', 'crazy')}`)
    const { id } = await suggest(owner, { operation: 'replace', line: 5, text: '- zero fish', baseVersion })
    await decide(owner, id, 'accept')
    expect(await content(owner)).toContain('- zero fish\n- two fish\n')
    const changed = { operation: 'delete', find: 'lazy dog', baseVersion }
    expect(await changesNothing(owner.doc, () => postSuggestion(owner, changed))).toMatchObject({
      status: 409,
      json: { code: 'target_changed' }
    })
  })

  test('[SUGGEST-6] a suggester cannot change the text in any way', async () => {
    const owner = await world.create(text)
    const person = await owner.share('suggest')
    const { id } = await suggest(person, { operation: 'delete', find: 'brown' })
    for (const [method, path, json] of [
      ['PUT', '/content', { content: 'x' }],
      ['POST', '/restore', { revision: 1 }],
      ['POST', `/suggestions/${id}`, { action: 'accept' }],
      ['POST', '/decisions', { decisions: [{ suggestionId: id, action: 'accept' }] }]
    ] as const)
      expect(await changesNothing(owner.doc, () => person.ask(method, path, { json }))).toMatchObject({
        status: 403,
        json: { code: 'forbidden' }
      })
    const editor = await person.connect()
    editor.type(0, 'typed')
    const other = await owner.connect()
    other.type(0, 'y')
    await other.saved()
    expect(await content(owner)).toBe(`y${text}`)
  })

  test('[SUGGEST-7] a suggestion made with the link of an assignment carries its id', async () => {
    const owner = await world.create(text)
    const assignment = await assign(world, owner)
    const made = await suggest(assignment.by(), { operation: 'delete', find: 'brown' })
    expect(made.taskId).toBe(assignment.id)
    await suggest(owner, { operation: 'delete', find: 'brown' })
    expect(await suggestions(owner, { taskId: assignment.id })).toEqual([made])
  })
})

describe('deciding', () => {
  test('[SUGGEST-8] accepting is one commit of text, suggestion, revision and events, and a minimal edit', async () => {
    const owner = await world.create(text)
    const { id } = await suggest(owner, { operation: 'replace', find: 'The quick brown fox', text: 'The quick red fox' }, asAuthor('Ana'))
    const before = await comment(owner, { body: 'x', find: 'quick' })
    const { version: fromVersion } = await owner.read()
    const cursor = (await events(owner)).length
    const { json } = await decide(owner, id, 'accept', asAuthor('Eve'))
    expect(json.suggestion).toMatchObject({
      status: 'accepted',
      decidedBy: 'Eve',
      decidedAt: expect.any(String),
      resultVersion: json.version
    })
    const revision = (await owner.revisions()).revisions[0]
    expect(revision).toMatchObject({ cause: 'accept', author: 'Eve', version: json.version, added: 3, removed: 5 })
    expect((await events(owner)).slice(cursor)).toMatchObject([
      {
        kind: 'content.changed',
        actor: 'Eve',
        version: json.version,
        payload: { fromVersion, toVersion: json.version, hunks: [{ line: 3 }], revisionId: revision.id, suggestionIds: [id] }
      },
      { kind: 'suggestion.accepted', actor: 'Eve', version: json.version, payload: { suggestionId: id, author: 'Ana' } }
    ])
    expect(await commented(owner, before.id)).toBe('quick')
  })

  test('[SUGGEST-9] rejecting changes no text; the same decision again returns 200, the opposite 409', async () => {
    const owner = await world.create(text)
    const [yes, no] = [
      await suggest(owner, { operation: 'delete', find: ' brown' }),
      await suggest(owner, { operation: 'delete', find: ' lazy' })
    ]
    const { version } = await owner.read()
    expect((await decide(owner, no.id, 'reject', asAuthor('Eve'))).json).toMatchObject({
      ok: true,
      version,
      suggestion: { status: 'rejected', decidedBy: 'Eve', resultVersion: null, from: null }
    })
    expect((await events(owner)).at(-1)).toMatchObject({ kind: 'suggestion.rejected', payload: { suggestionId: no.id } })
    expect(await content(owner)).toBe(text)
    await decide(owner, yes.id, 'accept')
    for (const [id, same, other] of [
      [yes.id, 'accept', 'reject'],
      [no.id, 'reject', 'accept']
    ] as const) {
      const again = await changesNothing(owner.doc, () => decide(owner, id, same))
      expect(again).toMatchObject({ status: 200, json: { suggestion: { id, status: `${same}ed` } } })
      expect(await changesNothing(owner.doc, () => decide(owner, id, other))).toMatchObject({
        status: 409,
        json: { code: 'already_decided' }
      })
    }
  })

  test('[SUGGEST-9] every form of a decision is accepted, and nothing else', async () => {
    const owner = await world.create(text)
    const forms: [Record<string, unknown>, string][] = [
      [{ action: 'accept' }, 'accepted'],
      [{ decision: 'reject' }, 'rejected'],
      [{ status: 'accepted' }, 'accepted'],
      [{ status: 'rejected' }, 'rejected'],
      [{ accept: true }, 'accepted'],
      [{ accept: false }, 'rejected']
    ]
    for (const [json, status] of forms) {
      const { id } = await suggest(owner, { operation: 'insert', text: 'x' })
      expect((await owner.ask('POST', `/suggestions/${id}`, { json })).json.suggestion.status).toBe(status)
    }
    const { id } = await suggest(owner, { operation: 'insert', text: 'x' })
    for (const json of [{}, { action: 'maybe' }, { accept: 1 }, { action: 'pending' }])
      expect((await changesNothing(owner.doc, () => owner.ask('POST', `/suggestions/${id}`, { json }))).status).toBe(400)
  })

  test('[SUGGEST-10] ten concurrent accepts change the text once, and of accept and reject one succeeds', async () => {
    const owner = await world.create(text)
    const { id } = await suggest(owner, { operation: 'insert', find: 'brown', text: ' old' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => decide(owner, id, 'accept')))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await content(owner)).toBe(text.replace('brown', 'brown old'))
    expect((await events(owner)).filter(({ kind }) => kind === 'suggestion.accepted').length).toBe(1)
    const other = await suggest(owner, { operation: 'delete', find: ' lazy' })
    const both = await Promise.all([decide(owner, other.id, 'reject'), decide(owner, other.id, 'accept')])
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 409]))
  })

  test.each<[string, Record<string, unknown>, (owner: Person) => Promise<unknown>]>([
    [
      'typed into',
      { operation: 'delete', find: 'brown fox' },
      (owner) => typed(owner, (page) => page.type(page.text().indexOf('own fox'), 'x'))
    ],
    [
      'deleted in part',
      { operation: 'delete', find: 'brown fox' },
      (owner) => typed(owner, (page) => page.erase(page.text().indexOf('fox'), 1))
    ],
    [
      'deleted',
      { operation: 'delete', find: 'brown fox' },
      (owner) => typed(owner, (page) => page.erase(page.text().indexOf('brown fox'), 9))
    ],
    ['replaced', { operation: 'replace', find: 'brown fox', text: 'x' }, (owner) => owner.replace('A red hen.')],
    [
      'gone where it was to be inserted',
      { operation: 'insert', find: 'brown', text: 'x' },
      (owner) => owner.replace(text.replace('brown fox', 'hen'))
    ]
  ])('[SUGGEST-11] text that was %s is never replaced blindly: 409 target_changed', async (_what, fields, change) => {
    const owner = await world.create(text)
    const { id } = await suggest(owner, fields)
    await change(owner)
    const before = await content(owner)
    const answer = await changesNothing(owner.doc, () => decide(owner, id, 'accept'))
    expect(answer).toMatchObject({ status: 409, json: { code: 'target_changed' } })
    expect(await content(owner)).toBe(before)
    expect((await decide(owner, id, 'reject')).status).toBe(200)
  })

  test('[SUGGEST-28] a decision on changed text returns the current lines', async () => {
    const owner = await world.create(`${text}\nA brown ox.\n`)
    const fox = await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'red fox' })
    const fish = await suggest(owner, { operation: 'delete', find: 'two fish' })
    const inserted = await suggest(owner, { operation: 'insert', find: 'lazy', text: ' old' })
    await typed(owner, (page) => page.erase(page.text().indexOf('two fish'), 8))
    await typed(owner, (page) => page.type(page.text().indexOf('wn fox'), 'u'))
    await typed(owner, (page) => page.erase(page.text().indexOf('the lazy dog'), 12))
    const line = (await content(owner)).split('\n')[2]
    const nearest = async (id: string): Promise<Json> => {
      const { json } = await decide(owner, id, 'accept')
      expect(json.code).toBe('target_changed')
      return json.nearest
    }
    expect(await nearest(fox.id)).toEqual([
      { line: 3, text: line },
      { line: 8, text: 'A brown ox.' }
    ])
    expect(await nearest(fish.id)).toEqual([
      { line: 6, text: '- ' },
      { line: 5, text: '- one fish' }
    ])
    expect(await nearest(inserted.id)).toEqual([{ line: 3, text: line }])
    const { json } = await owner.ask('POST', '/decisions', { json: { suggestionIds: [fox.id, fish.id], action: 'accept' } })
    expect(json.results.map((each: Json) => [each.code, each.nearest])).toEqual([
      ['target_changed', [{ line: 3, text: line }]],
      ['target_changed', [{ line: 6, text: '- ' }]]
    ])
  })

  test('[SUGGEST-12] a suggestion whose text is gone is orphaned, and pending again when it returns', async () => {
    const owner = await world.create(text)
    const { id } = await suggest(owner, { operation: 'replace', find: 'The quick brown fox', text: 'It' })
    await owner.replace('Nothing.')
    expect(await readSuggestion(owner, id)).toMatchObject({ status: 'orphaned', from: null, to: null, line: null })
    expect((await suggestions(owner, { status: 'orphaned' })).length).toBe(1)
    await owner.ask('POST', '/restore', { json: { revision: 1 } })
    expect(await readSuggestion(owner, id)).toMatchObject({ status: 'pending', from: 9 })
    await decide(owner, id, 'accept')
    expect(await content(owner)).toBe(text.replace('The quick brown fox', 'It'))
  })

  test('[SUGGEST-12] undoing a larger deletion in an open page brings it back, and the same words elsewhere do not', async () => {
    const own = await startWorld()
    const owner = await own.create(text)
    const { id } = await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'red hen' })
    const part = await suggest(owner, { operation: 'replace', find: 'quick brown', text: 'slow' })
    const { id: commentId } = await comment(owner, { body: 'x', find: 'brown fox' })
    const editor = await owner.connect()
    const undo = new UndoManager(editor.ytext)
    const at = text.indexOf('brown')
    editor.erase(at - 3, 'ck brown fox jumps'.length)
    await editor.saved()
    expect(await readSuggestion(owner, id)).toMatchObject({ status: 'orphaned' })
    editor.type(editor.text().length, 'the brown fox slept')
    await editor.saved()
    expect(await readSuggestion(owner, id)).toMatchObject({ status: 'orphaned' })
    undo.undo()
    await editor.saved()
    expect(editor.text()).toBe(text)
    expect(await readSuggestion(owner, id)).toMatchObject({ status: 'pending', from: at })
    expect(await readSuggestion(owner, part.id)).toMatchObject({ status: 'pending', from: at - 6, to: at + 5 })
    expect(await commented(owner, commentId)).toBe('brown fox')
    editor.type(0, 'New. ')
    await editor.saved()
    const again = await own.restart()
    const after = again.person(owner.doc, owner.key)
    expect(await commented(after, commentId)).toBe('brown fox')
    expect((await decide(after, id, 'accept')).status).toBe(200)
    expect((await after.read()).content).toBe(`New. ${text.replace('brown fox', 'red hen')}`)
    await again.stop()
  })

  test('[SUGGEST-11] text that a replacement left by chance alone is not changed', async () => {
    const owner = await world.create('# Budget\n\nWe pay the vendor 500 EUR.')
    const { id } = await suggest(owner, { operation: 'replace', find: '500', text: '600' })
    await owner.replace('# Guests\n\nInvite 500 people.')
    expect(await readSuggestion(owner, id)).toMatchObject({ status: 'orphaned' })
    expect(await decide(owner, id, 'accept')).toMatchObject({ status: 409, json: { code: 'target_changed' } })
    expect(await content(owner)).toBe('# Guests\n\nInvite 500 people.')
  })

  test('[SUGGEST-25] decisions and revisions show their author with the kind', async () => {
    const owner = await world.create(text)
    const { id } = await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'red hen' })
    expect(await readSuggestion(owner, id)).toMatchObject({ decidedBy: null, decidedByKind: null })
    await decide(owner, id, 'accept', asAuthor('Ana'))
    expect(await readSuggestion(owner, id)).toMatchObject({ decidedBy: 'Ana', decidedByKind: 'guest' })
    const { json } = await owner.ask('GET', '/revisions')
    expect(json.revisions[0]).toMatchObject({ author: 'Ana', authorKind: 'guest' })
  })

  test('[SUGGEST-22] an unknown set returns 404; a decided one is answered one by one, and names have synonyms', async () => {
    const owner = await world.create(text)
    const decideAll = (json: Json): Promise<Answer> => owner.ask('POST', '/decisions', { json })
    expect(await decideAll({ setId: 'unknown', action: 'accept' })).toMatchObject({ status: 404, json: { code: 'not_found' } })
    const put = await owner.ask('PUT', '/content', {
      query: { as: 'suggestions' },
      json: { content: text.replace('brown', 'red').replace('two', '2') }
    })
    const { setId, suggestions: made } = put.json
    expect((await decideAll({ setId, action: 'accept' })).json.ok).toBe(true)
    const again = await decideAll({ setId, action: 'accept' })
    expect(again.json.results.map(({ ok }: Json) => ok)).toEqual([true, true])
    const opposite = await decideAll({ setId, action: 'reject' })
    expect(opposite.json.results.map(({ code }: Json) => code)).toEqual(['already_decided', 'already_decided'])
    const named = await decideAll({ decisions: made.map(({ id }: Json) => ({ id, decision: 'accepted' })) })
    expect(named.json.results.map(({ ok }: Json) => ok)).toEqual([true, true])
  })

  test('[SUGGEST-26] more changes than may be suggested at once return 422 with number and limit; another mode returns 400', async () => {
    const lines = Array.from({ length: 205 }, (_, index) => `line ${index}`)
    const owner = await world.create(lines.join('\n'))
    const changed = lines.map((each, index) => (index % 2 === 0 ? `${each} new` : each)).join('\n')
    const put = (person: Person, as: string): Promise<Answer> =>
      person.ask('PUT', '/content', { query: { as }, json: { content: changed } })
    expect(await changesNothing(owner.doc, () => put(owner, 'suggestions'))).toMatchObject({
      status: 422,
      json: { code: 'too_many_changes', changes: 103, changesMax: 100 }
    })
    for (const person of [owner, await owner.share('suggest')])
      expect(await put(person, 'banana')).toMatchObject({ status: 400, json: { details: [{ path: 'mode' }] } })
    expect((await put(await owner.share('view'), 'banana')).status).toBe(403)
  })

  test('[SUGGEST-27] authors can withdraw their own pending suggestion; another’s returns 403, a decided one 409', async () => {
    const owner = await world.create(text)
    const person = await owner.share('suggest')
    const fields = { operation: 'replace', find: 'brown fox', text: 'red hen' }
    const withdraw = (by: Person, id: string, name = 'Ana'): Promise<Answer> => by.ask('DELETE', `/suggestions/${id}`, asAuthor(name))
    const made = await suggest(person, fields, asAuthor('Ana'))
    const others = [
      [person, 'Bea'],
      [owner, 'Ana'],
      [await owner.share('suggest'), 'Ana']
    ] as const
    for (const [by, name] of others)
      expect(await changesNothing(owner.doc, () => withdraw(by, made.id, name))).toMatchObject({
        status: 403,
        json: { code: 'not_author' }
      })
    const commenter = await owner.share('comment')
    expect(await changesNothing(owner.doc, () => withdraw(commenter, made.id))).toMatchObject({ status: 403 })
    expect(await withdraw(person, made.id)).toMatchObject({
      status: 200,
      json: { ok: true, suggestion: { status: 'rejected', decidedBy: 'Ana' } }
    })
    expect((await events(owner)).at(-1)).toMatchObject({ type: 'suggestion.rejected', actor: 'Ana' })
    expect(await changesNothing(owner.doc, () => withdraw(person, made.id))).toMatchObject({ status: 200 })
    expect(await content(owner)).toBe(text)
    const taken = await suggest(person, fields, asAuthor('Ana'))
    expect((await decide(owner, taken.id, 'accept')).status).toBe(200)
    expect(await changesNothing(owner.doc, () => withdraw(person, taken.id))).toMatchObject({
      status: 409,
      json: { code: 'already_decided' }
    })
    expect(await withdraw(person, 'none')).toMatchObject({ status: 404 })
  })

  test('[SUGGEST-4] a null field counts as absent', async () => {
    const owner = await world.create(text)
    expect(await suggest(owner, { operation: 'delete', find: null, anchor: null, line: 5 })).toMatchObject({ original: '- one fish\n' })
    const empty = await world.create('')
    expect(await postSuggestion(empty, { operation: 'delete', line: 1 })).toMatchObject({ json: { details: [{ path: 'line' }] } })
  })

  test('[SUGGEST-13] of two suggestions on the same text the second returns 409 once the first is accepted', async () => {
    const owner = await world.create(text)
    const one = await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'red hen' })
    const two = await suggest(owner, { operation: 'replace', find: 'quick brown', text: 'slow' })
    const apart = await suggest(owner, { operation: 'replace', find: 'lazy', text: 'busy' })
    await decide(owner, one.id, 'accept')
    expect(await decide(owner, two.id, 'accept')).toMatchObject({ status: 409, json: { code: 'target_changed' } })
    expect((await decide(owner, apart.id, 'accept')).status).toBe(200)
    expect(await content(owner)).toBe(text.replace('brown fox', 'red hen').replace('lazy', 'busy'))
  })

  test('[SUGGEST-30] suggested lines after a line stay after the text that others type at its end', async () => {
    const cases = [
      { before: 'one\ntwo\n', find: 'one', text: '\nnew', typed: ' more', after: 'one more\nnew\ntwo\n' },
      { before: 'one', find: 'one', text: '\nnew', typed: ' more', after: 'one more\nnew' },
      { before: 'one\n', find: 'one\n', text: '\nnew', typed: 'more', after: 'one\nmore\nnew' },
      { before: 'one\ntwo\n', find: 'one', text: '\nnew', typed: '\nmore\nlines', after: 'one\nnew\nmore\nlines\ntwo\n' },
      { before: 'one two\n', find: 'one', text: '\nnew', typed: ' more', after: 'one\nnew more two\n' },
      { before: 'one\ntwo\n', find: 'one', text: ' new', typed: ' more', after: 'one new more\ntwo\n' }
    ]
    for (const { before, find, text: lines, typed, after } of cases) {
      const owner = await world.create(before)
      const { id } = await suggest(owner, { operation: 'insert', find, at: 'after', text: lines })
      const editor = await owner.connect()
      editor.type(find.length, typed)
      await editor.saved()
      expect((await readSuggestion(owner, id)).from).toBe(after.indexOf(lines))
      await decide(owner, id, 'accept')
      expect(await content(owner)).toBe(after)
      await decide(owner, id, 'reopen')
      expect(await readSuggestion(owner, id)).toMatchObject({ status: 'pending', from: after.indexOf(lines) })
      editor.close()
    }
  })

  test.each([
    [[0, 1, 2], 'one after the other'],
    [[2, 0, 1], 'the last one first'],
    [[1, 2, 0], 'the first one last']
  ])('[SUGGEST-31] insertions in one place keep their order: %j, %s; all at once, too', async (order) => {
    for (const [before, words] of [
      ['We go home\nLast', [' one', ' two', ' three']],
      ['We go home now', [' one', ' two', ' three']],
      ['- We go home\n- Last', ['\n- one', '\n- two', '\n- three']]
    ] as const) {
      const owner = await world.create(before)
      const made: string[] = []
      for (const inserted of words) made.push((await suggest(owner, { operation: 'insert', find: 'home', at: 'after', text: inserted })).id)
      const after = before.replace('home', `home${words.join('')}`)
      for (const index of order) {
        await decide(owner, made[index] ?? '', 'accept')
        // An undone decision changes nothing about the order.
        await decide(owner, made[index] ?? '', 'reopen')
        await decide(owner, made[index] ?? '', 'accept')
      }
      expect(await content(owner)).toBe(after)
      for (const index of order) await decide(owner, made[index] ?? '', 'reopen')
      expect(await content(owner)).toBe(before)
      const suggestionIds = order.map((index) => made[index] ?? '')
      expect((await owner.ask('POST', '/decisions', { json: { action: 'accept', suggestionIds } })).status).toBe(200)
      expect(await content(owner)).toBe(after)
    }
  })

  test('[SUGGEST-32] insertions next to words that an acceptance removes or replaces stay pending, and so they do when it is undone', async () => {
    for (const [before, change, insertion, after] of [
      ['- milk\n- tea\n', { operation: 'delete', find: '- tea' }, { find: 'tea', at: 'after', text: '\n- rum' }, '- milk\n\n- rum\n'],
      ['- tea\n', { operation: 'replace', find: 'tea', text: 'te' }, { find: 'tea', at: 'after', text: '\n- rum' }, '- te\n- rum\n'],
      [
        'It is slow.',
        { operation: 'replace', find: 'slow', text: 'fast' },
        { find: 'slow', at: 'before', text: 'very ' },
        'It is very fast.'
      ],
      ['It is slow.', { operation: 'replace', find: 'slow', text: 'fast' }, { find: 'slow', at: 'after', text: ' now' }, 'It is fast now.'],
      ['It is slow.', { operation: 'delete', find: ' slow' }, { find: 'slow', at: 'after', text: ' now' }, 'It is now.'],
      ['It is slow.', { operation: 'delete', find: 'slow' }, { find: 'slow', at: 'before', text: 'very ' }, 'It is very .']
    ] as const) {
      const owner = await world.create(before)
      const { id: inserted } = await suggest(owner, { operation: 'insert', ...insertion })
      const { id: changed } = await suggest(owner, change)
      const { from } = await readSuggestion(owner, inserted)
      await decide(owner, changed, 'accept')
      expect(await readSuggestion(owner, inserted)).toMatchObject({ status: 'pending' })
      await decide(owner, changed, 'reopen')
      expect(await readSuggestion(owner, inserted)).toMatchObject({ status: 'pending', from })
      await decide(owner, changed, 'accept')
      await decide(owner, inserted, 'accept')
      expect(await content(owner)).toBe(after)
    }
  })

  test('[SUGG-97] a comment on words that an accepted suggestion replaces is on the new words, and on its own when that is undone', async () => {
    for (const [find, text, quote, now] of [
      ['twice', 'once', 'twice', 'once'],
      ['on Monday', 'next week', 'Monday', 'next week'],
      ['We ship on Monday', 'Nobody ships', 'We ship on Monday', 'Nobody ships'],
      ['twice', '', 'twice', undefined]
    ] as const) {
      const owner = await world.create('It reads twice.\n\nWe ship on Monday, if at all.\n')
      const { json } = await owner.ask('POST', '/comments', { json: { body: 'Really?', find: quote } })
      const place = async (): Promise<string | undefined> => {
        const [comment] = (await owner.ask('GET', '/comments')).json.comments
        expect(comment.id).toBe(json.comment.id)
        return comment.anchor === null ? undefined : (await content(owner)).slice(comment.anchor.from, comment.anchor.to)
      }
      const { id } = await suggest(owner, text === '' ? { operation: 'delete', find } : { operation: 'replace', find, text })
      await decide(owner, id, 'accept')
      expect(await place()).toBe(now)
      await decide(owner, id, 'reopen')
      expect(await place()).toBe(quote)
    }
  })

  test.each(['typing', 'a request'])(
    '[SUGGEST-33] an insertion stays in its line when %s changes the words next to it, if words remain',
    async (by) => {
      for (const [before, find, text, from, to, insert, after] of [
        ['Last words.\n\nMore', 'Last words.', '\n\nNew', 10, 11, '', 'Last words\n\nNew\n\nMore'],
        ['- one\n- pears\n', 'pears', '\n- new', 8, 13, 'plums', undefined],
        ['- one\n- green pears\n', 'pears', '\n- new', 14, 19, 'plums', '- one\n- green plums\n- new\n'],
        ['We ship on Monday, if', 'Monday', ' or so', 11, 17, 'Friday', 'We ship on Friday or so, if'],
        ['We ship on Monday, if', 'Monday', ' or so', 17, 21, '.', 'We ship on Monday or so.'],
        ['We ship on Monday, if', 'Monday', ' or so', 11, 21, 'Friday', undefined],
        ['one\ntwo\n', 'two', '\nnew', 3, 7, '', undefined]
      ] as const) {
        const owner = await world.create(before)
        const { id } = await suggest(owner, { operation: 'insert', find, at: 'after', text })
        if (by === 'typing') {
          const editor = await owner.connect()
          editor.ydoc.transact(() => {
            editor.ytext.delete(from, to - from)
            editor.ytext.insert(from, insert)
          })
          await editor.saved()
          editor.close()
        } else await owner.ask('POST', '/edits', { json: { edits: [{ find: before.slice(from, to), replace: insert }] } })
        const state = await readSuggestion(owner, id)
        expect(state.status, `${before} → ${after}`).toBe(after === undefined ? 'orphaned' : 'pending')
        if (after === undefined) continue
        await decide(owner, id, 'accept')
        expect(await content(owner)).toBe(after)
      }
    }
  )

  test('[SUGGEST-14] unknown ids, and those of another document, return 404', async () => {
    const owner = await world.create(text)
    const other = await world.create(text)
    const { id } = await suggest(other, { operation: 'delete', find: 'brown' })
    const annotation = await comment(owner, { body: 'x' })
    for (const odd of [id, annotation.id, 'unknown', '__proto__'])
      expect(await changesNothing(owner.doc, () => decide(owner, odd, 'accept'))).toMatchObject({
        status: 404,
        json: { code: 'not_found' }
      })
    expect(await content(other)).toBe(text)
  })

  test('[SUGGEST-15] accepting beyond the largest document returns 413 and leaves it pending', async () => {
    const owner = await world.create(`${'x'.repeat(limits.contentUnitsMax - 1)}\n`)
    const { id } = await suggest(owner, { operation: 'insert', text: 'more' })
    expect(await changesNothing(owner.doc, () => decide(owner, id, 'accept'))).toMatchObject({
      status: 413,
      json: { code: 'content_too_large' }
    })
    expect((await readSuggestion(owner, id)).status).toBe('pending')
  })

  test('[SUGGEST-16] if the store fails, suggestion and text stay unchanged', async () => {
    const owner = await world.create(text)
    const { id } = await suggest(owner, { operation: 'delete', find: ' brown' })
    const before = await stored(world, owner.doc)
    for (const action of ['reject', 'accept'] as const) {
      store.fault = new ServiceError('storage_unavailable')
      const { status } = await decide(owner, id, action)
      store.fault = undefined
      expect(status).toBe(503)
      expect(await stored(world, owner.doc)).toEqual(before)
      expect(await readSuggestion(owner, id)).toMatchObject({ status: 'pending', from: 18 })
      expect(await content(owner)).toBe(text)
    }
    await decide(owner, id, 'accept')
    expect(await content(owner)).toBe(text.replace(' brown', ''))
  })

  test('[SUGGEST-17] each request repeated with its Idempotency-Key acts once and returns the same answer', async () => {
    const owner = await world.create(text)
    const headers = { 'Idempotency-Key': 'one' }
    const twice = async (method: string, path: string, json: unknown, query = {}): Promise<Json> => {
      const first = await owner.ask(method, path, { headers, json, query })
      expect(first.status).toBeLessThan(300)
      const again = await changesNothing(owner.doc, () => owner.ask(method, path, { headers, json, query }))
      expect({ status: again.status, json: again.json }).toEqual({ status: first.status, json: first.json })
      expect(again.headers.get('Idempotency-Replayed')).toBe('true')
      return first.json
    }
    const { id } = await twice('POST', '/suggestions', { operation: 'insert', find: 'brown', text: ' old' })
    await twice('POST', `/suggestions/${id}`, { action: 'accept' })
    const { setId } = await twice('PUT', '/content', { content: 'Quite other.' }, { as: 'suggestions' })
    await twice('POST', '/decisions', { setId, action: 'accept' })
    expect(await content(owner)).toBe('Quite other.')
  })

  test('[SUGGEST-18] open pages receive every change at once, including suggestions that a replacement orphaned', async () => {
    const owner = await world.create(text)
    const pages = await Promise.all([owner.connect(), (await owner.share('view')).connect()])
    const one = await suggest(owner, { operation: 'delete', find: 'brown fox' })
    const two = await suggest(owner, { operation: 'delete', find: 'lazy dog' })
    const three = await suggest(owner, { operation: 'delete', find: 'one fish' })
    await decide(owner, one.id, 'accept')
    await decide(owner, two.id, 'reject')
    await owner.replace('Gone.')
    for (const page of pages) {
      const seen = (): Json[] =>
        page.messages.filter(({ type }) => type === 'suggestion').map(({ suggestion }) => [suggestion.id, suggestion.status])
      await until(() => seen().length === 6, 'the messages')
      expect(seen()).toEqual([
        [one.id, 'pending'],
        [two.id, 'pending'],
        [three.id, 'pending'],
        [one.id, 'accepted'],
        [two.id, 'rejected'],
        [three.id, 'orphaned']
      ])
    }
  })

  test('[SUGGEST-19] suggestions and their positions survive a restart, and permanent deletion of the document deletes them', async () => {
    const own = await startWorld()
    const owner = await own.create(text)
    const { id } = await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'hen' })
    await owner.replace(`Before.\n${text}`)
    const before = await suggestions(owner)
    const again = await own.restart()
    const person = again.person(owner.doc, owner.key)
    expect(await suggestions(person)).toEqual(before)
    await decide(person, id, 'accept')
    expect(await content(person)).toBe(`Before.\n${text.replace('brown fox', 'hen')}`)
    await person.ask('DELETE', '', { query: { permanent: 1 } })
    expect(await again.service.storage.list(['d', owner.doc])).toEqual([])
    await again.stop()
  })

  test('[SUGGEST-20] the list is newest first, filtered, and paged by nextBefore', async () => {
    const owner = await world.create(text)
    const made: Json[] = []
    for (let index = 0; index < 5; index++)
      made.unshift(await suggest(owner, { operation: 'insert', text: `${index}` }, asAuthor(index % 2 === 0 ? 'Ana' : 'Bob')))
    await decide(owner, made[0].id, 'accept')
    await decide(owner, made[1].id, 'reject')
    const texts = (all: Json[]): string => all.map((each) => each.text).join('')
    expect(texts(await suggestions(owner))).toBe('43210')
    expect(texts(await suggestions(owner, { status: 'pending' }))).toBe('210')
    expect(texts(await suggestions(owner, { status: 'accepted' }))).toBe('4')
    expect(texts(await suggestions(owner, { status: 'rejected' }))).toBe('3')
    expect(texts(await suggestions(owner, { author: 'Bob' }))).toBe('31')
    const { json } = await owner.ask('GET', '/suggestions', { query: { limit: 2 } })
    expect(json).toMatchObject({ total: 5 })
    expect(texts(await suggestions(owner, { before: json.nextBefore }))).toBe('210')
  })
})

const typed = async (owner: Person, change: (page: Awaited<ReturnType<Person['connect']>>) => unknown): Promise<void> => {
  const page = await owner.connect()
  change(page)
  await page.saved()
}

describe('an entire document', () => {
  const other = text.replace('quick brown', 'slow red').replace('- one fish\n', '').replace('# Title', '# Name').concat('\nEnd.\n')

  test('[SUGGEST-21] a PUT as suggestions makes one suggestion per hunk, all in one set; accepting all gives exactly that text', async () => {
    const owner = await world.create(text)
    const person = await owner.share('suggest')
    const { version } = await owner.read()
    const { status, json } = await person.ask('PUT', '/content', {
      json: { content: other, baseVersion: version },
      query: { as: 'suggestions' },
      ...asAuthor('Ana')
    })
    expect(status).toBe(200)
    expect(json).toMatchObject({ ok: true, version, revisionId: null, changed: false, setId: expect.any(String) })
    expect(json.suggestions).toMatchObject([
      { operation: 'replace', original: 'Title', text: 'Name', line: 1 },
      { operation: 'replace', original: 'quick brown', text: 'slow red', line: 3 },
      { operation: 'delete', original: '- one fish\n', text: '', line: 5 },
      { operation: 'insert', original: '', text: '\nEnd.\n' }
    ])
    for (const each of json.suggestions) expect(each).toMatchObject({ setId: json.setId, author: 'Ana', status: 'pending' })
    expect(await owner.read()).toEqual({ content: text, version })
    expect((await suggestions(owner, { setId: json.setId })).length).toBe(4)
    const answer = await owner.ask('POST', '/decisions', { json: { setId: json.setId, action: 'accept' } })
    expect(answer.json).toMatchObject({ ok: true, version: (await owner.read()).version })
    expect(await content(owner)).toBe(other)
    const revisions = (await owner.revisions()).revisions.filter(({ cause }: Json) => cause === 'accept')
    expect(revisions.length).toBe(1)
  })

  test('[SUGGEST-21] a stale version returns 409, a dry run stores nothing, the same text proposes nothing, and plain text is accepted', async () => {
    const owner = await world.create(text)
    const { version } = await owner.read()
    const put = (json: Record<string, unknown>, query = {}): Promise<Answer> =>
      owner.ask('PUT', '/content', { json, query: { as: 'suggestions', ...query } })
    expect((await changesNothing(owner.doc, () => put({ content: other }, { dryRun: 1 }))).json).toMatchObject({
      suggestions: [{ operation: 'replace' }, { operation: 'replace' }, { operation: 'delete' }, { operation: 'insert' }],
      diff: expect.stringContaining('-# Title')
    })
    expect(await suggestions(owner)).toEqual([])
    expect((await changesNothing(owner.doc, () => put({ content: text }))).json).toMatchObject({ changed: false, suggestions: [] })
    const plain = await owner.ask('PUT', '/content', { body: `${text}!`, type: 'text/markdown', query: { as: 'suggestions' } })
    expect(plain.json.suggestions).toMatchObject([{ operation: 'insert', text: '!' }])
    await owner.replace(`${text}\nmore`)
    expect(await changesNothing(owner.doc, () => put({ content: other, baseVersion: version }))).toMatchObject({
      status: 409,
      json: { code: 'version_conflict', merge: { clean: false } }
    })
    expect((await changesNothing(owner.doc, () => put({ content: 'x\0' }))).status).toBe(400)
  })

  test('[SUGGEST-21] more than a hundred separate changes return 422', async () => {
    const lines = Array.from({ length: 101 }, (_each, index) => `line ${index}\n\n`)
    const owner = await world.create(lines.join(''))
    const changed = lines.map((line) => line.replace('line', 'LINE')).join('')
    const answer = await changesNothing(owner.doc, () =>
      owner.ask('PUT', '/content', { json: { content: changed }, query: { as: 'suggestions' } })
    )
    expect(answer).toMatchObject({ status: 422, json: { code: 'too_many_changes' } })
  })

  test('[SUGGEST-22] several are decided in one commit, each as if alone, and impossible ones are listed', async () => {
    const owner = await world.create(text)
    const gone = await suggest(owner, { operation: 'delete', find: 'Title' })
    await owner.replace(text.replace('Title', 'Name'))
    const ids: string[] = []
    for (const [find, into] of [
      ['brown fox', 'red hen'],
      ['quick brown', 'slow'],
      ['lazy', 'busy'],
      ['one', 'no']
    ])
      ids.push((await suggest(owner, { operation: 'replace', find, text: into })).id)
    const inserts = [await suggest(owner, { operation: 'insert', text: 'A' }), await suggest(owner, { operation: 'insert', text: 'B' })]
    const decisions = [
      ...ids.map((suggestionId) => ({ suggestionId, action: 'accept' })),
      { suggestionId: ids[3], action: 'reject' },
      { suggestionId: ids[0], action: 'accept' },
      { suggestionId: gone.id, action: 'accept' },
      { suggestionId: 'unknown', action: 'reject' },
      ...inserts.map(({ id }) => ({ suggestionId: id, action: 'accept' }))
    ]
    const { status, json } = await owner.ask('POST', '/decisions', { json: { decisions } })
    expect(status).toBe(200)
    expect(json.ok).toBe(false)
    expect(json.results.map((each: Json) => each.code ?? each.suggestion.status)).toEqual([
      'accepted',
      'target_changed',
      'accepted',
      'accepted',
      'already_decided',
      'accepted',
      'target_changed',
      'not_found',
      'accepted',
      'accepted'
    ])
    const after = text.replace('Title', 'Name').replace('brown fox', 'red hen').replace('lazy', 'busy').replace('one', 'no')
    expect(await content(owner)).toBe(`${after}AB`)
    const accepts = (await owner.revisions()).revisions.filter(({ cause }: Json) => cause === 'accept')
    expect(accepts.length).toBe(1)
    const rest = await owner.ask('POST', '/decisions', { json: { suggestionIds: [ids[1], gone.id], action: 'reject' } })
    expect(rest.json.results.map((each: Json) => each.suggestion.status)).toEqual(['rejected', 'rejected'])
  })

  const boardText = '# Plan\n\n```board\n## Todo\n- [ ] Plan\n- [ ] Test\n- [ ] Ship\n## Done\n- [x] Name\n```\n\nEnd.\n'
  const tableText = 'a, b\n\n| name | size | color |\n| --- | --- | --- |\n| one | 1 | red |\n'

  /** Suggests the part of new text that differs, in whole lines, as the page does for a component. */
  const suggestLines = async (person: Person, before: string, after: string): Promise<string> => {
    const [old, young] = [before.split('\n'), after.split('\n')]
    let start = 0
    while (old[start] === young[start]) start++
    let end = 0
    while (old.at(-1 - end) === young.at(-1 - end) && end < Math.min(old.length, young.length) - start) end++
    const part = (lines: string[]): string => lines.slice(start, lines.length - end).join('\n')
    return (await suggest(person, { operation: 'replace', find: part(old), text: part(young) })).id
  }
  const moved = (card: string): string => boardText.replace(`- [ ] ${card}\n`, '').replace('- [x] Name\n', `- [x] Name\n- [x] ${card}\n`)
  const decideAll = async (person: Person, ids: readonly string[], action: string): Promise<(string | undefined)[]> => {
    const { json } = await person.ask('POST', '/decisions', { json: { suggestionIds: ids, action } })
    return json.results.map((each: Json) => each.code ?? each.suggestion.status)
  }
  /** A document, the versions that several people suggest, and the document with all suggestions. */
  const joined: readonly (readonly [before: string, wanted: readonly string[], after: string])[] = [
    [
      boardText,
      [moved('Test'), moved('Ship')],
      '# Plan\n\n```board\n## Todo\n- [ ] Plan\n## Done\n- [x] Name\n- [x] Ship\n- [x] Test\n```\n\nEnd.\n'
    ],
    [boardText, [moved('Ship'), boardText.replace('Name', 'Title')], moved('Ship').replace('Name', 'Title')],
    [
      tableText,
      [tableText.replace('one', 'two'), tableText.replace('red', 'blue'), tableText.replace('1', '15')],
      tableText.replace('| one | 1 | red |', '| two | 15 | blue |')
    ],
    ['# A\n\n- a\n- b\n- c\n- d\n', ['# A\n\n- c\n- a\n- b\n- d\n', '# A\n\n- d\n- a\n- b\n- c\n'], '# A\n\n- c\n- d\n- a\n- b\n'],
    ['one two three', ['1 two three', 'one two 3'], '1 two 3']
  ]

  test('[SUGG-65] suggestions that change different characters of one range are accepted together', async () => {
    for (const [before, wanted, after] of joined) {
      const owner = await world.create(before)
      const ids: string[] = []
      for (const each of wanted) ids.push(await suggestLines(owner, before, each))
      expect(await decideAll(owner, ids, 'accept')).toEqual(ids.map(() => 'accepted'))
      expect(await content(owner)).toBe(after)
      const listed = await suggestions(owner, { status: 'accepted' })
      expect(new Set(listed.map(({ resultVersion }) => resultVersion))).toEqual(new Set([(await owner.read()).version]))
    }
    // Suggestions that can be accepted one after the other end in the same text.
    const [together, apart] = [await world.create(boardText), await world.create(boardText)]
    const ids: string[][] = [[], []]
    for (const [index, owner] of [together, apart].entries())
      for (const card of ['Plan', 'Test', 'Ship']) ids[index]!.push(await suggestLines(owner, boardText, moved(card)))
    expect(await decideAll(together, ids[0]!, 'accept')).toEqual(['accepted', 'accepted', 'accepted'])
    for (const id of ids[1]!) expect((await decide(apart, id, 'accept')).status).toBe(200)
    expect(await content(together)).toBe(await content(apart))
    const cells = await world.create(tableText)
    const [name, color, other] = [
      await suggestLines(cells, tableText, tableText.replace('one', 'two')),
      await suggestLines(cells, tableText, tableText.replace('red', 'blue')),
      await suggestLines(cells, tableText, tableText.replace('red', 'gray'))
    ]
    expect(await decideAll(cells, [name, color, other], 'accept')).toEqual(['accepted', 'accepted', 'target_changed'])
    expect(await content(cells)).toBe(tableText.replace('one', 'two').replace('red', 'blue'))
  })

  test('[SUGG-67] a decided suggestion names its change to a component, even after the text has changed', async () => {
    const sheetText = '```sheet\n| A | B |\n|---|---|\n| 1 | 2 |\n```\n'
    const owner = await world.create(boardText + sheetText)
    const move = await suggestLines(owner, boardText, moved('Ship'))
    const cell = await suggestLines(owner, sheetText, sheetText.replace('| 2 |', '| 7 |'))
    const plain = await suggest(owner, { operation: 'replace', find: 'End', text: 'Over' })
    expect(await readSuggestion(owner, move)).not.toHaveProperty('change')
    expect(await decideAll(owner, [move, plain.id], 'accept')).toEqual(['accepted', 'accepted'])
    expect((await decide(owner, cell, 'reject')).json.suggestion.change).toEqual({ kind: 'cell.set', name: 'B2', text: '7' })
    await owner.replace('Nothing.')
    expect((await readSuggestion(owner, move)).change).toEqual({ kind: 'card.move', name: 'Ship', column: 'Done' })
    expect(await readSuggestion(owner, plain.id)).not.toHaveProperty('change')
    const reopened = await decide(owner, cell, 'reopen')
    expect(reopened.json.suggestion).not.toHaveProperty('change')
    // The server also makes a decision that it cannot describe. It shortens long names.
    const long = await world.create(boardText.replace('Ship', 'x'.repeat(300)))
    const check = { operation: 'replace', find: `- [ ] ${'x'.repeat(300)}`, text: `- [x] ${'x'.repeat(300)}` }
    const [first, second] = [await suggest(long, check), await suggest(long, check)]
    expect((await decide(long, first.id, 'reject')).json.suggestion.change).toMatchObject({ kind: 'card.mark', name: 'x'.repeat(200) })
    await withLimit('describedUnitsMax', 10, async () => {
      const { suggestion } = (await decide(long, second.id, 'accept')).json
      expect([suggestion.status, suggestion.change]).toEqual(['accepted', undefined])
    })
  })

  test('[SUGG-66] suggestions that were accepted together in one range are reopened together', async () => {
    for (const [before, wanted, after] of joined) {
      const owner = await world.create(before)
      const ids: string[] = []
      for (const each of wanted) ids.push(await suggestLines(owner, before, each))
      await decideAll(owner, ids, 'accept')
      expect(await decideAll(owner, ids, 'reopen')).toEqual(ids.map(() => 'pending'))
      expect(await content(owner)).toBe(before)
      for (const id of ids) {
        const { from, to, original } = await readSuggestion(owner, id)
        expect(before.slice(from, to)).toBe(original)
      }
      expect(await decideAll(owner, ids, 'accept')).toEqual(ids.map(() => 'accepted'))
      expect(await content(owner)).toBe(after)
    }
    const owner = await world.create(tableText)
    const name = await suggestLines(owner, tableText, tableText.replace('one', 'two'))
    const color = await suggestLines(owner, tableText, tableText.replace('red', 'blue'))
    await decideAll(owner, [name, color], 'accept')
    expect((await decide(owner, name, 'reopen')).json).toMatchObject({ code: 'target_changed' })
    expect(await decideAll(owner, [color, name], 'reopen')).toEqual(['pending', 'pending'])
    expect(await content(owner)).toBe(tableText)
  })

  test('[SUGG-66] suggestions that all depend on each other are compared with the text only a few times', async () => {
    const count = limits.suggestionsAtOnceMax
    const words = Array.from({ length: count + 1 }, (_, index) => `a${String(index).padStart(3, '0')}`)
    const owner = await world.create(`${words.join(' ')}\n`)
    const ids: string[] = []
    // Each suggestion changes one word. Its range includes the next word, which the next suggestion changes.
    for (const [index, word] of words.slice(0, -1).entries()) {
      const find = `${word} ${words[index + 1]}`
      ids.push((await suggest(owner, { operation: 'replace', find, text: find.replace('a', 'b') })).id)
    }
    expect(new Set(await decideAll(owner, ids, 'accept'))).toEqual(new Set(['accepted']))
    const accepted = await content(owner)
    // The last suggestion stays, so the one before it cannot return, nor the one before that, and so on.
    const decisions = ids.slice(0, -1).map((suggestionId) => ({ suggestionId, action: 'reopen' as const }))
    let reads = 0
    const judged = await withAnnotationsRead(world.service, owner.doc, async (opened) => {
      const { suggestion } = opened.annotations
      const counted = new Proxy(suggestion, {
        get: (records, name) => {
          const value: unknown = Reflect.get(records, name)
          if (typeof value !== 'function') return value
          return (...input: unknown[]): unknown => {
            if (name === 'get') reads++
            return (value as (...given: unknown[]) => unknown).apply(records, input)
          }
        }
      })
      const annotations = new Proxy(opened.annotations, {
        get: (known, name) => (name === 'suggestion' ? counted : Reflect.get(known, name))
      })
      const seen = { ...opened, annotations }
      return judge(
        seen,
        anonymous,
        decisions,
        createMovesNow(seen, () => new Map())
      )
    })
    expect(new Set(judged.map(({ verdict }) => verdict.kind))).toEqual(new Set(['refused']))
    expect(reads / count).toBeLessThan(20)
    expect(new Set(await decideAll(owner, ids.slice(0, -1), 'reopen'))).toEqual(new Set(['target_changed']))
    expect(await content(owner)).toBe(accepted)
  })

  test('[SUGGEST-22] more than a hundred decisions return 422, and an incomplete request 400', async () => {
    const owner = await world.create(text)
    const many = Array.from({ length: 101 }, (_each, index) => ({ suggestionId: `s${index}`, action: 'accept' }))
    const ask = (json: unknown): Promise<Answer> => changesNothing(owner.doc, () => owner.ask('POST', '/decisions', { json }))
    expect(await ask({ decisions: many })).toMatchObject({ status: 422, json: { code: 'too_many_ids' } })
    expect((await ask({ decisions: many.slice(1) })).json.results.length).toBe(100)
    for (const json of [
      {},
      { setId: 'x' },
      { decisions: [], setId: 'x', action: 'accept' },
      { suggestionIds: ['x'] },
      { decisions: [{ suggestionId: 'x' }] }
    ])
      expect((await ask(json)).status).toBe(400)
    expect((await ask({ setId: 'unknown', action: 'accept' })).status).toBe(404)
  })

  test('[SUGGEST-24] a dry run of a decision checks, returns the difference, and writes nothing', async () => {
    const owner = await world.create(text)
    const { id } = await suggest(owner, { operation: 'replace', find: 'brown fox', text: 'red hen' })
    const other = await suggest(owner, { operation: 'delete', find: 'quick brown' })
    const ask = (path: string, json: unknown): Promise<Answer> =>
      changesNothing(owner.doc, () => owner.ask('POST', path, { json, query: { dryRun: 1 } }))
    const { version } = await owner.read()
    expect(await ask(`/suggestions/${id}`, { action: 'accept' })).toMatchObject({
      status: 200,
      json: { ok: true, version, suggestion: { status: 'pending' }, diff: expect.stringContaining('+The quick red hen jumps') }
    })
    expect((await ask(`/suggestions/${id}`, { action: 'reject' })).json).toMatchObject({ diff: '' })
    const both = await ask('/decisions', { suggestionIds: [id, other.id], action: 'accept' })
    expect(both.json).toMatchObject({
      ok: false,
      version,
      results: [{ ok: true }, { code: 'target_changed' }],
      diff: expect.stringContaining('red hen')
    })
    expect(await owner.read()).toEqual({ content: text, version })
    await owner.replace('Gone.')
    expect(await ask(`/suggestions/${id}`, { action: 'accept' })).toMatchObject({ status: 409, json: { code: 'target_changed' } })
  })
})
