/** Maps each operation to its domain function. A missing handler is a type error. */
import type { Input, OperationName, Output } from '../shared/operations/index.ts'
import type { Caller } from './domain/rights/caller.ts'
import {
  createComment,
  deleteComment,
  editComment,
  listComments,
  readComment,
  replyToComment,
  resolveComment
} from './domain/review/comments.ts'
import { type File, uploadAsset } from './domain/media/assets.ts'
import { replaceContent, restoreRevision } from './domain/text/replacement.ts'
import { createDocument, readDocument, updateDocument } from './domain/documents/documents.ts'
import { listDrawings, storeDrawing } from './domain/media/drawings.ts'
import { pollDeviceLogin, startDeviceLogin } from './domain/accounts/devices.ts'
import { editContent } from './domain/text/edits.ts'
import { listEvents } from './domain/events/events.ts'
import { createSuggestion, suggestContent } from './domain/review/proposals.ts'
import { draftSuggestion } from './domain/review/suggestion-drafts.ts'
import { claimDocument, listDocuments } from './domain/documents/owned.ts'
import {
  cancelJob,
  readImage,
  readOcr,
  readSpeech,
  readSpeechAudio,
  readTranscription,
  saveSpeech,
  startImage,
  startOcr,
  startSpeech,
  startTranscription
} from './domain/media/media.ts'
import { readInbox } from './domain/events/inbox.ts'
import { createToken, listTokens, revokeToken } from './domain/accounts/programs.ts'
import { createNode, listNodes, readRelayStatus, revokeNode } from './domain/media/compute-nodes.ts'
import { publishDocument } from './domain/documents/publishing.ts'
import { labelRevision, listRevisions, readRevision } from './domain/text/revisions.ts'
import type { Service } from './domain/service.ts'
import { renameAccount } from './domain/accounts/account-name.ts'
import { listSessions, readMe, whoIsSignedIn, revokeSession, revokeSessions } from './domain/accounts/sessions.ts'
import { changeShare } from './domain/rights/share-changes.ts'
import { createShare, listShares, readShare, revokeShare } from './domain/rights/shares.ts'
import { deleteReply, editReply } from './domain/review/replies.ts'
import { listSuggestions, readSuggestion, replyToSuggestion } from './domain/review/suggestions.ts'
import { decideSuggestion, decideSuggestions, withdrawSuggestion } from './domain/review/decisions.ts'
import { closeTask, createTask, listTasks, readTask, reportTask, startTask } from './domain/review/tasks.ts'
import { deleteDocument, listTrash, undeleteDocument } from './domain/documents/trash.ts'
import { readAttribution } from './domain/text/attribution.ts'
import { searchDocument, searchDocuments } from './domain/text/searching.ts'
import { readContent, readDiff, readOutline } from './domain/text/reading.ts'
import type { WaitEnd } from './domain/events/waits.ts'

/** The context that an interface passes to a handler. */
export interface Call<Name extends OperationName> {
  readonly service: Service
  readonly caller: Caller
  /** The document; '' for operations that need no document. */
  readonly doc: string
  readonly input: Input<Name>
  /** The address from which the request came. It helps a person recognize the request. */
  readonly address: string
  /** The uploaded file, for operations that accept one. */
  readonly file: File | null
  readonly end: WaitEnd
}

export type Handlers = { readonly [Name in OperationName]: (call: Call<Name>) => Promise<Output<Name>> }

const secondsSince = (service: Service): number => Math.round((service.clock.now() - service.startedAt) / 1000)

export const handlers = {
  createDocument: ({ service, caller, input }) => createDocument(service, caller, input),
  readDocument: ({ service, caller, doc }) => readDocument(service, caller, doc),
  updateDocument: ({ service, caller, doc, input }) => updateDocument(service, caller, doc, input),
  deleteDocument: ({ service, caller, doc, input }) => deleteDocument(service, caller, doc, input),
  undeleteDocument: ({ service, caller, doc }) => undeleteDocument(service, caller, doc),
  readContent: ({ service, caller, doc, input }) => readContent(service, caller, doc, input),
  replaceContent: ({ service, caller, doc, input }) =>
    (input.mode === 'suggest' ? suggestContent : replaceContent)(service, caller, doc, input),
  searchDocument: ({ service, doc, input }) => searchDocument(service, doc, input),
  searchDocuments: ({ service, caller, input }) => searchDocuments(service, caller, input),
  readOutline: ({ service, doc, input }) => readOutline(service, doc, input),
  readDiff: ({ service, doc, input }) => readDiff(service, doc, input),
  readAttribution: ({ service, doc, input }) => readAttribution(service, doc, input),
  editContent: ({ service, caller, doc, input }) => editContent(service, caller, doc, input),
  patchContent: ({ service, caller, doc, input }) => editContent(service, caller, doc, input),
  publishDocument: ({ service, caller, doc, input }) => publishDocument(service, caller, doc, input),
  listRevisions: ({ service, doc, input }) => listRevisions(service, doc, input),
  readRevision: ({ service, doc, input }) => readRevision(service, doc, input),
  labelRevision: ({ service, caller, doc, input }) => labelRevision(service, caller, doc, input),
  restoreRevision: ({ service, caller, doc, input }) => restoreRevision(service, caller, doc, input),
  listShares: ({ service, doc, input }) => listShares(service, doc, input),
  readShare: ({ service, doc, input }) => readShare(service, doc, input),
  createShare: ({ service, caller, doc, input }) => createShare(service, caller, doc, input),
  changeShare: ({ service, caller, doc, input }) => changeShare(service, caller, doc, input),
  revokeShare: ({ service, caller, doc, input }) => revokeShare(service, caller, doc, input),
  listComments: ({ service, doc, input }) => listComments(service, doc, input),
  readComment: ({ service, doc, input }) => readComment(service, doc, input),
  createComment: ({ service, caller, doc, input }) => createComment(service, caller, doc, input),
  replyToComment: ({ service, caller, doc, input }) => replyToComment(service, caller, doc, input),
  resolveComment: ({ service, caller, doc, input }) => resolveComment(service, caller, doc, input),
  editComment: ({ service, caller, doc, input }) => editComment(service, caller, doc, input),
  deleteComment: ({ service, caller, doc, input }) => deleteComment(service, caller, doc, input),
  editReply: ({ service, caller, doc, input }) => editReply(service, caller, doc, input),
  deleteReply: ({ service, caller, doc, input }) => deleteReply(service, caller, doc, input),
  listSuggestions: ({ service, doc, input }) => listSuggestions(service, doc, input),
  readSuggestion: ({ service, doc, input }) => readSuggestion(service, doc, input),
  createSuggestion: ({ service, caller, doc, input }) => createSuggestion(service, caller, doc, input),
  draftSuggestion: ({ service, caller, doc, input }) => draftSuggestion(service, caller, doc, input),
  replyToSuggestion: ({ service, caller, doc, input }) => replyToSuggestion(service, caller, doc, input),
  decideSuggestion: ({ service, caller, doc, input }) => decideSuggestion(service, caller, doc, input),
  decideSuggestions: ({ service, caller, doc, input }) => decideSuggestions(service, caller, doc, input),
  withdrawSuggestion: ({ service, caller, doc, input }) => withdrawSuggestion(service, caller, doc, input),
  uploadAsset: ({ service, caller, doc, input, file }) => uploadAsset(service, caller, doc, input, file),
  listDrawings: ({ service, doc }) => listDrawings(service, doc),
  storeDrawing: ({ service, caller, doc, input }) => storeDrawing(service, caller, doc, input),
  startImage: (call) => startImage(call, call.input),
  readImage: (call) => readImage(call, call.input),
  startSpeech: (call) => startSpeech(call, call.input),
  readSpeech: (call) => readSpeech(call, call.input),
  readSpeechAudio: (call) => readSpeechAudio(call, call.input),
  saveSpeech: (call) => saveSpeech(call, call.input),
  startTranscription: (call) => startTranscription(call, call.input, call.file),
  readTranscription: (call) => readTranscription(call, call.input),
  startOcr: (call) => startOcr(call, call.input, call.file),
  readOcr: (call) => readOcr(call, call.input),
  cancelJob: (call) => cancelJob(call, call.input),
  listEvents: ({ service, caller, doc, input, end }) => listEvents(service, caller, doc, input, end),
  readInbox: ({ service, caller, input, end }) => readInbox(service, caller, input, end),
  createTask: ({ service, caller, doc, input }) => createTask(service, caller, doc, input),
  listTasks: ({ service, caller, doc, input }) => listTasks(service, caller, doc, input),
  readTask: ({ service, caller, doc, input }) => readTask(service, caller, doc, input),
  startTask: ({ service, caller, doc, input }) => startTask(service, caller, doc, input),
  reportTask: ({ service, caller, doc, input }) => reportTask(service, caller, doc, input),
  closeTask: ({ service, caller, doc, input }) => closeTask(service, caller, doc, input),
  readHealth: ({ service }) => {
    const status = service.status()
    return Promise.resolve({ ok: status === 'ok', status, version: service.version, uptimeSeconds: secondsSince(service) })
  },
  findSession: ({ service, caller }) => whoIsSignedIn(service, caller),
  readMe: ({ service, caller }) => readMe(service, caller),
  updateMe: ({ service, caller, input }) => renameAccount(service, caller, input.name),
  listDocuments: ({ service, caller, input }) => listDocuments(service, caller, input),
  listTrash: ({ service, caller, input }) => listTrash(service, caller, input),
  claimDocument: ({ service, caller, doc, input }) => claimDocument(service, caller, doc, input),
  listSessions: ({ service, caller }) => listSessions(service, caller),
  revokeSession: ({ service, caller, input }) => revokeSession(service, caller, input.session),
  revokeSessions: ({ service, caller }) => revokeSessions(service, caller),
  startDeviceLogin: ({ service, input, address }) => startDeviceLogin(service, input, address),
  pollDeviceLogin: ({ service, input }) => pollDeviceLogin(service, input),
  readRelayStatus: ({ service, caller }) => readRelayStatus(service, caller),
  createToken: ({ service, caller, input }) => createToken(service, caller, input),
  listTokens: ({ service, caller }) => listTokens(service, caller),
  revokeToken: ({ service, caller, input }) => revokeToken(service, caller, input.token),
  createNode: ({ service, caller, input }) => createNode(service, caller, input),
  listNodes: ({ service, caller }) => listNodes(service, caller),
  revokeNode: ({ service, caller, input }) => revokeNode(service, caller, input.node)
} satisfies Handlers
