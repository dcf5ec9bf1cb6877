/** Operations of documents that several parts of the pages call. */
import { operation } from './operation.ts'

/** Sent again with the same `idempotencyKey` it makes no second document. */
export const createDocument = operation<'createDocument'>('POST /new')

export const readDocument = operation<'readDocument'>('GET /api/docs/{id}')

/** With `title: null` the title follows the text. */
export const renameDocument = operation<'updateDocument'>('PATCH /api/docs/{id}')

/** Moves an anonymous document into the account of the person who is signed in. */
export const claimDocument = operation<'claimDocument'>('POST /api/docs/{id}/claim')

const findSession = operation<'findSession'>('GET /api/session')

/** The account that is signed in in this browser; null: none. */
export const findUser = async () => (await findSession()).user
