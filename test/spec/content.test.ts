import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { repeats } from '../support/repeats.ts'
import { startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test.each([
  ['quoted', (version: string) => `"${version}"`],
  ['unquoted', (version: string) => version],
  ['weak', (version: string) => `W/"${version}"`],
  ['in a list', (version: string) => `"1-000000000000", "${version}"`],
  ['*', () => '*']
])('[CONTENT-1] a PUT with the version read, %s, as If-Match or baseVersion, replaces the text', async (_how, write) => {
  const owner = await world.create('one')
  const first = await owner.replace('two', { ifMatch: write(owner.created.version) })
  expect(first).toMatchObject({ ok: true, version: expect.any(String), revisionId: 2, changed: true })
  await owner.replace('three', { baseVersion: write(first.version) })
  const last = await owner.read()
  expect(last.content).toBe('three')
  await owner.replace('four', { ifMatch: write(last.version), baseVersion: last.version }).catch((error: unknown) => {
    // A list of versions, or `*`, is not equal to a single version.
    expect(error).toMatchObject({ code: 'versions_differ' })
  })
})

test('[CONTENT-1] the answer to a PUT has the new version as ETag', async () => {
  const owner = await world.create('one')
  const { headers, json } = await owner.ask('PUT', '/content', { json: { content: 'two' } })
  expect(headers.get('ETag')).toBe(`"${json.version}"`)
  expect(await owner.read()).toEqual({ content: 'two', version: json.version })
})

test('[CONTENT-2] a PUT without a version overwrites changes in between', async () => {
  const owner = await world.create('one')
  await owner.replace('two')
  await owner.replace('three')
  expect((await owner.read()).content).toBe('three')
})

test('[CONTENT-3] If-Match and baseVersion that differ return 400 versions_differ', async () => {
  const owner = await world.create('one')
  const { version } = await owner.replace('two')
  await expect(owner.replace('x', { ifMatch: version, baseVersion: owner.created.version })).rejects.toMatchObject({
    status: 400,
    code: 'versions_differ'
  })
  const put = (headers: Record<string, string>) => owner.ask('PUT', '/content', { json: { content: 'x' }, headers })
  expect(await put({ 'X-Doc-Version': owner.created.version })).toMatchObject({ status: 409 })
  for (const name of ['If-None-Match', 'If-Unmodified-Since', 'If-Modified-Since', 'If-Range'])
    expect(await put({ [name]: '*', 'If-Match': `"${version}"` }), name).toMatchObject({ status: 400 })
  expect((await owner.read()).content).toBe('two')
  expect(await put({ 'X-Doc-Version': version })).toMatchObject({ status: 200 })
})

test('[CONTENT-4] a stale version changes nothing and returns 409 with both versions, the difference and a clean merge', async () => {
  const owner = await world.create('a\nb\nc\nd\ne\n')
  const { version } = await owner.replace('A\nb\nc\nd\ne\n')
  for (const stale of [{ ifMatch: `"${owner.created.version}"` }, { baseVersion: owner.created.version }]) {
    const { problem, status, code } = await owner.replace('a\nb\nc\nd\nE\n', stale).catch((error: unknown) => error as never)
    expect({ status, code }).toEqual({ status: 409, code: 'version_conflict' })
    expect(problem).toMatchObject({ currentVersion: version, baseVersion: owner.created.version, retryable: true })
    expect(problem.error).toContain('Version conflict')
    expect(problem.diff).toContain('-a\n+A')
    expect(problem.merge).toEqual({ clean: true, content: 'A\nb\nc\nd\nE\n' })
  }
  expect(await owner.read()).toEqual({ content: 'A\nb\nc\nd\ne\n', version })
})

test('[CONTENT-5] if both changed the same lines, the 409 lists the conflicts', async () => {
  const owner = await world.create('a\nb\nc\n')
  await owner.replace('a\ntheirs\nc\n')
  const { problem } = await owner.replace('a\nmine\nc\n', { ifMatch: owner.created.version }).catch((error: unknown) => error as never)
  expect(problem.merge).toEqual({ clean: false, conflicts: [{ line: 2, base: 'b\n', mine: 'mine\n', theirs: 'theirs\n' }] })
})

test('[CONTENT-6] a version that the document never had returns 409 without a merge', async () => {
  const [owner, other] = [await world.create('one'), await world.create('one')]
  for (const ifMatch of [other.created.version, '1-000000000000', '999-aaaaaaaaaaaa', 'nonsense']) {
    const { problem, status } = await owner.replace('x', { ifMatch }).catch((error: unknown) => error as never)
    expect(status, ifMatch).toBe(409)
    expect(problem).toMatchObject({ code: 'version_conflict', currentVersion: owner.created.version, baseVersion: ifMatch })
    expect(problem).not.toHaveProperty('merge')
  }
  expect((await owner.read()).content).toBe('one')
})

test('[CONTENT-6] the version of the empty document is valid, too', async () => {
  const owner = await world.create('')
  await owner.replace('one\n')
  const { problem } = await owner.replace('two\n', { ifMatch: owner.created.version }).catch((error: unknown) => error as never)
  expect(problem.merge.clean).toBe(false)
})

test.each(['text/markdown', 'text/plain; charset=utf-8', 'Text/Markdown'])(
  '[CONTENT-7] the body may be the text itself: %s',
  async (type) => {
    const owner = await world.create('one')
    const query = { label: 'by hand' }
    const answer = await owner.ask('PUT', '/content', {
      body: '# Räw\n{"a":1}',
      type,
      query,
      headers: { 'If-Match': owner.created.version }
    })
    expect(answer).toMatchObject({ status: 200, json: { changed: true } })
    expect((await owner.read()).content).toBe('# Räw\n{"a":1}')
    expect((await owner.revisions()).revisions[0].label).toBe('by hand')
  }
)

test('[CONTENT-8] line endings become LF, at creation and in a PUT', async () => {
  const owner = await world.create('a\r\nb\rc\n')
  expect((await owner.read()).content).toBe('a\nb\nc\n')
  expect((await owner.replace('a\r\nb\r\nc\r\n')).changed).toBe(false)
  await owner.ask('PUT', '/content', { body: 'x\r\ny\r', type: 'text/markdown' })
  expect((await owner.read()).content).toBe('x\ny\n')
})

test.each(['a\0b', '\ud83d', 'a\ude00b', '\ude00\ud83d'])('[CONTENT-9] NUL and lone surrogates return 400: %j', async (content) => {
  const owner = await world.create('one')
  const body = JSON.stringify({ content })
  for (const [method, path] of [
    ['PUT', `/api/docs/${owner.doc}/content`],
    ['POST', '/new']
  ] as const)
    expect(await world.ask(method, path, { key: owner.key, body, type: 'application/json' })).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', details: [{ path: 'content' }] }
    })
  expect((await owner.read()).content).toBe('one')
})

test('[CONTENT-9] bytes that are not UTF-8 return 400', async () => {
  const owner = await world.create('one')
  const body = Uint8Array.of(0x61, 0xff, 0xfe, 0x62)
  for (const type of ['text/markdown', 'application/json']) expect((await owner.ask('PUT', '/content', { body, type })).status).toBe(400)
  expect((await owner.read()).content).toBe('one')
})

test('[CONTENT-10] text above the limit returns 413 and changes nothing; one at the limit is accepted', { timeout: 30_000 }, async () => {
  const owner = await world.create('one')
  const body = 'x'.repeat(limits.contentUnitsMax + 1)
  expect(await owner.ask('PUT', '/content', { body, type: 'text/markdown' })).toMatchObject({
    status: 413,
    json: { code: 'content_too_large', contentUnitsMax: limits.contentUnitsMax }
  })
  expect(await world.ask('POST', '/new', { body, type: 'text/markdown' })).toMatchObject({ status: 413 })
  const huge = 'y'.repeat(limits.contentBodyBytesMax + 1)
  expect(await owner.ask('PUT', '/content', { body: huge, type: 'text/markdown' })).toMatchObject({
    status: 413,
    json: { code: 'body_too_large' }
  })
  expect((await owner.read()).content).toBe('one')
  expect((await owner.ask('PUT', '/content', { body: body.slice(1), type: 'text/markdown' })).status).toBe(200)
})

test('[CONTENT-11] a PUT of the current text changes neither version nor feed; with a label it saves a revision', async () => {
  const owner = await world.create('same')
  const { latest } = await owner.events({ since: 'latest' })
  const unchanged = { ok: true, version: owner.created.version, changed: false }
  expect(await owner.replace('same')).toEqual({ ...unchanged, revisionId: 1 })
  expect((await owner.ask('POST', '/restore', { json: { revision: 1 } })).json).toEqual({ ...unchanged, revisionId: 1 })
  const answer = await owner.replace('same', { label: 'again' })
  expect(answer).toEqual({ ok: true, version: owner.created.version, revisionId: 2, changed: false })
  expect(await owner.events({ since: latest })).toEqual({ events: [], latest })
})

test('[CONTENT-12] dryRun checks, returns the difference and writes nothing', async () => {
  const owner = await world.create('one\n')
  for (const query of [{ dryRun: 1 }, { dryRun: 'true' }]) {
    const answer = await owner.replace('two\n', { query })
    expect(answer).toMatchObject({ ok: true, version: owner.created.version, revisionId: null, changed: true })
    expect(answer.diff).toContain('-one\n+two')
  }
  await expect(owner.replace('two', { query: { dryRun: 1 }, ifMatch: 'other' })).rejects.toMatchObject({ code: 'version_conflict' })
  await expect(owner.replace('two', { query: { dryRun: 'maybe' } })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await owner.read()).toEqual({ content: 'one\n', version: owner.created.version })
  expect((await owner.revisions()).total).toBe(1)
  expect((await owner.ask('POST', '/restore', { json: { revision: 1, dryRun: true } })).json).toMatchObject({
    revisionId: null,
    changed: false
  })
})

test('[CONTENT-13] typing in a browser makes the version read before it stale at once', async () => {
  const owner = await world.create('one')
  const editor = await owner.connect()
  for (let round = 0; round < 20; round++) {
    const { version } = await owner.read()
    editor.type(0, 'x')
    await until(async () => (await owner.read()).version !== version, 'the edit')
    await expect(owner.replace('lost', { ifMatch: version })).rejects.toMatchObject({ code: 'version_conflict' })
  }
  expect((await owner.read()).content).toBe(`${'x'.repeat(20)}one`)
})

test('[CONTENT-14] a PUT has been sent to every open page when it is answered, and relative positions survive it', async () => {
  const owner = await world.create('# Head\n\nalpha beta gamma\n\nend\n')
  const [ana, ben] = [await owner.connect(), await owner.connect()]
  const anchor = Y.createRelativePositionFromTypeIndex(ana.ytext, ana.text().indexOf('beta'))
  const end = Y.createRelativePositionFromTypeIndex(ana.ytext, ana.text().indexOf('end'))
  const text = '# Other head\n\nnew paragraph\n\nalpha beta delta\n\nend\nmore\n'
  await owner.replace(text)
  await Promise.all([ana.shows(text), ben.shows(text)])
  const indexOf = (position: Y.RelativePosition): number | undefined =>
    Y.createAbsolutePositionFromRelativePosition(position, ana.ydoc)?.index
  expect(indexOf(anchor)).toBe(text.indexOf('beta'))
  expect(indexOf(end)).toBe(text.indexOf('end'))
})

test('[CONTENT-15] concurrent edits of browsers and a guarded PUT lose no keystroke', async () => {
  const owner = await world.create('base\n')
  const editors = await Promise.all([1, 2, 3, 4].map(() => owner.connect()))
  let typed = 0
  const typing = editors.map(async (editor, index) => {
    for (let count = 0; count < 25; count++) {
      editor.type(editor.ytext.length, `<${index}.${count}>`)
      typed++
      await editor.saved()
    }
  })
  const putting = (async () => {
    for (let round = 0; round < 25; round++) {
      const { content, version } = await owner.read()
      await owner.replace(`${content}[put ${round}]`, { ifMatch: version }).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'version_conflict' })
      })
    }
  })()
  await Promise.all([...typing, putting])
  const { content } = await owner.read()
  expect(content.match(/<\d\.\d+>/g)?.length).toBe(typed)
  expect(new Set(content.match(/<\d\.\d+>/g)).size).toBe(typed)
  await Promise.all(editors.map((editor) => editor.shows(content)))
})

test('[CONTENT-16] of 50 simultaneous PUTs with one base version exactly one returns 200', { timeout: 90_000 }, async () => {
  const owner = await world.create('start')
  let version = owner.created.version as string
  for (let round = 0; round < repeats(15, 100); round++) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, agent) =>
        owner.ask('PUT', '/content', { json: { content: `round ${round} agent ${agent}` }, headers: { 'If-Match': version } })
      )
    )
    const won = answers.filter((answer) => answer.status === 200)
    expect(won.length, `round ${round}`).toBe(1)
    expect(answers.filter((answer) => answer.status === 409).length).toBe(49)
    version = won[0]?.json.version
    expect(await owner.read()).toEqual({ content: `round ${round} agent ${answers.findIndex((answer) => answer.status === 200)}`, version })
  }
})

test('[REV-1] revisions are listed newest first, in pages, with cause, author, label and sizes', async () => {
  const owner = await world.create('12345')
  for (let count = 1; count <= 4; count++) await owner.replace(`12345${'x'.repeat(count)}`, { label: `step ${count}`, author: 'Ada' })
  const first = await owner.revisions({ limit: 2 })
  expect(first).toMatchObject({ total: 5, nextBefore: 4 })
  expect(first.revisions).toMatchObject([
    { id: 5, revisionId: 5, cause: 'put', label: 'step 4', author: 'Ada', authors: ['Ada'], size: 9, added: 1, removed: 0 },
    { id: 4 }
  ])
  const second = await owner.revisions({ limit: 2, before: first.nextBefore })
  expect(second.revisions.map((revision: { id: number }) => revision.id)).toEqual([3, 2])
  expect(await owner.revisions({ before: second.nextBefore })).toMatchObject({ revisions: [{ id: 1, cause: 'create' }], nextBefore: null })
})

test('[REV-2] one revision is read with its text, or as plain text; an unknown one returns 404', async () => {
  const owner = await world.create('first')
  await owner.replace('second')
  const json = await owner.ask('GET', '/revisions/1', { headers: { Accept: 'application/json' } })
  expect(json.json).toMatchObject({ revisionId: 1, version: owner.created.version, content: 'first' })
  const text = await owner.ask('GET', '/revisions/1', { headers: { Accept: 'text/markdown' } })
  expect(text).toMatchObject({ status: 200, text: 'first' })
  expect(await owner.ask('GET', '/revisions/9')).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect(await owner.ask('GET', '/revisions/x')).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
})

test('[REV-2] without an Accept header a revision is returned as JSON', async () => {
  const owner = await world.create('first')
  expect((await owner.ask('GET', '/revisions/1')).json).toMatchObject({ revisionId: 1, content: 'first' })
})

test('[REV-3] text typed in browsers is saved as a revision before a PUT replaces it', async () => {
  const owner = await world.create('one')
  const editor = await (await owner.share('edit')).connect()
  editor.type(3, ' typed')
  await editor.saved()
  await owner.replace('two')
  const { revisions } = await owner.revisions()
  expect(revisions).toMatchObject([{ cause: 'put' }, { cause: 'autosave', added: 6, removed: 0 }, { cause: 'create' }])
  expect((await owner.ask('GET', `/revisions/${revisions[1].id}`, { headers: { Accept: 'text/markdown' } })).text).toBe('one typed')
})

test('[REV-4] a pause after typing saves a revision', async () => {
  const clock = testClock()
  const own = await startWorld({ clock })
  const owner = await own.create('one')
  const editor = await owner.connect()
  editor.type(0, 'typed ')
  await editor.saved()
  clock.advance(limits.autosaveQuietMs - 1)
  await own.service.ledger.idle()
  expect((await owner.revisions()).total).toBe(1)
  clock.advance(1)
  await until(async () => (await owner.revisions()).total === 2, 'the autosave')
  expect((await owner.revisions()).revisions[0]).toMatchObject({ cause: 'autosave', size: 9, added: 6 })
  await own.stop()
})

test.each(['revision', 'revisionId', 'id'])(
  '[REV-5] a restore, named by %s, is a new version and keeps the history in between',
  async (name) => {
    const owner = await world.create('first')
    const { version } = await owner.replace('second')
    const editor = await owner.connect()
    editor.type(0, 'unsaved ')
    await editor.saved()
    const { status, json } = await owner.ask('POST', '/restore', { json: { [name]: 1, label: 'back' } })
    expect({ status, ...json }).toMatchObject({ status: 200, ok: true, changed: true })
    expect(await owner.read()).toEqual({ content: 'first', version: json.version })
    await editor.shows('first')
    const { revisions } = await owner.revisions()
    expect(revisions).toMatchObject([
      { id: json.revisionId, cause: 'restore', label: 'back' },
      { cause: 'autosave', size: 14 },
      { cause: 'put', version },
      { cause: 'create' }
    ])
    expect(await owner.at(revisions[1].version)).toBe('unsaved second')
    expect((await owner.events()).events.at(-1)).toMatchObject({ kind: 'content.restored', payload: { revision: 1 } })
  }
)

test('[REV-9] a restore without a version reports what it replaced, and the call that undoes it', async () => {
  const owner = await world.create('first')
  const { version } = await owner.replace('second')
  const { json } = await owner.ask('POST', '/restore', { json: { revision: 1 } })
  expect(json).toMatchObject({ unguarded: true, replaced: { version, revisionId: 2 } })
  expect((await owner.events()).events.at(-1)).toMatchObject({
    kind: 'content.restored',
    payload: { unguarded: true, replacedRevision: 2 }
  })
  const { status } = await world.ask(json.undo.method, json.undo.path, { json: json.undo.body, key: owner.key })
  expect([status, (await owner.read()).content]).toEqual([200, 'second'])
  const guarded = await owner.ask('POST', '/restore', { json: { revision: 1, baseVersion: (await owner.read()).version } })
  expect(guarded.json).not.toHaveProperty('unguarded')
  // The text is the same, so nothing is replaced.
  expect((await owner.ask('POST', '/restore', { json: { revision: 1 } })).json).not.toHaveProperty('unguarded')
})

test('[REV-6] a restore with a stale version returns 409, of an unknown revision 404', async () => {
  const owner = await world.create('first')
  await owner.replace('second')
  expect(await owner.ask('POST', '/restore', { json: { revision: 1, baseVersion: owner.created.version } })).toMatchObject({ status: 409 })
  expect(await owner.ask('POST', '/restore', { json: { revision: 77 } })).toMatchObject({ status: 404 })
  expect(await owner.ask('POST', '/restore', { json: {} })).toMatchObject({ status: 400 })
  expect((await owner.read()).content).toBe('second')
})

test('[REV-8] a restore that keeps later changes by others is a restore in the history and in its event', async () => {
  const owner = await world.create('a\nb\nc\nd\ne\n')
  const { version } = await owner.replace('A\nb\nc\nd\ne\n')
  await owner.replace('A\nb\nc\nd\nE\n')
  const { status, json } = await owner.ask('POST', '/restore', { json: { revision: 1, baseVersion: version, onConflict: 'merge' } })
  expect({ status, merged: json.merged }).toEqual({ status: 200, merged: true })
  expect((await owner.read()).content).toBe('a\nb\nc\nd\nE\n')
  expect((await owner.revisions()).revisions[0]).toMatchObject({ cause: 'restore', version: json.version })
  expect((await owner.events()).events.at(-1)).toMatchObject({ kind: 'content.restored', payload: { revision: 1 } })
  await owner.replace('x\nb\nc\nd\nE\n')
  const again = await owner.ask('POST', '/restore', { json: { revision: 1, baseVersion: version, onConflict: 'merge' } })
  expect(again).toMatchObject({ status: 409, json: { code: 'version_conflict' } })
  expect((await owner.read()).content).toBe('x\nb\nc\nd\nE\n')
})

test.each(['dryRun', 'dryrun', 'dry_run', 'dry-run'])('[CONTENT-17] a dry run under the name %s changes nothing', async (name) => {
  const owner = await world.create('text')
  const looked = await owner.ask('PUT', '/content', { query: { [name]: '1' }, json: { content: 'new' } })
  expect(looked).toMatchObject({ status: 200, json: { changed: true, diff: expect.stringContaining('+new') } })
  for (const [method, path, json] of [
    ['DELETE', ''],
    ['POST', '/shares', { role: 'view' }]
  ] as const)
    expect(await owner.ask(method, path, { query: { [name]: '1' }, ...(json === undefined ? {} : { json }) })).toMatchObject({
      status: 400,
      json: { code: 'invalid_request', details: [{ path: name }] }
    })
  expect((await owner.ask('POST', '/shares', { json: { role: 'view', [name]: true } })).status).toBe(400)
  expect((await owner.read()).content).toBe('text')
  expect((await owner.ask('GET', '/shares')).json.shares).toHaveLength(1)
})

test('[CONTENT-18] a leading byte-order mark is removed, however the text was sent', async () => {
  for (const ask of [{ json: { content: '\uFEFF# A' } }, { body: '\uFEFF# A', type: 'text/markdown' }] as const) {
    const { json } = await world.ask('POST', '/api/docs', ask)
    expect(json.title).toBe('A')
    expect((await world.ask('GET', `/d/${json.id}.md`, { key: json.key })).text).toBe('# A')
  }
})

test('[CONTENT-19] text in another encoding is refused', async () => {
  const owner = await world.create('text')
  expect((await owner.ask('PUT', '/content', { body: 'x', type: 'text/markdown; charset=latin1' })).status).toBe(415)
  expect((await owner.ask('PUT', '/content', { body: 'x', type: 'text/markdown; charset="UTF-8"' })).status).toBe(200)
})
