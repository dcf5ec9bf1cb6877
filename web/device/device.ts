/**
 * The stores on this device and their locations. This folder owns all of them, so that a document can be removed from the device completely.
 *
 * - **Values** (`values.ts`) are short texts in local storage, which writes at once: `agmd.NAME` of the device, `agmd.NAME.ID` of a document,
 *   `agmd.drafts.ID.PAGE` of a page (`drafts.ts`).
 * - **Records** (`records.ts`) are in the one database `agmd`. The store `outbox` has entries that a person sent and the service has not acknowledged:
 *   actions of the review, uploads, media jobs (`outbox.ts`). The store `lists` has the annotations as this device last saw them.
 * - **Texts** (`keep.ts`) are in a database for each document, `agmd:ID`, in the format of y-indexeddb.
 * - Databases of earlier versions are carried over (`earlier.ts`).
 *
 * Two more things belong to no document: the pages of the app in the cache of the service worker (`web/worker.ts`), and the values that
 * `web/public/theme.js` reads before the first paint.
 */

/**
 * Values of the whole device, with the module that writes each: this person's `name` and the `device` id (`presence/person.ts`), the `documents` that
 * were opened (`recent.ts`), the view of documents (`mode`: live when absent) and of the `outline` (`document/page.tsx`), `theme` and `language`, and
 * documents that a person declined to add to an account (`home/claim-offer.tsx`).
 */
type DeviceValue = 'name' | 'device' | 'documents' | 'mode' | 'outline' | 'theme' | 'language' | 'claim.declined'

/** Every value stored for a document. Removing a document goes through this list. */
export const documentValues = [
  /** Number of changes that the server has not confirmed. */
  'unsent',
  /** Changes to the text from the last moments of a page. */
  'last',
  /** Outbox entries from the last moments of a page. */
  'deeds',
  /** Unsent suggestions, for each page. */
  'drafts',
  /** The reason that somebody is typing for a rejection, in the session storage of one tab. */
  'reason',
  /** Annotations written on this device. */
  'own',
  /** Chat messages that guests sent from this device. */
  'sent',
  /** Whether cards were shown next to the text. */
  'margin',
  /** Whether the outbox has media jobs. */
  'media',
  /** The last event that was seen. */
  'seen',
  /** Whether edits become suggestions. */
  'suggesting'
] as const

/** Stores of the database. Each record names its document, so removing a document goes through all of them. */
export const stores = ['outbox', 'lists'] as const
export type StoreName = (typeof stores)[number]

/** The feature that owns entries in the outbox. */
export type Queue = 'review' | 'uploads' | 'media'

export const deviceValue = (name: DeviceValue): string => `agmd.${name}`

export const documentValue = (name: (typeof documentValues)[number], id: string): string => `agmd.${name}.${id}`

/** Name of the database with the text of a document. */
export const textDatabase = (id: string): string => `agmd:${id}`
