import { diffArrays } from 'diff'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { commonRuns } from '../shared/text/common-lines.ts'
import { applyEdits, coarseDiff, coarsened, diff, type Edit, followed, rebased } from '../shared/text/diff.ts'
import { hunks, hunksOf, unifiedDiff } from '../shared/text/hunks.ts'
import { markedLines, merge, mergeWithMarks } from '../shared/text/merge.ts'

// With only a few different letters, the strings have much in common. Some surrogate pairs share a half.
const unit = fc.constantFrom('a', 'b', ' ', '\n', '\n', '# ', 'ä', '😀', '😁', '👍', '🂠', 'word ', '')
const someText = fc.array(unit, { maxLength: 40 }).map((parts) => parts.join(''))
const edited = fc
  .tuple(someText, fc.array(fc.tuple(fc.nat(40), fc.nat(8), unit), { maxLength: 5 }))
  .map(([before, changes]): [string, string] => {
    const points = Array.from(before)
    for (const [at, remove, insert] of changes) points.splice(at, remove, insert)
    return [before, points.join('')]
  })
const pair = fc.oneof(fc.tuple(someText, someText), edited)
const runs = { numRuns: 2000 }

const cuts = (text: string, at: number): boolean =>
  at > 0 && at < text.length && /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '')

const isOrdered = (edits: readonly Edit[], length: number): boolean =>
  edits.every((edit, index) => edit.from <= edit.to && edit.to <= length && (index === 0 || (edits[index - 1]?.to ?? 0) <= edit.from))

test('[TEXT-1] the edits of a difference turn one text into the other, in order and without overlap', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const edits = diff(before, after)
      expect(applyEdits(before, edits)).toBe(after)
      expect(isOrdered(edits, before.length)).toBe(true)
      if (before === after) expect(edits).toEqual([])
    }),
    runs
  )
})

test('[TEXT-2] no edit begins, ends or inserts within a surrogate pair', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      for (const { from, to, insert } of diff(before, after)) {
        expect(cuts(before, from) || cuts(before, to)).toBe(false)
        expect(insert.isWellFormed()).toBe(true)
      }
    }),
    runs
  )
  expect(diff('😀', '😁')).toEqual([{ from: 0, to: 2, insert: '😁' }])
  expect(diff('xx😀yy', 'xx🈀yy')).toEqual([{ from: 2, to: 4, insert: '🈀' }])
})

test('[TEXT-3] a small change in large text is a small edit, and quick', () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index} of some text\n`)
  const before = lines.join('')
  const start = performance.now()
  const edits = diff(before, lines.with(25_000, 'line 25000 of other text\n').join(''))
  const from = before.indexOf('some', before.indexOf('line 25000'))
  expect(edits.length).toBe(1)
  expect(edits[0]?.from).toBe(from)
  expect(edits[0]?.insert.length).toBeLessThan(8)
  expect(performance.now() - start).toBeLessThan(500)
})

test('[TEXT-3] unchanged words are not touched, even if the lines around them are new', () => {
  const before = '# Head\n\nalpha beta gamma\n\nend\n'
  const after = '# Other head\n\nnew paragraph\n\nalpha beta delta\n\nend\nmore\n'
  const beta = before.indexOf('beta')
  for (const edit of diff(before, after)) expect(edit.to <= beta || edit.from >= beta + 4).toBe(true)
})

test('[TEXT-1] a change to the first line break is noticed', () => {
  for (const [before, after] of [
    ['\n', ''],
    ['\n', 'a'],
    ['\na', 'a'],
    ['\n\n', '\n']
  ] as const)
    expect(applyEdits(before, diff(before, after))).toBe(after)
})

test('[TEXT-4] replacing text with text that shares no line takes bounded time', () => {
  const text = (word: string): string => Array.from({ length: 20_000 }, (_, index) => `${word} ${index * 7919}\n`).join('')
  const [before, after] = [text('one'), text('two')]
  const start = performance.now()
  expect(applyEdits(before, diff(before, after))).toBe(after)
  expect(hunks(before, after, 8192).length).toBeLessThan(2)
  expect(unifiedDiff(before, after, 8192).length).toBeLessThanOrEqual(8192)
  expect(performance.now() - start).toBeLessThan(5000)
})

const bareLines = (text: string): string[] => (text.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => line.replace('\n', ''))

test('[TEXT-5] hunks name whole lines, from 1, and applied in reverse give the new text', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const lines = bareLines(before)
      for (const hunk of hunks(before, after, 1e9).toReversed()) {
        expect(lines.slice(hunk.line - 1, hunk.line - 1 + hunk.removed.length)).toEqual(hunk.removed)
        lines.splice(hunk.line - 1, hunk.removed.length, ...hunk.added)
      }
      expect(lines).toEqual(bareLines(after))
    }),
    runs
  )
})

test('[TEXT-5] hunks beyond the size limit are left out', () => {
  expect(hunks('a\nb\n', 'x\nb\n', 4)).toEqual([{ line: 1, removed: ['a'], added: ['x'] }])
  expect(hunks('a\nb\n', 'x\nb\n', 3)).toEqual([])
})

test('[TEXT-6] a unified diff shows changes with three lines of context and is cut at a line break', () => {
  const before = Array.from({ length: 20 }, (_, index) => `${index}\n`).join('')
  expect(unifiedDiff(before, before.replace('\n10\n', '\nten\n'), 8192)).toBe('@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13')
  const long = unifiedDiff('', 'line\n'.repeat(1000), 100)
  expect(long.length).toBeLessThanOrEqual(100)
  expect(long.endsWith('+line')).toBe(true)
  // The versions are too different for a comparison of lines, so the diff is a single hunk.
  const numbers = (from: number): string => Array.from({ length: 1200 }, (_, n) => `${from + n}\n`).join('')
  const coarse = unifiedDiff(`same\n${numbers(0)}`, `same\n${numbers(5000)}`, 20_000)
  expect(coarse.startsWith('@@ -1,1201 +1,1201 @@\n same\n-0\n-1\n')).toBe(true)
  expect(coarse).toContain('\n-1199\n+5000\n')
})

test('[LOOP-5] common lines are those that the package `diff` finds among the lines that both texts have, or none if it gives up', () => {
  const item = fc.constantFrom('a', 'b', 'c', 'd')
  const list = fc.array(item, { maxLength: 14 })
  fc.assert(
    fc.property(list, list, fc.nat(12), (before, after, editsMax) => {
      const pairs = commonRuns(before, after, editsMax)?.flatMap(({ old, young, length }) =>
        Array.from({ length }, (_item, step) => [old + step, young + step])
      )
      const shared = (items: string[], others: string[]): number[] => items.flatMap((each, index) => (others.includes(each) ? [index] : []))
      const [olds, youngs] = [shared(before, after), shared(after, before)]
      const script = diffArrays(
        olds.map((index) => before[index]),
        youngs.map((index) => after[index]),
        { maxEditLength: editsMax }
      )
      expect(pairs).toEqual(pairsOf(script)?.map(([old, young]) => [olds[old], youngs[young]]))
    }),
    { numRuns: 2000 }
  )
})

/** Returns the index pairs of the items that an edit script keeps. */
const pairsOf = (script: ReturnType<typeof diffArrays<string | undefined>> | undefined): [number, number][] | undefined => {
  const pairs: [number, number][] = []
  let [old, young] = [0, 0]
  for (const { added, removed, value } of script ?? []) {
    if (!added && !removed) value.forEach((_item, step) => pairs.push([old + step, young + step]))
    if (!added) old += value.length
    if (!removed) young += value.length
  }
  return script && pairs
}

test('[LOOP-5] texts in which everything has moved are compared without computing an unused script', () => {
  const lines = Array.from({ length: 20_000 }, (_none, index) => `${index}\n`)
  const start = process.threadCpuUsage()
  expect(diff(lines.join(''), lines.toReversed().join('')).length).toBeGreaterThan(0)
  expect(process.threadCpuUsage(start).user / 1000).toBeLessThan(1000)
})

test('[LOOP-6] edits produce the same text, or follow the changes in between, if the text has changed meanwhile', () => {
  fc.assert(
    fc.property(someText, someText, someText, (before, wanted, now) => {
      const edits = diff(before, wanted)
      expect(applyEdits(now, rebased(edits, before, now))).toBe(wanted)
      expect(applyEdits(before, coarseDiff(before, wanted))).toBe(wanted)
      for (const count of [1, 2, 3]) {
        const fewer = coarsened(edits, before, count)
        expect(fewer.length).toBeLessThanOrEqual(Math.max(count, 0))
        expect(applyEdits(before, fewer)).toBe(wanted)
      }
    }),
    runs
  )
  const before = 'one\ntwo\nthree\n'
  const edits = diff(before, 'one\ntwo\nTHREE\n')
  const start = { from: 0, to: 0, insert: 'zero\n' }
  const end = { from: 19, to: 19, insert: 'four\n' }
  expect(applyEdits(applyEdits(applyEdits(before, [start]), [end]), followed(edits, [start, end]) ?? [])).toBe(
    'zero\none\ntwo\nTHREE\nfour\n'
  )
  expect(followed(edits, [start, { from: 15, to: 16, insert: '' }])).toBeUndefined()
})

test('[LOOP-6] hunks of known edits lead from one text to the other, like those of a comparison', () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      const told = hunksOf(before, diff(before, after), Number.POSITIVE_INFINITY)
      const lines = before.split('\n')
      const ended = after.split('\n')
      // The changes are applied backwards, so that line numbers stay valid.
      for (const { line, removed, added } of told.toReversed()) {
        expect(lines.slice(line - 1, line - 1 + removed.length)).toEqual(removed)
        lines.splice(line - 1, removed.length, ...added)
      }
      expect(lines.filter((line) => line !== '').join('\n')).toBe(ended.filter((line) => line !== '').join('\n'))
    }),
    runs
  )
})

test('[MERGE-1] merging with an unchanged side gives the other side', () => {
  fc.assert(
    fc.property(pair, ([base, other]) => {
      expect(merge(base, other, base)).toEqual({ clean: true, content: other })
      expect(merge(base, base, other)).toEqual({ clean: true, content: other })
      expect(merge(base, other, other)).toEqual({ clean: true, content: other })
    }),
    runs
  )
})

test('[MERGE-2] a merge is clean for one side exactly when it is for the other, with the same result', () => {
  fc.assert(
    fc.property(someText, someText, someText, (base, one, other) => {
      const [ab, ba] = [merge(base, one, other), merge(base, other, one)]
      expect(ab.clean).toBe(ba.clean)
      if (ab.clean && ba.clean) expect(ab.content).toBe(ba.content)
    }),
    runs
  )
})

test('[MERGE-3] changes of separate lines are both in the merge', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(9), { minLength: 2, maxLength: 2 }), ([one = 0, other = 0]) => {
      const lines = Array.from({ length: 10 }, (_, index) => `line ${index}\n`)
      const write = (at: number, text: string): string => lines.with(at, text).join('')
      const merged = merge(lines.join(''), write(one, 'mine\n'), write(other, 'theirs\n'))
      expect(merged).toEqual(
        Math.abs(one - other) > 1
          ? { clean: true, content: lines.with(one, 'mine\n').with(other, 'theirs\n').join('') }
          : { clean: false, conflicts: [expect.objectContaining({ line: Math.min(one, other) + 1 })] }
      )
    })
  )
})

test('[MERGE-4] a conflict shows the lines of both sides and the base', () => {
  expect(merge('a\nb\nc\n', 'a\nB\nc\n', 'a\nbb\nc\n')).toEqual({
    clean: false,
    conflicts: [{ line: 2, base: 'b\n', mine: 'B\n', theirs: 'bb\n' }]
  })
})

const labels = { mine: 'mine', base: 'base', theirs: 'theirs' }

/** Resolves every conflict in the text for one side. */
const settled = (text: string, side: 'mine' | 'theirs'): string =>
  text.replaceAll(/<{7} mine\n([^]*?)\|{7} base\n[^]*?={7}\n([^]*?)>{7} theirs\n/g, (_marks, mine: string, theirs: string) =>
    side === 'mine' ? mine : theirs
  )

test('[MERGE-6] conflicting versions are both between marks, with their base; the rest is merged', () => {
  const base = 'a\nb\nc\nd\ne'
  const marked = mergeWithMarks(base, 'A\nb\nmine\nd\ne', 'a\nb\ntheirs\nd\nE', labels)
  expect(marked).toBe('A\nb\n<<<<<<< mine\nmine\n||||||| base\nc\n=======\ntheirs\n>>>>>>> theirs\nd\nE')
  expect(markedLines(marked)).toEqual([3, 5, 9])
  expect(markedLines('<<<<<<<< eight\n text <<<<<<< \n=======\n')).toEqual([])
  const lines = fc.array(fc.constantFrom('one\n', 'two\n', 'three\n', 'four\n'), { maxLength: 12 }).map((all) => all.join(''))
  fc.assert(
    fc.property(lines, lines, lines, (before, mine, theirs) => {
      const merged = merge(before, mine, theirs)
      const text = mergeWithMarks(before, mine, theirs, labels)
      if (merged.clean) expect(text).toBe(merged.content)
      else expect(markedLines(text)).toHaveLength(merged.conflicts.length * 3)
      // A merge with an unchanged other side, resolved for one side, is equal to that side.
      expect(settled(mergeWithMarks(before, mine, before, labels), 'mine')).toBe(mine)
      expect(settled(text, 'mine')).toBe(settled(mergeWithMarks(before, theirs, mine, labels), 'theirs'))
    }),
    runs
  )
})

test('[MERGE-5] a merge of repetitive text takes bounded time', () => {
  const base = 'same\n'.repeat(20_000)
  const start = performance.now()
  merge(base, `${base}mine\n`, `theirs\n${base}`)
  expect(performance.now() - start).toBeLessThan(3000)
})
