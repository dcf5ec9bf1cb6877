/**
 * Who wrote which line, and when: from the journal, which says of every update whose it was. Characters keep their ids for ever, so each
 * belongs to the update that first brought it, wherever edits and merges have moved it since.
 */
import * as Y from 'yjs'
import { ServiceError } from '../../shared/errors.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import { textRootName } from '../../shared/names.ts'
import { placesOf } from '../../shared/text/characters.ts'
import { nameOfActor, splitActor, systemActor } from './caller.ts'
import { findPoint, versionsNamed } from './content.ts'
import { entriesAfter, formatVersion, type JournalEntry, nextTag, type Point, rebuild } from './journal.ts'
import type { Storage } from './ports.ts'
import type { Service } from './service.ts'

/** Characters of one client, from a clock to before another, by one actor in one go. */
interface Stretch {
  readonly from: number
  to: number
  readonly actor: string
  /** Milliseconds since 1970; of the newest of them. */
  at: number
}

/** What the journal of a document says up to a point. */
interface Authors {
  seq: number
  tag: string
  /** By client id, in the order of the clock. */
  readonly stretches: Map<number, Stretch[]>
}

/** Typing without a pause longer than this, in milliseconds, is one stretch. */
const pauseMs = 60_000

const add = ({ stretches }: Authors, { actor, at, update }: JournalEntry): void => {
  for (const struct of Y.decodeUpdate(update).structs) {
    if (struct instanceof Y.Skip) continue
    const { client, clock } = struct.id
    const known = stretches.get(client) ?? []
    if (known.length === 0) stretches.set(client, known)
    const last = known.at(-1)
    const [from, to] = [Math.max(clock, last?.to ?? 0), clock + struct.length]
    // A device that sends what the server has already does not make it its own.
    if (to <= from) continue
    if (last?.to === from && last.actor === actor && at - last.at < pauseMs) Object.assign(last, { to, at })
    else known.push({ from, to, actor, at })
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Brings what is known to the point; false: it is of another history. */
const follow = async (storage: Storage, doc: string, authors: Authors, to: Point): Promise<boolean> => {
  if (authors.seq >= to.seq) return true
  for await (const entries of entriesAfter(storage, doc, authors.seq)) {
    for (const entry of entries) {
      if (entry.seq !== authors.seq + 1) continue
      if (authors.seq > 0 && nextTag(authors.tag, entry.update) !== entry.tag) return false
      add(authors, entry)
      Object.assign(authors, { seq: entry.seq, tag: entry.tag })
    }
    if (authors.seq >= to.seq) return true
    // A long history must not hold up everyone else.
    await nextTurn()
  }
  return false
}

const keptMax = 16
const kept = new WeakMap<Storage, Map<string, Promise<Authors>>>()

/** The authors of a document up to the point at least; what was read before is not read again. */
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

const stretchAt = (stretches: readonly Stretch[], clock: number): number => {
  let [low, high] = [0, stretches.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((stretches[middle]?.from ?? 0) <= clock) low = middle
    else high = middle
  }
  return low
}

/** Parts of a text and who wrote them, in order. */
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

interface Line {
  /** Who wrote in it last. */
  actor: string
  at: number
  readonly actors: Set<string>
}

type Attribution = Output<'readAttribution'>

/** Lines by who wrote in them last; a line end belongs to its line only when there is nothing else. */
const linesBy = (content: string, parts: Iterable<{ length: number; actor: string; at: number }>): Line[] => {
  const lines: Line[] = [{ actor: systemActor, at: -1, actors: new Set() }]
  const note = (line: Line, actor: string, at: number): void => {
    line.actors.add(actor)
    if (at >= line.at) Object.assign(line, { actor, at })
  }
  let offset = 0
  for (const { length, actor, at } of parts) {
    const end = offset + length
    while (offset < end) {
      const found = content.indexOf('\n', offset)
      const stop = found === -1 || found >= end ? end : found
      const line = lines.at(-1) as Line
      if (stop > offset || line.at < 0) note(line, actor, at)
      offset = stop
      if (stop < end) {
        lines.push({ actor, at: -1, actors: new Set() })
        offset++
      }
    }
  }
  return lines
}

const present = (lines: readonly Line[]): Attribution['lines'] => {
  const shown: Attribution['lines'] = []
  for (const [index, { actor, at, actors }] of lines.entries()) {
    const last = shown.at(-1)
    const isSystem = actor === systemActor || at <= 0
    const entry = {
      line: index + 1,
      lastLine: index + 1,
      author: isSystem ? null : nameOfActor(actor),
      authorKind: isSystem ? null : (splitActor(actor).kind as 'guest' | 'account' | 'agent'),
      authors: [...actors].filter((each) => each !== systemActor).map(nameOfActor),
      at: at <= 0 ? null : new Date(at).toISOString()
    }
    const isSame =
      last !== undefined &&
      last.author === entry.author &&
      last.authorKind === entry.authorKind &&
      last.at === entry.at &&
      last.authors.join('\n') === entry.authors.join('\n')
    if (isSame) last.lastLine = index + 1
    else shown.push(entry)
  }
  return shown
}

/** Errors: `unknown_version`. */
export const readAttribution = async (service: Service, doc: string, { version }: Input<'readAttribution'>): Promise<Attribution> => {
  const { storage, ledger } = service
  const head = await ledger.head(doc)
  const point: Point | undefined =
    version === undefined ? { seq: head.seq, tag: head.tag } : await findPoint(service, doc, versionsNamed(version)[0] ?? '')
  if (point === undefined) throw new ServiceError('unknown_version')
  const authors = await authorsAt(storage, doc, point)
  const ydoc = new Y.Doc()
  try {
    await rebuild(storage, doc, ydoc, point)
    const text = ydoc.getText(textRootName)
    const content = text.toString()
    const [place] = placesOf(text, content, [{ from: 0, to: content.length }])
    const lines = linesBy(content, partsOf(authors, place?.spans ?? []))
    // What follows the last line end is a line only when there is nothing else.
    const count = content.endsWith('\n') ? lines.length - 1 : lines.length
    return { version: formatVersion(point), lines: present(lines.slice(0, count)) }
  } finally {
    ydoc.destroy()
  }
}
