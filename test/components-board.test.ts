/** The rules of boards that need no page: the session of one person (shared/components/board-session.ts). */
import { expect, test } from 'vitest'
import { columnAt, columnMove, columnRemoval, columnStep, titlesOf } from '../shared/components/board.ts'
import { boardEdits } from '../shared/components/board-changes.ts'
import type { Field, GoneText, Opening } from '../shared/components/board-field.ts'
import { boardStep, positionAfter } from '../shared/components/board-session.ts'
import {
  beginBoard,
  type BoardAnnouncement,
  type BoardEvent,
  type BoardFocus,
  type BoardOutcome,
  type BoardState
} from '../shared/components/board-state.ts'
import { type CardParts, cardSource, contestedParts, plainParts } from '../shared/components/card-draft.ts'
import type { Key } from '../shared/components/key.ts'
import { resultOf } from '../shared/components/result.ts'
import { type Board, type Card, type CardPosition, parseBoard } from '../shared/fences/board.ts'
import { applyEdits } from '../shared/text/diff.ts'
import { fenceIn, plainKey } from './support/components.ts'

const boardOf = (...lines: readonly string[]): Board => parseBoard(fenceIn('board', ...lines))
/** Returns the nonempty lines of a board. */
const linesOf = ({ fence }: Board): string[] => fence.lines.map(({ text }) => text).filter((text) => text !== '')
const read = (board: Board, edits: readonly { from: number; to: number; insert: string }[]): Board =>
  boardOf(...applyEdits(board.fence.source, edits).split('\n').slice(1, -2))
const namesAfter = (now: Board, edits: Parameters<typeof read>[1]): string[] => titlesOf(read(now, edits))

const drawn = boardOf('## A', '- [ ] one', '## B', '## C')
const cards = ['## Todo', '- [ ] Write importer @ana #backend', '- [ ] Test', '## Doing', '## Done', '- [x] Pick name']

/** A board that a person and others edit. It writes the changes that a step requests, and notifies the session of every change. */
class Desk {
  state: BoardState
  last: BoardOutcome
  readonly announcements: BoardAnnouncement[] = []
  readonly focus: BoardFocus[] = []
  readonly holds: (string | null)[] = []
  /** Whether the text refuses edits. */
  isLocked = false
  isSuggesting = false
  /** Whether the board is in the reading view, which shows a change only after its result. */
  isReading = false

  constructor(...lines: readonly string[]) {
    this.state = beginBoard(boardOf(...lines))
    this.last = { state: this.state }
  }

  get lines(): string[] {
    return linesOf(this.state.board)
  }

  /** Finds a card by the beginning of its title. */
  find(title: string): { readonly card: Card; readonly position: CardPosition } {
    for (const [column, { cards: all }] of this.state.board.columns.entries())
      for (const [index, card] of all.entries()) if (card.title.text.startsWith(title)) return { card, position: { column, card: index } }
    throw new Error(`there is no card ${title}`)
  }

  /** Changes the board as others do. */
  others(...lines: readonly string[]): this {
    return this.step({ kind: 'changed', board: boardOf(...lines) })
  }

  /** Applies an event. `now` is the board to which its change applies, if others have changed the board since it was drawn. */
  step(event: BoardEvent, now = this.state.board): this {
    const outcome = boardStep(this.state, event)
    const { announcement, focus, hold, change } = outcome
    this.state = outcome.state
    this.last = outcome
    if (announcement !== undefined) this.announcements.push(announcement)
    if (focus !== undefined) this.focus.push(focus)
    if (hold !== undefined) this.holds.push(hold)
    if (change === undefined) return this
    const edits = boardEdits(now, change)
    const result = resultOf(edits, !this.isLocked)
    const { isReading, isSuggesting: isSuggested } = this
    const show = (): void => {
      if (result === 'done' && edits !== undefined && !isSuggested) this.step({ kind: 'changed', board: read(now, edits) })
    }
    if (!isReading) show()
    this.step({ kind: 'written', change, result, now, isSuggested })
    if (isReading) show()
    return this
  }

  key(title: string, key: string, held: Partial<Key> = {}, isFree = true, isOnCard = true): this {
    return this.step({ kind: 'card key', key: { ...plainKey, ...held, key }, ...this.find(title), isOnCard, isFree })
  }

  edit(title: string, parts: Partial<CardParts> = {}): this {
    this.step({ kind: 'edit', card: this.find(title).card })
    return this.step({ kind: 'typed', parts: { ...this.state.parts, ...parts } })
  }

  open(opening: Opening, text = ''): this {
    return this.step({ kind: 'open', opening }).step({ kind: 'typed line', text })
  }

  /** Ends the open field. */
  end(kind: 'enter' | 'leave', text = this.state.typed): this {
    const { field } = this.state
    if (field === undefined) throw new Error('no field is open')
    return this.step({ kind, field, text })
  }

  gone(text: string): GoneText {
    const found = this.state.gone.find((each) => each.text === text)
    if (found === undefined) throw new Error(`${text} has its column`)
    return found
  }
}

// ——— cards ———

test.each([
  ['Test', 'ArrowUp', { column: 0, card: 0 }],
  ['Test', 'ArrowRight', { column: 2, card: 0 }],
  ['Pick', 'ArrowLeft', { column: 0, card: 0 }],
  ['Pick', 'ArrowRight', undefined]
])('[COMP-2] from %j the key %s leads to %j', (title, key, position) => {
  const desk = new Desk(...cards).key(title, key, {}, false)
  expect([desk.focus, desk.last.isTaken]).toEqual([position === undefined ? [] : [{ kind: 'card', position }], true])
})

test('[COMP-2] Alt with an arrow moves a card; the focus follows, and its new position is announced', () => {
  const desk = new Desk(...cards).key('Test', 'ArrowRight', { altKey: true })
  expect(desk.lines).toEqual([...cards.slice(0, 2), '## Doing', '- [>] Test', '## Done', '- [x] Pick name'])
  expect(desk.focus).toEqual([{ kind: 'moved card', position: { column: 1, card: 0 } }])
  expect(desk.announcements).toEqual([{ kind: 'moved', name: 'Test', column: 'Doing', place: 1, count: 1 }])
  expect(desk.state.current).toEqual({ column: 1, card: 0 })
  // At the end of the board, the key is handled but has no effect.
  const before = desk.lines
  desk.key('Pick', 'ArrowRight', { altKey: true })
  expect([desk.lines, desk.last.isTaken]).toEqual([before, true])
})

test('[COMP-2] a card moves within its column by one place', () => {
  const desk = new Desk('## A', '- [ ] one', '- [ ] two', '- [ ] three')
  desk.key('one', 'ArrowDown', { altKey: true }).key('three', 'ArrowUp', { altKey: true })
  expect(desk.lines.slice(1)).toEqual(['- [ ] two', '- [ ] three', '- [ ] one'])
  expect(desk.announcements.map((each) => 'place' in each && each.place)).toEqual([2, 2])
})

test('[COMP-2] keys change a card, open and delete it; those on its controls keep their effect', () => {
  const desk = new Desk(...cards).key('Test', ' ').key('Write', 'Delete')
  expect(desk.lines.slice(0, 3)).toEqual(['## Todo', '- [>] Test', '## Doing'])
  expect(desk.announcements).toEqual([{ kind: 'deleted' }])
  expect(desk.focus).toEqual([{ kind: 'moved card', position: { column: 0, card: 0 } }])
  desk.key('Test', 'Enter', {}, true, false)
  expect([desk.state.draft, desk.last.isTaken]).toEqual([undefined, undefined])
  desk.key('Test', 'Enter')
  expect([desk.state.draft?.card.title.text, desk.focus.at(-1)]).toEqual(['Test', { kind: 'form' }])
})

test.each(['Enter', ' ', 'Delete', 'ArrowLeft'])('[COMP-6] the key %j changes nothing if the person may not', (key) => {
  const desk = new Desk(...cards).key('Pick', key, { altKey: key === 'ArrowLeft' }, false)
  expect([desk.lines, desk.state.draft, desk.last.isTaken]).toEqual([cards, undefined, undefined])
})

test('[COMP-5] a suggested move changes neither the card, the focus nor the announcement', () => {
  const desk = new Desk(...cards)
  desk.isSuggesting = true
  desk.key('Test', 'ArrowRight', { altKey: true }).key('Test', 'Delete')
  expect([desk.lines, desk.focus, desk.announcements]).toEqual([cards, [], []])
})

test('[COMP-1] a card is found again after others moved it; one that they changed is refused', () => {
  const { card } = new Desk(...cards).find('Test')
  const desk = new Desk(...cards).step({ kind: 'cycle', card }, boardOf('## New', '- [ ] Test', ...cards.toSpliced(2, 1)))
  expect(desk.lines.slice(0, 2)).toEqual(['## New', '- [>] Test'])
  const late = new Desk(...cards).step({ kind: 'delete', card }, boardOf(...cards.with(2, '- [ ] Test it')))
  expect([late.announcements, late.lines]).toEqual([[{ kind: 'changed by others' }], cards])
})

test('[COMP-1] of cards with the same text the nearest one is changed', () => {
  const twins = ['## A', '- [ ] Same', '- [ ] Other', '## B', '- [ ] Same']
  const desk = new Desk(...twins)
  desk.step({ kind: 'cycle', card: desk.state.board.columns[1]?.cards[0] as Card })
  expect(desk.lines).toEqual(twins.with(4, '- [>] Same'))
  // The card above the deleted one gets the focus.
  desk.key('Other', 'Delete')
  expect(desk.focus).toEqual([{ kind: 'moved card', position: { column: 0, card: 0 } }])
})

test('[COMP-11] of cards with the same text one is kept', () => {
  const desk = new Desk('## A', '- [ ] Call @ana', '- [ ] Other', '## B', '- [>] Call @ana')
  const card = desk.state.board.columns[1]?.cards[0] as Card
  desk.step({ kind: 'keep only', card, position: { column: 1, card: 0 } })
  expect(desk.lines).toEqual(['## A', '- [ ] Other', '## B', '- [>] Call @ana'])
  expect(desk.announcements).toEqual([{ kind: 'copies removed', name: 'Call' }])
})

test('[COMP-48] the focus stays with its card; if the card is gone, it moves to the nearest', () => {
  const { card, position } = new Desk(...cards).find('Test')
  const moved = boardOf('## New', '- [ ] Test', '## Todo', '- [ ] Other')
  expect(positionAfter(moved, card, position, false)).toEqual({ column: 0, card: 0 })
  const without = boardOf('## Todo', '- [ ] Other', '## Doing')
  expect(positionAfter(without, card, position, true)).toEqual({ column: 0, card: 0 })
  // Another element already has the focus.
  expect(positionAfter(without, card, position, false)).toEqual(position)
})

// ——— the draft of a card ———

test('[COMP-27] the draft stays with its card, no matter what others do to the board', () => {
  const desk = new Desk(...cards).edit('Test', { title: 'Test every part' })
  desk.others('## Todo', '- [ ] First of all', ...cards.slice(1))
  expect(desk.state.draft?.position).toEqual({ column: 0, card: 2 })
  desk.others(...cards.toSpliced(2, 1).toSpliced(3, 0, '- [>] Test soon'))
  expect([desk.state.draft?.position, desk.state.draft?.isGone]).toEqual([{ column: 1, card: 0 }, false])
  desk.others(...cards.toSpliced(2, 1))
  expect(desk.state.draft?.isGone).toBe(true)
  expect(desk.state.parts.title).toBe('Test every part')
  // Others see which card is being edited, and at the end they see that none is.
  expect(desk.holds.map((words) => words !== null && /Test[^"]*/.exec(words)?.[0])).toEqual(['Test', 'Test', 'Test soon', false])
})

test('[COMP-27] a touched draft is not replaced by the draft of another card', () => {
  const desk = new Desk(...cards).edit('Test')
  const { draft } = desk.state
  desk.step({ kind: 'edit', card: desk.find('Pick').card })
  expect([desk.announcements, desk.state.draft]).toEqual([[{ kind: 'still open' }], draft])
})

test.each([
  ['mine', '- [ ] Test every part @ben'],
  ['theirs', '- [ ] Test soon @ben']
] as const)('[COMP-27] when others changed the card too, the person keeps %s; other parts keep their changes', (whose, line) => {
  const desk = new Desk(...cards).edit('Test', { title: ' Test every part ', details: 'By hand' })
  desk.others(...cards.with(2, '- [ ] Test soon @ben')).step({ kind: 'save' })
  const { draft, parts } = desk.state
  expect([draft?.isAsked, draft && contestedParts(draft, plainParts(parts))]).toEqual([true, ['title']])
  expect(desk.lines[2]).toBe('- [ ] Test soon @ben')
  desk.step({ kind: 'keep', whose })
  expect(desk.lines.slice(2, 4)).toEqual([line, '  By hand'])
  expect([desk.state.draft, desk.focus.at(-1)]).toEqual([undefined, { kind: 'closed form', position: { column: 0, card: 1 } }])
})

test('[COMP-45] each attempt to save leads to the question, until something is typed', () => {
  const desk = new Desk(...cards).edit('Test', { title: 'Mine' }).others(...cards.with(2, '- [ ] Test, theirs'))
  desk.step({ kind: 'save' }).step({ kind: 'save' })
  expect(desk.focus.slice(1)).toEqual([{ kind: 'question' }, { kind: 'question' }])
  desk.step({ kind: 'typed', parts: { ...desk.state.parts, title: 'Mine too' } })
  expect(desk.state.draft?.isAsked).toBe(false)
})

test('[COMP-27] the text of a removed card becomes a new card', () => {
  const desk = new Desk(...cards).edit('Pick', { title: 'Pick a name', tags: 'team, #late', details: 'Soon' }).others(...cards.slice(0, 5))
  desk.step({ kind: 'save' })
  expect(desk.lines.slice(5)).toEqual(['- [x] Pick a name #team #late', '  Soon'])
  expect([desk.state.draft, desk.holds.at(-1)]).toEqual([undefined, null])
})

test('[COMP-27] a card that is gone at the time of saving keeps its form', () => {
  const desk = new Desk(...cards).edit('Test', { title: 'Test all' })
  desk.step({ kind: 'save' }, boardOf('## Todo'))
  expect([desk.announcements, desk.state.parts.title]).toEqual([[{ kind: 'changed by others' }], 'Test all'])
  expect(desk.state.draft).toBeDefined()
})

test('[COMP-27] the text of a form is the source of a card', () => {
  expect(cardSource({ title: ' Ship ', person: '@ben', tags: 'a #b, a', details: 'x\n' })).toBe('Ship @ben #a #b\nx')
})

test('[COMP-237] commas separate tags, and spaces do so only without a comma', () => {
  const tagsOf = (tags: string): string => cardSource({ title: 'x', person: '', tags, details: '' })
  expect(tagsOf('urgent, back end')).toBe('x #urgent #back-end')
  expect(tagsOf('urgent back  end')).toBe('x #urgent #back #end')
  expect(tagsOf('#urgent, #back #end,')).toBe('x #urgent #back #end')
  // The form shows two tags with a comma, so that a third one may have two words.
  const desk = new Desk('## Todo', '- Test #urgent #ops').edit('Test', {})
  expect(desk.state.parts.tags).toBe('urgent, ops')
  desk.edit('Test', { tags: 'urgent, ops, back end' }).step({ kind: 'save' })
  expect(desk.lines).toEqual(['## Todo', '- Test #urgent #ops #back-end'])
})

// ——— fields ———

const inDoing: Opening = { kind: 'card', column: 1 }

test('[COMP-35] the text for a new card stays with its column, no matter what others do to the columns', () => {
  const desk = new Desk(...cards).open(inDoing, 'New').others('## Ideas', ...cards)
  expect(desk.state.field).toMatchObject({ column: 2 })
  desk.others('## Ideas', ...cards.with(3, '## Under way')).end('enter', 'New one')
  expect(desk.lines).toEqual(['## Ideas', ...cards.slice(0, 3), '## Under way', '- [ ] New one', ...cards.slice(4)])
  expect(desk.announcements).toEqual([{ kind: 'added', column: 'Under way' }])
})

test('[COMP-35] a field that is drawn at its former place still writes into its column', () => {
  const desk = new Desk(...cards).open(inDoing, 'New')
  const field = desk.state.field as Field
  desk.others('## Ideas', ...cards).step({ kind: 'leave', field, text: 'New' })
  expect(desk.lines).toEqual(['## Ideas', ...cards.slice(0, 4), '- [>] New', ...cards.slice(4)])
})

test('[COMP-39] Enter adds a card and empties the field for the next one; without text it closes', () => {
  const desk = new Desk(...cards).open(inDoing, 'New').end('enter')
  expect([desk.last.empties, desk.state.field?.kind, desk.state.typed]).toEqual([true, 'card', ''])
  desk.end('enter', ' ')
  expect([desk.state.field, desk.focus]).toEqual([undefined, [{ kind: 'opener', opening: expect.objectContaining(inDoing) }]])
})

test.each([false, true])('[COMP-39] after a column is renamed, the focus returns to it once it is drawn; reading: %j', (isReading) => {
  const desk = new Desk(...cards).open({ kind: 'rename', column: 1 }, 'Under way')
  desk.isReading = isReading
  desk.end('enter')
  expect(desk.focus.at(-1)).toEqual({ kind: 'moved column', column: 1 })
  // Neither an unchanged name nor a click elsewhere draws a heading that takes the focus.
  desk.open({ kind: 'rename', column: 1 }, 'Under way').end('enter')
  desk.open({ kind: 'rename', column: 1 }, 'Later').end('leave')
  expect(desk.focus.map(({ kind }) => kind)).toEqual(['opener', 'moved column', 'opener'])
})

test('[COMP-39] [COMP-220] text that cannot be written stays in its field, or in the form of its card', () => {
  const desk = new Desk(...cards).open(inDoing, 'New')
  desk.isLocked = true
  desk.end('enter')
  expect([desk.last.empties, desk.state.typed, desk.announcements]).toEqual([undefined, 'New', [{ kind: 'refused' }]])
  const other = new Desk(...cards).edit('Test', { details: 'By noon' })
  other.isLocked = true
  other.step({ kind: 'save' })
  expect([other.state.parts.details, other.state.draft?.card.title.text, other.announcements]).toEqual([
    'By noon',
    'Test',
    [{ kind: 'refused' }]
  ])
})

test.each<[Opening, string]>([
  [inDoing, '- [>] New'],
  [{ kind: 'rename', column: 1 }, '## New'],
  [{ kind: 'column' }, '## New']
])('[COMP-39] [COMP-42] the field %j: Esc discards, a click elsewhere saves, an empty one changes nothing', (opening, line) => {
  const desk = new Desk(...cards).open(opening, 'New').step({ kind: 'close' })
  expect([desk.lines, desk.focus]).toEqual([cards, [{ kind: 'opener', opening: expect.objectContaining(opening) }]])
  desk.open(opening).end('leave')
  expect([desk.lines, desk.state.field]).toEqual([cards, undefined])
  desk.open(opening, 'New').end('leave')
  expect(desk.lines).toContain(line)
  // The focus is already elsewhere.
  expect(desk.focus.filter(({ kind }) => kind === 'opener')).toHaveLength(1)
})

test('[COMP-42] a field that was left is saved, and the one opened meanwhile stays', () => {
  const desk = new Desk(...cards).open({ kind: 'card', column: 2 }, 'Ship it')
  const left = desk.state.field
  if (left === undefined) throw new Error('no field is open')
  desk.open({ kind: 'card', column: 0 }, 'Next').step({ kind: 'leave', field: left, text: 'Ship it' })
  expect(desk.lines.at(-1)).toBe('- [x] Ship it')
  expect([desk.state.field, desk.state.typed]).toEqual([expect.objectContaining({ column: 0 }), 'Next'])
})

test('[COMP-127] before the board disappears, the page writes the open field once, and then the touched draft', () => {
  const desk = new Desk(...cards)
  desk.step({ kind: 'edit', card: desk.find('Write').card }).step({ kind: 'settle' })
  // Nothing was typed, so the form stays.
  expect([desk.lines, desk.state.draft?.isTouched]).toEqual([cards, false])
  desk.edit('Write', { title: 'Written' }).open({ kind: 'card', column: 2 }, 'Ship it')
  const { field } = desk.state
  if (field === undefined) throw new Error('no field is open')
  const written = [cards[0], '- [ ] Written @ana #backend', ...cards.slice(2), '- [x] Ship it']
  desk.step({ kind: 'settle' }).step({ kind: 'settle' }).step({ kind: 'leave', field, text: 'Ship it' })
  expect([desk.lines, desk.state.draft]).toEqual([written, undefined])
  // A card keeps its title.
  desk.edit('Test', { title: ' ' }).step({ kind: 'settle' })
  expect([desk.lines, desk.state.parts.title]).toEqual([written, ' '])
})

test('[COMP-47] text for a column that others removed is kept, and becomes a column or a card', () => {
  const desk = new Desk(...cards, '## Later').open({ kind: 'card', column: 3 }, 'New one').others(...cards)
  desk.open({ kind: 'rename', column: 1 }, 'Under way').others(...cards.toSpliced(3, 1))
  expect([desk.state.field, desk.state.gone.map(({ text }) => text)]).toEqual([undefined, ['New one', 'Under way']])
  desk.step({ kind: 'use', gone: desk.gone('Under way') }).step({ kind: 'use', gone: desk.gone('New one') })
  expect([desk.lines.slice(-2), desk.state.gone]).toEqual([['## Under way', '- [ ] New one'], []])
  // An unchanged name is not saved, and neither is discarded text.
  desk.open({ kind: 'rename', column: 2 }, 'Under way').others(...cards)
  expect(desk.state.gone).toEqual([])
  desk.open({ kind: 'card', column: 2 }, 'Mine').others(...cards.slice(0, 4))
  desk.step({ kind: 'discard', gone: desk.gone('Mine') })
  expect(desk.state.gone).toEqual([])
})

test('[COMP-66] a new column is shown, but not while it is only suggested', () => {
  const desk = new Desk(...cards).open({ kind: 'column' }, 'Later').end('enter')
  expect(desk.focus).toEqual([
    { kind: 'opener', opening: expect.objectContaining({ kind: 'column' }) },
    { kind: 'new column', column: 3 }
  ])
  desk.isSuggesting = true
  desk.open({ kind: 'column' }, 'Never').end('leave')
  expect(desk.focus).toHaveLength(2)
})

test('[WRITE-44] the first part of a new board opens: its first card, else the field for one, else the field for a column', () => {
  expect(new Desk(...cards).step({ kind: 'begin' }).state.draft?.card.title.text).toBe('Write importer')
  expect(new Desk('## A').step({ kind: 'begin' }).state.field).toMatchObject({ kind: 'card', column: 0 })
  expect(new Desk('').step({ kind: 'begin' }).state.field).toMatchObject({ kind: 'column' })
})

// ——— the filter ———

test.each([false, true])('[COMP-43] cards added or changed here count as fresh until the filter changes; reading: %j', (isReading) => {
  const desk = new Desk(...cards, '- [x] One', '- [x] Two')
  desk.isReading = isReading
  const fresh = (): string[] => [...desk.state.fresh].map((words) => (JSON.parse(words) as string[])[0] ?? '')
  desk.step({ kind: 'filter', text: '#backend' }).open({ kind: 'card', column: 2 }, 'Ship it').end('enter')
  desk.others(...desk.lines, '- [x] Theirs')
  desk.edit('Write', { tags: '' }).step({ kind: 'save' })
  expect(fresh()).toEqual(['Ship it', 'Write importer @ana'])
  desk.step({ kind: 'filter', text: '#backen' })
  expect(fresh()).toEqual([])
})

test('[COMP-44] a board that had enough cards for a filter keeps it', () => {
  const desk = new Desk(...cards)
  expect(desk.state.hasFilter).toBe(false)
  desk.others(...cards, '- [x] One', '- [x] Two').others(...cards)
  expect(desk.state.hasFilter).toBe(true)
})

// ——— columns ———

test('[COMP-63] a key moves a column and the focus with it; at the end of the board it is taken', () => {
  const desk = new Desk(...cards)
  const key = (name: string): Key => ({ ...plainKey, key: name, altKey: true })
  desk.step({ kind: 'column key', key: key('ArrowLeft'), column: 2 }, boardOf('## New', ...cards))
  expect(titlesOf(desk.state.board)).toEqual(['New', 'Todo', 'Done', 'Doing'])
  expect(desk.focus).toEqual([{ kind: 'moved column', column: 2 }])
  expect(desk.announcements).toEqual([{ kind: 'column moved', name: 'Done', place: 3, count: 4 }])
  desk.step({ kind: 'column key', key: key('ArrowRight'), column: 3 })
  expect([desk.last.isTaken, desk.focus.length]).toEqual([true, 1])
})

test.each([
  [0, 2, ['B', 'A', 'C'], 1],
  [0, 3, ['B', 'C', 'A'], 2],
  [2, 0, ['C', 'A', 'B'], 0],
  [1, 0, ['B', 'A', 'C'], 0]
])('[COMP-63] column %i goes before %i', (column, to, names, position) => {
  const move = columnMove(drawn, drawn, column, to)
  expect(move).toMatchObject({ column: position, count: 3 })
  expect(namesAfter(drawn, move?.edits ?? [])).toEqual(names)
})
test('[COMP-63] a column stays where it is dropped on itself', () => {
  for (const to of [1, 2]) expect(columnMove(drawn, drawn, 1, to)).toBeUndefined()
})

test('[COMP-63] both columns are found again on a board that others changed since', () => {
  const now = boardOf('## New', '## C', '## A', '- [ ] one', '## B')
  const move = columnMove(drawn, now, 0, 2)
  expect(namesAfter(now, move?.edits ?? [])).toEqual(['New', 'A', 'C', 'B'])
  expect(move?.column).toBe(1)
  // Others deleted the column that was to follow the moved one. The moved column is placed before the next column that still exists.
  const without = boardOf('## C', '## A')
  expect(namesAfter(without, columnMove(drawn, without, 0, 1)?.edits ?? [])).toEqual(['A', 'C'])
  expect(columnMove(drawn, boardOf('## B', '## C'), 0, 2)).toBeUndefined()
})

test('[COMP-63] keys move a column by one place and not beyond the ends', () => {
  const steps = [0, 1, 2].map((column) => [columnStep(drawn, column, 'ArrowLeft'), columnStep(drawn, column, 'ArrowRight')])
  expect(steps).toEqual([
    [undefined, 2],
    [0, 3],
    [1, undefined]
  ])
})

test('[COMP-63] a dropped column goes before the first one whose middle is behind the pointer', () => {
  const boxes = [0, 100, 200].map((left) => ({ left, right: left + 90 }))
  expect([-5, 44, 46, 150, 260].map((x) => columnAt(boxes, x))).toEqual([0, 0, 1, 2, 3])
})

test('[COMP-67] a column that got a card meanwhile is not deleted', () => {
  expect(namesAfter(drawn, columnRemoval(drawn, drawn, 1))).toEqual(['A', 'C'])
  expect(columnRemoval(drawn, boardOf('## A', '- [ ] one', '## B', '- [ ] two', '## C'), 1)).toEqual([])
})
