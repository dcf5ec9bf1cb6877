import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { pageClientId } from '../../shared/text/client-ids.ts'
import { refused, told } from '../support/mcp.ts'
import { type Answer, type Json, type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const edit = (person: Person, operations: unknown[], more: Record<string, unknown> = {}): Promise<Answer> =>
  person.ask('POST', '/edits', { json: { operations, ...more } })

const contentOf = async (person: Person): Promise<string> => (await person.read()).content

const plan = '# Plan\n\nIntro.\n\n## Risks\n\n- one\n- two\n\n## Costs\n\nMuch.\n'

test('[EDIT-1] operations are applied together, in one version and revision, and report where their text is', async () => {
  const owner = await world.create(plan)
  const answer = await edit(owner, [
    { op: 'append', section: 'Risks', markdown: '- three' },
    { op: 'replace', find: 'Intro.', with: 'Hello.' },
    { op: 'replace_section', section: 'Costs', markdown: 'None.' }
  ])
  expect(answer).toMatchObject({ status: 200, json: { ok: true, changed: true } })
  const { content, version } = await owner.read()
  expect(content).toBe('# Plan\n\nHello.\n\n## Risks\n\n- one\n- two\n- three\n\n## Costs\n\nNone.\n')
  expect(answer.json.version).toBe(version)
  expect(answer.json.results.map(({ from, to }: Json) => content.slice(from, to))).toEqual(['- three\n', 'Hello.', '\nNone.\n'])
  expect(answer.json.diff).toContain('+- three')
  const { revisions } = (await owner.ask('GET', '/revisions')).json
  expect(revisions[0]).toMatchObject({ id: answer.json.revisionId, version, cause: 'edit' })
  expect((await owner.events()).events.at(-1)).toMatchObject({ kind: 'content.replaced', version })
})

test('[EDIT-1] one impossible operation refuses all, and all impossible ones are listed', async () => {
  const owner = await world.create('one two two\n')
  const before = await owner.read()
  const answer = await edit(owner, [
    { op: 'replace', find: 'one', with: '1' },
    { op: 'delete', find: 'three' },
    { op: 'delete', find: 'two' }
  ])
  expect(answer).toMatchObject({ status: 422, json: { code: 'target_not_found', operation: 1, currentVersion: before.version } })
  expect(answer.json.failures).toMatchObject([
    { operation: 1, code: 'target_not_found' },
    { operation: 2, code: 'target_ambiguous', candidates: [{ from: 4 }, { from: 8 }] }
  ])
  expect(await owner.read()).toEqual(before)
})

test('[EDIT-20] a write on changed text reports the changes by others; a changed target returns its current lines', async () => {
  const owner = await world.create(plan)
  const { version } = await owner.read()
  expect((await edit(owner, [{ op: 'append', markdown: 'x' }], { baseVersion: version })).json.othersChanged).toBeUndefined()
  const read = await owner.read()
  await owner.replace(read.content.replace('- two', '- two and more').replace('Much.', 'Much more than that.'))
  const now = (await owner.read()).version
  const fits = await edit(owner, [{ op: 'replace', find: 'Intro.', with: 'Hello.' }], { baseVersion: read.version })
  expect(fits.json.othersChanged).toMatchObject({ from: read.version, to: now, diff: expect.stringContaining('+- two and more') })
  const stale = await edit(owner, [{ op: 'replace', find: 'Much.', with: 'Little.' }], { baseVersion: read.version })
  expect(stale).toMatchObject({ status: 409, json: { code: 'target_changed', nearest: [{ line: 12, text: 'Much more than that.' }] } })
  const content = read.content.replace('# Plan', '# The plan')
  const merged = await owner.ask('PUT', '/content', { json: { content, baseVersion: read.version, onConflict: 'merge' } })
  expect(merged.json).toMatchObject({ merged: true, othersChanged: { from: read.version, diff: expect.stringContaining('+Hello.') } })
})

test('[EDIT-20] structured edits, suggestions and short words report the current lines, too', async () => {
  const long = `${'Words before it, '.repeat(12)}the place${', and words behind it'.repeat(12)}`
  const text = `# Work\n\n| Name | Count |\n|---|---|\n| one | 1 |\n| two | 1 |\n\n- [ ] first\n\nA 7.\n\n${long}\n`
  const owner = await world.create(text)
  const { version: baseVersion } = await owner.read()
  const now = text
    .replace('| one | 1 |', '| one | 2 |')
    .replace('first', 'First of all')
    .replace('A 7.', 'A 9.')
    .replace('the place', 'here')
  await owner.replace(`New.\n\n${now}`)
  for (const [operation, ...lines] of [
    [
      { op: 'set_cell', row: 'one', column: 'Count', text: '3' },
      { line: 7, text: '| one | 2 |' }
    ],
    [
      { op: 'check', item: 'first' },
      { line: 10, text: '- [ ] First of all' }
    ],
    [
      { op: 'append_item', item: 'first', markdown: 'x' },
      { line: 10, text: '- [ ] First of all' }
    ],
    [
      { op: 'replace_all', find: '7', with: '8' },
      { line: 12, text: 'A 9.' }
    ],
    [
      { op: 'replace', find: '7', with: '8' },
      { line: 12, text: 'A 9.' }
    ],
    [
      { op: 'replace', find: 'the place', with: 'x' },
      { line: 14, text: expect.stringMatching(/^.{40}here, and words/) }
    ]
  ])
    expect(await edit(owner, [operation], { baseVersion })).toMatchObject({ status: 409, json: { code: 'target_changed', nearest: lines } })
  const suggestion = { operation: 'replace', find: 'A 7.', text: 'A 8.', baseVersion }
  expect(await owner.ask('POST', '/suggestions', { json: suggestion })).toMatchObject({
    status: 409,
    json: { code: 'target_changed', nearest: [{ line: 12, text: 'A 9.' }] }
  })
})

// ——— words that are written differently ———

test.each([
  ['A **bold** word here.', 'bold word', 'plain', 'A plain here.', '**bold** word'],
  ['A **bold** word here.', 'A bold', 'No', 'No word here.', 'A **bold**'],
  ['See `code` and\ngo  on.', 'and go on', 'stop', 'See `code` stop.', 'and\ngo  on'],
  ['An **important** *thing*', 'important thing', 'x', 'An x', '**important** *thing*'],
  ['| a  b | c |\n|---|---|\n| d | e |', 'a b', 'z', '| z | c |\n|---|---|\n| d | e |', 'a  b'],
  ['Un cafe\u0301 noir', 'caf\u00e9', 'th\u00e9', 'Un th\u00e9 noir', 'cafe\u0301'],
  ['Un caf\u00e9 noir', 'cafe\u0301', 'the', 'Un the noir', 'caf\u00e9'],
  ['\u1112\u1161\u11ab\u1100\u1173\u11af', '\ud55c\uae00', 'Hangul', 'Hangul', '\u1112\u1161\u11ab\u1100\u1173\u11af']
])(
  '[EDIT-17] of %j the words %j become %j: the range grows to whole marks, and the answer has the source',
  async (text, find, words, then, matched) => {
    const owner = await world.create(`${text}\n`)
    const { json } = await edit(owner, [{ op: 'replace', find, with: words }])
    expect(await contentOf(owner)).toBe(`${then}\n`)
    expect(json.results[0]).toMatchObject({ exact: false, matched })
  }
)

test.each([
  ['one **two three** four', 'one two', 'x', 'one **two'],
  ['see [the docs](https://a.example) and [more](https://b.example)', 'docs and more', 'x', 'docs](https://a.example) and [more'],
  ['a [link](https://a.example) here', 'link here', 'x', 'link](https://a.example) here'],
  ['| a | b |\n|---|---|\n| c | d |', 'a b', 'x', 'a | b'],
  ['- one\n- two', 'one two', 'x', 'one\n- two'],
  ['> one\n> two', 'one two', 'x', 'one\n> two'],
  ['# One\n\nfirst words', 'One first', 'x', 'One\n\nfirst'],
  ['# One\nfirst words', 'One first', 'x\ny', 'One\nfirst'],
  ['One end.\n\nAnother beginning.', 'end. Another', 'x', 'end.\n\nAnother']
])(
  '[EDIT-18] of %j the words %j are not replaced: the answer has the source to quote, and nothing changes',
  async (text, find, words, source) => {
    const owner = await world.create(text)
    for (const operation of [
      { op: 'replace', find, with: words },
      { op: 'delete', find }
    ])
      expect(await edit(owner, [operation])).toMatchObject({ status: 422, json: { code: 'target_not_found', source } })
    expect(await contentOf(owner)).toBe(text)
    expect((await edit(owner, [{ op: 'replace', find: source, with: words }])).json.results).toMatchObject([{ exact: true }])
  }
)

test.each([
  ['| a | b |\n|---|---|\n| c | d |\n\nEnd.', { after: 'c', markdown: '| e | f |' }, '| a | b |\n|---|---|\n| c | d |\n| e | f |\n\nEnd.'],
  ['- one\n- two', { after: 'one', markdown: '- half\n' }, '- one\n- half\n- two'],
  ['- one\n- two', { before: 'two', markdown: '- half' }, '- one\n- half\n- two'],
  ['1. one\n2. two', { after: 'two', markdown: '3. three' }, '1. one\n2. two\n3. three'],
  ['- one\n- two', { after: 'one', markdown: ' and a half' }, '- one and a half\n- two']
])('[EDIT-19] an insertion that would join two rows or items becomes a separate line: %j', async (text, fields, then) => {
  const owner = await world.create(text)
  const { version } = await owner.read()
  await edit(owner, [{ op: 'insert', ...fields }])
  expect(await contentOf(owner)).toBe(then)
  // The same edit applies to the version that was read, after another line was added before it.
  await owner.replace(`New.\n\n${text}`)
  await edit(owner, [{ op: 'insert', ...fields }], { baseVersion: version })
  expect(await contentOf(owner)).toBe(`New.\n\n${then}`)
})

test('[EDIT-15] words or a section that do not exist return the nearest lines', async () => {
  const owner = await world.create('# Plan\n\nThe first words of it.\n\n## Risks and costs\n\nOther things.\n')
  const nearest = async (operation: object): Promise<Json> => {
    const { status, json } = await edit(owner, [operation])
    expect({ status, code: json.code }).toEqual({ status: 422, code: 'target_not_found' })
    return json.nearest
  }
  expect(await nearest({ op: 'delete', find: 'the frist words of it' })).toEqual([{ line: 3, text: 'The first words of it.' }])
  expect(await nearest({ op: 'append', section: 'Risk and cost', markdown: 'x' })).toEqual([{ line: 5, text: '## Risks and costs' }])
  expect(await nearest({ op: 'delete', find: 'zzz' })).toBeUndefined()
  expect((await owner.ask('GET', '/content', { query: { section: 'Risk and cost' } })).json.nearest).toEqual([
    { line: 5, text: '## Risks and costs' }
  ])
})

test('[EDIT-2] targets refer to the version that was read; other changes since do not matter', async () => {
  const owner = await world.create(plan)
  const { version } = await owner.read()
  await owner.replace(`First.\n\n${plan.replace('- one', '- ONE')}Last.\n`)
  const answer = await edit(
    owner,
    [
      { op: 'replace', find: 'Much.', with: 'Little.' },
      { op: 'append', section: 'Risks', markdown: '- three' },
      { op: 'replace_lines', from: 3, to: 3, markdown: 'Hello.' },
      { op: 'append', markdown: 'The end.' }
    ],
    { baseVersion: version }
  )
  expect(answer.status, answer.text).toBe(200)
  expect(await contentOf(owner)).toBe(
    'First.\n\n# Plan\n\nHello.\n\n## Risks\n\n- ONE\n- two\n- three\n\n## Costs\n\nLittle.\nLast.\n\nThe end.\n'
  )
})

test('[EDIT-2] a change to the target since that version returns 409 and changes nothing', async () => {
  const owner = await world.create(plan)
  const { version } = await owner.read()
  const { version: now } = await owner.replace(plan.replace('Much.', 'Quite much.'))
  const before = await owner.read()
  for (const operation of [
    { op: 'replace_section', section: 'Costs', markdown: 'None.' },
    { op: 'replace_lines', from: 12, to: 12, markdown: 'None.' }
  ])
    expect(await edit(owner, [operation], { baseVersion: version })).toMatchObject({
      status: 409,
      json: { code: 'target_changed', operation: 0, currentVersion: now }
    })
  expect(await owner.read()).toEqual(before)
  expect((await edit(owner, [{ op: 'append', markdown: 'x' }], { baseVersion: '9-000000000000' })).json.code).toBe('unknown_version')
})

test('[EDIT-3] eight programs each edit a section of one version at once: no conflicts, nothing lost', async () => {
  const sections = Array.from({ length: 8 }, (_, index) => `## Part ${index}\n\nText ${index}.\n`)
  const owner = await world.create(sections.join('\n'))
  const { version } = await owner.read()
  const answers = await Promise.all(
    sections.map((_section, index) =>
      edit(owner, [{ op: 'replace_section', section: `Part ${index}`, markdown: `New ${index}.` }], { baseVersion: version })
    )
  )
  expect(answers.map(({ status }) => status)).toEqual(sections.map(() => 200))
  expect(await contentOf(owner)).toBe(sections.map((_section, index) => `## Part ${index}\n\nNew ${index}.\n`).join('\n'))
})

test('[EDIT-4] operations on the same text are refused and named', async () => {
  const owner = await world.create(plan)
  expect(
    await edit(owner, [
      { op: 'delete', find: 'Much.' },
      { op: 'replace', find: 'Intro.', with: 'x' },
      { op: 'replace_section', section: 'Costs', markdown: 'x' }
    ])
  ).toMatchObject({ status: 400, json: { code: 'invalid_request', operations: [0, 2] } })
  // Adjacent edits do not overlap, and additions at the same place keep their order.
  await edit(owner, [
    { op: 'insert', markdown: 'a', after: 'Intro.' },
    { op: 'insert', markdown: 'b', after: 'Intro.' }
  ])
  expect(await contentOf(owner)).toContain('Intro.ab\n')
})

test('[EDIT-5] a dry run returns the same and writes nothing', async () => {
  const owner = await world.create(plan)
  const before = await owner.read()
  const answer = await edit(owner, [{ op: 'replace', find: 'Much.', with: 'None.' }], { dryRun: true })
  expect(answer.json).toMatchObject({ ok: true, changed: true, version: before.version, revisionId: null, results: [{ ok: true }] })
  expect(answer.json.diff).toContain('-Much.\n+None.')
  expect(await owner.read()).toEqual(before)
})

test('[EDIT-6] [SUGG-110] mode=suggest proposes each change, for which the suggest role is enough; writing needs edit', async () => {
  const owner = await world.create(plan)
  const reviewer = await owner.share('suggest')
  const operations = [
    { op: 'replace', find: 'Much.', with: 'None.' },
    { op: 'append', section: 'Risks', markdown: '- three' }
  ]
  const refused = { code: 'forbidden', requiredRole: 'edit', hint: expect.stringContaining('mode=suggest') }
  expect(await edit(reviewer, operations)).toMatchObject({ status: 403, json: refused })
  const answer = await edit(reviewer, operations, { mode: 'suggest', label: 'Shorter' })
  expect(answer).toMatchObject({ status: 200, json: { changed: false, setId: expect.any(String) } })
  expect(answer.json.suggestions).toHaveLength(2)
  expect(await contentOf(owner)).toBe(plan)
  for (const { id, setId, note } of answer.json.suggestions) {
    expect({ setId, note }).toEqual({ setId: answer.json.setId, note: 'Shorter' })
    expect((await owner.ask('POST', `/suggestions/${id}`, { json: { action: 'accept' } })).status).toBe(200)
  }
  expect(await contentOf(owner)).toBe(plan.replace('- two\n', '- two\n- three\n').replace('Much.', 'None.'))
})

test('[EDIT-7] open pages get a minimal change: text typed elsewhere and cursors stay', async () => {
  const owner = await world.create(plan)
  const ana = await owner.connect()
  ana.type(0, 'typed ')
  const answer = await edit(owner, [{ op: 'replace_section', section: 'Risks', markdown: '- one\n- two\n- three' }])
  expect(answer.status).toBe(200)
  await ana.shows((shown) => shown.includes('typed ') && shown.includes('- three'))
  expect(ana.text()).toBe(await contentOf(owner))
})

test.each([
  [{ edits: [{ type: 'append', text: 'x' }] }],
  [{ ops: [{ operation: 'append', content: 'x' }] }],
  [{ op: 'append', markdown: 'x' }],
  [{ operations: { op: 'append', markdown: 'x' } }],
  [{ operations: [{ op: 'insert', section: 'Costs', text: 'x' }] }],
  [{ operations: [{ op: 'replace', find: 'Much.\n', replacement: 'Much.\n\nx\n' }] }]
])('[EDIT-8] %j is accepted', async (json) => {
  const owner = await world.create(plan)
  for (const [method, path] of [
    ['POST', '/edits'],
    ['PATCH', '/content']
  ] as const) {
    const answer = await owner.ask(method, path, { json })
    expect(answer.status, answer.text).toBe(200)
  }
  expect(await contentOf(owner)).toBe(`${plan}\nx\n\nx\n`)
})

test.each([
  [{}, 'operations'],
  [{ operations: [] }, 'operations'],
  [{ operations: 'x' }, 'operations'],
  [{ operations: [null] }, 'operations.0'],
  [{ operations: [{ op: 'explode' }] }, 'operations.0.op'],
  [{ operations: [{ op: 'replace', find: '', with: 'x' }] }, 'operations.0.find'],
  [{ operations: [{ op: 'replace', find: 'x' }] }, 'operations.0.with'],
  [{ operations: [{ op: 'insert', markdown: 'x' }] }, 'operations.0'],
  [{ operations: [{ op: 'insert', markdown: 'x', at: 'end', after: 'y' }] }, 'operations.0'],
  [{ operations: [{ op: 'replace_lines', from: 0, to: 1, markdown: '' }] }, 'operations.0.from'],
  [{ operations: [{ op: 'append', markdown: 'a\0b' }] }, 'operations.0.markdown'],
  [{ operations: [{ op: 'append', markdown: 'x' }], mode: 'maybe' }, 'mode'],
  [{ operations: Array.from({ length: limits.editOperationsMax + 1 }, () => ({ op: 'append', markdown: 'x' })) }, 'operations']
])('[EDIT-9] %j returns 400 at %s and changes nothing', async (json, path) => {
  const owner = await world.create(plan)
  expect(await owner.ask('POST', '/edits', { json })).toMatchObject({ status: 400, json: { code: 'invalid_request', details: [{ path }] } })
  expect(await contentOf(owner)).toBe(plan)
})

test.each([
  [{ op: 'replace', find: 'Much.', with: 'x', occurence: 1 }, 'occurence; did you mean occurrence?'],
  [{ op: 'delete', find: 'Much.', with: 'x' }, 'with'],
  [{ op: 'insert', section: 'Costs', after: 'Much.', markdown: 'x' }, 'after'],
  [{ op: 'append', markdown: 'x', sction: 'Costs' }, 'sction; did you mean section?'],
  [
    { op: 'delete', text: 'Much.', occurence: 1, foo: 1 },
    'text (did you mean find?), no field occurence (did you mean occurrence?), no field foo; its fields are op, find'
  ],
  [
    { op: 'replace', find: 'a', with: 'b', before: 'x', cell: 'B2' },
    'before (did you mean prefix?), no field cell (did you mean op set_cell?)'
  ],
  [{ op: 'append', markdown: 'x', after: 'Much.' }, 'after; did you mean op insert?']
])('[EDIT-14] a field that an operation does not have is refused, with the likely one: %j', async (operation, said) => {
  const owner = await world.create(plan)
  for (const json of [{ operations: [operation] }, operation])
    expect(await owner.ask('POST', '/edits', { json })).toMatchObject({
      status: 400,
      json: {
        code: 'invalid_request',
        details: expect.arrayContaining([{ path: 'operations.0', message: expect.stringContaining(`has no field ${said}`) }])
      }
    })
  expect(await contentOf(owner)).toBe(plan)
})

test.each([
  [{ op: 'remove', text: 'Much.' }, '"delete", "replace",', 'delete has no field text; did you mean find?'],
  [{ op: 'repalce', find: 'Much.', with: 'x' }, '"replace", "delete",', ''],
  [{ op: 'x'.repeat(5000), find: 'Much.' }, '"replace", "delete",', ''],
  [{ op: 'constructor' }, '"replace", "delete",', ''],
  [{ old: 'Much.', new: 'x' }, '"replace", "delete",', 'replace has no field old (did you mean find?), no field new (did you mean with?)'],
  [{ row: 1, col: 2, newValue: 'x' }, '"set_cell", "replace",', 'no field newValue (did you mean text?)']
])('[EDIT-14] an unknown op returns the existing ones, the nearest first: %j', async (operation, first, said) => {
  const owner = await world.create(plan)
  const { status, json } = await owner.ask('POST', '/edits', { json: { operations: [operation] } })
  expect(status).toBe(400)
  expect(json.details).toEqual([{ path: 'operations.0.op', message: expect.stringContaining(said) }])
  expect(json.details[0].message).toContain(`must be one of ${first}`)
  expect(await contentOf(owner)).toBe(plan)
})

test('[EDIT-10] edits without an effect write nothing; text that would be too large returns 413', async () => {
  const owner = await world.create(plan)
  const before = await owner.read()
  expect((await edit(owner, [{ op: 'replace', find: 'Much.', with: 'Much.' }])).json).toMatchObject({
    changed: false,
    version: before.version
  })
  expect(
    (await edit(owner, [{ op: 'set_document', markdown: 'x'.repeat(limits.contentUnitsMax + 1) }], { baseVersion: before.version })).json
      .code
  ).toBe('content_too_large')
  expect(await owner.read()).toEqual(before)
})

test('[EDIT-11] an insertion directly before or after replaced words is not a change to the same text', async () => {
  const owner = await world.create(plan)
  const answer = await edit(owner, [
    { op: 'replace', find: 'Much', with: 'Little' },
    { op: 'insert', markdown: 'Not ', before: 'Much' },
    { op: 'insert', markdown: ' at all', after: 'Much' }
  ])
  expect(answer.status, answer.text).toBe(200)
  expect(await contentOf(owner)).toBe(plan.replace('Much', 'Not Little at all'))
  const results = answer.json.results.map(({ from, to }: { from: number; to: number }) =>
    plan.replace('Much', 'Not Little at all').slice(from, to)
  )
  expect(results).toEqual(['Little', 'Not ', ' at all'])
})

test('[EDIT-12] an insertion follows the words next to it, or the ends of the document; other changes next to them are no conflict', async () => {
  const owner = await world.create(plan)
  const { version: baseVersion } = await owner.read()
  await owner.replace(`Before.\n\n${plan.replace('Intro.', 'Begin.').replace('Much.', 'Little.')}`)
  const operations = [
    { op: 'insert', markdown: 'One.\n\n', after: '# Plan\n\n' },
    { op: 'insert', markdown: '\nTwo.', before: '\n\n## Risks' },
    { op: 'insert', markdown: 'Start.', at: 'start' },
    { op: 'insert', markdown: 'End.', at: 'end' }
  ]
  const answer = await owner.ask('POST', '/edits', { json: { operations, baseVersion } })
  expect(answer.status, answer.text).toBe(200)
  const expected = plan.replace('Intro.', 'One.\n\nBegin.\nTwo.').replace('Much.', 'Little.')
  expect(await contentOf(owner)).toBe(`Start.\n\nBefore.\n\n${expected}\nEnd.\n`)
  const gone = { operations: [{ op: 'insert', markdown: '!', after: 'Much.' }], baseVersion }
  expect((await owner.ask('POST', '/edits', { json: gone })).json.code).toBe('target_changed')
})

test('[EDIT-16] text that a program adds where somebody types splits neither their line nor their word', async () => {
  for (const [typed = '', after = ''] of [
    ['Hello my dear ', ''],
    ['Hello my dear ', '\n# Next\n\nText.\n'],
    ['Hello my dear', ''],
    ['Hello my dear', '\n\n# Next\n']
  ]) {
    const owner = await world.create(`# Top\n\n${typed}${after}`)
    const answer = await edit(owner, [{ op: 'append', ...(after === '' ? {} : { section: 'Top' }), markdown: '- a line' }])
    expect(answer.status, answer.text).toBe(200)
    const content = await contentOf(owner)
    expect(content.startsWith(`# Top\n\n${typed}\n\n- a line\n`), JSON.stringify(content)).toBe(true)
    expect(content.endsWith(after === '' ? '\n' : after.trimStart())).toBe(true)
  }
  // Both edits are made at once, so that neither is based on the other.
  for (let round = 0; round < 8; round++) {
    const owner = await world.create('one two thr')
    const ydoc = new Y.Doc()
    ydoc.clientID = pageClientId()
    const page = await owner.connect({ ydoc })
    const { websocketProvider } = page.provider.configuration
    websocketProvider.disconnect()
    page.type(page.text().length, 'ee')
    page.type(page.text().length, ' four')
    await edit(owner, [{ op: 'append', markdown: '- a line' }])
    await websocketProvider.connect()
    await page.saved()
    expect(await contentOf(owner)).toBe('one two three four\n\n- a line\n')
  }
})

test('[EDIT-13] words keep their identity when everything around them is edited; the same words in replaced text are different words', async () => {
  const lines = (name: string): string => `${name}1 ${name}2 ${name}3\n`.repeat(4)
  const owner = await world.create(`## A 7\n\n${lines('old')}`)
  const { version: baseVersion } = await owner.read()
  const around = await edit(owner, [{ op: 'replace', find: lines('old'), with: lines('new') }], { baseVersion })
  expect(around.status, around.text).toBe(200)
  const insert = [{ op: 'insert', after: '## A 7\n\n', markdown: 'added\n' }]
  const other = await edit(owner, insert, { baseVersion })
  expect(other.status, other.text).toBe(200)
  expect(await contentOf(owner)).toBe(`## A 7\n\nadded\n${lines('new')}`)
  await owner.replace(`It costs 7\n\neach, and nobody has said why.\n`)
  expect((await edit(owner, [{ op: 'replace', find: '7', with: '8' }], { baseVersion })).json.code).toBe('target_changed')
})

const tasks = '# Work\n\n| Name | Count |\n|---|---|\n| one | 1 |\n\n- [ ] first\n- [ ] second\n'

test('[EDIT-24] structured edits follow their targets, and rows added at once are both kept', async () => {
  const owner = await world.create(tasks)
  const { version } = await owner.read()
  await owner.replace(tasks.replace('# Work', '# Our work').replace('| one | 1 |', '| one | 2 |'))
  const rows = await Promise.all(
    [1, 2].map((number) => edit(owner, [{ op: 'append_row', cells: [`new ${number}`] }], { baseVersion: version }))
  )
  expect(rows.map(({ status }) => status)).toEqual([200, 200])
  const more = await edit(
    owner,
    [
      { op: 'check', item: 'second' },
      { op: 'append_item', section: 'Work', markdown: 'third' },
      { op: 'replace_all', find: 'first', with: '1st', expected: 1 }
    ],
    { baseVersion: version }
  )
  expect(more).toMatchObject({ status: 200, json: { results: [{ ok: true }, { ok: true }, { ok: true }] } })
  const { content } = await owner.read()
  expect(content).toMatch(
    /^# Our work\n\n\| Name \| Count \|\n\|---\|---\|\n\| one \| 2 \|\n(\| new [12] \|  \|\n){2}\n- \[ \] 1st\n- \[x\] second\n- \[ \] third\n$/
  )
  const changed = await edit(owner, [{ op: 'set_cell', row: 'one', column: 'Count', text: '3' }], { baseVersion: version })
  expect(changed).toMatchObject({ status: 409, json: { code: 'target_changed' } })
  expect((await edit(owner, [{ op: 'set_cell', row: 'one', column: 'Count', text: '3' }])).status).toBe(200)
})

test('[EDIT-26] an item, row or column named differently is returned as written in the text', async () => {
  const text = tasks.replace('first', '**Walk** dog')
  const owner = await world.create(text)
  const { version: baseVersion } = await owner.read()
  await owner.replace(`New.\n\n${text}`)
  const resultOf = async (operation: object, more: object = {}): Promise<Json> => {
    const { json, text: said } = await edit(owner, [operation], { dryRun: true, ...more })
    return json.results?.[0] ?? said
  }
  for (const more of [{}, { baseVersion }]) {
    expect(await resultOf({ op: 'check', item: 'Walk' }, more)).toMatchObject({ exact: false, matched: '**Walk** dog' })
    expect(await resultOf({ op: 'append_item', item: 'dog', markdown: 'x' }, more)).toMatchObject({ exact: false, matched: '**Walk** dog' })
    expect(await resultOf({ op: 'check', item: 'SECOND' }, more)).toMatchObject({ exact: false, matched: 'second' })
    expect(await resultOf({ op: 'check', item: '**Walk** dog' }, more)).toMatchObject({ exact: true })
    const cell = { op: 'set_cell', text: 'x' }
    expect(await resultOf({ ...cell, row: 'ONE', column: 'count' }, more)).toMatchObject({ exact: false, matched: 'one, Count' })
    for (const [row, column] of [
      ['one', 'Count'],
      [1, 2]
    ])
      expect(await resultOf({ ...cell, row, column }, more)).toMatchObject({ exact: true })
  }
})

test('[EDIT-27] words that occur elsewhere, or less often, are returned with their places', async () => {
  const text = 'Same. Same.\n\nother\n\nSame.\n'
  const owner = await world.create(text)
  const many = await world.create('x '.repeat(30))
  for (const [doc, which, message, lines] of [
    [owner, { occurrence: 9 }, 'This text occurs 3 times in the document, so there is no occurrence 9.', [1, 1, 5]],
    [owner, { line: 3 }, 'This text does not begin on line 3, but on 1, 5.', [1, 1, 5]],
    [owner, { line: 5, occurrence: 2 }, 'This text occurs once on line 5, so there is no occurrence 2.', [5]],
    [
      many,
      { find: 'x', occurrence: 31 },
      'This text occurs fewer than 31 times in the document, so there is no occurrence 31.',
      Array.from({ length: 20 }, () => 1)
    ]
  ] as const) {
    const target = { find: 'Same.', ...which }
    const before = await doc.read()
    for (const [answer, said] of [
      [await edit(doc, [{ op: 'replace', ...target, with: 'New.' }]), `Operation 0: ${message}`],
      [await doc.ask('POST', '/comments', { json: { body: 'Which?', ...target } }), message]
    ] as const) {
      expect(answer).toMatchObject({ status: 422, json: { code: 'target_not_found', message: said } })
      expect(answer.json.candidates.map((each: Json) => each.line)).toEqual(lines)
    }
    expect(await doc.read()).toEqual(before)
  }
  // The error for words that do not occur at all stays the same.
  const { json } = await edit(owner, [{ op: 'replace', find: 'Sane.', occurrence: 2, with: 'New.' }])
  expect(json.message).toBe('Operation 0: The text does not contain "Sane.".')
})

test('[EDIT-21] structured edits can be proposed and tried out like others', async () => {
  const owner = await world.create(tasks)
  const operations = [
    { op: 'check', item: 'first', checked: true },
    { op: 'set_cell', row: 1, column: 2, value: 'a|b' }
  ]
  const dry = await edit(owner, operations, { dryRun: true })
  expect(dry.json.diff).toContain('+| one | a\\|b |')
  const proposed = await edit(owner, operations, { mode: 'suggest' })
  expect(proposed.json.suggestions).toHaveLength(2)
  expect((await owner.read()).content).toBe(tasks)
})

test('[EDIT-22] one result covers all places, with their number', async () => {
  const owner = await world.create('a b a b a\n')
  const answer = await edit(owner, [{ op: 'replace_all', find: 'a', with: 'see' }])
  expect(answer.json.results).toEqual([{ ok: true, exact: true, from: 0, to: 15, count: 3 }])
})

test('[EDIT-28] a section replaced without a version is reported with its old text, and the named call undoes it', async () => {
  const owner = await world.create(plan)
  const { version } = await owner.read()
  const operations = [{ op: 'replace_section', section: 'Costs', markdown: 'None.' }]
  const headers = { 'X-Agent-Author': 'Ben' }
  const { json } = await owner.ask('POST', '/edits', { json: { operations }, headers })
  expect(json).toMatchObject({ changed: true, unguarded: true, replaced: { version, revisionId: 1 } })
  expect((await owner.events()).events.at(-1)).toMatchObject({
    type: 'content.replaced',
    actor: 'Ben',
    payload: { unguarded: true, partial: true, replacedRevision: 1 }
  })
  expect((await world.ask(json.undo.method, json.undo.path, { key: owner.key, json: json.undo.body })).status).toBe(200)
  expect(await contentOf(owner)).toBe(plan)
  // A version that was read satisfies the check. So do an empty section, a dry run, and other kinds of edits.
  const now = (await owner.read()).version
  for (const more of [{ baseVersion: now, dryRun: true }, { dryRun: true }, { mode: 'suggest' }, { baseVersion: now }])
    expect((await edit(owner, operations, more)).json, JSON.stringify(more)).not.toHaveProperty('unguarded')
  await owner.replace('# Plan\n\n## Costs\n')
  expect((await edit(owner, operations)).json).not.toHaveProperty('unguarded')
  expect((await edit(owner, [{ op: 'append', section: 'Costs', markdown: 'x' }])).json).not.toHaveProperty('unguarded')
})

test('[EDIT-28] an operator and the tool can require the version', async () => {
  const strict = await startWorld({ env: { AGMD_REQUIRE_VERSION: 'on' } })
  const doc = await strict.create(plan)
  const operations = [{ op: 'replace_section', section: 'Costs', markdown: 'None.' }]
  for (const [method, path] of [
    ['POST', '/edits'],
    ['PATCH', '/content']
  ] as const)
    expect(await doc.ask(method, path, { json: { operations } })).toMatchObject({ status: 428, json: { code: 'version_required' } })
  expect((await edit(doc, [{ op: 'replace', find: 'Much.', with: 'Little.' }])).status).toBe(200)
  await strict.stop()

  const owner = await world.create(plan)
  const before = await owner.read()
  const at = { doc: owner.doc, key: owner.key }
  expect((await refused(world.url, 'replace_doc', { ...at, edits: operations })).code).toBe('version_required')
  expect((await told(world.url, 'replace_doc', { ...at, edits: operations, mode: 'suggest' })).suggestions).toHaveLength(1)
  expect((await told(world.url, 'replace_doc', { ...at, edits: operations, dryRun: true })).diff).toContain('+None.')
  expect(await owner.read()).toEqual(before)
})

test('[EDIT-29] lines, cells by number and sections are proposed without a version; each suggestion shows what it replaces', async () => {
  const table = '| a | b |\n|---|---|\n| c | d |\n'
  const owner = await world.create(`${plan}\n${table}`)
  const reviewer = await owner.share('suggest')
  const before = await owner.read()
  const proposals = async (operation: object, more: object = {}): Promise<Json> => {
    const { status, json } = await edit(reviewer, [operation], { mode: 'suggest', ...more })
    expect(status, JSON.stringify(json)).toBe(200)
    return json.suggestions
  }
  const lines = { op: 'replace_lines', from: 12, to: 12, markdown: 'None.' }
  expect(await proposals(lines, { granularity: 'paragraph' })).toMatchObject([{ line: 12, original: 'Much.', text: 'None.' }])
  expect(await proposals({ op: 'set_cell', row: 1, column: 2, text: 'e' })).toMatchObject([{ original: 'd', text: 'e' }])
  const section = { op: 'replace_section', section: 'Risks', markdown: 'Few.' }
  expect(await proposals(section, { granularity: 'paragraph' })).toMatchObject([{ original: '- one\n- two', text: 'Few.' }])
  expect(await owner.read()).toEqual(before)
  const [suggestion] = await proposals(lines, { baseVersion: before.version })
  expect((await owner.ask('POST', `/suggestions/${suggestion.id}`, { json: { action: 'accept' } })).status).toBe(200)
  expect(await contentOf(owner)).toBe(`${plan.replace('Much.', 'None.')}\n${table}`)
})

test('[EDIT-30] edits, merges, comments and suggestions succeed although others write before and after their place at each attempt', async () => {
  const own = await startWorld()
  const filler = `${'A line of some text.\n'.repeat(2000)}`
  const owner = await own.create(`start\n${filler}middle\n${filler}end\n`)
  expect(filler.length).toBeGreaterThan(limits.textInlineUnitsMax)
  const { version } = await owner.read()
  const { texts } = own.service
  const usual = texts.do.bind(texts) as (...job: readonly unknown[]) => Promise<unknown>
  let isOthers = false
  let jobs = 0
  Object.assign(texts, {
    async do(...job: readonly unknown[]) {
      if (isOthers) return usual(...job)
      const result = await usual(...job)
      isOthers = true
      jobs++
      const operations = [
        { op: 'insert', at: 'start', markdown: `first ${jobs}\n` },
        { op: 'append', markdown: `last ${jobs}\n` }
      ]
      expect((await edit(owner, operations)).status).toBe(200)
      isOthers = false
      return result
    }
  })
  const insert = [{ op: 'insert', after: 'middle\n', markdown: 'by an edit\n' }]
  expect(await edit(owner, insert)).toMatchObject({ status: 200 })
  const merged = { content: `start\n${filler}middle\n${filler}by a merge\nend\n`, baseVersion: version, onConflict: 'merge' }
  expect(await owner.ask('PUT', '/content', { json: merged })).toMatchObject({ status: 200, json: { merged: true } })
  expect(await owner.ask('POST', '/comments', { json: { find: 'middle', body: 'Here.' } })).toMatchObject({ status: 201 })
  const replace = { operation: 'replace', find: 'middle', text: 'center' }
  expect(await owner.ask('POST', '/suggestions', { json: replace })).toMatchObject({ status: 201 })
  const { content } = await owner.read()
  const proposal = { content: content.replace('middle', 'centre'), mode: 'suggest' }
  expect(await owner.ask('PUT', '/content', { json: proposal })).toMatchObject({
    status: 200,
    json: { suggestions: [{ original: 'middle' }] }
  })
  const after = (await owner.read()).content
  expect(after.match(/by an edit|by a merge|first \d+|last \d+/g)).toHaveLength(2 + 2 * jobs)
  await own.stop()
})

test('[EDIT-25] an edit of more places than the limit is refused', async () => {
  const text = 'a '.repeat(limits.editPlacesMax + 1)
  const owner = await world.create(text)
  expect(await edit(owner, [{ op: 'replace_all', find: 'a', with: 'b' }])).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  expect((await owner.read()).content).toBe(text)
})
