/** Operations on documents that several parts of the pages call. */
import { operation } from './operation.ts'

/** Creates a document. A repeated request with the same `idempotencyKey` does not create a second one. */
export const createDocument = operation<'createDocument'>('POST /new')

export const readDocument = operation<'readDocument'>('GET /api/docs/{id}')

export const readText = operation<'readContent'>('GET /api/docs/{id}/content')

/** Renames a document. With `title: null`, the title comes from the text again. */
export const renameDocument = operation<'updateDocument'>('PATCH /api/docs/{id}')

/** Moves an anonymous document into the signed-in account. */
export const claimDocument = operation<'claimDocument'>('POST /api/docs/{id}/claim')

const findSession = operation<'findSession'>('GET /api/session')

/** Returns the account that is signed in in this browser, or null if there is none. */
export const findUser = async () => (await findSession()).user
