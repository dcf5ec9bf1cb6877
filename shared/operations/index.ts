/** The table of all the service's operations, by name. */
import type { z } from 'zod'
import { createComment, deleteComment, editComment, listComments, readComment, replyToComment, resolveComment } from './comments.ts'
import type { RestBinding } from '../operation.ts'
import { uploadAsset } from './assets.ts'
import {
  claimDocument,
  createToken,
  listDocuments,
  listSessions,
  listTokens,
  listTrash,
  pollDeviceLogin,
  findSession,
  readMe,
  updateMe,
  revokeSession,
  revokeSessions,
  revokeToken,
  startDeviceLogin
} from './accounts.ts'
import {
  createDocument,
  deleteDocument,
  labelRevision,
  listRevisions,
  publishDocument,
  readAttribution,
  readContent,
  readDiff,
  readDocument,
  readOutline,
  readRevision,
  replaceContent,
  restoreRevision,
  undeleteDocument,
  updateDocument
} from './documents.ts'
import { listDrawings, storeDrawing } from './drawings.ts'
import { editContent, patchContent } from './edits.ts'
import { listEvents } from './events.ts'
import { readInbox } from './inbox.ts'
import {
  cancelJob,
  createNode,
  listNodes,
  readImage,
  readOcr,
  readRelayStatus,
  readSpeech,
  readSpeechAudio,
  readTranscription,
  revokeNode,
  saveSpeech,
  startImage,
  startOcr,
  startSpeech,
  startTranscription
} from './media.ts'
import { deleteReply, editReply } from './replies.ts'
import { searchDocument, searchDocuments } from './search.ts'
import { readHealth } from './service.ts'
import { changeShare, createShare, listShares, readShare, revokeShare } from './shares.ts'
import {
  createSuggestion,
  decideSuggestion,
  decideSuggestions,
  draftSuggestion,
  listSuggestions,
  readSuggestion,
  replyToSuggestion,
  withdrawSuggestion
} from './suggestions.ts'
import { closeTask, createTask, listTasks, readTask, reportTask, startTask } from './tasks.ts'

export const operations = {
  createDocument,
  readDocument,
  deleteDocument,
  undeleteDocument,
  updateDocument,
  publishDocument,
  readContent,
  readOutline,
  searchDocument,
  readDiff,
  readAttribution,
  replaceContent,
  editContent,
  patchContent,
  listRevisions,
  readRevision,
  labelRevision,
  restoreRevision,
  listShares,
  readShare,
  createShare,
  changeShare,
  revokeShare,
  listComments,
  readComment,
  createComment,
  replyToComment,
  resolveComment,
  editComment,
  deleteComment,
  editReply,
  deleteReply,
  listSuggestions,
  readSuggestion,
  createSuggestion,
  draftSuggestion,
  replyToSuggestion,
  decideSuggestion,
  decideSuggestions,
  withdrawSuggestion,
  uploadAsset,
  listDrawings,
  storeDrawing,
  startImage,
  readImage,
  startSpeech,
  readSpeech,
  readSpeechAudio,
  saveSpeech,
  startTranscription,
  readTranscription,
  startOcr,
  readOcr,
  cancelJob,
  listEvents,
  readInbox,
  createTask,
  listTasks,
  readTask,
  startTask,
  reportTask,
  closeTask,
  readHealth,
  findSession,
  readMe,
  updateMe,
  listDocuments,
  searchDocuments,
  listTrash,
  claimDocument,
  listSessions,
  revokeSession,
  revokeSessions,
  createToken,
  listTokens,
  revokeToken,
  startDeviceLogin,
  pollDeviceLogin,
  readRelayStatus,
  createNode,
  listNodes,
  revokeNode
} as const

export type OperationName = keyof typeof operations

/** A handler's input, after parsing and checking. */
export type Input<Name extends OperationName> = z.output<(typeof operations)[Name]['input']>

/** A handler's response. */
export type Output<Name extends OperationName> = z.output<(typeof operations)[Name]['output']>

/** The input that a caller sends. */
export type Request<Name extends OperationName> = z.input<(typeof operations)[Name]['input']>

export type DocumentOperation = {
  [Name in OperationName]: (typeof operations)[Name]['on'] extends 'document' ? Name : never
}[OperationName]

/** Method and path of an operation, such as `GET /api/docs/{id}`. */
export type Route<Name extends OperationName> = RouteOf<(typeof operations)[Name]['rest']>

type RouteOf<Rest extends RestBinding> =
  `${Rest['method']} ${Rest['path'] | (Rest['also'] extends readonly (infer Other extends string)[] ? Other : never)}`
