/**
 * Finds the author and time of each line of the text. The journal names the author of every update. The ids of characters never change, so each
 * character belongs to the update that first inserted it, regardless of where edits and merges have moved it.
 */
import * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { limits } from '../../../shared/limits.ts'
import { textRootName } from '../../../shared/names.ts'
import { placesOf } from '../../../shared/text/characters.ts'
import { isSystemActor, nameOfActor, splitActor, systemActor } from '../rights/caller.ts'
import { findPoint, versionsNamed } from './content.ts'
import { continues, docOptions, entriesAfter, firstOf, formatVersion, type JournalEntry, type Point, rebuild } from './journal.ts'
import type { Storage } from '../ports.ts'
import type { Service } from '../service.ts'
import { lastAt } from '../../../shared/last-at.ts'

/** Consecutive characters that one actor typed with one client, as a half-open range of Yjs clocks. */
interface Stretch {
  readonly from: number
  to: number
  readonly actor: string
  /** Time of the newest character, in milliseconds since 1970. */
  at: number
}

/** The authors in a document's journal, up to a point in its history. */
interface Authors {
  seq: number
  tag: string
  /** Stretches by client id, ordered by Yjs clock. */
  readonly stretches: Map<number, Stretch[]>
}

/** The pause in typing after which a new stretch begins, in milliseconds. */
const pauseMs = 60_000

const add = ({ stretches }: Authors, { actor, at, update }: JournalEntry): void => {
  for (const struct of Y.decodeUpdate(update).structs) {
    if (struct instanceof Y.Skip) continue
    const { client, clock } = struct.id
    const known = stretches.get(client) ?? []
    if (known.length === 0) stretches.set(client, known)
    const last = known.at(-1)
    const [from, to] = [Math.max(clock, last?.to ?? 0), clock + struct.length]
    // A device that sends known characters again does not become their author.
    if (to <= from) continue
    if (last?.to === from && last.actor === actor && at - last.at < pauseMs) Object.assign(last, { to, at })
    else known.push({ from, to, actor, at })
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Reads the journal up to the point. Returns false if the authors belong to a different history. */
const follow = async (storage: Storage, doc: string, authors: Authors, to: Point): Promise<boolean> => {
  if (authors.seq >= to.seq) return true
  for await (const entries of entriesAfter(storage, doc, authors.seq)) {
    for (const entry of entries) {
      if (entry.seq <= authors.seq || firstOf(entry) > authors.seq + 1) continue
      if (authors.seq > 0 && !continues(authors.tag, entry)) return false
      add(authors, entry)
      Object.assign(authors, { seq: entry.seq, tag: entry.tag })
    }
    if (authors.seq >= to.seq) return true
    // Reading a long history must not block other requests.
    await nextTurn()
  }
  return false
}

const keptMax = 16
const kept = new WeakMap<Storage, Map<string, Promise<Authors>>>()

/** Returns a document's authors up to the point, or further. Journal entries that have already been read are not read again. */
const authorsAt = (storage: Storage, doc: string, to: Point): Promise<Authors> => {
  const documents = kept.get(storage) ?? new Map<string, Promise<Authors>>()
  kept.set(storage, documents)
  const started = async (): Promise<Authors> => ({ seq: 0, tag: '', stretches: new Map() })
  const reading = (documents.get(doc) ?? started()).then(async (known) => {
    if (await follow(storage, doc, known, to)) return known
    const fresh = await started()
    if (await follow(storage, doc, fresh, to)) return fresh
    throw new ServiceError('storage_corrupt', {}, { cause: new Error(`journal of ${doc}: it ends before ${formatVersion(to)}`) })
  })
  documents.delete(doc)
  documents.set(doc, reading)
  const [oldest] = documents.keys()
  if (documents.size > keptMax && oldest !== undefined) documents.delete(oldest)
  reading.catch(() => documents.delete(doc))
  return reading
}

const stretchAt = (stretches: readonly Stretch[], clock: number): number => lastAt(stretches, ({ from }) => from, clock)

/** Yields the parts of the text with their authors, in order. */
function* partsOf({ stretches }: Authors, spans: readonly number[]): Generator<{ length: number; actor: string; at: number }> {
  for (let index = 0; index < spans.length; index += 3) {
    const [client = 0, start = 0, length = 0] = spans.slice(index, index + 3)
    const known = stretches.get(client) ?? []
    for (let clock = start, at = stretchAt(known, start); clock < start + length; at++) {
      const stretch = known[at]
      const end = Math.min(start + length, stretch?.to ?? Number.POSITIVE_INFINITY)
      yield { length: end - clock, actor: stretch?.actor ?? systemActor, at: stretch?.at ?? 0 }
      clock = end
    }
  }
}

/** Consecutive lines by the same people. */
interface Run {
  readonly line: number
  lastLine: number
  /** The last author in the run. */
  readonly actor: string
  readonly at: number
  readonly actors: readonly string[]
}

type Attribution = Output<'readAttribution'>

/** One line, built from its parts. */
class Line {
  actor = systemActor
  at = -1
  readonly actors: string[] = []

  note({ actor, at }: { readonly actor: string; readonly at: number }): void {
    if (!this.actors.includes(actor)) this.actors.push(actor)
    if (at < this.at) return
    this.actor = actor
    this.at = at
  }
}

/** Yields lines with the person who last wrote in each line. A line break counts only if the line is otherwise empty. */
function* linesBy(content: string, parts: Iterable<{ length: number; actor: string; at: number }>): Generator<Line> {
  let line = new Line()
  let offset = 0
  for (const part of parts) {
    const end = offset + part.length
    while (offset < end) {
      const found = content.indexOf('\n', offset)
      const stop = found === -1 || found >= end ? end : found
      if (stop > offset || line.at < 0) line.note(part)
      offset = stop
      if (stop === end) continue
      yield line
      line = new Line()
      offset++
    }
  }
  // A line break at the end of the text does not begin another line.
  if (!content.endsWith('\n')) yield line
}

const isSame = (run: Run, { actor, at, actors }: Line): boolean =>
  run.actor === actor && run.at === at && run.actors.length === actors.length && run.actors.every((each, index) => each === actors[index])

/** The number of lines to process before yielding to the event loop. */
const linesAtOnce = 20_000

/** Returns at most `count` runs of the lines after a given line. The last run can be incomplete. */
const runsAfter = async (lines: Iterable<Line>, after: number, count: number): Promise<Run[]> => {
  const runs: Run[] = []
  let number = 0
  for (const line of lines) {
    number++
    if (number % linesAtOnce === 0) await nextTurn()
    if (number <= after) continue
    const last = runs.at(-1)
    if (last !== undefined && isSame(last, line)) last.lastLine = number
    else if (runs.length === count) return runs
    else runs.push({ line: number, lastLine: number, actor: line.actor, at: line.at, actors: line.actors })
  }
  return runs
}

const present = ({ line, lastLine, actor, at, actors }: Run): Attribution['lines'][number] => {
  const isSystem = isSystemActor(actor) || at <= 0
  return {
    line,
    lastLine,
    author: isSystem ? null : nameOfActor(actor),
    authorKind: isSystem ? null : (splitActor(actor).kind as 'guest' | 'account' | 'agent'),
    authors: actors.filter((each) => !isSystemActor(each)).map(nameOfActor),
    at: at <= 0 ? null : new Date(at).toISOString()
  }
}

/** Returns the authors of the requested lines. Throws `unknown_version`. */
export const readAttribution = async (
  service: Service,
  doc: string,
  { version, after = 0, limit = limits.attributionPageMax }: Input<'readAttribution'>
): Promise<Attribution> => {
  const { storage, ledger } = service
  const head = await ledger.head(doc)
  const point: Point | undefined =
    version === undefined ? { seq: head.seq, tag: head.tag } : await findPoint(service, doc, versionsNamed(version)[0] ?? '')
  if (point === undefined) throw new ServiceError('unknown_version')
  const authors = await authorsAt(storage, doc, point)
  const ydoc = new Y.Doc(docOptions)
  try {
    await rebuild(storage, doc, ydoc, point)
    const text = ydoc.getText(textRootName)
    const content = text.toString()
    const [place] = placesOf(text, content, [{ from: 0, to: content.length }])
    const runs = await runsAfter(linesBy(content, partsOf(authors, place?.spans ?? [])), after, limit + 1)
    const page = runs.slice(0, limit)
    const nextAfter = runs.length > limit ? (page.at(-1)?.lastLine ?? null) : null
    return { version: formatVersion(point), lines: page.map(present), nextAfter }
  } finally {
    ydoc.destroy()
  }
}
