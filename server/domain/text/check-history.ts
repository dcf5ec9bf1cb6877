/**
 * Checks a document's history. Replays its journal from the first entry, and compares the result with all records derived from it: the head,
 * checkpoint, keyframes, canonical text and revisions.
 */
import * as Y from 'yjs'
import { textRootName } from '../../../shared/names.ts'
import type { Entry, Key, Storage } from '../ports.ts'
import { decodeRecord, type Head, keys, type Revision } from '../records/keys.ts'
import { continues, decodeState, docOptions, entriesAfter, firstOf, formatVersion, type Point } from './journal.ts'

/** A record that describes the document at one point in its history. */
interface Landmark extends Point {
  /** The name of the record, for messages. */
  readonly name: string
  /** Returns a description of the difference between the record and the replayed document; undefined if there is none. */
  readonly differs: (replayed: Replayed) => string | undefined
}

/** A document at one point in its journal. Several landmarks at the same point share the text. */
interface Replayed {
  readonly ydoc: Y.Doc
  readonly text: string
}

const replayedAt = (ydoc: Y.Doc): Replayed => {
  let text: string | undefined
  return {
    ydoc,
    get text() {
      return (text ??= textOf(ydoc))
    }
  }
}

const pageEntries = 100

/** Yields all entries below a prefix. */
export async function* entriesBelow(storage: Storage, prefix: Key): AsyncGenerator<Entry> {
  for (let after: Key[number] | undefined; ;) {
    const found = await storage.list(prefix, { limit: pageEntries, ...(after !== undefined && { after }) })
    yield* found
    if (found.length < pageEntries) return
    after = found.at(-1)!.key[prefix.length]
  }
}

const textOf = (ydoc: Y.Doc): string => ydoc.getText(textRootName).toString()

const stateLandmark = (name: string, value: Uint8Array): Landmark => {
  const { seq, tag, bytes } = decodeState(value)
  return {
    name,
    seq,
    tag,
    differs({ ydoc, text }) {
      const restored = new Y.Doc(docOptions)
      try {
        Y.applyUpdate(restored, bytes)
        if (Buffer.compare(Y.encodeStateVector(restored), Y.encodeStateVector(ydoc)) !== 0) return 'has other entries than the journal'
        return textOf(restored) === text ? undefined : 'has different text than the journal'
      } finally {
        restored.destroy()
      }
    }
  }
}

const landmarksOf = async (storage: Storage, head: Head): Promise<Landmark[]> => {
  const { id: doc } = head
  const landmarks: Landmark[] = [{ name: 'the head', seq: head.seq, tag: head.tag, differs: () => undefined }]
  const checkpoint = await storage.get(keys.checkpoint(doc))
  if (checkpoint !== undefined) landmarks.push(stateLandmark('the checkpoint', checkpoint.value))
  for await (const { key, value } of entriesBelow(storage, keys.keyframes(doc)))
    landmarks.push(stateLandmark(`keyframe ${key.at(-1)}`, value))
  const text = await storage.get(keys.text(doc))
  if (text !== undefined) {
    const { seq, tag, bytes } = decodeState(text.value)
    const differs = (replayed: Replayed) => (Buffer.from(bytes).toString() === replayed.text ? undefined : 'differs from the journal')
    landmarks.push({ name: 'the canonical text', seq, tag, differs })
  }
  for await (const { value } of entriesBelow(storage, keys.revisions(doc))) {
    const { id, seq, tag, size } = decodeRecord<Revision>(value)
    const differs = ({ text: { length } }: Replayed) => {
      return length === size ? undefined : `has ${size} characters, but the journal leads to ${length}`
    }
    landmarks.push({ name: `revision ${id}`, seq, tag, differs })
  }
  return landmarks.sort((one, other) => one.seq - other.seq)
}

/** Yields a sentence for each difference that a replay of the document's journal reveals. */
export async function* checkHistory(storage: Storage, head: Head): AsyncGenerator<string> {
  const landmarks = await landmarksOf(storage, head)
  const ydoc = new Y.Doc(docOptions)
  let at: Point = { seq: 0, tag: head.firstTag }
  let updates: Uint8Array[] = []
  const checkHere = function* (): Generator<string> {
    if (landmarks[0]?.seq !== at.seq) return
    const pending = updates
    updates = []
    ydoc.transact(() => pending.forEach((update) => Y.applyUpdate(ydoc, update)))
    const replayed = replayedAt(ydoc)
    for (; landmarks[0]?.seq === at.seq; landmarks.shift()) {
      const [{ name, tag, seq, differs }] = landmarks as [Landmark]
      if (tag !== at.tag) yield `${name} names version ${formatVersion({ seq, tag })}, but the journal has ${formatVersion(at)}.`
      const difference = differs(replayed)
      if (difference !== undefined) yield `${name} ${difference}.`
    }
  }
  try {
    yield* checkHere()
    for await (const entries of entriesAfter(storage, head.id, 0))
      for (const entry of entries) {
        const { seq, tag, update } = entry
        // A crash in the middle of a merge leaves entries behind that the merged entry replaces.
        if (seq <= at.seq) continue
        if (firstOf(entry) > at.seq + 1) return yield `Entry ${at.seq + 1} of the journal is missing.`
        if (!continues(at.tag, entry)) return yield `Entry ${seq} of the journal does not continue the entry before it.`
        at = { seq, tag }
        updates.push(update)
        yield* checkHere()
      }
    for (const { name, seq } of landmarks) yield `${name} is about entry ${seq}, but the journal ends with entry ${at.seq}.`
  } finally {
    ydoc.destroy()
  }
}
