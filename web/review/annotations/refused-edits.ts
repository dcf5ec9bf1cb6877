/**
 * Turns edits that the service refused into suggestions, because their author may now only suggest. The editor keeps its text, and the document's text
 * becomes that of the service.
 */
import { computed, effect, untracked } from '@preact/signals'
import * as Y from 'yjs'
import { textRootName } from '../../../shared/names.ts'
import { diff, type Edit } from '../../../shared/text/diff.ts'
import { readServiceCopy, takeOver } from '../../connection/service-copy.ts'
import { replaceText } from '../../device/replace-text.ts'
import { noteSuggested, suggestedAfter, whileNoOther } from '../../device/suggested-edits.ts'
import type { Session } from '../../session/session.ts'
import { refusedEdits } from '../suggestions/suggesting.ts'
import { refusedIn, takingBack } from './refused-ids.ts'

interface RefusedInput {
  readonly session: Session
  /** Whether typing creates suggestions, and this person may do no more than suggest. */
  readonly mayOnlySuggest: () => boolean
  /** Forgets the steps of undo that changed the document. */
  readonly forgetUndo: () => void
}

/** Returns a function that stops this. */
export function suggestRefusedEdits({ session, mayOnlySuggest, forgetUndo }: RefusedInput): () => void {
  const { id, key, text, link, keep } = session
  const { doc } = text
  const isRefused = computed(() => {
    const { declined, offered, unconfirmed } = link.wire.value
    return link.socket.value === 'synced' && offered && declined && unconfirmed === 0 && mayOnlySuggest()
  })
  /** The last time at which the service had refused none of this page's edits, in milliseconds since 1970. */
  let acceptedAt = performance.timeOrigin
  const change = (edits: readonly Edit[], origin?: unknown): void =>
    doc?.transact(() => {
      for (const { from, to, insert } of edits.toReversed()) {
        text.delete(from, to - from)
        text.insert(from, insert)
      }
    }, origin)
  const onCopy = (copy: Y.Doc): void => {
    if (doc === null || !isRefused.peek()) return
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(copy))
    const refused = refusedIn(doc, copy)
    forgetUndo()
    for (const suggested of suggestedAfter(id, acceptedAt)) change(takingBack(doc, copy, suggested))
    change(diff(text.toString(), copy.getText(textRootName).toString()), refusedEdits)
    noteSuggested(id, refused)
    takeOver(doc, copy)
    replaceText(id, doc, keep)
    link.reconnect()
  }
  const read = (end: () => void): (() => void) => {
    const done = (copy: Y.Doc): void => {
      onCopy(copy)
      end()
    }
    return doc === null ? end : readServiceCopy({ id, key, doc, onCopy: done })
  }
  const stops = [
    effect(() => {
      const { declined, offered, unconfirmed } = link.wire.value
      if (link.socket.value === 'synced' && offered && unconfirmed === 0 && !declined) acceptedAt = Date.now()
    }),
    effect(() => (isRefused.value ? untracked(() => whileNoOther(id, read)) : undefined))
  ]
  return () => stops.forEach((stop) => stop())
}
