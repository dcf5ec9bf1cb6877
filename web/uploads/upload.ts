/** A file on its way into a document, as the page and the editor see it. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type * as Y from 'yjs'
import type { Failure } from './failures.ts'

export type UploadState =
  | { readonly phase: 'queued' }
  /** `share`: 0–1. */
  | { readonly phase: 'sending'; readonly share: number }
  /** Tried again by itself. */
  | { readonly phase: 'waiting'; readonly failure: Failure }
  | { readonly phase: 'failed'; readonly failure: Failure }

export interface Upload {
  readonly id: string
  /** The name of the chosen file. */
  readonly fileName: string
  readonly state: Signal<UploadState>
  /** Stands on a line of its own behind what is there: a picture, or the one that came together with it. */
  readonly follows: boolean
}

/** Puts Markdown into the text at a place. False when nothing may be written now. */
export type Insert = (at: number, markdown: string, upload: Upload) => boolean

export interface Uploads {
  readonly list: ReadonlySignal<readonly Upload[]>
  /** The last thing that happened, for screen readers. */
  readonly said: ReadonlySignal<string>
  /** Files that this page alone holds: they are lost with it. */
  readonly onlyHere: ReadonlySignal<number>
  /** Whether this person may add any. */
  readonly allowed: ReadonlySignal<boolean>
  /** `follows`: the first of them stands on a line of its own, too. */
  add(files: readonly File[], at: number, follows?: boolean): void
  /** Where it will stand, in UTF-16 units. */
  placeOf(upload: Upload): number
  cancel(upload: Upload): void
  retry(upload: Upload): void
  /** Begins to send, also what an earlier page left behind. Answers how to stop. */
  start(insert: Insert): () => void
}

export interface UploadsInput {
  readonly doc: string
  readonly key: string
  readonly text: Y.Text
  readonly canEdit: ReadonlySignal<boolean>
  /** The state of the live connection: when it stands, files may pass too. */
  readonly connected: ReadonlySignal<boolean>
}

/** Sends them. */
export interface UploadQueue extends Omit<Uploads, 'add' | 'allowed'> {
  add(files: readonly File[], position: Y.RelativePosition, follows: boolean): void
}
