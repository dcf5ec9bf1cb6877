/** Finds the calls that a request to an unknown address probably meant. */
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

/** Longer addresses match no call. */
const segmentsMax = 10
const segmentUnitsMax = 60
const callsMax = 3
/** The maximum cost of a suggested call. A missing, extra or different segment costs at most 1. */
const farMax = 1
/** The maximum difference between the cost of a suggested call and the cost of the nearest call. */
const fartherMax = 0.25

/** The cost of a mistake that leaves the meaning of the address clear: singular or plural, a synonym, a prefix. */
const little = 0.25

/** Names that other services use for a segment. */
const otherNames: Readonly<Record<string, string>> = {
  docs: 'd document documents file files page pages note notes',
  content: 'text body markdown md raw source export download',
  edits: 'change changes patch batchupdate update append insert replace blocks operations',
  comments: 'threads thread annotations discussion discussions remarks',
  replies: 'answers responses',
  suggestions: 'proposals revisionsuggestions pulls',
  decisions: 'decide accept reject approve merge',
  shares: 'links invites invitations permissions collaborators access',
  revisions: 'history versions commits snapshots',
  events: 'activity activities changelog feed stream watch',
  inbox: 'notifications mentions',
  outline: 'headings toc structure sections',
  assets: 'attachments uploads upload images image media',
  attribution: 'blame authors contributors',
  tasks: 'reviews assignments review',
  diff: 'compare',
  search: 'find query',
  me: 'user account profile whoami'
}

const namesOf = new Map(Object.entries(otherNames).map(([segment, names]) => [segment, names.split(' ')]))

/** Matches segments that repeat the method, and API versions. An extra segment of this kind costs little. */
const spare = /^(v\d+|rest|users|get|read|list|accept|reject|approve|reopen|decide|delete|remove)$/

/** Returns the singular: `replies` → `reply`, `tasks` → `task`. */
const singular = (segment: string): string => segment.replace(/ies$/, 'y').replace(/s$/, '')

/** Returns the cost of one segment instead of another; 0 if the segments are the same, or if any value is allowed. */
const costOf = (asked: string, wanted: string): number => {
  if (asked === wanted || wanted.startsWith('{')) return 0
  const said = asked.toLowerCase()
  if (singular(said) === singular(wanted) || namesOf.get(wanted)?.includes(said) === true) return little
  return nearest(said, [wanted]) === undefined ? 1 : 0.5
}

/** Position of the segment `replies` in the address for a new reply: below `api`, the document and the comment. */
const repliesAt = 5

/** Returns the cost of a missing segment. Some other services have no prefix, and some put replies directly below the comment. */
const missing = (wanted: string, at: number): number => (wanted === 'api' ? little : wanted === 'replies' && at === repliesAt ? 0.3 : 1)

/** Returns the cost of an extra segment. */
const extra = (asked: string): number => (spare.test(asked) ? little : 1)

/** Returns the lowest cost of turning one address into the other, segment by segment. */
const far = (asked: readonly string[], wanted: readonly string[]): number => {
  let before = [0]
  for (const [at, other] of wanted.entries()) before.push((before.at(-1) ?? 0) + missing(other, at))
  for (const segment of asked) {
    const next = [(before[0] ?? 0) + extra(segment)]
    for (const [column, other] of wanted.entries())
      next.push(
        Math.min(
          (before[column] ?? 0) + costOf(segment, other),
          (before[column + 1] ?? 0) + extra(segment),
          (next[column] ?? 0) + missing(other, column)
        )
      )
    before = next
  }
  return before.at(-1) ?? Number.POSITIVE_INFINITY
}

/**
 * Returns the cost of a different method. The cost is lower if both methods write. A deletion is suggested only if the request was for a deletion.
 */
const otherMethod = (asked: string, method: string): number => {
  if (asked === method) return 0
  if (method === 'DELETE') return Number.POSITIVE_INFINITY
  return asked === 'GET' || method === 'GET' ? little : little / 2
}

/**
 * Returns at most three calls, nearest first, such as `GET /api/docs/{id}/content`. If an address supports the requested method, only that method
 * is suggested for it.
 */
export const nearestCalls = (asked: string, path: string): string[] => {
  // Other services have verbs in their addresses where this service uses HTTP methods.
  const deletes = asked === 'POST' && /\/(delete|remove)\/?$/.test(path)
  const method = deletes ? 'DELETE' : asked === 'HEAD' ? 'GET' : asked
  // Programs can read the text at the address that people open, so this address is treated as an address of the text.
  const ofText = path.replaceAll(':', '/').replace(/^\/d\/([^/.]+)(?:\.md)?\/?$/, '/api/docs/$1/content')
  // An existing reply is not below its comment, because its id is enough.
  const segments = segmentsOf(ofText.replace(/\/(?:comments|suggestions)\/[^/]+(\/replies\/[^/]+)$/, '$1'))
  if (segments.every((segment) => segment === 'api')) return []
  if (segments.length > segmentsMax || segments.some((segment) => segment.length > segmentUnitsMax)) return []
  const scored = calls.map((call) => ({ call, cost: far(segments, call.segments) + otherMethod(method, call.method) }))
  const near = scored.filter(({ cost }) => cost <= farMax).toSorted((one, other) => one.cost - other.cost)
  const taken = near.filter(({ call }) => call.method === method).map(({ call }) => call.path)
  return near
    .filter(({ call, cost }) => cost <= (near[0]?.cost ?? 0) + fartherMax && (call.method === method || !taken.includes(call.path)))
    .slice(0, callsMax)
    .map(({ call }) => `${call.method} ${call.path}`)
}
