/** A file that is being added to a document. The page and the editor share this type. */
import type { ReadonlySignal, Signal } from '@preact/signals'
import type * as Y from 'yjs'
import type { Failure } from './failures.ts'

export type UploadState =
  | { readonly phase: 'queued' }
  /** `share` is the fraction that has been sent, from 0 to 1. */
  | { readonly phase: 'sending'; readonly share: number }
  /** The upload failed, and the page will retry it automatically. */
  | { readonly phase: 'waiting'; readonly failure: Failure }
  | { readonly phase: 'failed'; readonly failure: Failure }

export interface Upload {
  readonly id: string
  /** The name of the chosen file. */
  readonly fileName: string
  readonly state: Signal<UploadState>
  readonly follows: Follows
}

/**
 * Whether the Markdown is inserted on a new line after existing content: after a picture, or after a file that was added together with this one.
 * With `apart`, it becomes a block after the block that ends there.
 */
export type Follows = boolean | 'apart'

/** Inserts Markdown into the text at a position. Returns false if the person may not write now. */
export type Insert = (at: number, markdown: string, upload: Upload) => boolean

export interface Uploads {
  readonly list: ReadonlySignal<readonly Upload[]>
  /** The last announcement for screen readers. */
  readonly said: ReadonlySignal<string>
  /** Number of files that only this page has, and that closing it would lose. */
  readonly onlyHere: ReadonlySignal<number>
  /** Whether this person may add files. */
  readonly allowed: ReadonlySignal<boolean>
  /** Adds files at a position. With `follows`, the first file is also inserted on a new line. */
  add(files: readonly File[], at: number, follows?: Follows): void
  /** Returns the offset of a file in the text, in UTF-16 units. */
  placeOf(upload: Upload): number
  cancel(upload: Upload): void
  retry(upload: Upload): void
  /** Starts sending, including files of earlier pages. Returns a function that stops it. */
  start(insert: Insert): () => void
}

export interface UploadsInput {
  readonly doc: string
  readonly key: string
  readonly text: Y.Text
  readonly canEdit: ReadonlySignal<boolean>
  /** Whether the live connection is open. If it is, files can probably be sent too. */
  readonly connected: ReadonlySignal<boolean>
}

/** The part that sends the files. */
export interface UploadQueue extends Omit<Uploads, 'add' | 'allowed'> {
  add(files: readonly File[], position: Y.RelativePosition, follows: Follows): void
}
