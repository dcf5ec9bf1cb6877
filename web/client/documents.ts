/** Operations of documents that several parts of the pages call. */
import { operation } from './operation.ts'

/** A repeated request with the same `idempotencyKey` creates no second document. */
export const createDocument = operation<'createDocument'>('POST /new')

export const readDocument = operation<'readDocument'>('GET /api/docs/{id}')

/** With `title: null` the text determines the title. */
export const renameDocument = operation<'updateDocument'>('PATCH /api/docs/{id}')

/** Moves an anonymous document into the account that is signed in. */
export const claimDocument = operation<'claimDocument'>('POST /api/docs/{id}/claim')

const findSession = operation<'findSession'>('GET /api/session')

/** Returns the account that is signed in in this browser; null if there is none. */
export const findUser = async () => (await findSession()).user
