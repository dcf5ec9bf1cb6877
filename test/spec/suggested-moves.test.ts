import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withAnnotationsRead } from '../../server/domain/review/annotated-document.ts'
import { createMovesNow } from '../../server/domain/review/moves-now.ts'
import { movesWanted } from '../../server/domain/review/verdicts.ts'
import { diff } from '../../shared/text/diff.ts'
import { decide, readSuggestion, suggest } from '../support/annotations.ts'
import { type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const board = (...lines: readonly string[]): string => `Plan\n\n\`\`\`board\n${lines.join('\n')}\n\`\`\`\n\nEnd\n`

const content = async (person: Person): Promise<string> => (await person.read()).content

interface Suggested {
  readonly owner: Person
  readonly id: string
}

/** Types changes to the text one after the other. */
const changeText = async (owner: Person, changes: readonly [string, string][]): Promise<void> => {
  const editor = await owner.connect()
  for (const [before, after] of changes) {
    const start = editor.text().indexOf(before)
    expect(start).not.toBe(-1)
    for (const { from, to, insert } of diff(before, after).toReversed()) {
      if (to > from) editor.erase(start + from, to - from)
      if (insert !== '') editor.type(start + from, insert)
    }
  }
  await editor.saved()
  editor.close()
}

/** Suggests to replace `original`, and then changes the text of the document in steps. */
const suggestedIn = async (
  text: string,
  original: string,
  proposed: string,
  ...changes: readonly [string, string][]
): Promise<Suggested> => {
  const owner = await world.create(text)
  const { id } = await suggest(await owner.share('suggest'), { operation: 'replace', find: original, text: proposed })
  await changeText(owner, changes)
  return { owner, id }
}

const cards = ['## To do', '- [ ] One', '- [ ] Two', '  More about two', '- [ ] Three', '', '## Done', '- [x] Four', '- [x] Five']
/** The suggestion moves the card “Two” to “Done”, above “Five”. */
const original = '- [ ] Two\n  More about two\n- [ ] Three\n\n## Done\n- [x] Four'
const proposed = '\n\n- [ ] Three\n\n## Done\n- [x] Four\n- [x] Two\n  More about two'
/** The lines of the board that are not empty. */
const linesOf = (text: string): string[] => (/```board\n([^]*?)```/.exec(text)?.[1] ?? '').split('\n').filter((line) => line.trim() !== '')

describe('a suggested move of a card', () => {
  test.each<[string, [string, string][], string[]]>([
    ['nothing', [], ['## To do', '- [ ] One', '- [ ] Three', '## Done', '- [x] Four', '- [x] Two', '  More about two', '- [x] Five']],
    [
      'an added card',
      [['- [ ] Three', '- [ ] Three\n- [ ] New']],
      ['## To do', '- [ ] One', '- [ ] Three', '- [ ] New', '## Done', '- [x] Four', '- [x] Two', '  More about two', '- [x] Five']
    ],
    [
      'another title and more details of the card',
      [['Two\n  More about two', 'Two and a half\n  More about two\n  Even more']],
      [
        '## To do',
        '- [ ] One',
        '- [ ] Three',
        '## Done',
        '- [x] Four',
        '- [x] Two and a half',
        '  More about two',
        '  Even more',
        '- [x] Five'
      ]
    ],
    [
      'a changed card and a renamed column',
      [
        ['- [ ] Three', '- [>] Third'],
        ['## Done', '## Doing']
      ],
      ['## To do', '- [ ] One', '- [>] Third', '## Doing', '- [x] Four', '- [>] Two', '  More about two', '- [x] Five']
    ],
    [
      'a new column and a deleted card',
      [['- [ ] Three\n', '\n## Doing\n- [>] Six\n']],
      ['## To do', '- [ ] One', '## Doing', '- [>] Six', '## Done', '- [x] Four', '- [x] Two', '  More about two', '- [x] Five']
    ],
    [
      'a moved card',
      [
        ['- [ ] Two\n  More about two\n', ''],
        ['- [ ] One', '- [ ] Two\n  More about two\n- [ ] One']
      ],
      ['## To do', '- [ ] One', '- [ ] Three', '## Done', '- [x] Four', '- [x] Two', '  More about two', '- [x] Five']
    ]
  ])('[SUGG-100] is accepted after %s', async (_name, changes, expected) => {
    const { owner, id } = await suggestedIn(board(...cards), original, proposed, ...changes)
    expect((await decide(owner, id, 'accept')).status).toBe(200)
    expect(linesOf(await content(owner))).toEqual(expected)
    expect((await readSuggestion(owner, id)).change).toMatchObject({ kind: 'card.move' })
  })
  const all = board(...cards)
  test.each<[string, string, string, [string, string][], string[]]>([
    [
      'after its neighbor above',
      original,
      proposed,
      [['- [x] Four\n', '- [x] Four\n- [x] New\n']],
      ['## To do', '- [ ] One', '- [ ] Three', '## Done', '- [x] Four', '- [x] Two', '  More about two', '- [x] New', '- [x] Five']
    ],
    [
      'to the end if its neighbor was deleted',
      original,
      proposed,
      [['- [x] Four\n', '']],
      ['## To do', '- [ ] One', '- [ ] Three', '## Done', '- [x] Five', '- [x] Two', '  More about two']
    ],
    [
      'to the end if its neighbor was moved to another column',
      original,
      proposed,
      [
        ['- [x] Four\n', ''],
        ['- [ ] Three', '- [ ] Three\n- [ ] Four']
      ],
      ['## To do', '- [ ] One', '- [ ] Three', '- [ ] Four', '## Done', '- [x] Five', '- [x] Two', '  More about two']
    ],
    [
      'before its neighbor below, in a column above',
      '- [ ] Two\n  More about two\n- [ ] Three\n\n## Done\n- [x] Four\n- [x] Five',
      '- [ ] Five\n- [ ] Two\n  More about two\n- [ ] Three\n\n## Done\n- [x] Four\n',
      [
        ['- [ ] One', '- [ ] One\n- [ ] New'],
        ['- [x] Four', '- [x] Fourth'],
        ['## Done', '## Doing\n- [>] Six\n\n## Done']
      ],
      [
        '## To do',
        '- [ ] One',
        '- [ ] New',
        '- [ ] Five',
        '- [ ] Two',
        '  More about two',
        '- [ ] Three',
        '## Doing',
        '- [>] Six',
        '## Done',
        '- [x] Fourth'
      ]
    ],
    [
      'to the end of a column above if its neighbor was moved down',
      '- [ ] Three\n\n## Done\n- [x] Four\n- [x] Five',
      '- [ ] Five\n- [ ] Three\n\n## Done\n- [x] Four\n',
      [
        ['- [ ] Three\n', ''],
        ['- [x] Four', '- [x] Four\n- [x] Three']
      ],
      ['## To do', '- [ ] One', '- [ ] Two', '  More about two', '- [ ] Five', '## Done', '- [x] Four', '- [x] Three']
    ],
    [
      'to the end of a column above',
      '## Done\n- [x] Four',
      '- [ ] Four\n## Done\n',
      [['- [ ] Three', '- [ ] Three\n- [ ] New']],
      ['## To do', '- [ ] One', '- [ ] Two', '  More about two', '- [ ] Three', '- [ ] New', '- [ ] Four', '## Done', '- [x] Five']
    ],
    [
      'with details that were added below it',
      '- [ ] Three\n\n## Done\n- [x] Four',
      '- [ ] Four\n- [ ] Three\n\n## Done\n',
      [['- [x] Four', '- [x] Four\n  New']],
      ['## To do', '- [ ] One', '- [ ] Two', '  More about two', '- [ ] Four', '  New', '- [ ] Three', '## Done', '- [x] Five']
    ],
    [
      'within its column',
      '- [ ] One\n- [ ] Two\n  More about two',
      '\n- [ ] Two\n  More about two\n- [ ] One',
      [
        ['- [ ] Two', '- [ ] New\n- [>] Two'],
        ['- [ ] One', '- [ ] One more']
      ],
      ['## To do', '- [ ] New', '- [>] Two', '  More about two', '- [ ] One more', '- [ ] Three', '## Done', '- [x] Four', '- [x] Five']
    ]
  ])('[SUGG-101] puts the card %s', async (_name, before, after, changes, expected) => {
    const { owner, id } = await suggestedIn(all, before, after, ...changes)
    expect((await decide(owner, id, 'accept')).status).toBe(200)
    expect(linesOf(await content(owner))).toEqual(expected)
  })

  test('[SUGG-102] is undone after others changed lines around it before or after the acceptance, and can be accepted again', async () => {
    const { owner, id } = await suggestedIn(all, original, proposed, ['- [ ] Three', '- [ ] Three\n- [ ] New'])
    const before = await content(owner)
    await decide(owner, id, 'accept')
    expect((await decide(owner, id, 'reopen')).status).toBe(200)
    expect(await content(owner)).toBe(before)
    await decide(owner, id, 'accept')
    await changeText(owner, [['- [ ] New', '- [ ] Newer\n- [ ] Newest']])
    expect((await decide(owner, id, 'reopen')).status).toBe(200)
    const back = [
      '## To do',
      '- [ ] One',
      '- [ ] Two',
      '  More about two',
      '- [ ] Three',
      '- [ ] Newer',
      '- [ ] Newest',
      '## Done',
      '- [x] Four',
      '- [x] Five'
    ]
    expect(linesOf(await content(owner))).toEqual(back)
    expect((await decide(owner, id, 'accept')).status).toBe(200)
  })

  test('[SUGG-100] [SUGG-102] two suggested moves of the same lines are accepted at once or one after the other, and undone', async () => {
    const moveOf = (name: string): [string, string] => {
      const [lines, others] = [`- [ ] ${name}`, '- [ ] Three\n- [ ] Four\n\n## Done']
      return name === 'One'
        ? [`${lines}\n- [ ] Two\n${others}`, `- [ ] Two\n${others}\n- [x] One`]
        : [`${lines}\n${others}`, `${others}\n- [x] Two`]
    }
    for (const atOnce of [true, false]) {
      const owner = await world.create(
        board('## To do', '- [ ] One', '- [ ] Two', '- [ ] Three', '- [ ] Four', '', '## Done', '- [x] Five')
      )
      const before = await content(owner)
      const ids: string[] = []
      for (const name of ['One', 'Two']) {
        const [find, text] = moveOf(name)
        ids.push((await suggest(owner, { operation: 'replace', find, text })).id)
      }
      const all = async (action: string): Promise<void> => {
        const json = { decisions: ids.map((suggestionId) => ({ suggestionId, action })) }
        if (atOnce) expect((await owner.ask('POST', '/decisions', { json })).json.ok).toBe(true)
        else for (const id of ids) expect((await owner.ask('POST', `/suggestions/${id}`, { json: { action } })).status).toBe(200)
      }
      await all('accept')
      const cardsNow = linesOf(await content(owner))
      expect(cardsNow.slice(0, 4)).toEqual(['## To do', '- [ ] Three', '- [ ] Four', '## Done'])
      expect(cardsNow.slice(4).toSorted()).toEqual(['- [x] Five', '- [x] One', '- [x] Two'])
      ids.reverse()
      await all('reopen')
      expect(linesOf(await content(owner))).toEqual(linesOf(before))
    }
  })

  test.each<[string, [string, string][]]>([
    ['the card is gone', [['- [ ] Two\n  More about two\n', '']]],
    ['another card is in its place', [['- [ ] Two\n  More about two', '- [ ] Write']]],
    ['the column is gone', [['## Done\n- [x] Four\n- [x] Five\n', '']]]
  ])('[SUGG-103] is refused if %s', async (_name, changes) => {
    const { owner, id } = await suggestedIn(all, original, proposed, ...changes)
    const before = await content(owner)
    expect(await decide(owner, id, 'accept')).toMatchObject({ status: 409, json: { code: 'target_changed' } })
    expect(await content(owner)).toBe(before)
  })
})

describe('a suggested move of other lines', () => {
  const sheet = (...rows: readonly string[]): string =>
    ['```sheet', '| a |', '|---|', ...rows.map((row) => `| ${row} |`), '```', ''].join('\n')
  const table = (...rows: readonly string[]): string => ['| a | b |', '|---|---|', ...rows.map((row) => `| ${row} | 0 |`), ''].join('\n')
  const blocks = (...all: readonly string[]): string => `${all.join('\n\n')}\n`
  test.each<[string, string, string, string, [string, string][], string]>([
    [
      'a column of a board',
      board('## A', '- [ ] 1', '', '## B', '- [ ] 2'),
      '## A\n- [ ] 1\n\n## B\n- [ ] 2',
      '\n\n## B\n- [ ] 2\n\n## A\n- [ ] 1',
      [
        ['- [ ] 1', '- [ ] 1\n- [ ] 3'],
        ['- [ ] 2', '- [ ] 2\n- [ ] 4']
      ],
      board('', '', '', '', '## B', '- [ ] 2', '- [ ] 4', '', '## A', '- [ ] 1', '- [ ] 3')
    ],
    [
      'a row of a sheet',
      sheet('1', '2', '3', '4'),
      '| 1 |\n| 2 |\n| 3 |',
      '\n| 2 |\n| 3 |\n| 1 |',
      [['| 2 |', '| 22 |\n| 5 |']],
      sheet('22', '5', '3', '1', '4')
    ],
    [
      'a row of a table',
      table('1', '2', '3', '4'),
      '| 2 | 0 |\n| 3 | 0 |\n| 4 | 0 |',
      '| 4 | 0 |\n| 2 | 0 |\n| 3 | 0 |',
      [
        ['| 4 | 0 |', '| 4 | 9 |'],
        ['| 3 |', '| 5 | 0 |\n| 3 |']
      ],
      table('1', '4', '2', '5', '3').replace('| 4 | 0 |', '| 4 | 9 |')
    ],
    [
      'a paragraph',
      blocks('One.', 'Two.', 'Three.', 'Four.'),
      'One.\n\nTwo.\n\nThree.',
      'Two.\n\nThree.\n\nOne.',
      [
        ['One.', 'One and\na half.'],
        ['Three.', 'Three.\nMore.'],
        ['Two.', 'Two.\n\nNew.']
      ],
      blocks('Two.', 'New.', 'Three.\nMore.', 'One and\na half.', 'Four.')
    ],
    [
      'the last paragraph',
      blocks('One.', 'Two.', 'Three.'),
      'Two.\n\nThree.',
      'Three.\n\nTwo.',
      [
        ['Two.', 'New.\n\nTwo.'],
        ['Three.', 'Three.\nMore.']
      ],
      blocks('One.', 'New.', 'Three.\nMore.', 'Two.')
    ],
    [
      'a list item',
      '- one\n  - two\n- three\n- four\n',
      '- one\n  - two\n- three',
      '- three\n- one\n  - two',
      [
        ['  - two\n', '  - two\n  - five\n- six\n'],
        ['- three', '- three\n  - seven']
      ],
      '- six\n- three\n  - seven\n- one\n  - two\n  - five\n- four\n'
    ]
  ])('[SUGG-100] %s is accepted after changes to the lines', async (_name, text, before, after, changes, expected) => {
    const { owner, id } = await suggestedIn(text, before, after, ...changes)
    expect((await decide(owner, id, 'accept')).status).toBe(200)
    expect(await content(owner)).toBe(expected)
    expect((await decide(owner, id, 'reopen')).status).toBe(200)
  })

  test('[SUGG-103] is refused if the lines also change in another way, or if they or their neighbors are gone', async () => {
    for (const [proposedText, changes] of [
      ['Two.\n\nThree.\n\nOne!', [['Two.', 'Two.\n\nNew.']]],
      ['Two.\n\nThree.\n\nOne.', [['One.\n\n', '']]],
      ['Two.\n\nThree.\n\nOne.', [['\n\nTwo.\n\nThree.', '']]]
    ] as [string, [string, string][]][]) {
      const { owner, id } = await suggestedIn(blocks('One.', 'Two.', 'Three.', 'Four.'), 'One.\n\nTwo.\n\nThree.', proposedText, ...changes)
      expect(await decide(owner, id, 'accept')).toMatchObject({ status: 409, json: { code: 'target_changed' } })
    }
  })
})

test('[SUGG-106] each move is computed once before the decision, and moves of a newer text take little time of the event loop', async () => {
  const lines = Array.from({ length: 900 }, (_each, at) => `- item ${at}`)
  const [before, after] = [lines.join('\n'), [...lines.slice(450), ...lines.slice(0, 450)].join('\n')]
  const { owner, id } = await suggestedIn(`${before}\n`, before, after, ['item 7\n', 'item 7, changed\n'])
  await withAnnotationsRead(world.service, owner.doc, async (opened) => {
    const works: string[] = []
    const texts: typeof opened.service.texts = {
      do: (doc, name, ...input) => {
        works.push(name)
        return opened.service.texts.do(doc, name, ...input)
      }
    }
    const decisions = [{ suggestionId: id, action: 'accept' as const }]
    const wanted = movesWanted(opened, decisions)
    const [proposed] = wanted.values()
    if (proposed === undefined) throw new Error('no move is wanted')
    const moves = createMovesNow({ ...opened, service: { ...opened.service, texts } }, () => wanted)
    expect(moves.areCurrent()).toBe(false)
    await moves.compute()
    expect(moves.areCurrent()).toBe(true)
    expect(works).toEqual(['movesNow'])
    const { content: now } = opened.openDoc.snapshot()
    expect(moves.editsOf(now, proposed, id)).toHaveLength(2)
    expect(moves.editsOf(now, proposed, id)).toBe(moves.editsOf(now, proposed, id))
    let computed = 0
    while (computed < 10_000 && moves.editsOf(`${now}${computed}`, proposed) !== undefined) computed++
    expect(computed).toBeGreaterThan(0)
    expect(computed).toBeLessThan(10_000)
  })
  expect((await decide(owner, id, 'accept')).status).toBe(200)
  expect((await content(owner)).startsWith('- item 450\n')).toBe(true)
})
