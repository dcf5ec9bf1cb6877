/**
 * Files on their way, kept on this device (IndexedDB `agmd-uploads`) until they stand in the text: a reload or a day without a network
 * loses none. Where the browser stores nothing they are kept while the page is open.
 */
import { deviceStore, type Kept } from '../offline/device-store.ts'

/** Its id is also the key under which the server recognises the upload when it is sent again. */
export interface Waiting extends Kept {
  readonly name: string
  readonly blob: Blob
  /** An encoded `Y.RelativePosition`. */
  readonly position: Uint8Array
  /** Whether it came together with the one before it. */
  readonly follows: boolean
}

export const waiting = deviceStore<Waiting>('agmd-uploads', 'uploads')
