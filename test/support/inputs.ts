/**
 * Bodies, queries and path parameters with which every operation of the table succeeds, for a document and a caller. Fields come from the `example`
 * of the operation, and parameters are recognized by their names. Only an operation that needs more has a row here.
 */
import { type Operation, pathParameters } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { callerOfService } from '../../server/domain/rights/access.ts'
import { decideDevice } from '../../server/domain/accounts/devices.ts'
import { type Bytes, samples } from './media.ts'
import { comment, suggest } from './annotations.ts'
import { type Assignment, requestFor } from './reviews.ts'
import type { Answer, Ask, Person, World } from './world.ts'

/** The credentials that a caller sends. */
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

/** Returns the inputs of the operations. `stranger` opens a session of somebody else, who approves a login. */
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

  /** Creates a comment as the caller, if the caller may comment. */
  const newComment = async (owner: Person, sent: Sent): Promise<Record<string, string>> => {
    const own = await world().ask('POST', `/api/docs/${owner.doc}/comments`, {
      key: sent.key,
      headers: headersOf(sent),
      json: { body: 'Hm.' }
    })
    return { commentId: own.json?.id ?? (await comment(owner, { body: 'Hm.' })).id }
  }

  /** Replies to a comment as the caller, if the caller may comment. */
  const newReply = async (owner: Person, sent: Sent): Promise<Record<string, string>> => {
    const { id } = await comment(owner, { body: 'Hm.' })
    const path = `/api/docs/${owner.doc}/comments/${id}/replies`
    const own = await world().ask('POST', path, { key: sent.key, headers: headersOf(sent), json: { body: 'Oh.' } })
    return { replyId: own.json?.id ?? (await owner.ask('POST', `/comments/${id}/replies`, { json: { body: 'Oh.' } })).json.id }
  }

  const base64 = (sample: string): string => Buffer.from(samples[sample]?.bytes ?? '').toString('base64')

  /** Creates a finished job of the caller, if the caller may have one. */
  const endedJob =
    (path: string, json: Record<string, unknown>, field: string) =>
    async (owner: Person, sent: Sent): Promise<Record<string, string>> => {
      const start = (key: string | undefined): Promise<Answer> =>
        world().ask('POST', `/api/docs/${owner.doc}/media/${path}`, { key, headers: headersOf(sent), json, query: { wait: 20 } })
      const own = await start(sent.key)
      // If the key limits the caller to reading, the caller starts the job without the key.
      const { json: job } = own.status === 403 ? await start(undefined) : own
      return { [field]: job?.jobId ?? 'none' }
    }

  const newSuggestion = async (owner: Person): Promise<Record<string, string>> => ({
    suggestionId: (await suggest(owner, { operation: 'insert', text: 'x' })).id
  })

  /** For each path parameter, a function that creates its value. */
  const byParameter: Readonly<Record<string, NeededInput['path']>> = {
    commentId: newComment,
    suggestionId: newSuggestion,
    replyId: newReply,
    share: async (owner) => ({ share: (await owner.share('edit')).link.id }),
    revisionId: async () => ({ revisionId: '1' }),
    draftId: async () => ({ draftId: 'draft' }),
    taskId: async (_owner, _sent, { id }) => ({ taskId: id }),
    jobId: endedJob('image', { prompt: 'A boat' }, 'jobId'),
    talkId: endedJob('speak', { text: 'Hello' }, 'talkId'),
    asrId: endedJob('transcribe', { data: base64('wav') }, 'asrId'),
    ocrId: endedJob('ocr', { data: base64('png') }, 'ocrId'),
    token: async (_owner, sent) => {
      const { json } = await world().ask('POST', '/api/me/tokens', { headers: headersOf(sent), json: { name: 'A program' } })
      return { token: json?.token?.id ?? 'none' }
    },
    node: async (_owner, sent) => {
      const { json } = await world().ask('POST', '/api/me/nodes', { headers: headersOf(sent), json: {} })
      return { node: json?.node?.id ?? 'none' }
    },
    session: async (_owner, sent) => {
      const { json } = await world().ask('GET', '/api/me/sessions', { headers: headersOf(sent) })
      return { session: json.sessions?.[0]?.id ?? 'none' }
    }
  }

  /** Operations whose input names records that the test must create first. */
  const special: Readonly<Record<string, NeededInput>> = {
    withdrawSuggestion: {
      path: async (owner, sent) => {
        const json = { operation: 'insert', text: 'x' }
        const own = await world().ask('POST', `/api/docs/${owner.doc}/suggestions`, { key: sent.key, headers: headersOf(sent), json })
        return { suggestionId: own.json?.id ?? (await suggest(owner, json)).id }
      }
    },
    readDiff: { query: ({ task }) => ({ from: task.startingVersion }) },
    startTranscription: { body: async () => ({ data: base64('wav') }) },
    startOcr: { body: async () => ({ data: base64('png') }) },
    cancelJob: { path: endedJob('ocr', { data: base64('png') }, 'jobId') },
    uploadAsset: { file: () => ({ body: samples['png']?.bytes as Bytes, type: 'image/png' }) },
    createTask: { body: async () => requestFor() },
    reportTask: {
      body: async (_sent, { task }) => ({ reviewedVersion: task.startingVersion, summary: 'Fine.' }),
      path: async (_owner, sent, { id, task }) => {
        await world().ask('POST', `/api/docs/${task.docId}/tasks/${id}/start`, { key: sent.key, headers: headersOf(sent) })
        return { taskId: id }
      }
    },
    pollDeviceLogin: { body: approvedDevice }
  }

  /** Returns the input of an operation. If the operation needs more than its example, it returns 400, and the test names it. */
  const inputOf = ({ rest, example }: Operation): NeededInput => {
    const [parameter = ''] = pathParameters(rest.path).filter((name) => name !== 'id')
    const path = byParameter[parameter]
    const fields: NeededInput =
      example === undefined
        ? {}
        : rest.method === 'GET'
          ? { query: () => example as Record<string, string> }
          : { body: async () => ({ ...example }) }
    return { ...fields, ...(path && { path }) }
  }
  return Object.fromEntries(
    Object.entries(operations as Readonly<Record<string, Operation>>).map(([name, entry]) => [
      name,
      { ...inputOf(entry), ...special[name] }
    ])
  )
}
