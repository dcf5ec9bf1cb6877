/**
 * Finds the traces that the text left in a document's history. The history is replayed with all deleted characters. Each occurrence in any version
 * gives the ids of its characters, so a version in which the text was only half typed is found, too.
 */
import * as Y from 'yjs'
import { textRootName } from '../../../shared/names.ts'
import { placesOf } from '../../../shared/text/characters.ts'
import type { Range } from '../../../shared/text/targets.ts'
import type { Storage } from '../ports.ts'
import type { Head } from '../records/keys.ts'
import { entriesAfter, firstOf, formatVersion } from './journal.ts'
import { ServiceError } from '../../../shared/errors.ts'
import { Characters, maskRanges } from './redaction.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The number of entries to apply before other work gets a turn. */
const entriesAtOnce = 20

/** A point in the replayed history. */
interface Replayed {
  readonly seq: number
  readonly text: Y.Text
  readonly content: string
  /** The ranges of `content` that the entry inserted, and the points at which it deleted. */
  readonly touched: readonly Range[]
}

type Delta = Y.YTextEvent['delta']

const changed = (content: string, delta: Delta): { content: string; touched: Range[] } => {
  const touched: Range[] = []
  let at = 0
  for (const { retain, insert, delete: removed } of delta) {
    if (retain !== undefined) at += retain
    if (removed !== undefined) {
      content = content.slice(0, at) + content.slice(at + removed)
      touched.push({ from: at, to: at })
    }
    if (typeof insert === 'string') {
      content = content.slice(0, at) + insert + content.slice(at)
      touched.push({ from: at, to: at + insert.length })
      at += insert.length
    }
  }
  return { content, touched }
}

/** Yields the text after each entry, up to a head. Throws `storage_corrupt` if an entry is missing. */
async function* replayed(storage: Storage, head: Head): AsyncGenerator<Replayed> {
  const ydoc = new Y.Doc({ gc: false })
  const text = ydoc.getText(textRootName)
  let state = { content: '', touched: [] as Range[] }
  text.observe(({ delta }) => (state = changed(state.content, delta)))
  try {
    let seq = 0
    let applied = 0
    for await (const entries of entriesAfter(storage, head.id, 0))
      for (const entry of entries) {
        if (entry.seq <= seq) continue
        if (entry.seq > head.seq) return
        if (firstOf(entry) > seq + 1)
          throw new ServiceError('storage_corrupt', {}, { cause: new Error(`journal of ${head.id}: no entry ${seq + 1}`) })
        seq = entry.seq
        state = { ...state, touched: [] }
        Y.applyUpdate(ydoc, entry.update)
        yield { seq, text, ...state }
        applied += 1
        if (applied % entriesAtOnce === 0) await nextTurn()
      }
    if (seq !== head.seq)
      throw new ServiceError('storage_corrupt', {}, { cause: new Error(`journal of ${head.id} ends before ${formatVersion(head)}`) })
  } finally {
    ydoc.destroy()
  }
}

/** Returns the occurrences of the text that touch one of the ranges. */
const occurrencesAt = (content: string, sought: string, touched: readonly Range[]): Range[] =>
  touched.flatMap(({ from, to }) => {
    const start = Math.max(0, from - sought.length + 1)
    const near = content.slice(start, to + sought.length - 1)
    const found: Range[] = []
    for (let at = near.indexOf(sought); at !== -1; at = near.indexOf(sought, at + 1))
      found.push({ from: start + at, to: start + at + sought.length })
    return found
  })

/** Returns the runs of characters of a version: client, clock and length of each. */
const spansOfAll = ({ text, content }: Replayed): readonly number[] =>
  content === '' ? [] : (placesOf(text, content, [{ from: 0, to: content.length }])[0]?.spans ?? [])

/** Returns the characters of all occurrences of the text in all versions up to a head, except those that the last version still contains. */
export const findTraces = async (storage: Storage, head: Head, sought: string): Promise<Characters> => {
  const characters = new Characters()
  let last: Replayed | undefined
  for await (const version of replayed(storage, head)) {
    last = version
    const found = occurrencesAt(version.content, sought, version.touched)
    for (const { spans } of placesOf(version.text, version.content, found)) characters.change(spans, 'add')
  }
  // Clients have these characters. If the journal had others, the texts would differ.
  if (last !== undefined) characters.change(spansOfAll(last), 'delete')
  return characters
}

/** The lines of a version that contain removed characters, with blocks instead of them. */
export type MaskedLines = ReadonlyMap<string, string>

const maskedLines = (content: string, ranges: readonly Range[]): MaskedLines => {
  const [lines, hidden] = [content, maskRanges(content, ranges)].map((text) => text.split('\n')) as [string[], string[]]
  return new Map(lines.flatMap((line, index) => (line === hidden[index] ? [] : [[line, hidden[index] ?? '']])))
}

/** Returns the masked lines of the versions with these sequence numbers. Versions without removed characters are absent. */
export const maskedVersions = async (
  storage: Storage,
  head: Head,
  characters: Characters,
  wanted: ReadonlySet<number>
): Promise<ReadonlyMap<number, MaskedLines>> => {
  const found = new Map<number, MaskedLines>()
  for await (const version of replayed(storage, head)) {
    if (!wanted.has(version.seq)) continue
    const ranges = characters.rangesIn(spansOfAll(version))
    if (ranges.length > 0) found.set(version.seq, maskedLines(version.content, ranges))
  }
  return found
}
