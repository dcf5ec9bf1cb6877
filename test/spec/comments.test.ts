import { describe, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { placesOf } from '../../shared/text/characters.ts'
import { withFaultyStore } from '../support/faulty-store.ts'
import {
  asAuthor,
  comment,
  commented,
  comments,
  decide,
  postComment,
  readComment,
  readSuggestion,
  suggest,
  foxText as text
} from '../support/annotations.ts'
import { assign, stored, unchangedBy } from '../support/reviews.ts'
import { type Answer, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

let world: World
const store = withFaultyStore((started) => (world = started))

const changesNothing = unchangedBy(() => world)

const lastEvent = async (person: Person): Promise<Json> => (await person.events()).events.at(-1)

describe('creating', () => {
  test('[COMMENT-1] creating a comment returns 201 with its record, and makes one event', async () => {
    const owner = await world.create(text)
    const { version } = await owner.read()
    const person = await owner.share('comment')
    const { status, json } = await postComment(person, { body: 'Which fox?\r\nThis one?', find: 'brown fox' }, asAuthor('Ana'))
    expect(status).toBe(201)
    const from = text.indexOf('brown fox')
    expect(json).toEqual({
      id: expect.stringMatching(/^[\w-]{16}$/),
      commentId: json.id,
      anchored: true,
      comment: {
        id: json.id,
        body: 'Which fox?\nThis one?',
        author: 'Ana',
        authorKind: 'guest',
        guest: true,
        target: {
          kind: 'find',
          quote: 'brown fox',
          prefix: '# Title\n\nThe quick ',
          suffix: ' jumps over the lazy dog.\n\n- one',
          line: 3,
          from,
          to: from + 9
        },
        anchor: { from, to: from + 9 },
        line: 3,
        anchored: true,
        orphaned: false,
        status: 'open',
        resolved: false,
        resolvedAt: null,
        resolvedBy: null,
        resolvedByKind: null,
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
        updatedAt: json.comment.createdAt,
        version,
        replies: []
      }
    })
    expect(await lastEvent(owner)).toMatchObject({
      kind: 'comment.created',
      actor: 'Ana',
      version,
      payload: { commentId: json.id, line: 3 }
    })
    expect(await comments(owner)).toEqual([json.comment])
  })

  test.each<[string, Record<string, unknown>, string | undefined, string]>([
    ['words', { find: 'one fish' }, 'one fish', 'find'],
    ['words without their marks', { find: 'Title The quick' }, 'Title\n\nThe quick', 'find'],
    ['one of several by the text before', { find: 'fish', prefix: 'two ' }, 'fish', 'find'],
    ['one of several by its number', { find: 'fish', occurrence: 2 }, 'fish', 'find'],
    ['one of several by its line', { find: 'fish', line: 6 }, 'fish', 'find'],
    ['a line', { line: 5 }, '- one fish', 'line'],
    ['an empty line', { line: 2 }, '', 'line'],
    ['a range', { anchor: { from: 2, to: 7 } }, 'Title', 'anchor'],
    ['the end', { anchor: { from: text.length, to: text.length } }, '', 'anchor'],
    ['the document', {}, undefined, 'document'],
    ['words that are not there', { find: 'purple' }, undefined, 'find']
  ])('[COMMENT-2] a comment may be on %s', async (_what, target, quote, kind) => {
    const owner = await world.create(text)
    const made = await comment(owner, { body: 'Hm.', ...target })
    expect(made).toMatchObject({ anchored: quote !== undefined, orphaned: false, target: { kind } })
    expect(await commented(owner, made.id)).toBe(quote)
  })

  test.each<[string, Record<string, unknown>, string | undefined]>([
    ['after them', { find: 'one', prefix: 'fox jumps.\n\n- ', suffix: ' shark\n- two' }, 'one'],
    ['before them', { find: 'one', prefix: 'bear sleeps.\n- ', suffix: ' fish\n- two' }, 'one'],
    ['on both sides', { find: 'one', prefix: 'bear sleeps.\n- ', suffix: ' shark\n- two' }, undefined],
    ['but the other tells too little', { find: 'one', prefix: '- ', suffix: ' shark\n- two' }, undefined],
    ['but the other tells two places', { find: 'fish', prefix: 'bear sleeps.', suffix: '\n- t' }, undefined]
  ])('[COMMENT-21] the context of the words changed %s', async (_what, target, quote) => {
    const owner = await world.create('The quick fox jumps.\n\n- one fish\n- two fish\n- ten fish\n- tree\n')
    const made = await comment(owner, { body: 'Hm.', ...target })
    expect(made.anchored).toBe(quote !== undefined)
    expect(await commented(owner, made.id)).toBe(quote)
  })

  test('[COMMENT-23] a comment is on the characters that a page names, if they still spell the words', async () => {
    const owner = await world.create('one fish, two fish, red fish\n')
    const editor = await owner.connect({ name: 'Bo' })
    const seen = editor.ytext.toString()
    const charactersOf = (from: number, to: number): readonly number[] => placesOf(editor.ytext, seen, [{ from, to }])[0]?.spans ?? []
    const second = charactersOf(10, 18)
    const made = { body: 'Hm.', find: 'two fish', prefix: 'one fish, ', suffix: ', red fish', characters: second }
    // The text on both sides is rewritten, and the same words also occur elsewhere.
    await owner.replace('A fish; two fish; blue fish.\nAnd two fish.\n')
    const first = await comment(owner, made)
    expect(await commented(owner, first.id)).toBe('two fish')
    expect(first).toMatchObject({ anchor: { from: 8, to: 16 }, target: { kind: 'find', quote: 'two fish', from: 8 } })
    // Without character ids, the two places cannot be distinguished. Ids of characters that read differently, are gone, or never existed do not
    // count.
    for (const characters of [undefined, charactersOf(20, 23), [4, 4, 4], [0, Number.MAX_SAFE_INTEGER, 1], []])
      expect(await comment(owner, { ...made, characters })).toMatchObject({ anchored: false })
    for (const characters of [[1, 2], [1, 2, -3], [0.5, 1, 1], 'x'])
      expect(await changesNothing(owner.doc, () => postComment(owner, { ...made, characters }))).toMatchObject({ status: 400 })
    expect(await comment(owner, { body: 'x', find: 'blue', characters: second })).toMatchObject({ target: { quote: 'blue' } })
  })

  test('[COMMENT-24] words that do not occur return 422 with the most similar lines, and change nothing', async () => {
    const owner = await world.create(text)
    for (const find of ['The quick brown foxes jump', 'nowhere to be found'])
      for (const unanchored of [undefined, false]) {
        const { status, json } = await changesNothing(owner.doc, () => postComment(owner, { body: 'Hm.', find, unanchored }))
        expect({ status, code: json.code }).toEqual({ status: 422, code: 'target_not_found' })
        expect(json.hint).toContain('unanchored: true')
        if (find.startsWith('The')) expect(json.nearest[0]).toMatchObject({ line: expect.any(Number) })
        expect(json.hint.includes('exactly as in nearest')).toBe(json.nearest !== undefined)
      }
    expect(await comment(owner, { body: 'Hm.', find: 'nowhere to be found', unanchored: true })).toMatchObject({ anchored: false })
  })

  test('[COMMENT-3] words in several places return 422 with the candidates', async () => {
    const owner = await world.create(text)
    const { status, json } = await changesNothing(owner.doc, () => postComment(owner, { body: 'Which?', find: 'fish' }))
    expect({ status, code: json.code }).toEqual({ status: 422, code: 'target_ambiguous' })
    expect(json.candidates).toMatchObject([
      { from: 61, to: 65, line: 5, before: expect.stringMatching(/one $/), after: '\n- two fish\n' },
      { from: 72, to: 76, line: 6 }
    ])
  })

  test.each<[string, Record<string, unknown>, number, string]>([
    ['a range beyond the text', { anchor: { from: 0, to: text.length + 1 } }, 422, 'target_not_found'],
    ['a line beyond the text', { line: 99 }, 422, 'target_not_found'],
    ['words that are on other lines', { find: 'fish', line: 1 }, 422, 'target_not_found'],
    ['a reversed range', { anchor: { from: 3, to: 2 } }, 400, 'invalid_request'],
    ['a negative range', { anchor: { from: -1, to: 2 } }, 400, 'invalid_request'],
    ['half a range', { anchor: { from: 1 } }, 400, 'invalid_request'],
    ['a broken number', { line: 1.5 }, 400, 'invalid_request'],
    ['line zero', { line: 0 }, 400, 'invalid_request'],
    ['a number as words', { line: 'two' }, 400, 'invalid_request'],
    ['two ways at once', { anchor: { from: 1, to: 2 }, find: 'fish' }, 400, 'invalid_request'],
    ['empty words', { find: '' }, 400, 'invalid_request'],
    ['half a character', { find: '\ud800' }, 400, 'invalid_request'],
    ['no body', { body: undefined }, 400, 'invalid_request'],
    ['a blank body', { body: ' \n' }, 400, 'invalid_request'],
    ['a body of another type', { body: ['x'] }, 400, 'invalid_request'],
    ['a body with NUL', { body: 'a\0' }, 400, 'invalid_request'],
    ['a body of more than 10 KiB', { body: 'x'.repeat(limits.annotationBytesMax + 1) }, 413, 'text_too_large'],
    ['a body of more than 10 KiB in another script', { body: '語'.repeat(3414) }, 413, 'text_too_large'],
    ['a request of more than 64 KiB', { body: 'x'.repeat(limits.bodyBytesMax) }, 413, 'body_too_large'],
    ['an invented version', { line: 1, baseVersion: '1-000000000000' }, 404, 'unknown_version'],
    ['nonsense as version', { line: 1, baseVersion: 'nonsense' }, 404, 'unknown_version'],
    ['a long name', { author: 'x'.repeat(limits.authorUnitsMax + 1) }, 400, 'invalid_request']
  ])('[COMMENT-4] bad input changes nothing: %s', async (_what, fields, status, code) => {
    const owner = await world.create(text)
    const answer = await changesNothing(owner.doc, () => postComment(owner, { body: 'x', ...fields }))
    expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code })
  })

  test('[COMMENT-4] exactly 10 KiB are accepted, and hostile words come back unchanged', async () => {
    const owner = await world.create(text)
    const body = '語'.repeat(3413) + 'x'
    expect((await comment(owner, { body })).body).toBe(body)
    for (const odd of ['<script>alert(1)</script>', '__proto__', '\u202e reversed', '👩🏽 名前', "'; DROP TABLE"]) {
      const made = await comment(owner, { body: odd, find: odd }, { query: { author: odd } })
      expect(made).toMatchObject({ body: odd, target: { quote: odd }, anchored: false })
      expect(made.author).toBe(odd.replace('\u202e ', '').trim())
    }
    expect((await comments(owner)).length).toBe(6)
  })

  test('[COMMENT-5] synonyms are accepted', async () => {
    const owner = await world.create(text)
    for (const name of ['body', 'text', 'content', 'comment', 'message'])
      for (const words of ['find', 'quote', 'on', 'anchorText'])
        expect(await comment(owner, { [name]: 'b', [words]: 'lazy dog' })).toMatchObject({
          body: 'b',
          target: { quote: 'lazy dog' }
        })
  })

  test('[COMMENT-6] a range or line of an earlier version is followed to the current text', async () => {
    const owner = await world.create(text)
    const { version } = await owner.read()
    const editor = await owner.connect()
    editor.type(0, 'Before.\n\n')
    await editor.saved()
    await owner.replace(editor.text().replace('# Title\n\n', '').replace('one fish', 'one, one fish'))
    const at = text.indexOf('lazy')
    const made = await comment(owner, { body: 'x', anchor: { from: at, to: at + 4 }, baseVersion: version })
    expect(await commented(owner, made.id)).toBe('lazy')
    expect(made.target).toMatchObject({ from: at, to: at + 4, line: 3, quote: 'lazy' })
    const line = await comment(owner, { body: 'x', line: 6, baseVersion: `"${version}"` })
    expect(await commented(owner, line.id)).toBe('- two fish')
    // The words are gone. The answer says so, and the comment is not on any other text.
    expect(await comment(owner, { body: 'x', anchor: { from: 0, to: 7 }, baseVersion: version })).toMatchObject({
      anchored: false,
      orphaned: true,
      target: { quote: '# Title' }
    })
    // Words that only the named version contains are found as well.
    expect((await postComment(owner, { body: 'x', find: '# Title', baseVersion: version })).json.comment.orphaned).toBe(true)
    expect((await owner.ask('POST', '/comments', { json: { body: 'x', line: 1 }, headers: { 'If-Match': `"${version}"` } })).status).toBe(
      201
    )
  })

  test('[COMMENT-7] a comment shows its author: guests are marked, an unnamed one is "guest", names are sanitized', async () => {
    const owner = await world.create(text)
    expect(await comment(owner, { body: 'x' })).toMatchObject({ author: 'guest', authorKind: 'guest', guest: true })
    expect(await comment(owner, { body: 'x', author: '  Ana\tMaria ' })).toMatchObject({ author: 'Ana Maria' })
    expect(await comment(owner, { body: 'x', author: 'in the body' }, asAuthor('header'))).toMatchObject({ author: 'header' })
  })

  test('[COMMENT-7] an account writes under its name, its program under both, and a guest with that name is still a guest', async () => {
    const account = (await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
    const { token } = await openSession(world.service, account.id, 'app', 'a test')
    const owner = await world.create(text)
    const signedIn = { headers: { Authorization: `Bearer ${token}`, 'X-Agent-Author': 'Somebody else' } }
    const person = await owner.share('comment')
    const made = await comment(person, { body: 'x', author: 'Somebody else' }, signedIn)
    expect(made).toMatchObject({ author: `Somebody else · for ${account.name}`, authorKind: 'account', guest: false })
    const own = await comment(person, { body: 'x' }, { headers: { Authorization: `Bearer ${token}` } })
    expect(own).toMatchObject({ author: account.name, authorKind: 'account', guest: false })
    const guest = asAuthor(account.name)
    expect(await comment(person, { body: 'y' }, guest)).toMatchObject({ author: account.name, authorKind: 'guest', guest: true })
    expect(await person.ask('DELETE', `/comments/${made.id}`, guest)).toMatchObject({ status: 403, json: { code: 'not_author' } })
    // An account is the same author through every link.
    expect((await (await owner.share('comment')).ask('DELETE', `/comments/${made.id}`, signedIn)).status).toBe(200)
  })

  test('[COMMENT-8] a comment made with the link of an assignment carries its id', async () => {
    const owner = await world.create(text)
    const assignment = await assign(world, owner)
    const made = await comment(assignment.by(), { body: 'x' }, asAuthor('Ada'))
    expect(made.taskId).toBe(assignment.id)
    expect(await comment(owner, { body: 'y' })).not.toHaveProperty('taskId')
    expect(await comments(owner, { taskId: assignment.id })).toEqual([made])
    expect((await lastEvent(owner)).payload).not.toHaveProperty('taskId')
  })
})

describe('talking', () => {
  test('[COMMENT-9] replies keep their order, and show their authors', async () => {
    const owner = await world.create(text)
    const { id } = await comment(owner, { body: 'x' })
    for (const name of ['Ana', 'Bob']) {
      const { status, json } = await owner.ask('POST', `/comments/${id}/replies`, { json: { text: `by ${name}` }, ...asAuthor(name) })
      expect(status).toBe(201)
      expect(json.reply).toEqual({
        id: json.id,
        body: `by ${name}`,
        author: name,
        authorKind: 'guest',
        guest: true,
        createdAt: json.comment.updatedAt
      })
      expect(await lastEvent(owner)).toMatchObject({ kind: 'comment.replied', actor: name, payload: { commentId: id, replyId: json.id } })
    }
    expect((await readComment(owner, id)).replies.map((reply: Json) => reply.author)).toEqual(['Ana', 'Bob'])
  })

  test('[COMMENT-10] resolving and reopening accept all their forms; repeating returns 200 without an event', async () => {
    const owner = await world.create(text)
    const { id } = await comment(owner, { body: 'x' })
    const resolve = (json?: unknown): Promise<Answer> =>
      owner.ask('POST', `/comments/${id}/resolve`, { ...(json === undefined ? {} : { json }), ...asAuthor('Ana') })
    for (const done of [undefined, {}, { resolved: true }, { action: 'resolve' }, { status: 'resolved' }]) {
      const { status, json } = await resolve(done)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        ok: true,
        comment: { status: 'resolved', resolved: true, resolvedBy: 'Ana', resolvedAt: expect.any(String) }
      })
    }
    for (const open of [{ resolved: false }, { action: 'reopen' }, { status: 'open' }])
      expect((await resolve(open)).json.comment).toMatchObject({ status: 'open', resolved: false, resolvedAt: null, resolvedBy: null })
    const kinds = (await owner.events()).events.map((event: Json) => event.kind)
    expect(kinds.slice(2)).toEqual(['comment.resolved', 'comment.reopened'])
    for (const odd of [{ resolved: 'maybe' }, { action: 'explode' }, { status: 1 }])
      expect(await changesNothing(owner.doc, () => resolve(odd))).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  })

  test('[COMMENT-11] people edit and delete their own comments; another’s returns 403', async () => {
    const owner = await world.create(text)
    const person = await owner.share('comment')
    const { id } = await comment(person, { body: 'first', find: 'lazy dog' }, asAuthor('Ana'))
    const edit = (who: Person, name: string, body = 'second'): Promise<Answer> =>
      who.ask('PATCH', `/comments/${id}`, { json: { body }, ...asAuthor(name) })
    const remove = (who: Person, name: string): Promise<Answer> => who.ask('DELETE', `/comments/${id}`, asAuthor(name))
    const strangers: [Person, string][] = [
      [person, 'Bob'],
      [await owner.share('comment'), 'Ana'],
      [owner, 'Ana']
    ]
    for (const [who, name] of strangers)
      for (const act of who === owner ? [edit] : [edit, remove])
        expect(await changesNothing(owner.doc, () => act(who, name))).toMatchObject({ status: 403, json: { code: 'not_author' } })
    expect((await edit(person, 'Ana')).json.comment).toMatchObject({ body: 'second', anchored: true })
    expect(await lastEvent(owner)).toMatchObject({ kind: 'comment.edited', payload: { commentId: id } })
    await changesNothing(owner.doc, () => edit(person, 'Ana'))
    expect((await remove(person, 'Ana')).json).toEqual({ ok: true, deleted: true })
    expect(await lastEvent(owner)).toMatchObject({ kind: 'comment.deleted', payload: { commentId: id } })
    expect(await comments(owner)).toEqual([])
    expect((await remove(person, 'Ana')).status).toBe(404)
  })

  test('[COMMENT-22] a mention in a comment or reply makes an event in the same commit, once; an edit makes events for added names', async () => {
    const owner = await world.create(text)
    const task = await assign(world, owner)
    const told = async (): Promise<unknown[]> =>
      (await owner.events({ types: 'comment.mentioned' })).events.map(
        ({ actor, payload: { body: _body, quote: _quote, ...payload } }: Json) => [actor, payload]
      )
    await comment(owner, { body: 'For a@b.c, not `@nobody`.' })
    const { id } = await comment(owner, { body: '@ana and @Ana-Lena, see `@nobody`; @Ana.' }, asAuthor('Bob'))
    expect(await told()).toEqual([['Bob', { commentId: id, names: ['ana', 'Ana-Lena'] }]])
    for (const body of ['Nobody.', '@ANA, @bo', '@bo']) await owner.ask('PATCH', `/comments/${id}`, { json: { body }, ...asAuthor('Bob') })
    const { json } = await owner.ask('POST', `/comments/${id}/replies`, { json: { body: '@ana: yes' }, ...asAuthor('Cy') })
    const made = await comment(task.by('Di'), { body: '@ana?' })
    expect((await told()).slice(1)).toEqual([
      ['Bob', { commentId: id, names: ['bo'] }],
      ['Cy', { commentId: id, replyId: json.id, names: ['ana'] }],
      [null, { commentId: made.id, taskId: task.id, names: ['ana'] }]
    ])
    const { json: crowd } = await owner.ask('POST', '/comments', {
      json: { body: Array.from({ length: 25 }, (_, at) => `@p${at}`).join(' ') }
    })
    await owner.ask('PATCH', `/comments/${crowd.id}`, { json: { body: `${crowd.comment.body} again` } })
    expect((await told()).slice(4)).toEqual([
      [null, { commentId: crowd.id, names: expect.objectContaining({ length: limits.mentionEventsMax }) }]
    ])
  })

  test('[COMMENT-12] an id that the document does not have, or of another document, returns 404', async () => {
    const owner = await world.create(text)
    const other = await world.create('other')
    const { id } = await comment(other, { body: 'theirs' })
    for (const odd of [id, 'unknown', '__proto__', '%20'])
      for (const [method, path] of [
        ['POST', '/replies'],
        ['POST', '/resolve'],
        ['PATCH', ''],
        ['DELETE', '']
      ] as const) {
        const json = method === 'DELETE' || path === '/resolve' ? {} : { json: { body: 'x' } }
        expect(await changesNothing(owner.doc, () => owner.ask(method, `/comments/${odd}${path}`, json))).toMatchObject({
          status: 404,
          json: { code: 'not_found' }
        })
      }
    expect((await readComment(other, id)).replies).toEqual([])
  })
})

describe('resolving in other words', () => {
  test('[COMMENT-10] every form is accepted, and a body that says nothing returns 400', async () => {
    const owner = await world.create(text)
    const { id } = await comment(owner, { body: 'x' })
    const ask = (json: Json): Promise<Answer> => owner.ask('POST', `/comments/${id}/resolve`, { json })
    for (const json of [{ resolve: false }, { reopen: true }, { open: true }, { resolved: false }, { action: 'reopen' }]) {
      expect((await ask({})).json.comment).toMatchObject({ resolved: true, resolvedByKind: 'guest' })
      expect((await ask(json)).json.comment, JSON.stringify(json)).toMatchObject({ resolved: false, resolvedByKind: null })
    }
    expect((await ask({ banana: true })).status).toBe(400)
    expect((await ask({ resolve: 'x' })).status).toBe(400)
    expect((await ask({ author: 'Ana' })).json.comment).toMatchObject({ resolved: true })
  })
})

describe('listing', () => {
  test('[COMMENT-13] the list is newest first, filtered, and paged by nextBefore', async () => {
    const owner = await world.create(text)
    const made: Json[] = []
    for (let index = 0; index < 7; index++)
      made.unshift(await comment(owner, { body: `${index}` }, asAuthor(index % 2 === 0 ? 'Ana' : 'Bob')))
    for (const each of made.slice(0, 3)) await owner.ask('POST', `/comments/${each.id}/resolve`)
    const bodies = (all: Json[]): string => all.map((each) => each.body).join('')
    expect(bodies(await comments(owner))).toBe('6543210')
    expect(bodies(await comments(owner, { status: 'all' }))).toBe('6543210')
    expect(bodies(await comments(owner, { status: 'open' }))).toBe('3210')
    expect(bodies(await comments(owner, { status: 'resolved' }))).toBe('654')
    expect(bodies(await comments(owner, { author: 'Bob', status: 'open' }))).toBe('31')
    const pages: string[] = []
    let before: number | undefined
    do {
      const { json } = await owner.ask('GET', '/comments', { query: { limit: 3, ...(before === undefined ? {} : { before }) } })
      expect(json.total).toBe(7)
      pages.push(bodies(json.comments))
      before = json.nextBefore ?? undefined
    } while (before !== undefined)
    expect(pages).toEqual(['654', '321', '0'])
    for (const query of [{ status: 'odd' }, { limit: 0 }, { limit: 2001 }, { before: -1 }, { before: 'x' }] as Record<string, string>[])
      expect((await owner.ask('GET', '/comments', { query })).status).toBe(400)
  })

  test('[COMMENT-14] comments, replies and their positions survive a restart', async () => {
    const own = await startWorld()
    const owner = await own.create(text)
    const { id } = await comment(owner, { body: 'x', find: 'brown fox' })
    await owner.ask('POST', `/comments/${id}/replies`, { json: { body: 'y' } })
    await owner.replace(text.replace('The quick', 'A very quick'))
    const before = await comments(owner)
    expect(before[0].anchored).toBe(true)
    const again = await own.restart()
    expect(await comments(again.person(owner.doc, owner.key))).toEqual(before)
    await again.stop()
  })
})

describe('staying on the text', () => {
  test('[COMMENT-15] a comment stays on its text while people type, and is orphaned when that is deleted', async () => {
    const owner = await world.create(text)
    const { id } = await comment(owner, { body: 'x', find: 'brown fox' })
    const editor = await owner.connect()
    editor.type(0, 'A new beginning.\n\n')
    editor.type(editor.text().indexOf('fox'), 'big ')
    await editor.saved()
    expect(await commented(owner, id)).toBe('brown big fox')
    const at = editor.text().indexOf('brown')
    editor.erase(at, 'brown big fox'.length)
    editor.type(at, 'red hen')
    await editor.saved()
    expect(await readComment(owner, id)).toMatchObject({
      anchored: false,
      orphaned: true,
      anchor: null,
      line: null,
      target: { quote: 'brown fox' }
    })
  })

  test('[COMMENT-16] a replacement that moves its text moves the comment in the same commit; a restore brings it back', async () => {
    const owner = await world.create(text)
    const { id } = await comment(owner, { body: 'x', find: 'The quick brown fox' })
    await owner.replace('- one fish\n\nThe quick\nbrown fox jumps.\n')
    expect(await commented(owner, id)).toBe('The quick\nbrown fox')
    await owner.replace('Nothing of it.\n')
    expect(await readComment(owner, id)).toMatchObject({ anchored: false, orphaned: true })
    await owner.ask('POST', '/restore', { json: { revision: 1 } })
    expect(await commented(owner, id)).toBe('The quick brown fox')
    // A second read gives the same result.
    expect((await readComment(owner, id)).orphaned).toBe(false)
  })

  test('[COMMENT-25] comments and suggestions move along if a person moves their blocks, or cuts and pastes them', async () => {
    const blocks = ['Gamma middle para.', 'Alpha has a word here.', 'Beta para.']
    const owner = await world.create(blocks.join('\n\n'))
    const [middle, word] = [await comment(owner, { body: 'B', find: 'middle' }), await comment(owner, { body: 'A', find: 'word' })]
    const insertion = await suggest(owner, { operation: 'insert', find: 'Gamma', at: 'after', text: ' very' })
    const editor = await owner.connect()
    const isOnWords = async (): Promise<void> => {
      await editor.saved()
      expect(await commented(owner, middle.id)).toBe('middle')
      expect(await commented(owner, word.id)).toBe('word')
      expect((await readSuggestion(owner, insertion.id)).from).toBe(editor.text().indexOf('Gamma') + 5)
    }
    const move = (block: string, before: string): void => {
      editor.erase(editor.text().indexOf(`${block}\n\n`), block.length + 2)
      editor.type(editor.text().indexOf(before), `${block}\n\n`)
    }
    move('Gamma middle para.', 'Beta')
    await isOnWords()
    move('Alpha has a word here.', 'Beta')
    await isOnWords()
    editor.erase(editor.text().indexOf('Gamma'), 'Gamma middle para.\n\n'.length)
    await editor.saved()
    expect(await readComment(owner, middle.id)).toMatchObject({ orphaned: true })
    editor.type(editor.text().length, '\n\nGamma middle para.')
    await isOnWords()
    // The same words in another line are other words.
    editor.erase(editor.text().indexOf('Alpha'), 'Alpha has a word here.\n\n'.length)
    editor.type(editor.text().length, '\n\nAnother word is here.')
    await editor.saved()
    expect(await readComment(owner, word.id)).toMatchObject({ orphaned: true })
    editor.close()
  })

  test('[COMMENT-30] comments and suggestions on a card or list item move along if its marker changes', async () => {
    const source =
      '```board\n## To do\n- [ ] First card\n- [ ] Second card @ana\n  and more\n## Done\n- [x] Third card\n```\n\n1. Alpha\n2. Omega words\n'
    const owner = await world.create(source)
    const card = await comment(owner, { body: 'A', find: 'Second card' })
    const item = await comment(owner, { body: 'B', find: 'Omega' })
    const better = await suggest(owner, { operation: 'replace', find: 'Second', text: 'Next' })
    const isOn = async (words: string): Promise<void> => {
      const { content } = await owner.read()
      expect([await commented(owner, card.id), await commented(owner, item.id)]).toEqual(['Second card', 'Omega'])
      expect(await readSuggestion(owner, better.id)).toMatchObject({ status: 'pending', from: content.indexOf(words) })
    }
    const editor = await owner.connect()
    const move = async (now: string, was: string, before: string): Promise<void> => {
      editor.erase(editor.text().indexOf(was), was.length)
      editor.type(editor.text().indexOf(before), now)
      await editor.saved()
    }
    await move('- [x] Second card @ana\n  and more\n', '- [ ] Second card @ana\n  and more\n', '- [x] Third')
    await move('1. Omega words\n', '2. Omega words\n', '1. Alpha')
    await isOn('Second')
    const [from, to] = ['## Done\n- [x] Second card @ana\n  and more\n', '- [ ] Second card @ana\n  and more\n## Done\n']
    const back = await suggest(owner, { operation: 'replace', find: from, text: to })
    await decide(owner, back.id, 'accept')
    await isOn('Second')
    // Words that only begin in the same way are other words.
    await move('- [x] Second card @anatol\n', '- [ ] Second card @ana\n', '- [x] Third')
    expect(await readComment(owner, card.id)).toMatchObject({ orphaned: true })
    editor.close()
  })

  test('[COMMENT-30] a comment on a card moves along to a place below a card with the same ending', async () => {
    const owner = await world.create('```board\n## To do\n- [ ] First card\n- [ ] Second card\n\n## Done\n- [x] Third card\n```\n')
    const { id } = await comment(owner, { body: 'A', find: 'Second card' })
    const editor = await owner.connect()
    editor.erase(editor.text().indexOf('- [ ] Second card'), '- [ ] Second card'.length)
    editor.type(editor.text().indexOf('```\n'), '- [x] Second card\n')
    await editor.saved()
    expect(await commented(owner, id)).toBe('Second card')
    const [there, back] = ['## Done\n- [x] Third card\n- [x] Second card\n', '- [ ] Second card\n## Done\n- [x] Third card\n']
    for (const [find, words] of [
      [there, back],
      [back, there]
    ] as const) {
      await decide(owner, (await suggest(owner, { operation: 'replace', find, text: words })).id, 'accept')
      expect((await owner.read()).content).toContain(words)
      expect(await commented(owner, id)).toBe('Second card')
    }
    editor.close()
  })

  test('[COMMENT-16] a comment made during a replacement of the text moves along', async () => {
    const words = 'a telling sentence of its own'
    for (let round = 0; round < 20; round++) {
      const owner = await world.create(`# One\n\n${words}\n\nend\n`)
      const [made] = await Promise.all([comment(owner, { body: 'x', find: words }), owner.replace(`end\n\n${words}, later\n\n# One\n`)])
      expect(await commented(owner, made.id)).toBe(words)
    }
  })

  test('[COMMENT-17] record and event of a change are one commit; if the store fails, a comment stays unchanged', async () => {
    const owner = await world.create(text)
    const { id } = await comment(owner, { body: 'x', find: 'brown fox' })
    const requests: [string, string, unknown][] = [
      ['POST', '/comments', { body: 'y', find: 'lazy dog' }],
      ['POST', `/comments/${id}/replies`, { body: 'y' }],
      ['POST', `/comments/${id}/resolve`, {}],
      ['PATCH', `/comments/${id}`, { body: 'z' }],
      ['DELETE', `/comments/${id}`, undefined]
    ]
    const before = await stored(world, owner.doc)
    const shown = await comments(owner)
    for (const [method, path, json] of requests) {
      store.fault = new ServiceError('storage_unavailable')
      const answer = await owner.ask(method, path, json === undefined ? {} : { json })
      store.fault = undefined
      expect(answer.status).toBe(503)
      expect(await stored(world, owner.doc)).toEqual(before)
      expect(await comments(owner)).toEqual(shown)
    }
  })

  test('[COMMENT-17] while the store accepts no writes the list can still be read, with positions in the text on disk', async () => {
    const owner = await world.create(text)
    const { id } = await comment(owner, { body: 'x', find: 'brown fox' })
    const page = await owner.connect()
    store.fault = new ServiceError('storage_full')
    try {
      page.type(0, 'not stored')
      await until(() => page.closes.length > 0, 'the end of the socket')
      page.close()
      expect(await commented(owner, id)).toBe('brown fox')
      expect((await readComment(owner, id)).anchor.from).toBe(text.indexOf('brown fox'))
    } finally {
      store.fault = undefined
    }
  })

  test('[COMMENT-18] each request repeated with its Idempotency-Key acts once and returns the same answer', async () => {
    const owner = await world.create(text)
    const headers = { 'Idempotency-Key': 'one' }
    const twice = async (method: string, path: string, json?: unknown): Promise<Json> => {
      const what = { headers, ...(json === undefined ? {} : { json }) }
      const first = await owner.ask(method, path, what)
      expect(first.status).toBeLessThan(300)
      const again = await changesNothing(owner.doc, () => owner.ask(method, path, what))
      expect({ status: again.status, json: again.json }).toEqual({ status: first.status, json: first.json })
      expect(again.headers.get('Idempotency-Replayed')).toBe('true')
      return first.json
    }
    const { id } = await twice('POST', '/comments', { body: 'x', find: 'brown fox' })
    await twice('POST', `/comments/${id}/replies`, { body: 'y' })
    await twice('POST', `/comments/${id}/resolve`, {})
    await twice('PATCH', `/comments/${id}`, { body: 'z' })
    await twice('DELETE', `/comments/${id}`)
  })

  test('[COMMENT-19] deleting the document permanently deletes its comments', async () => {
    const owner = await world.create(text)
    await comment(owner, { body: 'a secret annotation', find: 'brown fox' })
    await owner.ask('DELETE', '', { query: { permanent: 1 } })
    expect(await world.service.storage.list(['d', owner.doc])).toEqual([])
  })

  test('[COMMENT-20] open pages receive every change at once, including comments that a replacement moved or orphaned', async () => {
    const owner = await world.create(text)
    const pages = await Promise.all([owner.connect(), (await owner.share('view')).connect()])
    const { id } = await comment(owner, { body: 'x', find: 'brown fox' })
    await owner.ask('POST', `/comments/${id}/replies`, { json: { body: 'y' } })
    await owner.ask('POST', `/comments/${id}/resolve`)
    await owner.replace('Gone.')
    await owner.ask('DELETE', `/comments/${id}`)
    for (const page of pages) {
      const seen = (): Json[] => page.messages.filter(({ type }) => type.startsWith('comment'))
      await until(() => seen().length === 5, 'the messages')
      expect(seen()).toMatchObject([
        { type: 'comment', comment: { id, anchored: true, replies: [] } },
        { type: 'comment', comment: { id, replies: [{ body: 'y' }] } },
        { type: 'comment', comment: { id, status: 'resolved' } },
        { type: 'comment', comment: { id, anchored: false, orphaned: true } },
        { type: 'comment.deleted', commentId: id }
      ])
    }
  })

  test('[COMMENT-20] for many or large changes open pages are told to read the lists again', async () => {
    const lines = Array.from({ length: limits.annotationsInMessageMax + 1 }, (_each, index) => `a line of its own, number ${index}\n`)
    const owner = await world.create(lines.join(''))
    await Promise.all(lines.map((_line, index) => comment(owner, { body: 'x', line: index + 1 })))
    const page = await owner.connect()
    await owner.replace('Gone.')
    await until(() => page.messages.some(({ type }) => type === 'annotations'), 'the message')
    const { id } = await comment(owner, { body: 'y' })
    const told = (): number => page.messages.filter(({ type }) => type === 'annotations').length
    for (let bytes = 0; bytes <= limits.annotationMessageBytesMax; bytes += limits.annotationBytesMax) {
      expect(told()).toBe(1)
      await owner.ask('POST', `/comments/${id}/replies`, { json: { body: 'z'.repeat(limits.annotationBytesMax) } })
    }
    await until(() => told() === 2, 'the message')
    expect(
      page.messages
        .filter(({ type }) => type === 'comment')
        .every((message) => JSON.stringify(message).length < 2 * limits.annotationMessageBytesMax)
    ).toBe(true)
  })
})
