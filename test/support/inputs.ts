/** Inputs of every operation of the table: bodies and path parameters with which it succeeds, made for a document and who asks. */
import { callerOfService } from '../../server/domain/rights/access.ts'
import { decideDevice } from '../../server/domain/accounts/devices.ts'
import { type Bytes, samples } from './media.ts'
import { comment, suggest } from './remarks.ts'
import { type Assignment, requestFor } from './reviews.ts'
import type { Answer, Ask, Person, World } from './world.ts'

/** The headers of a caller. */
export interface Sent {
  readonly key?: string | undefined
  readonly bearer?: string
  readonly cookie?: string
}

export interface NeededInput {
  readonly body?: (sent: Sent, assignment: Assignment) => Promise<Record<string, unknown>>
  readonly file?: () => Pick<Ask, 'body' | 'type'>
  readonly query?: (assignment: Assignment) => Record<string, string>
  readonly path?: (owner: Person, sent: Sent, assignment: Assignment) => Promise<Record<string, string>>
}

/** `stranger`: the session of somebody else, who approves a login. */
export const neededInputs = (
  world: () => World,
  headersOf: (sent: Sent) => Record<string, string>,
  stranger: () => Promise<string>
): Readonly<Record<string, NeededInput>> => {
  const approvedDevice = async (): Promise<{ device_code: string }> => {
    const { json } = await world().ask('POST', '/api/cli/device/start', { json: {} })
    const caller = await callerOfService(world().service, { bearer: await stranger() })
    await decideDevice(world().service, caller, json.user_code, true)
    return { device_code: json.device_code }
  }

  /** A comment of the caller's own, if they may make one. */
  const newComment = async (owner: Person, sent: Sent): Promise<Record<string, string>> => {
    const own = await world().ask('POST', `/api/docs/${owner.doc}/comments`, {
      key: sent.key,
      headers: headersOf(sent),
      json: { body: 'Hm.' }
    })
    return { commentId: own.json?.id ?? (await comment(owner, { body: 'Hm.' })).id }
  }

  const base64 = (sample: string): string => Buffer.from(samples[sample]?.bytes ?? '').toString('base64')

  /** A job of the caller's own that has ended, where they may have one. */
  const endedJob =
    (path: string, json: Record<string, unknown>, field: string) =>
    async (owner: Person, sent: Sent): Promise<Record<string, string>> => {
      const start = (key: string | undefined): Promise<Answer> =>
        world().ask('POST', `/api/docs/${owner.doc}/media/${path}`, { key, headers: headersOf(sent), json, query: { wait: 20 } })
      const own = await start(sent.key)
      // A key that narrows the owner's role to reading starts nothing; the owner may have started it before.
      const { json: job } = own.status === 403 ? await start(undefined) : own
      return { [field]: job?.jobId ?? 'none' }
    }

  /** An operation that needs more than this table knows answers 400 and is named. */
  return {
    replaceContent: { body: async () => ({ content: 'new' }) },
    restoreRevision: { body: async () => ({ revision: 1 }) },
    readRevision: { path: async () => ({ revisionId: '1' }) },
    createShare: { body: async () => ({ role: 'view' }) },
    updateDocument: { body: async () => ({ title: 'Another' }) },
    updateMe: { body: async () => ({ name: 'Ana' }) },
    storeDrawing: {
      body: async () => ({ source: 'pie', title: 'A pie', width: 1, height: 1, light: '<svg></svg>', dark: '<svg></svg>' })
    },
    changeShare: { body: async () => ({ role: 'comment' }), path: async (owner) => ({ share: (await owner.share('edit')).link.id }) },
    revokeShare: { path: async (owner) => ({ share: (await owner.share('view')).link.id }) },
    readShare: { path: async (owner) => ({ share: (await owner.share('view')).link.id }) },
    readComment: { path: newComment },
    readSuggestion: {
      path: async (owner) => ({ suggestionId: (await suggest(owner, { operation: 'insert', text: 'x' })).id })
    },
    createComment: { body: async () => ({ body: 'Hm.', find: 'text' }) },
    replyToComment: { body: async () => ({ body: 'Oh.' }), path: newComment },
    resolveComment: { path: newComment },
    editComment: { body: async () => ({ body: 'Well.' }), path: newComment },
    deleteComment: { path: newComment },
    createSuggestion: { body: async () => ({ operation: 'insert', text: 'x' }) },
    draftSuggestion: { body: async () => ({ step: 1, operation: 'insert', text: 'x' }), path: async () => ({ draftId: 'draft' }) },
    replyToSuggestion: {
      body: async () => ({ body: 'Oh.' }),
      path: async (owner) => ({ suggestionId: (await suggest(owner, { operation: 'insert', text: 'x' })).id })
    },
    decideSuggestion: {
      body: async () => ({ action: 'reject' }),
      path: async (owner) => ({ suggestionId: (await suggest(owner, { operation: 'insert', text: 'x' })).id })
    },
    withdrawSuggestion: {
      path: async (owner, sent) => {
        const json = { operation: 'insert', text: 'x' }
        const own = await world().ask('POST', `/api/docs/${owner.doc}/suggestions`, { key: sent.key, headers: headersOf(sent), json })
        return { suggestionId: own.json?.id ?? (await suggest(owner, json)).id }
      }
    },
    decideSuggestions: { body: async () => ({ decisions: [] }) },
    editContent: { body: async () => ({ operations: [{ op: 'append', markdown: 'x' }], mode: 'suggest' }) },
    patchContent: { body: async () => ({ operations: [{ op: 'append', markdown: 'x' }], mode: 'suggest' }) },
    labelRevision: { body: async () => ({ label: 'Draft' }), path: async () => ({ revisionId: '1' }) },
    searchDocument: { query: () => ({ q: 'a' }) },
    searchDocuments: { query: () => ({ q: 'a' }) },
    readDiff: { query: ({ task }) => ({ from: task.startingVersion }) },
    startImage: { body: async () => ({ prompt: 'A boat' }) },
    startSpeech: { body: async () => ({ text: 'Hello' }) },
    startTranscription: { body: async () => ({ data: base64('wav') }) },
    startOcr: { body: async () => ({ data: base64('png') }) },
    readImage: { path: endedJob('image', { prompt: 'A boat' }, 'jobId') },
    readSpeech: { path: endedJob('speak', { text: 'Hello' }, 'talkId') },
    readSpeechAudio: { path: endedJob('speak', { text: 'Hello' }, 'talkId') },
    saveSpeech: { path: endedJob('speak', { text: 'Hello' }, 'talkId') },
    readTranscription: { path: endedJob('transcribe', { data: base64('wav') }, 'asrId') },
    readOcr: { path: endedJob('ocr', { data: base64('png') }, 'ocrId') },
    cancelJob: { path: endedJob('ocr', { data: base64('png') }, 'jobId') },
    createToken: { body: async () => ({ name: 'A program' }) },
    revokeToken: {
      path: async (_owner, sent) => {
        const { json } = await world().ask('POST', '/api/me/tokens', { headers: headersOf(sent), json: { name: 'A program' } })
        return { token: json?.token?.id ?? 'none' }
      }
    },
    revokeNode: {
      path: async (_owner, sent) => {
        const { json } = await world().ask('POST', '/api/me/nodes', { headers: headersOf(sent), json: {} })
        return { node: json?.node?.id ?? 'none' }
      }
    },
    uploadAsset: { file: () => ({ body: samples['png']?.bytes as Bytes, type: 'image/png' }) },
    createTask: { body: async () => requestFor() },
    readTask: { path: async (_owner, _sent, { id }) => ({ taskId: id }) },
    startTask: { path: async (_owner, _sent, { id }) => ({ taskId: id }) },
    reportTask: {
      body: async (_sent, { task }) => ({ reviewedVersion: task.startingVersion, summary: 'Fine.' }),
      path: async (_owner, sent, { id, task }) => {
        await world().ask('POST', `/api/docs/${task.docId}/tasks/${id}/start`, { key: sent.key, headers: headersOf(sent) })
        return { taskId: id }
      }
    },
    closeTask: { path: async (_owner, _sent, { id }) => ({ taskId: id }) },
    pollDeviceLogin: { body: approvedDevice },
    revokeSession: {
      path: async (_owner, sent) => {
        const { json } = await world().ask('GET', '/api/me/sessions', { headers: headersOf(sent) })
        return { session: json.sessions?.[0]?.id ?? 'none' }
      }
    }
  }
}
