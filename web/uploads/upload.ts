/** A file that is being added to a document, as the page and the editor see it. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type * as Y from 'yjs'
import type { Failure } from './failures.ts'

export type UploadState =
  | { readonly phase: 'queued' }
  /** `share`: 0–1. */
  | { readonly phase: 'sending'; readonly share: number }
  /** Retried automatically. */
  | { readonly phase: 'waiting'; readonly failure: Failure }
  | { readonly phase: 'failed'; readonly failure: Failure }

export interface Upload {
  readonly id: string
  /** The name of the chosen file. */
  readonly fileName: string
  readonly state: Signal<UploadState>
  /** Its Markdown gets a separate line after existing content: a picture, or the file added together with it. */
  readonly follows: boolean
}

/** Inserts Markdown into the text at a position. Returns false if the person may not write at the moment. */
export type Insert = (at: number, markdown: string, upload: Upload) => boolean

export interface Uploads {
  readonly list: ReadonlySignal<readonly Upload[]>
  /** The last event, for screen readers. */
  readonly said: ReadonlySignal<string>
  /** Files that are stored only on this page and would be lost with it. */
  readonly onlyHere: ReadonlySignal<number>
  /** Whether this person may add files. */
  readonly allowed: ReadonlySignal<boolean>
  /** `follows`: the first of them also gets a separate line. */
  add(files: readonly File[], at: number, follows?: boolean): void
  /** Returns the position of its Markdown, in UTF-16 units. */
  placeOf(upload: Upload): number
  cancel(upload: Upload): void
  retry(upload: Upload): void
  /** Begins to send, including files of earlier pages. Returns a function that stops it. */
  start(insert: Insert): () => void
}

export interface UploadsInput {
  readonly doc: string
  readonly key: string
  readonly text: Y.Text
  readonly canEdit: ReadonlySignal<boolean>
  /** The state of the live connection: while it is connected, files can probably be sent too. */
  readonly connected: ReadonlySignal<boolean>
}

/** Sends them. */
export interface UploadQueue extends Omit<Uploads, 'add' | 'allowed'> {
  add(files: readonly File[], position: Y.RelativePosition, follows: boolean): void
}
