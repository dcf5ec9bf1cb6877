/** The live socket (docs/protocol.md), for server, pages and tests: frame types, close codes and messages. */
import type { ErrorCode } from './errors.ts'
import type { Output } from './operations/index.ts'
import type { Role } from './roles.ts'

/** Types of message of the Hocuspocus protocol. */
export const messageTypes = { sync: 0, awareness: 1, auth: 2, syncReply: 4, stateless: 5, close: 7, syncStatus: 8 } as const

/** Close codes (docs/protocol.md, Close codes; RFC 6455 §7.4.1). */
export const closeCodes = {
  restarting: 1001,
  tooBig: 1009,
  storeFailed: 1011,
  syncAgain: 1013,
  badMessage: 4400,
  credentialEnded: 4401,
  notAllowed: 4403,
  deleted: 4404,
  /** A quota is reached: the client stores its text, and may send it again once there is room. */
  full: 4413,
  tooSlow: 4408,
  tooFast: 4429
} as const

/** Stateless messages from the server to open pages (docs/protocol.md). */
export type LiveMessage =
  /** `name`: the person that the link was made for, sent only to guests. `account`: the name of the signed-in account. */
  | { readonly type: 'role'; readonly role: Role; readonly name?: string; readonly account?: string }
  /** The id by which presence marks all pages of this person. `number` distinguishes a guest without a name from others. */
  | { readonly type: 'you'; readonly person: string; readonly number?: number }
  | { readonly type: 'event'; readonly event: Output<'listEvents'>['events'][number] }
  /** A review assignment was created or changed. The message never contains its link. */
  | { readonly type: 'task'; readonly task: Output<'readTask'>['task'] }
  /** A comment or suggestion was made, changed or decided, or a replacement of the text moved or orphaned it. */
  | { readonly type: 'comment'; readonly comment: Output<'resolveComment'>['comment'] }
  | { readonly type: 'suggestion'; readonly suggestion: Output<'decideSuggestion'>['suggestion'] }
  | { readonly type: 'comment.deleted'; readonly commentId: string }
  /** Too many or too large changes of comments or suggestions to send to everybody: read the lists again. */
  | { readonly type: 'annotations' }
  | { readonly type: 'ended'; readonly code: ErrorCode }
