/**
 * Anchors under all kinds of changes to the text: concurrent edits by several people, replacements, restores and accepted suggestions. One seed is one
 * case. Each case uses one of two models, which share no code with the tested code:
 *
 * - `letters`: there are few different letters, so the same words occur everywhere. A character is identified by its Yjs id, which is found by
 *   walking through every character.
 * - `words`: every word is unique, so a word identifies its characters, no matter who moves it. Replacements move, drop and rewrap words.
 */
import assert from 'node:assert/strict'
import * as Y from 'yjs'
import { type Range, wholeCharacters } from '../../shared/text/targets.ts'
import { applyEdits, diff, type Edit } from '../../shared/text/diff.ts'
import { locateAnchors, type Anchor, anchorsAfter, anchorsAt } from '../../shared/text/anchors.ts'
import { seeded } from '../support/typist.ts'

type Random = (below: number) => number

interface Person {
  readonly ydoc: Y.Doc
  readonly text: Y.Text
  /** Updates that were made here and have not been sent yet. `incoming` contains the server's updates that have not been received yet. */
  readonly out: Uint8Array[]
  readonly incoming: Uint8Array[]
}

interface Case {
  readonly random: Random
  readonly server: Person
  readonly people: readonly Person[]
  readonly anchors: { anchor: Anchor; readonly tags: Set<string>; replaced: boolean }[]
  /** Earlier versions of the text. */
  readonly past: string[]
  readonly log: string[]
  words: number
}

const personOf = (state?: Uint8Array): Person => {
  const ydoc = new Y.Doc()
  if (state !== undefined) Y.applyUpdate(ydoc, state)
  const person: Person = { ydoc, text: ydoc.getText('content'), out: [], incoming: [] }
  ydoc.on('update', (update: Uint8Array, origin: unknown) => {
    if (origin !== 'remote') person.out.push(update)
  })
  return person
}

const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T

const apply = (text: Y.Text, edits: readonly Edit[]): void =>
  text.doc?.transact(() => {
    for (const { from, to, insert } of edits.toReversed()) {
      if (to > from) text.delete(from, to - from)
      if (insert !== '') text.insert(from, insert)
    }
  })

/** Sends a random part of the waiting updates. Between two exchanges, everyone edits their own copy. */
const exchange = ({ random, server, people }: Case, all: boolean): void => {
  for (const person of people) {
    while (person.out.length > 0 && (all || random(3) > 0)) {
      const update = person.out.shift() as Uint8Array
      Y.applyUpdate(server.ydoc, update, 'remote')
      for (const other of people) if (other !== person) other.incoming.push(update)
    }
  }
  for (const update of server.out.splice(0)) for (const person of people) person.incoming.push(update)
  for (const person of people)
    while (person.incoming.length > 0 && (all || random(3) > 0)) Y.applyUpdate(person.ydoc, person.incoming.shift() as Uint8Array, 'remote')
}

const rangeIn = (random: Random, content: string, unitsMax: number): Range => {
  const from = random(content.length + 1)
  return wholeCharacters(content, { from, to: Math.min(content.length, from + random(unitsMax + 1)) })
}

// ——— the models ———

interface Model {
  readonly name: string
  start(random: Random): string
  /** Returns text that a person types. */
  typed(fuzz: Case): string
  /** Returns an agent's replacement of the text. */
  rewritten(fuzz: Case, content: string): string
  /** Returns the identity of each unit of the text, from a plain walk through it. */
  tags(text: Y.Text): string[]
}

const letters: Model = {
  name: 'letters',
  start: (random) => Array.from({ length: 5 + random(60) }, () => pick(random, ['a', 'b', 'b ', ' ', '\n', '😀', 'ab '])).join(''),
  typed: ({ random }) => pick(random, ['a', 'b', 'ab', ' ', '\n', 'bab ', '😀']),
  rewritten: ({ random }, content) => {
    const points = Array.from(content)
    for (let count = 1 + random(4); count > 0; count--)
      points.splice(random(points.length + 1), random(6), ...Array.from({ length: random(4) }, () => pick(random, ['a', 'b', ' ', '\n'])))
    return points.join('')
  },
  tags(text) {
    const tags: string[] = []
    for (let item = (text as unknown as { _start: Y.Item | null })._start; item !== null; item = item.right)
      for (let at = 0; !item.deleted && at < item.length; at++) tags.push(`${item.id.client}.${item.id.clock + at}`)
    return tags
  }
}

/** Returns the n-th word. Its six letters reveal nothing about its neighbors. */
const wordOf = (number: number): string => {
  const random = seeded(number * 7919 + 13)
  return Array.from({ length: 6 }, () => String.fromCharCode(97 + random(26))).join('')
}

const newWord = (fuzz: Case): string => wordOf(fuzz.words++)

const words: Model = {
  name: 'words',
  start: (random) => {
    let word = 0
    const line = (): string => Array.from({ length: 1 + random(8) }, () => wordOf(word++)).join(' ')
    return Array.from({ length: 2 + random(8) }, line).join(pick(random, ['\n', '\n\n']))
  },
  typed: (fuzz) => ` ${newWord(fuzz)} `,
  rewritten(fuzz, content) {
    const { random } = fuzz
    const lines = content.split('\n')
    const ways: (() => void)[] = [
      () => void lines.splice(random(lines.length), 1),
      () => void lines.splice(random(lines.length + 1), 0, newWord(fuzz)),
      () => void lines.splice(random(lines.length), 0, ...lines.splice(random(lines.length), 1 + random(2))),
      () => {
        const at = random(lines.length)
        lines[at] = (lines[at] ?? '').split(' ').toSpliced(random(4), random(3), newWord(fuzz)).join(' ')
      },
      () => {
        const at = random(lines.length)
        lines[at] = (lines[at] ?? '').replaceAll(' ', () => pick(random, [' ', '\n', '  ']))
      },
      () => {
        const at = random(lines.length)
        lines[at] = (lines[at] ?? '').replaceAll(/[a-z]+/g, (word) => (random(3) === 0 ? `**${word}**` : word))
      },
      () => void lines.splice(0, lines.length, ...Array.from({ length: 3 }, () => newWord(fuzz)))
    ]
    for (let count = 1 + random(3); count > 0; count--) pick(random, random(6) === 0 ? ways : ways.slice(0, -1))()
    return lines.join('\n')
  },
  tags(text) {
    // A letter is identified by its word and its position in the word. Characters between words have no identity.
    const content = text.toString()
    const tags = Array.from({ length: content.length }, () => '')
    for (const { 0: word, index } of content.matchAll(/[a-z]+/g))
      for (let at = 0; at < word.length; at++) tags[index + at] = `${word}.${at}`
    return tags
  }
}

// ——— operations ———

const typeOrErase = (fuzz: Case, model: Model): string => {
  const { random } = fuzz
  const { text } = pick(random, fuzz.people)
  const content = text.toString()
  if (random(5) < 3 || content === '') {
    const { from: offset } = wholeCharacters(content, { from: random(content.length + 1), to: content.length })
    const from = model === words ? insertsApart(content, offset) : offset
    const typed = model.typed(fuzz)
    text.insert(from, typed)
    return `types ${JSON.stringify(typed)} at ${from}`
  }
  const { from, to } = rangeIn(random, content, random(4) === 0 ? 40 : 6)
  // The model of words deletes complete words and keeps the space around them. Part of a word, or two joined words, would count as a different word.
  const whole = model === words ? wordsAlone(content, wholeWords(content, { from, to })) : { from, to }
  if (whole.to > whole.from) text.delete(whole.from, whole.to - whole.from)
  return `erases ${JSON.stringify(whole)}`
}

const isWordUnit = (content: string, at: number): boolean => /[a-z]/.test(content[at] ?? '')

const wholeWords = (content: string, { from, to }: Range): Range => {
  while (from > 0 && isWordUnit(content, from - 1) && isWordUnit(content, from)) from--
  while (to < content.length && to > from && isWordUnit(content, to) && isWordUnit(content, to - 1)) to++
  return { from, to }
}

const wordsAlone = (content: string, { from, to }: Range): Range => {
  while (from < to && !isWordUnit(content, from)) from++
  while (to > from && !isWordUnit(content, to - 1)) to--
  return { from, to }
}

const insertsApart = (content: string, at: number): number => {
  while (at > 0 && isWordUnit(content, at - 1) && isWordUnit(content, at)) at--
  return at
}

const pinSomewhere = (fuzz: Case, model: Model): string => {
  const { random, server } = fuzz
  const content = server.text.toString()
  const range = model === words ? wordsAlone(content, wholeWords(content, rangeIn(random, content, 30))) : rangeIn(random, content, 12)
  const [anchor] = anchorsAt(server.text, content, [range])
  const tags = model.tags(server.text).slice(range.from, range.to)
  fuzz.anchors.push({ anchor: anchor as Anchor, tags: new Set(tags.filter((tag) => tag !== '')), replaced: false })
  return `anchors ${JSON.stringify(range)} ${JSON.stringify(anchor?.quote)}`
}

/** Replaces text as the server does for a PUT or a restore. */
const replaceBy = (fuzz: Case, model: Model, after: string, edits = diff(fuzz.server.text.toString(), after)): void => {
  const { server, anchors } = fuzz
  const before = server.text.toString()
  const tags = model.tags(server.text)
  const all = anchors.map(({ anchor }) => anchor)
  const stood = locateAnchors(server.text, before, all)
  apply(server.text, edits)
  const { changed, ranges } = anchorsAfter(server.text, all, stood, { before, after, edits, isCompared: true })
  assert.deepEqual(
    ranges,
    locateAnchors(
      server.text,
      after,
      all.map((anchor, index) => changed.get(index) ?? anchor)
    ),
    'where anchors are said to be is where they are'
  )
  for (const [index, anchor] of changed) {
    const held = anchors[index]
    if (held === undefined) continue
    held.anchor = anchor
    // Text that was typed inside the range disappeared with it.
    const was = stood[index]
    if (was !== undefined) for (const tag of tags.slice(was.from, was.to)) held.tags.add(tag)
    held.tags.delete('')
  }
  // From now on, the diff decides which of several equal characters is meant.
  for (const held of anchors) held.replaced = true
}

const put = (fuzz: Case, model: Model): string => {
  const content = fuzz.server.text.toString()
  const after = model.rewritten(fuzz, content)
  fuzz.past.push(content)
  replaceBy(fuzz, model, after)
  return `puts ${JSON.stringify(after)}`
}

const restore = (fuzz: Case, model: Model): string => {
  if (fuzz.past.length === 0) return 'nothing to restore'
  const after = pick(fuzz.random, fuzz.past)
  replaceBy(fuzz, model, after)
  return `restores ${JSON.stringify(after)}`
}

/** Accepts a suggestion on an anchor as the server does. If its text has changed, nothing happens. */
const accept = (fuzz: Case, model: Model): string => {
  const { random, server, anchors } = fuzz
  if (anchors.length === 0) return 'nothing to accept'
  const { anchor } = pick(random, anchors)
  const content = server.text.toString()
  const [range] = locateAnchors(server.text, content, [anchor])
  if (range === undefined || content.slice(range.from, range.to) !== anchor.quote) return 'target changed'
  const insert = random(3) > 0 ? model.typed(fuzz) : model === words ? ' ' : ''
  const edits = diff(anchor.quote, insert).map((edit) => ({ ...edit, from: edit.from + range.from, to: edit.to + range.from }))
  replaceBy(fuzz, model, applyEdits(content, edits), edits)
  return `accepts ${JSON.stringify(insert)} at ${JSON.stringify(range)}`
}

// ——— invariants ———

const check = ({ server, anchors }: Case, model: Model): void => {
  const content = server.text.toString()
  const tags = model.tags(server.text)
  const ranges = locateAnchors(
    server.text,
    content,
    anchors.map(({ anchor }) => anchor)
  )
  for (const [index, { anchor, tags: own, replaced }] of anchors.entries()) {
    const range = ranges[index]
    const shown = `anchor ${index} ${JSON.stringify(anchor.quote)} at ${JSON.stringify(range)} of ${JSON.stringify(content)}`
    if (range !== undefined) {
      assert.ok(range.from >= 0 && range.from <= range.to && range.to <= content.length, shown)
      if (own.size > 0) assert.ok(range.from < range.to, `${shown}: empty`)
    }
    if (own.size === 0) continue
    const ids = [...own]
    const kept = tags.flatMap((tag, at) => (own.has(tag) ? [at] : []))
    if (model === words) {
      if (range === undefined) continue
      // The range is never unrelated text: it contains some of the words, and begins and ends with text of the quote.
      const inside = tags.slice(range.from, range.to)
      assert.ok(
        inside.some((tag) => own.has(tag)),
        `${shown}: none of its words`
      )
      for (const at of [range.from, range.to - 1])
        assert.ok(
          own.has(tags[at] ?? '') || (tags[at] === '' && anchor.quote.includes(content[at] ?? '')),
          `${shown}: other words at its edge`
        )
      continue
    }
    if (replaced) continue
    // The exact words are at the anchor's position, because a deletion was undone.
    if (range !== undefined && content.slice(range.from, range.to) === anchor.quote) continue
    // At the edges of a quote, only letters count. If a quote has no letters, everything except whitespace counts. If it is all whitespace, all
    // characters count.
    const counts = [/[ab]/, /\S/].find((kind) => kind.test(anchor.quote)) ?? /[^]/
    const solid = kept.filter((at) => counts.test(content[at] ?? ''))
    const ends = kept.filter((at) => solid.includes(at) || tags[at] === ids[0] || tags[at] === ids.at(-1))
    const whole = solid.length === 0 ? undefined : { from: ends[0] ?? 0, to: (ends.at(-1) ?? 0) + 1 }
    assert.deepEqual(range, whole, `${shown}: its characters are at ${JSON.stringify(whole)}`)
  }
}

const weights: readonly [number, (fuzz: Case, model: Model) => string][] = [
  [40, typeOrErase],
  [10, pinSomewhere],
  [6, put],
  [3, restore],
  [6, accept]
]
const weightSum = weights.reduce((sum, [weight]) => sum + weight, 0)

export interface Tally {
  /**
   * Number of anchors whose words all ended up together, as anchored and between their old neighbors. `missed` counts those that were reported as
   * gone. Words that have lost their context may be reported as gone (ANCHOR-10).
   */
  together: number
  missed: number
  /** Number of anchors that a replacement moved. */
  anchors: number
}

/** Number of neighboring units that identify words. */
const besideUnits = 8

const tallyOf = ({ server, anchors }: Case): Tally => {
  const content = server.text.toString()
  const ranges = locateAnchors(
    server.text,
    content,
    anchors.map(({ anchor }) => anchor)
  )
  const standsBeside = ({ quote, prefix, suffix }: Anchor): boolean =>
    content.includes(prefix.slice(-besideUnits) + quote + suffix.slice(0, besideUnits))
  const together = anchors.flatMap(({ anchor, tags }, index) =>
    tags.size > 0 && content.split(anchor.quote).length === 2 && anchor.quote.trim().length > 8 && standsBeside(anchor) ? [index] : []
  )
  return { anchors: anchors.length, together: together.length, missed: together.filter((index) => ranges[index] === undefined).length }
}

/** Runs one case. Throws the first fault, with the seed and its operations. */
export const anchorsHold = (seed: number): Tally => {
  const random = seeded(seed)
  const model = seed % 2 === 0 ? letters : words
  const server = personOf()
  server.text.insert(0, model.start(random))
  const state = Y.encodeStateAsUpdate(server.ydoc)
  server.out.length = 0
  const fuzz: Case = {
    random,
    server,
    people: [personOf(state), personOf(state), personOf(state)],
    anchors: [],
    past: [],
    log: [],
    words: 1000
  }
  try {
    fuzz.log.push(`begins with ${JSON.stringify(server.text.toString())}`, pinSomewhere(fuzz, model), pinSomewhere(fuzz, model))
    for (let steps = 5 + random(20); steps > 0; steps--) {
      let at = random(weightSum)
      const [, run] = weights.find(([weight]) => (at -= weight) < 0) ?? [0, typeOrErase]
      fuzz.log.push(run(fuzz, model))
      exchange(fuzz, false)
      check(fuzz, model)
    }
    exchange(fuzz, true)
    check(fuzz, model)
    for (const { text } of fuzz.people) assert.equal(text.toString(), server.text.toString(), 'people and server agree')
    return tallyOf(fuzz)
  } catch (error) {
    throw new Error(`seed ${seed} (${model.name}): ${error instanceof Error ? error.message : String(error)}\n${fuzz.log.join('\n')}`, {
      cause: error
    })
  } finally {
    for (const { ydoc } of [server, ...fuzz.people]) ydoc.destroy()
  }
}
