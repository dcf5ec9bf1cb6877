/**
 * Defines every stored key and record.
 *
 * This folder contains the records and the code that writes them: keys, the ledger and its transactions, retries, and records that expire.
 *
 *   ['d', doc]                    head: counters, owner, title (JSON, `Head`)
 *   ['d', doc, 'update', seq]     journal record: updates up to `seq` (binary, journal.ts)
 *   ['d', doc, 'checkpoint']      Yjs state at a sequence number (binary, journal.ts)
 *   ['d', doc, 'history', seq]    compressed journal records up to `seq` (binary, journal.ts)
 *   ['d', doc, 'keyframe', seq]   Yjs state at `seq`, from which old versions are rebuilt (binary, journal.ts)
 *   ['d', doc, 'text']            canonical Markdown at a sequence number (binary, journal.ts)
 *   ['d', doc, 'revision', n]     JSON, `Revision`
 *   ['d', doc, 'event', n]        JSON, `StoredEvent`
 *   ['d', doc, 'notice', n]       the recipients of event n (JSON, `Notice`; notices.ts)
 *   ['inbox', kind, id, number]   an event in a document that the account or agent owns (JSON, `InboxEntry`)
 *   ['d', doc, 'mention', hash]   how many messages of one author in one minute were reported for a name (JSON number, mentions.ts)
 *   ['d', doc, 'share', id]       JSON, `Share`
 *   ['d', doc, 'comment', id]     JSON, `Comment`
 *   ['d', doc, 'suggestion', id]  JSON, `Suggestion`
 *   ['d', doc, 'task', id]        JSON, `Task`; the id is derived from the document and the requestId
 *   ['d', doc, 'task number', n]  id of the task (JSON string): tasks in the order of their creation
 *   ['d', doc, 'guest', hash]     number of a guest without a name, by the hash of the device (JSON number, guest-numbers.ts)
 *   ['d', doc, 'guest number', n] hash of the device that has the two-digit number n (JSON string)
 *   ['d', doc, 'used', share]     time of the link's last use, in milliseconds since 1970 (JSON number)
 *   ['d', doc, 'request', hash]   response to an Idempotency-Key (JSON, idempotency.ts)
 *   ['d', doc, 'asset', id]       JSON, `Asset`
 *   ['d', doc, 'drawings']         JSON, `Drawing[]`: the diagrams that have pictures, oldest first (drawings.ts)
 *   ['d', doc, 'picture', name]    the SVG of a drawing, light or dark (JSON string)
 *   ['d', doc, 'imported']        the file from which the document was imported (JSON, `Imported`)
 *   ['asset', id]                 document of an asset (JSON string)
 *   ['d', doc, 'job', id]         JSON, `Job`: a media job (media-jobs.ts)
 *   ['open job', id]              document of a job that waits or runs (JSON string)
 *   ['ended job', at, id]         document of a job that ended at this time (JSON string)
 *   ['job blob', name]            document of a blob that a job stores (JSON string)
 *   ['node', hash]                JSON, `ComputeNodeToken` (nodes.ts); ['account', id, 'node', node] → its hash
 *   ['account', id, 'job', job]   document of a job of the account (JSON string)
 *   ['key', hash]                 SHA-256 of a share key → `KeyIndex`
 *   ['deletion', doc]             an erasure in progress (JSON, `Deletion`); removed when no part of the document is left
 *   ['trash', until, doc]         a document in the trash, ordered by the time when it will be erased (JSON string: its id)
 *   ['trashed', kind, id, doc]    a document in the trash of an account or agent (JSON, `Trashed`)
 *   ['request', hash]             response to an Idempotency-Key of a request without a document
 *   ['account', id]               JSON, `Account` (accounts.ts); ['email', hash] and ['identity', hash] → its id
 *   ['account', id, 'seen']       time of the last sign-in, in milliseconds since 1970 (JSON number)
 *   ['program', hash]             JSON, `Program` (programs.ts), by the hash of its token or grant; ['account', id, 'program', program] → its hash
 *   ['session', hash]             JSON, `Session` (sessions.ts); ['account', id, 'session', session] → its hash
 *   ['owned', kind, id, place]    documents of an account or agent (JSON, `Owned`); `place` sorts by creation
 *   ['usage', kind, id, doc]      bytes that a document of an account, agent or address takes (JSON number, usage.ts)
 *   ['passkey', hash]             JSON, `Passkey` (passkeys.ts); ['account', id, 'passkey', hash] → its id
 *   ['device', hash]              JSON, `Device` (devices.ts); ['user-code', hash] → its hash
 *   ['used-link', hash]           an invitation or reset link that was used (JSON, links.ts)
 *   ['oidc', model, hash]         record of the embedded broker (auth/broker-store.ts), with its indexes
 *   ['load', at]                  JSON, `LoadSample` (operator/load.ts)
 *   ['audit', place]              JSON, `AuditRecord` (audit.ts); `place` sorts by time
 *   ['due', at, …key]             a record that is removed after `at` (expiry.ts)
 *
 * Invariants: the head holds the highest sequence, event and revision number. Every write to a document checks and rewrites its head in the same
 * commit, so the counters have no gaps. An erased document keeps its head, with little more than `deletedAt`, and the hashes of its keys. The holder
 * of a link therefore gets 410 and not 401.
 */
import type { EventKind, EventPayload } from '../../../shared/events.ts'
import type { JobInput, JobKind, JobResult } from '../../../shared/media-jobs.ts'
import type { DescribedChange } from '../../../shared/fences/described-change.ts'
import type { MediaKind } from '../../../shared/media-types.ts'
import type { Role } from '../../../shared/roles.ts'
import type { TaskState } from '../../../shared/task-states.ts'
import type { Anchor } from '../../../shared/text/anchors.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import type { Key } from '../ports.ts'

export interface Owner {
  readonly kind: 'anonymous' | 'account' | 'agent'
  readonly id?: string
  readonly name?: string
}

/** How much text has been added and removed since the last revision. */
export interface Unsaved {
  /** UTF-16 units. */
  readonly added: number
  readonly removed: number
  readonly actors: readonly string[]
}

export interface Head {
  readonly id: string
  /** The title that was given to the document. Null if the first heading is the title. */
  readonly title: string | null
  readonly kind: string
  readonly owner: Owner
  readonly createdAt: number
  readonly updatedAt: number
  readonly publishedAt: number | null
  /** Whether search engines may list the published page. Absent means no. */
  readonly indexed?: boolean
  /** Set if the document was published while nobody owned it. The page does not name the later owner. Absent once it is published again. */
  readonly unsigned?: true
  readonly deletedAt: number | null
  /**
   * The time when an administrator took the document down. Absent if the document is not taken down. `deletedAt` is then also set, so that everything
   * that refuses deleted documents also refuses this one.
   */
  readonly takenDownAt?: number
  /** The last instant at which a deleted document can be restored, in milliseconds since 1970. Absent if the document is not in the trash. */
  readonly trashedUntil?: number
  /** The title that the document had when it went to the trash. Set only while it is there. */
  readonly trashedTitle?: string
  /** Tag of the empty document at the start of the history. */
  readonly firstTag: string
  /** Sequence number of the newest update on disk; 0 if there is none. */
  readonly seq: number
  /** History tag at `seq` (journal.ts). */
  readonly tag: string
  /** Sequence number of the newest replacement of the entire text (open-document.ts). Absent if there was none. */
  readonly replacedSeq?: number
  /** Number of the newest event; 0 if there is none. */
  readonly event: number
  /** Number of the newest revision; 0 if there is none. */
  readonly revision: number
  /** The number of revisions that were removed because they were too old (text/retention.ts). Absent if none were. */
  readonly revisionsRemoved?: number
  /** The sequence number up to which old versions were removed. Absent if none were. */
  readonly historySeq?: number
  /** Sequence number of the text in the newest revision. */
  readonly revisionSeq: number
  /** The sequence number up to which content events report the changes. */
  readonly announcedSeq: number
  /** The number of times that an annotation was written or deleted. Absent if 0. When it changes, other nodes read the annotations again. */
  readonly annotated?: number
  /** The node whose turn it is to write the text (turns.ts). Absent if any node may add updates. */
  readonly turn?: string
  /** The sequence number up to which the journal is in compressed segments. Absent if no segment was written since this field was introduced. */
  readonly segmentedSeq?: number
  /** The number of valid links. */
  readonly shares: number
  /** The number of valid links of review assignments. If it is absent, `shares` also counts these links. */
  readonly taskShares?: number
  /** The number of links made so far. Absent if none were made since this counter was introduced. */
  readonly sharesMade?: number
  /** The highest number of three or more digits that a guest has (rights/guest-numbers.ts). Absent if no guest has one. */
  readonly guestNumber?: number
  readonly unsaved: Unsaved
  /** The bytes of the document's assets. Absent if it has none. */
  readonly assetBytes?: number
  /**
   * The bytes that the document uses without its assets (usage.ts). Absent in a document that an earlier version created and that has not been
   * counted yet.
   */
  readonly bytes?: number
  /** The document's bytes according to its owner's usage record. Absent if there is no such record. */
  readonly usage?: number
  /** How many times a drawing was stored; absent if none was. When the number increases, the published page is rendered again. */
  readonly drawings?: number
  /** Keyed hash of the address from which an anonymous document was created. */
  readonly origin?: string
}

/** The label of a document's first link. It names the role, because the link has no name of its own. */
export const firstLinkLabel = 'Owner'

export interface Share {
  readonly id: string
  readonly role: Role
  readonly label: string | null
  /** SHA-256 of the secret, base64url. The `KeyIndex` of the share is stored under this hash. */
  readonly hash: string
  /** The secret, encrypted with the instance secret. It is stored because the list of links shows it to the owner. */
  readonly sealed: string
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** The review assignment for which the link was made. */
  readonly task?: string
  /** The link through which this link was made. This link ends when that link ends. Absent if there is none. */
  readonly maker?: string
  /**
   * The first non-owner link in the chain of links that led to this one. Connections count toward the limits of that link. Absent if this link is
   * itself the first one.
   */
  readonly root?: string
  /** Whether the link was made with the document. Absent from links of earlier versions. */
  readonly first?: boolean
}

/** Whether a link was made with its document. Earlier versions marked such a link only by its label. */
export const isFirstLink = ({ first, label, role, maker }: Omit<Share, 'hash' | 'sealed'>): boolean =>
  first ?? (label === firstLinkLabel && role === 'owner' && maker === undefined)

export interface KeyIndex {
  readonly doc: string
  readonly share: string
  /** Copied from the share, because the index outlives the link: an erased document returns 410 only to valid keys. */
  readonly expiresAt: number | null
  readonly revoked: boolean
}

export type RevisionCause = 'create' | 'put' | 'edit' | 'restore' | 'autosave' | 'accept' | 'reopen' | 'merge'

export interface Revision {
  readonly id: number
  readonly seq: number
  readonly tag: string
  readonly label: string | null
  readonly author: string | null
  readonly authors: readonly string[]
  readonly cause: RevisionCause
  readonly size: number
  readonly added: number
  readonly removed: number
  readonly createdAt: number
}

/** The author of a record. A guest's `id` is the link that the guest used. Guests choose their names; nobody verifies them. */
export interface Author {
  readonly kind: 'guest' | 'account' | 'agent'
  readonly id: string
  readonly name: string | null
}

export interface TaskReport {
  readonly reviewedVersion: string
  readonly summary: string
  readonly commentIds: readonly string[]
  readonly suggestionIds: readonly string[]
  /** Whether the document had a version newer than `reviewedVersion` when the report arrived. */
  readonly stale: boolean
  readonly reportedBy: Author
  readonly reportedAt: number
}

export interface Task {
  readonly id: string
  readonly docId: string
  /** Cursor of the assignment's `task.created` event. It determines the position in the list. */
  readonly number: number
  readonly requestId: string
  readonly title: string
  readonly instructions: string
  readonly status: TaskState
  readonly startingVersion: string
  /** The assignment's link, with its secret as in `Share`. */
  readonly share: { readonly id: string; readonly sealed: string; readonly revoked?: true }
  readonly createdBy: Author
  readonly createdAt: number
  readonly startedBy: Author | null
  readonly startedAt: number | null
  readonly report: TaskReport | null
  readonly closedBy: Author | null
  readonly closedAt: number | null
}

/** A reply to a comment or suggestion. */
export interface Reply {
  readonly id: string
  readonly body: string
  readonly author: Author
  readonly createdAt: number
  /** The time of the last edit. Absent if the reply was never edited. */
  readonly editedAt?: number
  /** Like `Comment.mentioned`. */
  readonly mentioned?: readonly string[]
}

/** The text that a comment is about, and its position in the version that the comment's author had read. */
export interface CommentTarget {
  readonly kind: 'find' | 'line' | 'anchor' | 'document'
  readonly quote: string
  readonly prefix: string
  readonly suffix: string
  /** Null if the text was not found, or if the comment is on the entire document. */
  readonly line: number | null
  readonly from: number | null
  readonly to: number | null
}

interface AnnotationRecord {
  readonly id: string
  /** Cursor of the `created` event. It determines the position in the list. */
  readonly number: number
  /** The anchor. Null if the annotation never had a position, or has lost it. */
  readonly pin: Anchor | null
  readonly author: Author
  readonly createdAt: number
  /** Version of the document when the annotation was made. */
  readonly version: string
  /** The review assignment under which the annotation was made. */
  readonly task: string | null
}

export interface Comment extends AnnotationRecord {
  readonly body: string
  readonly target: CommentTarget
  readonly updatedAt: number
  /** The time of the last edit of the text. Absent if it was never edited. */
  readonly editedAt?: number
  /** Names that the comment's text mentions or has mentioned, in lower case. Each name is notified once. */
  readonly mentioned?: readonly string[]
  /** Null while the thread is open. */
  readonly resolvedAt: number | null
  readonly resolvedBy: Author | null
  readonly replies: readonly Reply[]
}

export type SuggestionOperation = 'insert' | 'delete' | 'replace'

export interface Suggestion extends AnnotationRecord {
  readonly operation: SuggestionOperation
  /** The text that the suggestion changes; '' for an insertion. */
  readonly original: string
  readonly text: string
  readonly note: string | null
  readonly status: 'pending' | 'accepted' | 'rejected'
  readonly decidedBy: Author | null
  readonly decidedAt: number | null
  /** Version of the document directly after the suggestion was accepted. */
  readonly resultVersion: string | null
  /** Id of the set of suggestions that were proposed together. */
  readonly set: string | null
  /**
   * The position at the time of the decision. For an accepted suggestion, this is the position of the inserted text. Absent if the suggestion is
   * not decided, or was decided before this field was introduced.
   */
  readonly past?: Anchor | null
  /**
   * The edits that take back the acceptance, with offsets in the text of `past`. Present if the suggestion was accepted together with others that
   * changed text in the same range. `at` is the offset in the document of the text before the acceptance.
   */
  readonly inverse?: readonly (Edit & { readonly at: number })[]
  /** The change to a component. Present if the suggestion was decided and makes such a change. */
  readonly change?: DescribedChange
  /** Present if the author withdrew the suggestion. A withdrawn suggestion is also rejected. */
  readonly withdrawn?: true
  /** The reason for the rejection. Absent if none was given. */
  readonly reason?: string
  /** Absent if there are no replies. */
  readonly replies?: readonly Reply[]
  /** The time of the author's last change or of the last change to the replies, whichever is later. Absent if there was neither. */
  readonly updatedAt?: number
  /**
   * The draft of a suggestion that was stored while its author was typing. `id` is the part of the author's draft id that other people may see.
   * `step` is the last valid step. `since` is the first step with the current contents; if absent, it is the last step. `told` says whether events have
   * reported the entire draft.
   */
  readonly draft?: { readonly id?: string; readonly step: number; readonly since?: number; readonly told: boolean }
}

export interface Asset {
  /** A random id, which is also the name of the blob. Anyone who knows the id can read the blob. */
  readonly id: string
  readonly extension: string
  readonly contentType: string
  readonly kind: MediaKind
  /** The name that the uploader gave. */
  readonly name: string
  readonly size: number
  /** SHA-256, base64url. */
  readonly hash: string
  readonly createdAt: number
}

/** The file from which a document was imported, and what an export needs to restore it byte for byte. */
export interface Imported {
  /** The name of the folder or archive, or the name that the operator gave it. */
  readonly source: string
  /** The path of the file in the source. */
  readonly path: string
  /** Set if the file began with a byte order mark. */
  readonly mark?: true
  /** `crlf` if all lines of the file ended with CR LF. If only some did, the lengths of the runs of lines that ended with LF, CR LF, LF and so on. */
  readonly lineEnds?: 'crlf' | readonly number[]
  /** The links that the import changed, in the order of the text: as they were after the import, and as they were in the file. */
  readonly links: readonly (readonly [now: string, was: string])[]
  /** The paths of the assets in the source, by the id of the asset. */
  readonly assets: Readonly<Record<string, string>>
}

/** A diagram whose pictures the document stores. */
export interface Drawing {
  /** SHA-256 of the diagram's source, base64url. */
  readonly source: string
  /** The text alternative of the pictures. */
  readonly title: string
  /** Size in CSS pixels. */
  readonly width: number
  readonly height: number
}

/** A file that a job stores. */
export interface JobBlob {
  /** The random name of the blob. It is secret until the blob becomes an asset. */
  readonly name: string
  readonly contentType: string
  readonly size: number
  /** SHA-256, base64url. */
  readonly hash: string
}

export interface Job {
  readonly id: string
  readonly kind: JobKind
  /** The account that owns the job. Nobody else may read the job. */
  readonly account: string
  /** The link that started the job. Null if the owner started it. */
  readonly share: string | null
  /** The actor, in the form that events use. */
  readonly actor: string
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'canceled'
  /** The request, without the file. */
  readonly input: JobInput
  /** Whether the resulting file becomes an asset when the job ends. */
  readonly saves: boolean
  /** The input file. It is removed when the job ends. */
  readonly file: JobBlob | null
  /** How many times the job was assigned to a node. A result counts only if it names the current attempt. */
  readonly attempt: number
  /** The server node whose compute node began the last attempt. Absent if only one process uses the store. */
  readonly runner?: string
  /** How many nodes disconnected while they ran the job. */
  readonly losses: number
  readonly createdAt: number
  readonly endedAt: number | null
  readonly result: JobResult | null
  /** The result file. */
  readonly resultFile: JobBlob | null
  /** The asset made from the result file. */
  readonly asset: string | null
  readonly error: { readonly code: string; readonly message: string } | null
}

interface EventOf<Kind extends EventKind> {
  readonly seq: number
  readonly kind: Kind
  readonly at: number
  /** The actor, in the form that the journal uses: `guest:Ana`, `account:id`, `agent:id`, `system:`. */
  readonly actor: string
  readonly version?: string
  readonly payload: EventPayload<Kind>
}

export type StoredEvent = { readonly [Kind in EventKind]: EventOf<Kind> }[EventKind]

/** The readers whom an event concerns. */
export interface Notice {
  /** The person or program that acted, and therefore is not notified. Absent if the event's actor identifies them. */
  readonly by?: Author
  /** The mentioned names, in the form used in mentions, in lower case. */
  readonly names?: readonly string[]
  /** The people to notify: authors who got a reply or a decision, and people who wait for the event. */
  readonly people?: readonly Author[]
  /** Names in `names` whose holders another event about the same text already notifies. */
  readonly except?: readonly string[]
  /** The assignment whose reviewer is notified. */
  readonly task?: string
  /** The entry in the inbox of the document's owner, if the owner is notified. */
  readonly entry?: Key
}

/** An event in an inbox. */
export interface InboxEntry {
  readonly doc: string
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Records that an account or agent owns a document. */
export interface Owned {
  readonly doc: string
}

/** An erasure in progress. */
export interface Deletion {
  readonly doc: string
  /** The time at which the erasure was due. Only earlier versions wrote it. */
  readonly scrubAt?: number
}

/** A document in the trash. All times are in milliseconds since 1970. */
export interface Trashed {
  readonly doc: string
  readonly title: string
  readonly deletedAt: number
  readonly until: number
}

export const keys = {
  head: (doc: string): Key => ['d', doc],
  heads: (): Key => ['d'],
  update: (doc: string, seq: number): Key => ['d', doc, 'update', seq],
  updates: (doc: string): Key => ['d', doc, 'update'],
  checkpoint: (doc: string): Key => ['d', doc, 'checkpoint'],
  history: (doc: string, seq: number): Key => ['d', doc, 'history', seq],
  histories: (doc: string): Key => ['d', doc, 'history'],
  keyframe: (doc: string, seq: number): Key => ['d', doc, 'keyframe', seq],
  keyframes: (doc: string): Key => ['d', doc, 'keyframe'],
  text: (doc: string): Key => ['d', doc, 'text'],
  revision: (doc: string, id: number): Key => ['d', doc, 'revision', id],
  revisions: (doc: string): Key => ['d', doc, 'revision'],
  event: (doc: string, seq: number): Key => ['d', doc, 'event', seq],
  events: (doc: string): Key => ['d', doc, 'event'],
  notice: (doc: string, seq: number): Key => ['d', doc, 'notice', seq],
  notices: (doc: string): Key => ['d', doc, 'notice'],
  inbox: (kind: string, id: string): Key => ['inbox', kind, id],
  mention: (doc: string, hash: string): Key => ['d', doc, 'mention', hash],
  share: (doc: string, id: string): Key => ['d', doc, 'share', id],
  shares: (doc: string): Key => ['d', doc, 'share'],
  comment: (doc: string, id: string): Key => ['d', doc, 'comment', id],
  comments: (doc: string): Key => ['d', doc, 'comment'],
  suggestion: (doc: string, id: string): Key => ['d', doc, 'suggestion', id],
  suggestions: (doc: string): Key => ['d', doc, 'suggestion'],
  task: (doc: string, id: string): Key => ['d', doc, 'task', id],
  tasks: (doc: string): Key => ['d', doc, 'task'],
  taskNumber: (doc: string, number: number): Key => ['d', doc, 'task number', number],
  taskNumbers: (doc: string): Key => ['d', doc, 'task number'],
  asset: (doc: string, id: string): Key => ['d', doc, 'asset', id],
  assets: (doc: string): Key => ['d', doc, 'asset'],
  imported: (doc: string): Key => ['d', doc, 'imported'],
  assetDocument: (id: string): Key => ['asset', id],
  job: (doc: string, id: string): Key => ['d', doc, 'job', id],
  jobs: (doc: string): Key => ['d', doc, 'job'],
  openJob: (id: string): Key => ['open job', id],
  openJobs: (): Key => ['open job'],
  endedJob: (at: number, id: string): Key => ['ended job', at, id],
  endedJobs: (): Key => ['ended job'],
  jobBlob: (name: string): Key => ['job blob', name],
  accountJob: (account: string, id: string): Key => ['account', account, 'job', id],
  accountJobs: (account: string): Key => ['account', account, 'job'],
  nodeToken: (hash: string): Key => ['node', hash],
  nodeTokens: (): Key => ['node'],
  accountNode: (account: string, node: string): Key => ['account', account, 'node', node],
  accountNodes: (account: string): Key => ['account', account, 'node'],
  drawings: (doc: string): Key => ['d', doc, 'drawings'],
  picture: (doc: string, source: string, look: 'light' | 'dark'): Key => ['d', doc, 'picture', `${source}-${look}`],
  guest: (doc: string, device: string): Key => ['d', doc, 'guest', device],
  guestNumber: (doc: string, number: number): Key => ['d', doc, 'guest number', number],
  use: (doc: string, share: string): Key => ['d', doc, 'used', share],
  uses: (doc: string): Key => ['d', doc, 'used'],
  key: (hash: string): Key => ['key', hash],
  deletion: (doc: string): Key => ['deletion', doc],
  deletions: (): Key => ['deletion'],
  trash: (until: number, doc: string): Key => ['trash', until, doc],
  trashes: (): Key => ['trash'],
  trashed: (kind: string, id: string, doc: string): Key => ['trashed', kind, id, doc],
  trashedBy: (kind: string, id: string): Key => ['trashed', kind, id],
  request: (doc: string | null, hash: string): Key => (doc === null ? ['request', hash] : ['d', doc, 'request', hash]),

  claim: (name: string): Key => ['claim', name],
  account: (id: string): Key => ['account', id],
  accountSeen: (id: string): Key => ['account', id, 'seen'],
  accounts: (): Key => ['account'],
  accountEnd: (id: string): Key => ['account end', id],
  accountEnds: (): Key => ['account end'],
  email: (hash: string): Key => ['email', hash],
  identity: (hash: string): Key => ['identity', hash],
  session: (hash: string): Key => ['session', hash],
  accountSession: (account: string, session: string): Key => ['account', account, 'session', session],
  accountSessions: (account: string): Key => ['account', account, 'session'],
  program: (hash: string): Key => ['program', hash],
  programs: (): Key => ['program'],
  accountProgram: (account: string, program: string): Key => ['account', account, 'program', program],
  accountPrograms: (account: string): Key => ['account', account, 'program'],
  passkey: (hash: string): Key => ['passkey', hash],
  accountPasskey: (account: string, hash: string): Key => ['account', account, 'passkey', hash],
  accountPasskeys: (account: string): Key => ['account', account, 'passkey'],
  owned: (kind: string, id: string, place: string): Key => ['owned', kind, id, place],
  ownedBy: (kind: string, id: string): Key => ['owned', kind, id],
  usage: (kind: string, id: string, doc: string): Key => ['usage', kind, id, doc],
  usagesOf: (kind: string): Key => ['usage', kind],
  usages: (kind: string, id: string): Key => ['usage', kind, id],
  device: (hash: string): Key => ['device', hash],
  userCode: (hash: string): Key => ['user-code', hash],
  usedLink: (hash: string): Key => ['used-link', hash],
  broker: (...parts: readonly string[]): Key => ['oidc', ...parts],
  load: (at: number): Key => ['load', at],
  loads: (): Key => ['load'],
  audit: (place: string): Key => ['audit', place],
  audits: (): Key => ['audit'],
  due: (at: number, key: Key): Key => ['due', at, ...key],
  dues: (): Key => ['due']
} as const

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export const encodeRecord = (record: unknown): Uint8Array => encoder.encode(JSON.stringify(record))

const decoded = new WeakMap<Uint8Array, unknown>()

/**
 * Returns the record at a key. Its shape is trusted, because only this layer writes it and the store verifies its bytes. Equal bytes are parsed
 * only once, so never change a record in place.
 */
export const decodeRecord = <T>(value: Uint8Array): T => {
  const known = decoded.get(value)
  if (known !== undefined) return known as T
  const record = JSON.parse(decoder.decode(value)) as T
  decoded.set(value, record)
  return record
}
