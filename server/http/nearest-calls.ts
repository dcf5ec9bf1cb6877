/** The calls that somebody meant who named an address that is none. */
import { nearest } from '../../shared/nearest.ts'
import type { Operation } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly segments: readonly string[]
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '')

const calls: readonly Call[] = (Object.values(operations) as unknown as readonly Operation[]).map(({ rest: { method, path } }) => ({
  method,
  path,
  segments: segmentsOf(path)
}))

/** Longer addresses are near to none. */
const segmentsMax = 10
const segmentCharsMax = 60
const callsMax = 3
/** Segments that may be missing, too many or other ones. */
const farMax = 1.5

/** 0: the same, or any value will do there. */
const costOf = (asked: string, wanted: string): number => {
  if (asked === wanted || wanted.startsWith('{')) return 0
  return nearest(asked.toLowerCase(), [wanted]) === undefined ? 1 : 0.5
}

/** Least cost of making one address from the other, segment by segment. */
const far = (asked: readonly string[], wanted: readonly string[]): number => {
  let before = Array.from({ length: wanted.length + 1 }, (_cell, index) => index)
  for (const [row, segment] of asked.entries()) {
    const next = [row + 1]
    for (const [column, other] of wanted.entries())
      next.push(Math.min((before[column] ?? 0) + costOf(segment, other), (before[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    before = next
  }
  return before.at(-1) ?? Number.POSITIVE_INFINITY
}

/** At most three, the nearest first, such as `GET /api/docs/{id}/content`. */
export const nearestCalls = (method: string, path: string): string[] => {
  // The address that people open has the text behind it.
  const asked = segmentsOf(path.replace(/^\/d\/([^/.]+)(?:\.md)?\/?$/, '/api/docs/$1/content'))
  if (asked.length > segmentsMax || asked.some((segment) => segment.length > segmentCharsMax)) return []
  const scored = calls.map((call) => ({ call, cost: far(asked, call.segments) + (call.method === method ? 0 : 0.25) }))
  const found = scored.filter(({ cost }) => cost <= farMax).toSorted((one, other) => one.cost - other.cost)
  return found.slice(0, callsMax).map(({ call }) => `${call.method} ${call.path}`)
}
