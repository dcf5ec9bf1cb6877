/** The live socket's protocol (docs/protocol.md), for the server, pages and tests: frame types, close codes and messages. */
import type { ErrorCode } from './errors.ts'
import type { Output } from './operations/index.ts'
import type { Role } from './roles.ts'
import type { CharacterPosition } from './text/characters.ts'

/** Message types of the Hocuspocus protocol. */
export const messageTypes = { sync: 0, awareness: 1, auth: 2, syncReply: 4, stateless: 5, close: 7, syncStatus: 8 } as const

/**
 * Close codes of the live socket (docs/protocol.md, Close codes; RFC 6455 §7.4.1). `closeCodeOf` in server/live/hocuspocus.ts chooses the code when
 * access ends, for example when a link is revoked.
 */
export const closeCodes = {
  restarting: 1001,
  tooBig: 1009,
  storeFailed: 1011,
  syncAgain: 1013,
  badMessage: 4400,
  credentialEnded: 4401,
  notAllowed: 4403,
  deleted: 4404,
  /** The server's operator disabled the account. */
  accountDisabled: 4410,
  /** The server's operator took the document down. */
  takenDown: 4451,
  /** A quota is reached. The client keeps its text and may send it again when there is room. */
  full: 4413,
  tooSlow: 4408,
  tooFast: 4429
} as const

/** Stateless messages that the server sends to open pages (docs/protocol.md). */
export type LiveMessage =
  /**
   * The role of the connection. `expiresAt`: the end of the link that was used, if it has one. `name`: the person for whom the link was created, sent only to guests. `account`: the name of the signed-in account,
   * with its earlier names.
   */
  | {
      readonly type: 'role'
      readonly role: Role
      readonly expiresAt?: string
      readonly name?: string
      readonly account?: string
      readonly formerNames?: readonly string[]
    }
  /**
   * `person` is the id that presence uses for all pages of this person. `number` distinguishes a guest without a name from other such guests. `hue` is
   * the color in which others see this person.
   */
  | { readonly type: 'you'; readonly person: string; readonly number?: number; readonly hue?: number }
  | { readonly type: 'event'; readonly event: Output<'listEvents'>['events'][number] }
  /** A review assignment was created or changed. The message never contains the assignment's link. */
  | { readonly type: 'task'; readonly task: Output<'readTask'>['task'] }
  /**
   * A comment or suggestion was created, changed or decided, or replacing the text moved or orphaned it. `place` has the ids of its characters. Its
   * offsets hold only in the text that the server had.
   */
  | { readonly type: 'comment'; readonly comment: Output<'resolveComment'>['comment']; readonly place?: CharacterPosition }
  | { readonly type: 'suggestion'; readonly suggestion: Output<'decideSuggestion'>['suggestion']; readonly place?: CharacterPosition }
  | { readonly type: 'comment.deleted'; readonly commentId: string }
  /** Comments or suggestions have changed, but the changes are too many or too large to send. The page must read the lists again. */
  | { readonly type: 'annotations' }
  | { readonly type: 'ended'; readonly code: ErrorCode }
