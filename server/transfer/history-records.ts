/** Checks an exported document's history, and turns it into journal records. */
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import { encodeEntries, encodeSegment, encodeState, type JournalEntry, nextTag, type Point } from '../domain/text/journal.ts'
import type { Put } from '../domain/ports.ts'
import { keys } from '../domain/records/keys.ts'
import { checkUpdate, parseUpdate, UpdateRefused } from '../live/update-check.ts'
import { piecesOf } from './pieces.ts'
import { TransferError } from './source.ts'

/** An update as an export contains it. */
export interface ExportedUpdate {
  readonly seq: number
  readonly at: number
  readonly actor: string
  readonly update: Uint8Array
  /** A redacted update's tag. Absent for all others. */
  readonly tag?: string | undefined
  /** The number of earlier updates that it replaces. Absent if it replaces none. */
  readonly merged?: number | undefined
}

/** Returns the entries with their tags. Throws `TransferError` if a number is missing. */
export const chained = (updates: readonly ExportedUpdate[], firstTag: string): JournalEntry[] => {
  let tag = firstTag
  let last = 0
  return updates.map((each) => {
    const { seq, at, actor, update, merged = 0 } = each
    if (seq - merged !== last + 1) throw new TransferError(`journal.jsonl has no update ${last + 1}.`)
    if (merged > 0 && each.tag === undefined) throw new TransferError(`Update ${seq} in journal.jsonl replaces others, but has no tag.`)
    last = seq
    tag = each.tag ?? nextTag(tag, update)
    return { seq, at, actor, update, tag, ...(each.tag !== undefined && { redacted: true }), ...(merged > 0 && { merged }) }
  })
}

const check = (ydoc: Y.Doc, update: Uint8Array): void => {
  const parsed = parseUpdate(update)
  checkUpdate(parsed, { clockOf: (client) => Y.getState(ydoc.store, client), takenByOther: () => false })
  const { length } = ydoc.getText(textRootName)
  if (length + parsed.inserted > limits.contentUnitsMax * 2) throw new TransferError('journal.jsonl makes the text too long.')
}

/** Checks an entry as the live server checks every update, then applies it. Throws `TransferError`. */
const applyChecked = (ydoc: Y.Doc, { seq, update }: JournalEntry): void => {
  try {
    check(ydoc, update)
    Y.applyUpdate(ydoc, update)
  } catch (error) {
    if (!(error instanceof UpdateRefused)) throw error
    throw new TransferError(`journal.jsonl has an invalid update ${seq}: ${error.message}.`, { cause: error })
  }
}

/**
 * Applies the entries to `ydoc`, and returns the records of the journal: the tail of a short history, or segments, keyframes and a checkpoint of a long
 * one. Throws `TransferError` if an update is invalid.
 */
export const historyRecords = async (doc: string, entries: readonly JournalEntry[], firstTag: string, ydoc: Y.Doc): Promise<Put[]> => {
  // The server divides a journal in the same way when it compacts it.
  const chunks = piecesOf(entries, ({ update }) => update.length, { bytesMax: limits.journalBytesMax, countMax: limits.journalRecordsMax })
  const puts: Put[] = []
  let before: Point = { seq: 0, tag: firstTag }
  let unkeyed = 0
  for (const chunk of chunks) {
    for (const entry of chunk) applyChecked(ydoc, entry)
    const last = chunk.at(-1) as JournalEntry
    const record = encodeEntries(chunk, before.tag)
    unkeyed += record.length
    if (chunks.length === 1) puts.push({ key: keys.update(doc, last.seq), value: record })
    else puts.push({ key: keys.history(doc, last.seq), value: await encodeSegment([record]) })
    if (unkeyed >= limits.keyframeBytesMin && chunks.length > 1) {
      puts.push({ key: keys.keyframe(doc, last.seq), value: encodeState(last, Y.encodeStateAsUpdate(ydoc)) })
      unkeyed = 0
    }
    before = last
  }
  if (chunks.length > 1) puts.push({ key: keys.checkpoint(doc), value: encodeState(before, Y.encodeStateAsUpdate(ydoc)) })
  return puts
}
