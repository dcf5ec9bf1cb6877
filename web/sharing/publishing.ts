/** Reads and changes whether the open document is published. This module has no user interface code. */
import { signal, type Signal } from '@preact/signals'
import { onceFor } from '../../shared/once-for.ts'
import type { Session } from '../session/session.ts'
import { findRecent, remember } from '../device/recent.ts'
import { publish, readPublication, type Publication } from './requests.ts'

export interface Publishing {
  /** The publication of the document. Undefined until known. */
  readonly state: Signal<Publication | undefined>
  readonly failure: Signal<unknown>
  /** Whether a change is in progress. */
  readonly busy: Signal<boolean>
  load(): Promise<void>
  set(change: { readonly published: boolean; readonly indexed?: boolean }): Promise<void>
}

function createPublishing(session: Session): Publishing {
  const state = signal<Publication | undefined>(undefined)
  const failure = signal<unknown>(undefined)
  const busy = signal(false)
  const attempt = async (work: () => Promise<Publication>): Promise<void> => {
    busy.value = true
    try {
      const answer = await work()
      const before = state.peek()
      const isSame = before?.published === answer.published
      state.value = { ownerName: before?.ownerName, unsigned: isSame ? before?.unsigned : undefined, ...answer }
      failure.value = undefined
      // The list of documents shows whether a document is published.
      if (findRecent(session.id) !== undefined) remember(session.id, { published: answer.published })
      // If the pictures cannot be drawn, readers' browsers draw the diagrams.
      if (answer.published) void import('./drawings.ts').then(({ keepDrawings }) => keepDrawings(session)).catch(() => undefined)
    } catch (error) {
      failure.value = error
    }
    busy.value = false
  }
  return {
    state,
    failure,
    busy,
    async load() {
      const found = await readPublication(session).catch((error: unknown) => {
        failure.value ??= state.value === undefined ? error : undefined
      })
      if (found === undefined) return
      if (state.value === undefined) failure.value = undefined
      state.value = found
    },
    set: (change) => attempt(() => publish(session, change))
  }
}

export const publishingOf: (session: Session) => Publishing = onceFor(createPublishing)
