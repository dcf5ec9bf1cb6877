/**
 * The growth guard. It runs each parser of text written by others on each family of hostile text. Doubling the text may only double the time,
 * approximately.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { Text } from '@codemirror/state'
import * as Y from 'yjs'
import { expect, test } from 'vitest'
import { safeReturnTo } from '../../server/auth/oidc.ts'
import { cookiesOf, readCookie } from '../../server/auth/cookies.ts'
import { versionsNamed } from '../../server/domain/text/content.ts'
import { redactText } from '../../server/log.ts'
import { linksIn } from '../../shared/markdown/links-in-text.ts'
import { withOutsideLinks } from '../../server/transfer/restored-links.ts'
import { parseBoard, repeatedCards } from '../../shared/fences/board.ts'
import { addTag } from '../../shared/fences/board-edits.ts'
import { chartTableOf } from '../../shared/fences/chart-data.ts'
import { sourceOf as chartSourceOf } from '../../shared/fences/chart-source.ts'
import { followed } from '../../shared/fences/followed.ts'
import { chartData, chartRows, isProblem, parseChart } from '../../shared/fences/chart.ts'
import { parseChat } from '../../shared/fences/chat.ts'
import { captionOf } from '../../shared/fences/captions.ts'
import { documentSheets, withValues } from '../../shared/fences/document-sheets.ts'
import { insertLines, linesOfText, oneLine, within } from '../../shared/fences/edits.ts'
import { orderOf, reordered } from '../../shared/fences/column-order.ts'
import { componentsOf, isDrawable } from '../../shared/fences/drawn.ts'
import { type Fence, fenceKinds, fencesOf, parseInfo } from '../../shared/fences/fences.ts'
import { format } from '../../shared/fences/formula/format.ts'
import { referencesIn, tokensOf } from '../../shared/fences/formula/parse.ts'
import { formulaInRow } from '../../shared/fences/formula/rewrite.ts'
import { numberOfText, valueOfCell } from '../../shared/fences/formula/values.ts'
import { componentHtml } from '../../shared/fences/kinds.ts'
import { tidyEdits } from '../../shared/fences/tidy.ts'
import { unseenIn } from '../../shared/fences/unseen.ts'
import { parseTsv, setCell } from '../../shared/fences/sheet-edits.ts'
import { parseSheet, textsOf } from '../../shared/fences/sheet.ts'
import { describedEdit } from '../../shared/fences/described-change.ts'
import { movedNow } from '../../shared/fences/suggested-move.ts'
import { parseWidget } from '../../shared/fences/widget.ts'
import { slugOf } from '../../shared/markdown/slug.ts'
import { mayLink } from '../../shared/markdown/links.ts'
import { highlightEnd, shiftedAt } from '../../shared/markdown/marks.ts'
import { pictureWords } from '../../shared/markdown/pictures.ts'
import { typographic } from '../../shared/markdown/typography.ts'
import { linkForWiki, wikiParts } from '../../shared/markdown/wiki-links.ts'
import { mentionOf, mentionPlaces } from '../../shared/mentions.ts'
import { plainHeading, plainName, titleIn, titleOfText } from '../../shared/names.ts'
import { findWords, linesOf } from '../../shared/text/targets.ts'
import { commonRuns } from '../../shared/text/common-lines.ts'
import { diff, type Edit } from '../../shared/text/diff.ts'
import { hunks, unifiedDiff } from '../../shared/text/hunks.ts'
import { fold } from '../../shared/text/fold.ts'
import { afterFrontMatter } from '../../shared/text/front-matter.ts'
import { replaceable } from '../../shared/text/inexact.ts'
import { withLineFeeds } from '../../shared/text/line-ends.ts'
import { markedLines, merge } from '../../shared/text/merge.ts'
import { resolve } from '../../shared/text/operations.ts'
import { findAll } from '../../shared/text/find-all.ts'
import { movedLines } from '../../shared/text/moved-lines.ts'
import { parted } from '../../shared/text/granularity.ts'
import { listsIn } from '../../shared/text/lists.ts'
import { proseLines } from '../../shared/text/prose.ts'
import { sourceOf } from '../../shared/text/resolution.ts'
import { tablesOf } from '../../shared/text/tables.ts'
import { outlineOf, sectionsNamed } from '../../shared/text/outline.ts'
import { findAgain, findAround } from '../../shared/text/reanchor.ts'
import { atxOf, withoutFootnotes, withoutTargets } from '../../shared/text/scan.ts'
import { occurrences } from '../../shared/text/search.ts'
import { linesNow, similarLines } from '../../shared/text/similar.ts'
import { surroundingsTaken } from '../../shared/text/surroundings.ts'
import { isDelimiter } from '../../web/editor/table-rows.ts'
import { headingsOf } from '../../web/editor/headings.ts'
import { fenceOf } from '../support/fence.ts'
import { isLong } from '../support/repeats.ts'
import { families, growthOf } from './growth.ts'

type Read = (text: string) => unknown

const fenced =
  (kind: string, read: (fence: Fence) => unknown): Read =>
  (text) =>
    read(fenceOf(kind, text))

/** Returns text with an added first line and a changed middle. */
const changed = (text: string): string => `new\n${text.slice(0, text.length >> 1)}\nword ${text.slice((text.length >> 1) + 40)}`

/** Returns the edits that make this change. */
const edits = (text: string): readonly Edit[] => {
  const middle = text.length >> 1
  return [
    { from: 0, to: 0, insert: 'new\n' },
    { from: middle, to: middle + 40, insert: '\nword ' }
  ]
}

const eachPlace = (text: string, read: (at: number) => unknown): void => {
  for (let at = 0; at < text.length; at++) read(at)
}

const formula =
  (read: Read): Read =>
  (text) => {
    try {
      return read(`=${text}`)
    } catch {
      return undefined
    }
  }

/** Renders a fence as a page does. This covers the parsers of all kinds, so they need no rows of their own. */
const shown = (fence: Fence): unknown => componentHtml(fence, { inline: (text) => text, line: 0, sheets: documentSheets([fence], 0) })

/** The exports of each module, by the path of the module. */
const parsers: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  'shared/names.ts': {
    plainHeading,
    plainName: (text) => plainName(text, 80),
    titleIn,
    titleOfText: (text) => titleOfText(titleIn(text), null)
  },
  'shared/mentions.ts': { mentionPlaces, mentionOf },
  'shared/text/targets.ts': {
    linesOf,
    'findWords, exact': (text) => findWords(text, { find: text.slice(-20) }),
    'findWords, folded': (text) => findWords(text, { find: `${text.slice(100, 160)}?` })
  },
  'shared/text/common-lines.ts': { commonRuns: (text) => commonRuns(text.split('\n'), changed(text).split('\n'), 100) },
  'shared/text/diff.ts': {
    diff: (text) => diff(text, changed(text))
  },
  'shared/text/hunks.ts': {
    hunks: (text) => hunks(text, changed(text), 10_000),
    unifiedDiff: (text) => unifiedDiff(text, changed(text), 10_000)
  },
  'shared/text/find-all.ts': {
    findAll: (text) => findAll(text, { words: text.slice(0, 3), exact: false, from: 0, countMax: 50 }),
    'findAll, composed': (text) => findAll(`e\u0301${text}`, { words: 'é', exact: false, from: 2, countMax: 50 })
  },
  'shared/text/fold.ts': { fold },
  'shared/text/inexact.ts': { replaceable: (text) => replaceable(text, { from: 1, to: text.length - 1 }, text) },
  'shared/text/front-matter.ts': { afterFrontMatter: (text) => afterFrontMatter(`---\na: b\n${text}`.split('\n')) },
  'shared/text/line-ends.ts': { withLineFeeds },
  'shared/text/merge.ts': { merge: (text) => merge(text, changed(text), `${text}\nend`), markedLines },
  'shared/text/operations.ts': {
    append: (text) => resolve(sourceOf(`${text}\n# x\n${text}`), { op: 'append', section: 'x', occurrence: 1, markdown: text }),
    replaceSection: (text) =>
      resolve(sourceOf(`# x\n${text}`), { op: 'replace_section', section: 'x', occurrence: 1, markdown: `${text}x` })
  },
  'shared/text/outline.ts': { outlineOf, sectionsNamed: (text) => sectionsNamed(outlineOf(text), 'a > b') },
  'shared/text/reanchor.ts': {
    findAgain: (text) => {
      const lost = Array.from({ length: 10 }, (_lost, at) => ({ quote: text.slice(at, at + 40), prefix: 'x', suffix: '', standing: true }))
      return findAgain(lost, text, changed(text), edits(text))
    },
    findAround: (text) => findAround(text, text.slice(0, 200), { from: 20, to: 40 })
  },
  'shared/text/granularity.ts': {
    parted: (text) => (['sentence', 'paragraph', 'section'] as const).map((granularity) => parted(text, edits(text), granularity))
  },
  'shared/text/prose.ts': { proseLines },
  'shared/text/tables.ts': { tablesOf },
  'shared/text/lists.ts': { listsIn: (text) => listsIn(proseLines(text), { from: 0, to: text.length }) },
  'shared/text/structured.ts': {
    'append_row, set_cell, check, append_item and replace_all': (text) => {
      const source = sourceOf(`${text}\n`)
      return [
        resolve(source, { op: 'append_row', cells: ['a'], table: 1, header: ['a'] }),
        resolve(source, { op: 'set_cell', row: 'a', column: 'b', text: 'c', table: 1 }),
        resolve(source, { op: 'check', item: 'a', checked: true }),
        resolve(source, { op: 'append_item', markdown: 'a', occurrence: 1 }),
        resolve(source, { op: 'replace_all', find: 'a', with: 'b' })
      ]
    }
  },
  'shared/text/scan.ts': { atxOf: (text) => atxOf(`# ${text}`), withoutFootnotes, withoutTargets },
  'shared/text/search.ts': { occurrences: (text) => [...occurrences(text, text.slice(0, 100))].length },
  'shared/text/similar.ts': {
    similarLines: (text) => similarLines(text, text.slice(0, 200)),
    linesNow: (text) => linesNow(sourceOf(text), { from: 0, to: text.length }, text.slice(0, 200))
  },
  'shared/text/surroundings.ts': {
    surroundingsTaken: (text) => surroundingsTaken(text, changed(text), edits(text))({ from: 50, to: 60 })
  },
  'shared/text/moved-lines.ts': {
    movedLines: (text) => {
      const ydoc = new Y.Doc()
      const shared = ydoc.getText('content')
      shared.insert(0, `a\n${text}\nb\n`)
      let moves: unknown
      ydoc.on('beforeObserverCalls', (transaction: Y.Transaction) => {
        moves = movedLines(transaction)
      })
      ydoc.transact(() => {
        shared.delete('a\n'.length, `${text}\n`.length)
        shared.insert(shared.length, `${text}\n`)
      })
      return moves
    }
  },
  'shared/markdown/wiki-links.ts': {
    wikiParts,
    linkForWiki: (text) => linkForWiki(wikiParts(`a|${text}`), '/f/a.png', 'a.png')
  },
  'shared/markdown/links-in-text.ts': {
    linksIn: (text) => linksIn(text, true),
    withOutsideLinks: (text) => withOutsideLinks(text, undefined, () => 'x')
  },
  'shared/fences/fences.ts': { fencesOf, parseInfo, 'parseInfo of keys': (text) => parseInfo(`board ${text}`) },
  'shared/fences/drawn.ts': { componentsOf: (text) => componentsOf(`${text}\n\`\`\`board`).map(isDrawable) },
  'shared/fences/unseen.ts': Object.fromEntries(fenceKinds.map((kind) => [`unseenIn ${kind}`, fenced(kind, unseenIn)])),
  'shared/fences/board.ts': { parseBoard: fenced('board', (fence) => repeatedCards(parseBoard(fence))) },
  'shared/fences/board-edits.ts': { addTag: (text) => addTag(parseBoard(fenceOf('board', '## a\n- b')), { column: 0, card: 0 }, text) },
  'shared/fences/chat.ts': { parseChat: fenced('chat', parseChat) },
  'shared/fences/chart.ts': {
    parseChart: fenced('chart', (fence) => {
      const chart = parseChart(fence)
      const rows = chartRows(chart, { rowsOf: () => undefined, ids: [] })
      return isProblem(rows) ? rows : chartData(chart, rows)
    })
  },
  'shared/fences/chart-source.ts': { sourceOf: (text) => chartSourceOf(`#s!${text}`) },
  'shared/fences/followed.ts': {
    followed: fenced('sheet', (fence) => {
      const texts = textsOf(parseSheet(fence))
      return followed({ texts, lines: 0 }, { texts: texts.slice(1), lines: 0 })
    })
  },
  'shared/fences/chart-data.ts': { chartTableOf: fenced('chart', (fence) => chartTableOf(parseChart(fence))) },
  'shared/fences/captions.ts': { captionOf: (text) => fencesOf(text).map((fence, _at, all) => captionOf(fence, all)) },
  'shared/fences/document-sheets.ts': { withValues: (text) => withValues(text, 0) },
  'shared/fences/edits.ts': {
    linesOfText,
    oneLine,
    within: (text) => {
      const [fence] = fencesOf(`\`\`\`board\n${text}`)
      return fence === undefined ? undefined : within(fence, insertLines(fence, 0, ['```']))
    }
  },
  'shared/fences/tidy.ts': { tidyEdits: (text) => (['board', 'chat'] as const).map((kind) => tidyEdits(fenceOf(kind, text))) },
  'shared/fences/kinds.ts': Object.fromEntries(fenceKinds.map((kind) => [`componentHtml of ${kind}`, fenced(kind, shown)])),
  'shared/fences/column-order.ts': {
    orderOf: (text) => orderOf([{ old: `|${text}|`, young: `|${text}|` }]),
    reordered: (text) => reordered(`|${text}|`, [1, 0])
  },
  'shared/fences/sheet.ts': { parseSheet: fenced('sheet', parseSheet) },
  'shared/fences/sheet-edits.ts': { parseTsv, setCell: fenced('sheet', (fence) => setCell(parseSheet(fence), 1, 1, 'x')) },
  'shared/fences/described-change.ts': {
    describedEdit: (text) => {
      const whole = `\`\`\`board\n## a\n${text}`
      return describedEdit(fencesOf(whole), { from: 14, to: 14, insert: '- x\n' })
    }
  },
  'shared/fences/suggested-move.ts': {
    movedNow: (text) => {
      const [original, moved] = [`- card\n${text}`, `${text}\n- card`]
      return movedNow(`${original}\nmore`, () => [], { range: { from: 0, to: original.length - 1 }, original, text: moved })
    },
    movedOnBoard: fenced('board', (fence) => {
      const { source, bodyFrom: from, bodyTo: to } = fence
      const body = source.slice(from, to)
      const lines = `${body}## a\n- card`
      return movedNow(source, () => [fence], { range: { from, to }, original: lines, text: `- card\n${body}## a` })
    })
  },
  'shared/fences/widget.ts': { parseWidget: fenced('widget', parseWidget) },
  'shared/fences/formula/format.ts': { format: (text) => format(-1234.5, `${text};0`) },
  'shared/fences/formula/parse.ts': { tokensOf: formula(tokensOf as Read), referencesIn: formula(referencesIn) },
  'shared/fences/formula/rewrite.ts': { formulaInRow: formula((text) => formulaInRow(text, 1, 2)) },
  'shared/fences/formula/values.ts': { numberOfText, valueOfCell },
  'shared/markdown/slug.ts': { slugOf },
  'shared/markdown/links.ts': { mayLink },
  'shared/markdown/marks.ts': {
    highlightEnd: (text) => eachPlace(text, (at) => highlightEnd(text, at, text.length)),
    shiftedAt: (text) => eachPlace(text, (at) => shiftedAt(text, at))
  },
  'shared/markdown/pictures.ts': { pictureWords },
  'shared/markdown/typography.ts': { typographic },
  'server/auth/cookies.ts': {
    readCookie: (text) => readCookie({ cookie: text.replaceAll('\n', ' ') }, cookiesOf('http://localhost').session)
  },
  'server/auth/oidc.ts': { safeReturnTo: (text) => safeReturnTo(`/${text}`, 'http://localhost') },
  'server/domain/text/content.ts': { versionsNamed },
  'server/log.ts': { redactText },
  'web/editor/table-rows.ts': { isDelimiter },
  'web/editor/headings.ts': { headingsOf: (text) => headingsOf(Text.of(`# ${text}`.split('\n'))) }
}

/** Modules in the folders of parsers that do not read text written by others, with the reason for each. */
const others: Readonly<Record<string, string>> = {
  'shared/fences/chart-pick.ts': 'edits of a chart that is parsed: its settings, one by one',
  'shared/fences/json-table.ts': 'by chartTableOf, in chart-data.ts',
  'shared/fences/csv.ts': 'the records of sheets and charts, which have rows',
  'shared/fences/rows.ts': 'types, and one cell without the space around it',
  'shared/fences/table.ts': 'types, and the order of at most so many rows as a grid shows',
  'shared/text/characters.ts': 'reads structures of Yjs',
  'shared/text/carried.ts': 'reads structures of Yjs; ANCHOR-15 tests its time',
  'shared/text/carry.ts': 'writes structures of Yjs',
  'shared/text/items.ts': 'reads structures of Yjs',
  'shared/text/client-ids.ts': 'reads numbers',
  'shared/text/apply-edits.ts': 'writes edits, and reads only the text that they remove',
  'shared/text/resolved.ts': 'holds what edits mean, and reads no text',
  'shared/text/resolution.ts': 'keeps what outline.ts, tables.ts and prose.ts read',
  'shared/text/anchors.ts': 'reads structures of Yjs; the text by reanchor.ts and surroundings.ts',
  'shared/fences/chart-svg.ts': 'draws what chart.ts read',
  'shared/fences/html.ts': 'shows what the parsers read',
  'shared/fences/html-text.ts': 'replaces single characters',
  'shared/fences/formula/function.ts': 'types',
  'shared/fences/formula/criteria.ts': 'counts its steps, and ends at a number of them',
  'shared/fences/formula/evaluate.ts': 'counts its steps, and ends at a number of them',
  'shared/fences/formula/workbook.ts': 'counts its steps, and ends at a number of them',
  'shared/fences/formula/german-names.ts': 'a table of names',
  'shared/fences/formula/point.ts': 'reads one formula before the caret, by parse.ts'
}

const faultsMax = 3
const root = join(import.meta.dirname, '../..')
const folders = '{shared/text,shared/fences}/**/*.ts'
const isTable = (path: string): boolean => /\/functions(-\w+)?\.ts$/.test(path)

test('[LINEAR-7] each module of the parser folders is in the table of the growth guard, or has a reason not to be', () => {
  const modules = globSync(folders, { cwd: root }).filter((path) => !isTable(path))
  const ofKinds = fenceKinds.map((kind) => `shared/fences/${kind}.ts`)
  const known = [...Object.keys(parsers), ...Object.keys(others), ...ofKinds]
  expect(modules.filter((path) => !known.includes(path))).toEqual([])
  expect(known.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([])
})

test.each(
  Object.entries(parsers)
    .flatMap(([module, reads]) => Object.entries(reads).map(([name, read]) => [`${name} (${module})`, read] as const))
    .map(([name, read], index) => [name, read, index] as const)
)('[LINEAR-1] for twice the text %s takes at most 2.5 times as long, for any text', (_name, read, parser) => {
  const faults: string[] = []
  // Parsers take turns, so the short run gives every text to a third of them.
  const tried = Object.entries(families).filter((_, index) => isLong || (index + parser) % 3 === 0)
  for (const [name, family] of tried) {
    const fault = growthOf(read, family)
    if (fault !== undefined) faults.push(`${name}: ${fault}`)
    // A slow parser is slow on many inputs, so a few examples are enough.
    if (faults.length === faultsMax) break
  }
  expect(faults).toEqual([])
})

test('[LINEAR-1] the guard finds a parser with quadratic time', () => {
  const slow: Read = (text) => /\s+$/.test(text)
  expect(growthOf(slow, families['spaces before a word'] as (kilobytes: number) => string)).toMatch(/KB/)
})
