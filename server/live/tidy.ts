/**
 * Tidies fences that nobody has changed for a while (shared/fences/tidy.ts). Only the server does this, because two pages could tidy the same
 * position twice. A fence that contains a cursor is skipped, because its author may have typed an empty line on purpose.
 */
import { type Document, isTransactionOrigin } from '@hocuspocus/server'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { tidyActor } from '../domain/rights/caller.ts'
import type { Clock } from '../domain/ports.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import type { Texts, TextWork } from '../domain/text/text-work.ts'
import type { Turns } from '../domain/records/turns.ts'
import type { Agents } from './agents.ts'

export interface Tidier {
  stop(): void
}

interface TidierOptions {
  readonly document: Document
  readonly openDoc: OpenDocument
  readonly agents: Agents
  readonly clock: Clock
  readonly texts: Texts
  /** The turns that nodes take to write; null if no other node can write. */
  readonly turns: Turns | null
  readonly onProblem: (error: unknown) => void
}

/** Matches text that may contain a board, a chat or a sheet. */
const mayHold = /(?:```|~~~)[ \t]*(?:board|chat|sheet)/

const placeOf = (ydoc: Y.Doc, position: unknown): number | undefined => {
  try {
    return Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(position), ydoc)?.index
  } catch {
    // A page may report an invalid cursor.
    return undefined
  }
}

export const createTidier = ({ document, openDoc, agents, clock, texts, turns, onProblem }: TidierOptions): Tidier => {
  let cancel: (() => void) | undefined
  let stopped = false
  let changedAt = clock.now()
  /** The bodies of fences that may need tidying, with the time since which they have not changed. */
  let waiting = new Map<string, number>()

  /** Returns the positions of people's cursors. The cursor of a program marks its last edit and not its next one, so programs are left out. */
  const cursors = (): number[] =>
    [...document.awareness.getStates()].flatMap(([client, state]) => {
      const cursor = agents.has(client) ? undefined : (state['cursor'] as { anchor?: unknown; head?: unknown } | null | undefined)
      return cursor == null
        ? []
        : [placeOf(openDoc.ydoc, cursor.anchor), placeOf(openDoc.ydoc, cursor.head)].filter((place) => place !== undefined)
    })

  type UntidyFences = ReturnType<TextWork['untidyFences']>

  /** Decides which fences to tidy now, and which ones later. */
  const judge = (fences: UntidyFences): { edits: readonly Edit[]; later: Map<string, number> } => {
    const places = cursors()
    const later = new Map<string, number>()
    const edits = fences.flatMap(({ body, bodyFrom, bodyTo, edits: own }): readonly Edit[] => {
      const since = waiting.get(body) ?? changedAt
      const isQuiet = clock.now() - since >= limits.tidyQuietMs
      if (isQuiet && !places.some((place) => bodyFrom <= place && place <= bodyTo)) return own
      later.set(body, since)
      return []
    })
    return { edits, later }
  }

  const check = async (): Promise<void> => {
    cancel = undefined
    if (openDoc.failed) return
    const { content, tag } = openDoc.snapshot()
    if (!mayHold.test(content)) return
    const fences = await texts.do(openDoc.id, 'untidyFences', content)
    if (openDoc.failed || stopped) return
    // Another node may be about to tidy the same fence.
    if (turns !== null) await turns.run(openDoc.id, () => Promise.resolve(tidy(fences, tag)))
    else tidy(fences, tag)
  }

  const tidy = (fences: UntidyFences, tag: string): void => {
    if (openDoc.failed || stopped) return
    // Somebody has written since. The next check tidies the fence.
    if (openDoc.tag !== tag) return plan()
    const { edits, later } = judge(fences)
    waiting = later
    if (edits.length > 0) openDoc.apply(edits, tidyActor)
    if (later.size > 0) plan()
  }

  const plan = (): void => {
    cancel ??= clock.after(limits.tidyCheckMs, () => {
      check().catch(onProblem)
    })
  }

  // Only changes that come from pages lead to tidying. A program's version therefore stays valid while nobody else writes.
  const onUpdate = (_update: Uint8Array, origin: unknown): void => {
    if (!isTransactionOrigin(origin) || origin.source !== 'connection') return
    changedAt = clock.now()
    plan()
  }
  document.on('update', onUpdate)
  return {
    stop() {
      stopped = true
      document.off('update', onUpdate)
      cancel?.()
    }
  }
}
