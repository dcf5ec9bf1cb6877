/** The changes between two lists of the same rows (server/live/row-changes.ts). */
import { expect, test } from 'vitest'
import { movedTo } from '../shared/fences/formula/rewrite.ts'
import { rowChanges } from '../server/live/row-changes.ts'
import { seeded } from './support/typist.ts'

/** Carries out changes on a list of rows. New rows are undefined. */
const after = (rows: readonly number[], changes: ReturnType<typeof rowChanges>): (number | undefined)[] => {
  const now: (number | undefined)[] = [...rows]
  for (const change of changes)
    if (change.kind === 'insert') now.splice(change.at, 0, undefined)
    else if (change.kind === 'delete') now.splice(change.at, change.count)
    else if (change.kind === 'move') now.splice(movedTo(change), 0, ...now.splice(change.from, change.count))
  return now
}

test('[FENCE-73] the changes of rows lead from one list to the other', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const random = seeded(seed)
    const rows = Array.from({ length: random(8) }, (_row, at) => at)
    const now: (number | undefined)[] = rows.filter(() => random(4) > 0)
    for (let moves = random(4); moves > 0 && now.length > 1; moves--)
      now.splice(random(now.length), 0, ...now.splice(random(now.length), 1 + random(2)))
    for (let more = random(3); more > 0; more--) now.splice(random(now.length + 1), 0, undefined)
    const later = rows.map((row) => (now.includes(row) ? now.indexOf(row) : undefined))
    expect(after(rows, rowChanges(later, now.length)), `seed ${seed}`).toEqual(now)
  }
})

test('[FENCE-73] neighboring rows move together', () => {
  expect(rowChanges([0, 3, 4, 1, 2, 5], 6)).toEqual([{ axis: 'row', kind: 'move', from: 3, count: 2, to: 1 }])
  expect(rowChanges([0, 3, 1, 2], 4)).toEqual([{ axis: 'row', kind: 'move', from: 1, count: 1, to: 4 }])
})
