/**
 * Boards, chats and sheets that three people edit at once. One seed is one case: random interactions on separate copies, updates that arrive late and
 * out of order, and a server that tidies the text once all copies are in sync. Every card, message and row contains a unique word, by which the test
 * counts it. The rules are in test/SPEC.md.
 */
import assert from 'node:assert/strict'
import * as Y from 'yjs'
import * as boards from '../../shared/fences/board-edits.ts'
import { parseBoard, repeatedCards } from '../../shared/fences/board.ts'
import { appendMessage, editMessage, type Message, parseChat } from '../../shared/fences/chat.ts'
import { type Fence, fencesOf } from '../../shared/fences/fences.ts'
import { tidyEdits } from '../../shared/fences/tidy.ts'
import * as sheets from '../../shared/fences/sheet-edits.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { exactUndo } from '../../web/editor/exact-undo.ts'
import { stepRules } from '../../web/editor/replaced-values.ts'
import { seeded } from '../support/typist.ts'

type Random = (below: number) => number

interface Person {
  readonly name: string
  readonly text: Y.Text
  readonly out: Uint8Array[]
  readonly incoming: Uint8Array[]
}

interface Case {
  readonly random: Random
  readonly people: readonly Person[]
  /** For the word of each card, message or row: the people who moved or removed it since the last sync. */
  readonly known: Map<string, { movers: Set<string>; removers: Set<string> }>
  /** Words that somebody added to a card, message or row, each with the word that identifies that card, message or row. */
  readonly written: Map<string, string>
  /** Cards that appear twice because two people moved them. They are not checked further. */
  readonly twice: Set<string>
  readonly log: string[]
  words: number
}

const names = ['ana', 'bo', 'cy'] as const
const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T
const wordOf = (text: string): string | undefined => /\bk\d+z\b/.exec(text)?.[0]
const newWord = (fuzz: Case): string => `k${++fuzz.words}z`

const apply = (text: Y.Text, edits: readonly Edit[]): void =>
  text.doc?.transact(() => {
    for (const { from, to, insert } of edits.toReversed()) {
      if (to > from) text.delete(from, to - from)
      if (insert !== '') text.insert(from, insert)
    }
  })

/** Returns the fence of the text. An interaction must leave exactly one fence. */
const fenceIn = (text: string): Fence => {
  const fences = fencesOf(text)
  assert.equal(fences.length, 1, `not one fence:\n${text}`)
  const [fence] = fences as [Fence]
  assert.equal(fence.closing?.to, fence.to, `not closed:\n${text}`)
  return fence
}

const shuffled = <T>(random: Random, items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: random(1_000_000) }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item)

/** Delivers some of the waiting updates in any order. With `all`, it delivers everything. */
const exchange = ({ random, people }: Case, all: boolean): void => {
  for (const person of people)
    for (const update of person.out.splice(0)) for (const other of people) if (other !== person) other.incoming.push(update)
  for (const person of people) {
    const waiting = shuffled(random, person.incoming.splice(0))
    for (const update of waiting) {
      if (all || random(2) === 0) Y.applyUpdate(person.text.doc as Y.Doc, update, 'remote')
      else person.incoming.push(update)
    }
  }
}

const entryOf = (fuzz: Case, word: string): { movers: Set<string>; removers: Set<string> } => {
  const found = fuzz.known.get(word) ?? { movers: new Set<string>(), removers: new Set<string>() }
  if (!fuzz.twice.has(word)) fuzz.known.set(word, found)
  return found
}

// ——— boards ———

const changeBoard = (fuzz: Case, { name }: Person, fence: Fence): readonly Edit[] => {
  const { random } = fuzz
  const board = parseBoard(fence)
  const column = random(board.columns.length)
  const cards = board.columns.flatMap((each, at) => each.cards.map((card, index) => ({ card, place: { column: at, card: index } })))
  const chosen = cards[random(Math.max(1, cards.length))]
  const word = chosen === undefined ? undefined : wordOf(chosen.card.title.text)
  const kind = random(12)
  if (kind < 2 || chosen === undefined || word === undefined) {
    const fresh = newWord(fuzz)
    entryOf(fuzz, fresh)
    return boards.addCard(board, column, `Card ${fresh}${random(3) === 0 ? '\ndetails\n\n```' : ''}`)
  }
  const extra = newWord(fuzz)
  if (kind < 5) {
    entryOf(fuzz, word).movers.add(`${name} ${fuzz.log.length}`)
    return boards.moveCard(board, chosen.place, { column, card: random(4) })
  }
  if (kind === 5) return boards.cycleState(board, chosen.place)
  if (kind === 6) {
    fuzz.written.set(extra, word)
    return boards.renameCard(board, chosen.place, `${chosen.card.title.text} ${extra}`)
  }
  if (kind === 7) return boards.setAssignee(board, chosen.place, random(3) === 0 ? undefined : pick(random, names))
  if (kind === 8) return boards.addTag(board, chosen.place, `t${random(4)}`)
  if (kind === 9)
    return random(2) === 0 ? boards.addColumn(board, `Column ${random(9)}`) : boards.renameColumn(board, column, `Doing ${random(9)}`)
  if (kind === 10 && random(3) === 0) {
    const to = random(board.columns.length + 1)
    if (to !== column && to !== column + 1)
      for (const { title } of board.columns[column]?.cards ?? [])
        entryOf(fuzz, wordOf(title.text) ?? '').movers.add(`${name} ${fuzz.log.length}`)
    return boards.moveColumn(board, column, to)
  }
  entryOf(fuzz, word).removers.add(`${name} ${fuzz.log.length}`)
  return boards.deleteCard(board, chosen.place)
}

/** Returns the words of the cards, including notes before all columns: those are cards whose column has since been moved away. */
const wordsOnBoard = (fence: Fence): string[] => {
  const { notes, columns } = parseBoard(fence)
  const left = notes.flatMap(({ line }) => (line.text.startsWith('- [') ? (wordOf(line.text) ?? []) : []))
  return [...left, ...columns.flatMap(({ cards }) => cards.flatMap(({ title }) => wordOf(title.text) ?? []))]
}

// ——— chats ———

const changeChat = (fuzz: Case, { name }: Person, fence: Fence): readonly Edit[] => {
  const { random } = fuzz
  const chat = parseChat(fence)
  const own = chat.entries.filter((entry): entry is Message => entry.kind === 'message' && entry.author === name)
  if (own.length === 0 || random(3) > 0) {
    const word = newWord(fuzz)
    entryOf(fuzz, word)
    const text = `${word} says${random(3) === 0 ? '\nmore\n\n```\ncode\n```' : ''}`
    return appendMessage(chat, { author: name, time: 0, text })
  }
  const message = pick(random, own)
  const word = wordOf(message.text) ?? ''
  if (random(6) === 0) {
    entryOf(fuzz, word).removers.add(`${name} ${fuzz.log.length}`)
    return editMessage(chat, message, ' ')
  }
  return editMessage(chat, message, `${word} corrected${random(2) === 0 ? '' : '\nline\nline'}`)
}

const wordsInChat = (fence: Fence): string[] =>
  parseChat(fence).entries.flatMap((entry) => (entry.kind === 'message' ? (wordOf(entry.text) ?? []) : []))

// ——— sheets ———

const changeSheet = (fuzz: Case, { name }: Person, fence: Fence): readonly Edit[] => {
  const { random } = fuzz
  const sheet = parseSheet(fence)
  const row = 1 + random(Math.max(1, sheet.rows.length - 1))
  const word = wordOf(sheet.rows[row]?.cells[0]?.text ?? '')
  const kind = random(6)
  if (kind < 2 || word === undefined) {
    const fresh = newWord(fuzz)
    entryOf(fuzz, fresh)
    return sheets.setCells(sheet, [
      { row: sheet.rows.length, column: 0, text: fresh },
      { row: sheet.rows.length, column: 1, text: '=B1' }
    ])
  }
  if (kind === 2) {
    entryOf(fuzz, word).movers.add(`${name} ${fuzz.log.length}`)
    return sheets.moveRow(sheet, row, 1 + random(sheet.rows.length))
  }
  if (kind === 3) {
    entryOf(fuzz, word).removers.add(`${name} ${fuzz.log.length}`)
    return sheets.deleteRow(sheet, row)
  }
  if (kind === 4) return sheets.insertRow(sheet, row)
  const extra = newWord(fuzz)
  const before = sheet.rows[row]?.cells[2]?.text ?? ''
  for (const each of before.match(/k\d+z/g) ?? []) fuzz.written.delete(each)
  fuzz.written.set(extra, word)
  return sheets.setCell(sheet, row, 2, extra)
}

const wordsInSheet = (fence: Fence): string[] => parseSheet(fence).rows.flatMap(({ cells }) => wordOf(cells[0]?.text ?? '') ?? [])

const kinds = {
  board: { start: '```board\n## Todo\n## Doing\n## Done\n```\n', change: changeBoard, words: wordsOnBoard },
  chat: { start: '```chat\n```\n', change: changeChat, words: wordsInChat },
  sheet: { start: '```sheet\n| Key | Sum | Note |\n|---|---|---|\n```\n', change: changeSheet, words: wordsInSheet }
} as const

/** Checks a case that is in sync: everyone has the same text, and each item occurs as often as the rules say. */
const check = (fuzz: Case, words: (fence: Fence) => string[]): void => {
  const text = fuzz.people[0]?.text.toString() ?? ''
  for (const person of fuzz.people) assert.equal(person.text.toString(), text)
  const fence = fenceIn(text)
  const counts = new Map<string, number>()
  for (const word of words(fence)) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const [word, { movers, removers }] of fuzz.known) {
    const count = counts.get(word) ?? 0
    if (removers.size === 0) assert.ok(count >= 1, `${word} is lost:\n${text}`)
    assert.ok(count <= Math.max(1, movers.size), `${word} is there ${count} times:\n${text}`)
  }
  // A word that was left alone on its line may have become part of another card and disappeared with it.
  if ([...fuzz.known.values()].some(({ removers }) => removers.size > 0) || fuzz.twice.size > 0) fuzz.written.clear()
  for (const word of fuzz.written.keys()) assert.ok(text.includes(word), `what was written, ${word}, is lost:\n${text}`)
  // A card that two people moved at once and that nobody edited is marked as moved twice.
  if (fence.kind === 'board') {
    const board = parseBoard(fence)
    const shown = repeatedCards(board).flat().length
    const titles = board.columns.flatMap(({ cards }) =>
      cards.map(({ line, details }) => line.text.replace(/^- \[.*?\] /, '').trimEnd() + details.map((each) => each.text).join('\n'))
    )
    assert.equal(shown, titles.filter((title) => titles.indexOf(title) !== titles.lastIndexOf(title)).length)
  }
}

const tidyFence = (fuzz: Case): void => {
  const [server] = fuzz.people
  if (server === undefined) return
  const before = server.text.toString()
  apply(server.text, tidyEdits(fenceIn(before)))
  const after = server.text.toString()
  assert.deepEqual(tidyEdits(fenceIn(after)), [], 'tidying twice changes something')
  const bare = (text: string): string => text.replaceAll(/\[[ xX>]*\]|\s/g, '')
  assert.equal(bare(after), bare(before))
}

/** Runs one case. Throws with the seed and the operations if a rule is broken. */
export const fencesHold = (kind: keyof typeof kinds, seed: number): void => {
  const { start, change, words } = kinds[kind]
  const first = new Y.Doc()
  first.clientID = 1000
  first.getText('content').insert(0, start)
  const state = Y.encodeStateAsUpdate(first)
  const people = names.map((name, index): Person => {
    const ydoc = new Y.Doc()
    // Yjs orders concurrent changes by these ids, so the seed must decide them too.
    ydoc.clientID = 1 + ((seed * 7 + index * 5) % 17)
    Y.applyUpdate(ydoc, state)
    const person: Person = { name, text: ydoc.getText('content'), out: [], incoming: [] }
    ydoc.on('update', (update: Uint8Array, origin: unknown) => void (origin === 'remote' ? 0 : person.out.push(update)))
    return person
  })
  const random = seeded(seed)
  const fuzz: Case = { random, people, known: new Map(), written: new Map(), twice: new Set(), log: [], words: 0 }
  try {
    for (let round = 0; round < 4; round++) {
      for (let turn = 0; turn < 12; turn++) {
        const person = pick(random, people)
        const before = person.text.toString()
        const edits = change(fuzz, person, fenceIn(before))
        fuzz.log.push(`${person.name}: ${JSON.stringify(edits)} IN ${JSON.stringify(before.slice(40))}`)
        apply(person.text, edits)
        fenceIn(person.text.toString())
        if (random(3) === 0) exchange(fuzz, false)
      }
      exchange(fuzz, true)
      check(fuzz, words)
      tidyFence(fuzz)
      exchange(fuzz, true)
      check(fuzz, words)
      for (const [word, entry] of fuzz.known) {
        entry.movers.clear()
        entry.removers.clear()
        const copies = words(fenceIn(people[0]?.text.toString() ?? '')).filter((each) => each === word).length
        if (copies === 0) fuzz.known.delete(word)
        if (copies > 1 && fuzz.known.delete(word)) fuzz.twice.add(word)
      }
    }
  } catch (error) {
    throw new Error(`${kind}, seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n${fuzz.log.slice(-20).join('\n')}`, {
      cause: error
    })
  }
}

/** Types an empty line into the source: below a line of the fence, inside it, or at its beginning. */
const typeEmptyLine = ({ random }: Case, { source, lines, bodyFrom, bodyTo }: Fence): readonly Edit[] => {
  const line = lines[random(Math.max(1, lines.length))]
  const at = line === undefined ? bodyFrom : [line.start, line.to][random(2)]
  assert.ok(at !== undefined && at >= bodyFrom && at <= bodyTo && at <= source.length)
  return [{ from: at, to: at, insert: '\n' }]
}

/**
 * One person's page, and the service that tidies the text between the steps. All steps are undone, redone, and undone again. Empty lines that existed
 * before and that the service removed are ignored. `typesEmptyLines` also types empty lines, and all empty lines are then ignored. Throws with the
 * seed if the text is not the same as before, unit by unit.
 */
export const stepsReturn = (kind: keyof typeof kinds, seed: number, typesEmptyLines = false): void => {
  const { start, change } = kinds[kind]
  const random = seeded(seed)
  const docs = ['service', 'ana'].map((_name, index) => {
    const ydoc = new Y.Doc()
    ydoc.clientID = 1 + ((seed * 7 + index * 5) % 17)
    return ydoc
  }) as [Y.Doc, Y.Doc]
  const [service, own] = docs.map((ydoc) => ydoc.getText('content')) as [Y.Text, Y.Text]
  for (const [from, to] of [docs, docs.toReversed()] as [Y.Doc, Y.Doc][])
    from.on('update', (update: Uint8Array, origin: unknown) => void (origin === 'remote' ? 0 : Y.applyUpdate(to, update, 'remote')))
  service.insert(0, `before\n\n${start}\nbehind\n`)
  const person: Person = { name: 'ana', text: own, out: [], incoming: [] }
  const fuzz: Case = { random, people: [person], known: new Map(), written: new Map(), twice: new Set(), log: [], words: 0 }
  const tidy = (): void => apply(service, tidyEdits(fenceIn(service.toString())))
  for (let step = 0; step < 8; step++) apply(own, change(fuzz, person, fenceIn(own.toString())))
  tidy()
  const undo = new Y.UndoManager(own, { trackedOrigins: new Set([null]), captureTimeout: 500 })
  const end = exactUndo(own, undo, stepRules)
  try {
    const isExact = kind !== 'board' && !typesEmptyLines
    const shown = (text: Y.Text): string => (isExact ? text.toString() : text.toString().replaceAll(/\n(?:[ \t]*\n)+/g, '\n'))
    const begun = shown(own)
    for (let step = 0; step < 14; step++) {
      const fence = fenceIn(own.toString())
      const edits = typesEmptyLines && random(3) === 0 ? typeEmptyLine(fuzz, fence) : change(fuzz, person, fence)
      fuzz.log.push(`${JSON.stringify(edits)} IN ${JSON.stringify(own.toString())}`)
      apply(own, edits)
      undo.stopCapturing()
      if (random(3) === 0) tidy()
      // Some steps are also undone and redone in the middle.
      if (random(6) === 0 && undo.undo() !== null && random(2) === 0) undo.redo()
    }
    while (undo.canRedo()) undo.redo()
    tidy()
    const done = shown(own)
    const back = (): void => {
      while (undo.canUndo()) undo.undo()
    }
    back()
    assert.equal(shown(own), begun)
    while (undo.canRedo()) undo.redo()
    assert.equal(shown(own), done)
    tidy()
    back()
    assert.equal(shown(own), begun)
    assert.equal(service.toString(), own.toString())
  } catch (error) {
    throw new Error(`${kind}, seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n${fuzz.log.join('\n')}`, {
      cause: error
    })
  } finally {
    end()
    undo.destroy()
  }
}
