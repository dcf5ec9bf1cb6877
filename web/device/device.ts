/**
 * The stores of this device, and their places: this folder owns all of it, so that a document can be removed from the device as a whole.
 *
 * - **Values** (`values.ts`) are short texts in local storage, which writes at once: `agmd.NAME` of the device, `agmd.NAME.ID` of a document,
 *   `agmd.drafts.ID.PAGE` of a page (`drafts.ts`).
 * - **Records** (`records.ts`) are in the one database `agmd`. The store `outbox` has what a person sent and the service has not acknowledged:
 *   actions of the review, uploads, media jobs (`outbox.ts`). The store `lists` has the annotations as the device saw them last.
 * - **Texts** (`keep.ts`) are in a database for each document, `agmd:ID`, as y-indexeddb wants it.
 * - Databases of earlier versions are carried over (`earlier.ts`).
 *
 * Two more things are not of a document: the pages of the app, in the cache of the service worker (`web/worker.ts`), and what
 * `web/public/theme.js` reads before the first paint.
 */

/**
 * Values of the device as a whole, with the module that writes each: the `name` of this person and the id of the `device` (`presence/person.ts`), the
 * `documents` that were opened (`recent.ts`), how documents are shown (`mode`: live when absent) and whether the `outline` is
 * (`document/page.tsx`), `theme` and `language`, and documents that are not to be added to an account (`home/claim-offer.tsx`).
 */
type DeviceValue = 'name' | 'device' | 'documents' | 'mode' | 'outline' | 'theme' | 'language' | 'claim.declined'

/** The registry of what is noted of a document. Removal goes through it. */
export const documentValues = [
  /** How many changes the server has not confirmed. */
  'unsent',
  /** Changes of the text in the last moments of a page. */
  'last',
  /** Outbox entries in the last moments of a page. */
  'deeds',
  /** The proposed changes that are not sent, for each page. */
  'drafts',
  /** The reason that somebody types for a rejection: of a tab alone, in its session storage. */
  'reason',
  /** The annotations that this device wrote. */
  'own',
  /** There were cards beside the text. */
  'margin',
  /** There are media jobs in the outbox. */
  'media',
  /** The last event that was seen. */
  'seen',
  /** Edits are to be proposed. */
  'suggesting'
] as const

/** Stores of the database. Each record names its document, so removal goes through all of them. */
export const stores = ['outbox', 'lists'] as const
export type StoreName = (typeof stores)[number]

/** The owner of entries in the outbox. */
export type Queue = 'review' | 'uploads' | 'media'

export const deviceValue = (name: DeviceValue): string => `agmd.${name}`

export const documentValue = (name: (typeof documentValues)[number], id: string): string => `agmd.${name}.${id}`

/** Name of the database that has the text of a document. */
export const textDatabase = (id: string): string => `agmd:${id}`
