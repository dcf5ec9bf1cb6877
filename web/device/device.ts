/**
 * The stores on this device and their names. This folder owns all of them, so that a document can be removed from the device completely.
 *
 * - **Values** (`values.ts`) are short strings in local storage, which is written immediately: `agmd.NAME` for the device, `agmd.NAME.ID` for a
 *   document, `agmd.drafts.ID.PAGE` for a page (`drafts.ts`).
 * - **Records** (`records.ts`) are in the single database `agmd`. The store `outbox` has entries that a person sent and the service has not
 *   acknowledged: review actions, uploads and media jobs (`outbox.ts`). The store `lists` has the annotations as this device last saw them.
 * - **Texts** (`keep.ts`) are in one database per document, `agmd:ID`, in the format of y-indexeddb.
 * - Data of earlier versions is moved to these stores (`earlier.ts`).
 *
 * Two more kinds of data belong to no document: the files of the app in the cache of the service worker (`web/worker.ts`), and the values that
 * `web/public/theme.js` reads before the first paint. The forms for a new account read the `name` (`web/public/guest-name.js`).
 */

/**
 * Values for the entire device, with the module that writes each: the person's `name` with the earlier ones and the `device` id (`presence/person.ts`), the `documents`
 * that were opened (`recent.ts`), whether the `outline` is shown (`document/page.tsx`), `theme` and `language`,
 * the documents that a person declined to add to an account (`home/claim-offer.tsx`), and whether a guest declined to give a name
 * (`presence/declined-name.ts`).
 */
type DeviceValue = 'name' | 'device' | 'documents' | 'outline' | 'theme' | 'language' | 'claim.declined' | 'name.declined' | 'name.former'

/** Every value that is stored per document. Removing a document removes all of them. */
export const documentValues = [
  /** Number of changes that the server has not confirmed. */
  'unsent',
  /** Text changes from the last moments of a page. */
  'last',
  /** Outbox entries from the last moments of a page. The stored name is the one that earlier versions used. */
  'deeds',
  /** Unsent suggestions of each page. */
  'drafts',
  /** The reason for a rejection while somebody types it, in the session storage of one tab. */
  'reason',
  /** Half-written replies and edits of comments, in the session storage of one tab. */
  'replies',
  /** Ids of the annotations that were written on this device. */
  'own',
  /** Keys of the chat messages that guests sent from this device. */
  'sent',
  /** Whether cards were visible next to the text. */
  'margin',
  /** Whether the outbox contains media jobs. */
  'media',
  /** The last event that the person has seen. */
  'seen',
  /** Whether edits become suggestions. */
  'suggesting',
  /** Refused edits that became suggestions (`suggested-edits.ts`). */
  'suggested',
  /** Whether the document was created on this device. */
  'made',
  /** The number that the service gave this person, who is a guest without a name. */
  'number',
  /** The view of the document. The default is the live view. */
  'mode'
] as const

/** Stores of the database. Each record names its document, so removing a document goes through all stores. */
export const stores = ['outbox', 'lists'] as const
export type StoreName = (typeof stores)[number]

/** The feature that owns entries in the outbox. */
export type Queue = 'review' | 'uploads' | 'media'

export const deviceValue = (name: DeviceValue): string => `agmd.${name}`

export const documentValue = (name: (typeof documentValues)[number], id: string): string => `agmd.${name}.${id}`

/** Returns the name of the database with the text of a document. */
export const textDatabase = (id: string): string => `agmd:${id}`
