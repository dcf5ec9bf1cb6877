/**
 * Boards and sheets that two or three people edit through a server, with moves of the same line and times offline. One seed is one case. In the end, all
 * have the same text, and each card and row is there once, on a line of its own, unless somebody deleted it. `undoes` adds undo and redo.
 */
import assert from 'node:assert/strict'
import * as Y from 'yjs'
import { createLateFormulas } from '../../server/live/late-formulas.ts'
import { createMovedLines } from '../../server/live/moved-lines.ts'
import { createWriters } from '../../server/live/writers.ts'
import { parseUpdate } from '../../server/live/update-check.ts'
import * as boards from '../../shared/fences/board-edits.ts'
import { parseBoard } from '../../shared/fences/board.ts'
import { type Fence, fencesOf } from '../../shared/fences/fences.ts'
import * as sheets from '../../shared/fences/sheet-edits.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import { tidyEdits } from '../../shared/fences/tidy.ts'
import { applyToText } from '../../shared/text/apply-edits.ts'
import type { Carried } from '../../shared/text/carried.ts'
import { markCarried } from '../../shared/text/carry.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { exactUndo } from '../../web/editor/exact-undo.ts'
import { stepRules } from '../../web/editor/replaced-values.ts'
import { movedWithin } from '../../web/review/annotations/moved-words.ts'
import { seeded } from '../support/typist.ts'

type Random = (below: number) => number
const own = Symbol('own')

const apply = (text: Y.Text, edits: readonly Edit[], origin: unknown): void =>
  text.doc?.transact(() => {
    for (const { from, to, insert } of edits.toReversed()) {
      if (to > from) text.delete(from, to - from)
      if (insert !== '') text.insert(from, insert)
    }
  }, origin)

/** Returns the id of the character at an offset. */
const idAt = (text: Y.Text, at: number): Y.ID | undefined => Y.createRelativePositionFromTypeIndex(text, at).item ?? undefined

/** Returns a function that marks where edits moved the words of a comment, as the page does. */
const carrierOf = (text: Y.Text, edits: readonly Edit[]): (() => void) => {
  const content = text.toString()
  const runs: { readonly ids: readonly (Y.ID | undefined)[]; readonly to: number }[] = []
  let shift = 0
  for (const { from, to, insert } of edits) {
    for (const old of edits) {
      const deleted = content.slice(old.from, old.to)
      const word = /[A-Za-z0-9]+/.exec(deleted)
      const span = word === null ? undefined : movedWithin(deleted, { from: word.index, to: word.index + word[0].length }, insert)
      if (word === null || span === undefined) continue
      const ids = Array.from(word[0], (_letter, at) => idAt(text, old.from + word.index + at))
      runs.push({ ids, to: from + shift + span.from })
    }
    shift += insert.length - (to - from)
  }
  return () => {
    const marks: Carried[] = []
    for (const { ids, to } of runs)
      for (const [at, from] of ids.entries()) {
        const [now, last] = [idAt(text, to + at), marks.at(-1)]
        if (from === undefined || now === undefined) continue
        const follows = (first: Y.ID, next: Y.ID): boolean =>
          first.client === next.client && first.clock + (last?.length ?? 0) === next.clock
        if (last !== undefined && follows(last.from, from) && follows(last.to, now))
          marks[marks.length - 1] = { ...last, length: last.length + 1 }
        else marks.push({ from, to: now, length: 1 })
      }
    markCarried(text, marks)
  }
}

/** Returns the fence of the text. */
export const fenceIn = (text: string): Fence => {
  const [fence, ...others] = fencesOf(text)
  assert.ok(fence !== undefined && others.length === 0, `not one fence:\n${text}`)
  assert.equal(fence.closing?.to, fence.to, `not closed:\n${text}`)
  return fence
}

export interface Page {
  readonly name: string
  readonly ydoc: Y.Doc
  readonly text: Y.Text
  readonly undo: Y.UndoManager
  isOnline: boolean
  change(edits: readonly Edit[]): void
}

/** An update of a page, with its state vector if the page has just connected. */
interface Sent {
  readonly update: Uint8Array
  readonly vector?: Uint8Array
}

/** A server and its pages. Updates wait until they are delivered, in the order in which they were sent. */
export class Together {
  readonly #server = new Y.Doc()
  readonly #text = this.#server.getText('content')
  readonly pages: Page[] = []
  readonly #queues = new Map<Page, { readonly up: Sent[]; readonly down: Uint8Array[] }>()
  readonly #document = { ydoc: this.#server, text: this.#text, snapshot: () => ({ content: this.#text.toString() }) }
  readonly #writers = createWriters(this.#server.store, (page) => this.pages.some((each) => each === page && each.isOnline))
  readonly #moved = createMovedLines(this.#document, this.#writers)
  readonly #late = createLateFormulas(this.#document)

  constructor(start: string, names: readonly string[], clients: readonly number[] = []) {
    this.#server.clientID = 1000
    this.#text.insert(0, start)
    this.#server.on('afterTransaction', (transaction: Y.Transaction) => {
      this.#writers.wrote(transaction.origin, transaction)
      if (transaction.origin === null || transaction.origin === 'server') return
      this.#moved.collect(transaction)
      this.#late.collect(transaction)
    })
    this.#server.on('update', (update: Uint8Array, origin: unknown) => {
      for (const page of this.pages) if (page.isOnline && page !== origin) this.#queue(page).down.push(update)
    })
    for (const [index, name] of names.entries()) this.#add(name, clients[index] ?? index + 1)
  }

  get content(): string {
    return this.#text.toString()
  }

  #queue(page: Page): { readonly up: Sent[]; readonly down: Uint8Array[] } {
    const found = this.#queues.get(page)
    assert.ok(found !== undefined)
    return found
  }

  #add(name: string, client: number): void {
    const ydoc = new Y.Doc()
    ydoc.clientID = client
    Y.applyUpdate(ydoc, Y.encodeStateAsUpdate(this.#server), 'remote')
    const text = ydoc.getText('content')
    const undo = new Y.UndoManager(text, { trackedOrigins: new Set([own]), captureTimeout: 0 })
    exactUndo(text, undo, stepRules)
    const page: Page = {
      name,
      ydoc,
      text,
      undo,
      isOnline: true,
      change: (edits) => {
        const carry = carrierOf(text, edits)
        apply(text, edits, own)
        undo.stopCapturing()
        carry()
      }
    }
    this.pages.push(page)
    this.#queues.set(page, { up: [], down: [] })
    ydoc.on(
      'update',
      (update: Uint8Array, origin: unknown) => void (origin !== 'remote' && page.isOnline && this.#queue(page).up.push({ update }))
    )
  }

  /** Carries out one step of the server: it takes an update of a page. */
  receive(page: Page): boolean {
    const sent = this.#queue(page).up.shift()
    if (sent === undefined) return false
    const { update, vector } = sent
    const parsed = parseUpdate(update)
    this.#moved.note(parsed.deletions)
    if (vector !== undefined) {
      this.#writers.arrived(vector)
      this.#late.note(parsed, vector)
    }
    Y.applyUpdate(this.#server, update, page)
    return true
  }

  /** The page takes an update of the server. */
  show(page: Page): boolean {
    const update = this.#queue(page).down.shift()
    if (update === undefined) return false
    Y.applyUpdate(page.ydoc, update, 'remote')
    return true
  }

  /** The server removes the next copy, or brings formulas to the rows that they name. */
  repair(): boolean {
    const part = [this.#moved, this.#late].find((each) => each.isWaiting())
    if (part === undefined) return false
    apply(this.#text, part.next(), 'server')
    return true
  }

  tidy(): void {
    const [fence] = fencesOf(this.content)
    if (fence !== undefined) this.#server.transact(() => applyToText(this.#text, tidyEdits(fence), this.content), 'server')
  }

  goOffline(page: Page): void {
    this.settle()
    page.isOnline = false
  }

  goOnline(page: Page): void {
    page.isOnline = true
    const mine = Y.encodeStateAsUpdate(page.ydoc, Y.encodeStateVector(this.#server))
    const theirs = Y.encodeStateAsUpdate(this.#server, Y.encodeStateVector(page.ydoc))
    this.#queue(page).up.push({ update: mine, vector: Y.encodeStateVector(page.ydoc) })
    this.#queue(page).down.push(theirs)
  }

  /** Delivers everything. */
  settle(): void {
    const online = this.pages.filter(({ isOnline }) => isOnline)
    for (let isBusy = true; isBusy;) {
      isBusy = false
      for (const page of online) while (this.receive(page)) isBusy = true
      while (this.repair()) isBusy = true
      for (const page of online) while (this.show(page)) isBusy = true
    }
  }

  end(): void {
    for (const page of this.pages) if (!page.isOnline) this.goOnline(page)
    this.settle()
    this.tidy()
    this.settle()
  }
}

const keyOf = (text: string): string | undefined => /\bk\d+z\b/.exec(text)?.[0]
const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T
const words = ['Draft', 'Write', 'Fix', 'Plan', 'Ship it'] as const

interface Case {
  readonly random: Random
  /** The cards or rows that nobody has deleted, and whose addition nobody can undo. */
  readonly safe: Set<string>
  keys: number
}

const changeBoard = (fuzz: Case, fence: Fence): readonly Edit[] => {
  const { random, safe } = fuzz
  const board = parseBoard(fence)
  const places = board.columns.flatMap(({ cards }, column) => cards.map((card, at) => ({ card, place: { column, card: at } })))
  const column = random(board.columns.length)
  const kind = random(20)
  const chosen = places[random(Math.max(1, places.length))]
  if (kind === 0 || chosen === undefined) return boards.addCard(board, column, `Card k${++fuzz.keys}z`)
  const { card, place } = chosen
  const key = keyOf(card.title.text) ?? ''
  if (kind === 1) {
    safe.delete(key)
    return boards.deleteCard(board, place)
  }
  if (kind < 5) return boards.renameCard(board, place, `${pick(random, words)} ${key}`)
  if (kind < 7) return boards.cycleState(board, place)
  if (kind === 7) return boards.addTag(board, place, `t${random(3)}`)
  return boards.moveCard(board, place, { column, card: random(3) })
}

const changeSheet = (fuzz: Case, fence: Fence): readonly Edit[] => {
  const { random, safe } = fuzz
  const sheet = parseSheet(fence)
  const row = 1 + random(Math.max(1, sheet.rows.length - 1))
  const key = keyOf(sheet.rows[row]?.cells[0]?.text ?? '')
  const kind = random(16)
  if (kind === 0 || key === undefined) return sheets.setCell(sheet, sheet.rows.length, 0, `k${++fuzz.keys}z`)
  if (kind === 1) {
    safe.delete(key)
    return sheets.deleteRow(sheet, row)
  }
  if (kind < 6) return sheets.setCell(sheet, row, 1, String(random(100)))
  return sheets.moveRow(sheet, row, 1 + random(sheet.rows.length))
}

const kinds = {
  board: {
    start: '```board\n## Todo\n- [ ] Card k1z\n- [ ] Card k2z\n  details of k2\n## Doing\n- [>] Card k3z\n## Done\n```\n',
    change: changeBoard,
    lines: (fence: Fence): string[] => {
      const board = parseBoard(fence)
      assert.deepEqual(
        board.columns.map(({ title }) => title.text),
        ['Todo', 'Doing', 'Done']
      )
      // Words that somebody wrote into a card stay as a note if somebody else deleted the card, or wrote at the same place.
      for (const { line } of [...board.notes, ...board.columns.flatMap(({ notes }) => notes)])
        assert.ok(keyOf(line.text) === undefined && !/^[ xX>]$/.test(line.text), `the rest of a card is a note: ${line.text}`)
      return board.columns.flatMap(({ cards }) => cards.map(({ line }) => line.text))
    }
  },
  sheet: {
    start: '```sheet\n| Key | Value |\n|---|---|\n| k1z | 1 |\n| k2z | 2 |\n| k3z | 3 |\n```\n',
    change: changeSheet,
    lines: (fence: Fence): string[] => {
      const { rows } = parseSheet(fence)
      for (const { cells, line } of rows) assert.equal(cells.length, 2, line.text)
      return rows.slice(1).map(({ line }) => line.text)
    }
  }
} as const

const check = (kind: keyof typeof kinds, together: Together, safe: ReadonlySet<string>): void => {
  const { content } = together
  for (const { text } of together.pages) assert.equal(text.toString(), content)
  assert.ok(content.startsWith('before\n\n```') && content.endsWith('\n```\n\nbehind\n'), `text around:\n${content}`)
  const lines = kinds[kind].lines(fenceIn(content))
  const found = lines.map((line) => {
    assert.equal(line.match(/\bk\d+z\b/g)?.length, 1, `not one key on ${line}:\n${content}`)
    return keyOf(line) ?? ''
  })
  assert.deepEqual(found.toSorted(), [...new Set(found)].toSorted(), `doubled:\n${content}`)
  for (const key of safe) assert.ok(found.includes(key), `${key} is lost:\n${content}`)
}

/** Runs one case. Throws with the seed and the operations if a rule is broken. */
export const movesHold = (kind: keyof typeof kinds, seed: number, undoes = false): void => {
  const random = seeded(seed)
  const names = ['ana', 'bo', 'cy'].slice(0, 2 + (seed % 2))
  const clients = names.map((_name, index) => 1 + ((seed * 7 + index * 5) % 17))
  const { start, change } = kinds[kind]
  const together = new Together(`before\n\n${start}\nbehind\n`, names, clients)
  const fuzz: Case = { random, safe: new Set(['k1z', 'k2z', 'k3z']), keys: 3 }
  const log: string[] = []
  try {
    for (let round = 0; round < 3; round++) {
      for (let turn = 0; turn < 14; turn++) {
        const page = pick(random, together.pages)
        const kindOfTurn = undoes || random(4) > 0 ? random(14) : 0
        if (!undoes && kindOfTurn >= 6 && kindOfTurn < 9) continue
        const say = (what: string): void => void log.push(`${page.name} ${what} IN ${JSON.stringify(page.text.toString())}`)
        if (kindOfTurn < 6) {
          const [fence] = fencesOf(page.text.toString())
          if (fence?.kind !== kind) continue
          const edits = change(fuzz, fence)
          say(JSON.stringify(edits))
          page.change(edits)
        } else if (kindOfTurn < 8) {
          say('undo')
          page.undo.undo()
        } else if (kindOfTurn === 8) {
          say('redo')
          page.undo.redo()
        } else if (kindOfTurn === 9 && random(2) === 0) {
          say(page.isOnline ? 'offline' : 'online')
          if (page.isOnline) together.goOffline(page)
          else together.goOnline(page)
        } else if (kindOfTurn === 10 && random(3) === 0) {
          say('tidy')
          together.tidy()
        } else if (kindOfTurn < 12) while (together.receive(page));
        else if (kindOfTurn < 13) while (together.show(page));
        else together.repair()
      }
      log.push('end')
      together.end()
      log.push(together.content)
      check(kind, together, fuzz.safe)
    }
  } catch (error) {
    throw new Error(`${kind}, seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n${log.slice(-40).join('\n')}`, {
      cause: error
    })
  }
}

const plain =
  '- Pack\n  - Socks\n  - Coat\n- Taxi\n\n1. First\n2. Second\n\nSome words.\n\n| a | b |\n| --- | --- |\n| x | 1 |\n| y | 2 |\n\nlast'
const pieces = ['\n', '\n\n', 'word', '- ', '2. ', ' ', 'x', '\n- item', 'First', '| z | 3 |\n', '\n\n1. a\n2. b'] as const

/** Returns the edits that move one line of the text to the place of another; none if they are next to each other. */
const lineMoved = (random: Random, content: string): readonly Edit[] => {
  const lines = content.split('\n')
  const [from, to] = [random(lines.length - 1), random(lines.length - 1)]
  const begin = (line: number): number => lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0)
  if (Math.abs(from - to) < 2) return []
  const taken = { from: begin(from), to: begin(from + 1), insert: '' }
  const put = { from: begin(to), to: begin(to), insert: `${lines[from]}\n` }
  return [taken, put].toSorted((one, other) => one.from - other.from)
}

/**
 * One person types, deletes, moves lines, and uses undo and redo. Throws with the seed and the operations if the server changes the text.
 * With `isMet`, somebody else wrote at the beginning.
 */
export const aloneHolds = (seed: number, isMet = false): void => {
  const random = seeded(seed)
  const together = new Together(seed % 2 === 0 ? '' : plain, isMet ? ['ana', 'bo'] : ['ana'], [1 + (seed % 17), 20])
  const [page, other] = together.pages as [Page, Page?]
  other?.change([{ from: 0, to: 0, insert: 'Hello\n\n' }])
  together.settle()
  const log: string[] = []
  for (let turn = 0; turn < 25; turn++) {
    const content = page.text.toString()
    const kind = random(10)
    if (kind === 6 || kind === 7) page.undo.undo()
    else if (kind > 7) page.undo.redo()
    else if (kind === 5) page.change(lineMoved(random, content))
    else {
      const from = random(3) === 0 ? content.length : random(content.length + 1)
      const to = kind === 4 ? Math.min(content.length, from + random(12)) : from
      page.change([{ from, to, insert: kind === 4 ? '' : pick(random, pieces) }])
    }
    const wanted = page.text.toString()
    log.push(JSON.stringify(wanted))
    if (random(3) === 0) continue
    together.settle()
    assert.equal(page.text.toString(), wanted, `seed ${seed}:\n${log.join('\n')}`)
  }
}
