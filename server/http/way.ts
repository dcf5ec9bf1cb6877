/**
 * The steps of a call, in one array that REST and MCP share. perform.ts has the rules for the steps. A `Face` holds the differences between the
 * interfaces: how they read a body, find its fields, and present a response.
 */
import { ok } from 'node:assert'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { File } from '../domain/media/assets.ts'
import { claimRequest, findAnswer } from '../domain/records/idempotency.ts'
import { requireRightNow } from '../domain/rights/authority.ts'
import type { Caller, RequestStamp } from '../domain/rights/caller.ts'
import { briefly } from './brief.ts'
import { admit as admitted, type Asked, limit as countAddress, perform } from './perform.ts'

type Fields = Record<string, unknown>

/** The received body of a call. */
export interface Received {
  readonly body: Buffer
  /** An uploaded body, which is on disk. `body` then contains the name of the file. */
  readonly file: File | null
}

export interface CallAdapter<Shown> {
  /** Reads the body of an admitted caller. */
  receive(asked: Asked): Promise<Received>
  /** Returns the identity of a call whose repetitions get the first response; null if the call is executed every time. */
  stamp(asked: Asked, received: Received): RequestStamp | null
  /** Returns the input. Throws `invalid_request`, which lists the faulty fields. */
  check(asked: Asked, received: Received): Fields
  /** Presents the response in the interface's form. */
  present(asked: Asked, answer: Fields): Promise<Shown>
}

/** A call in progress. Each step adds its part. */
export interface Call<Shown> {
  readonly asked: Asked
  readonly adapter: CallAdapter<Shown>
  caller?: Caller
  /** The error that refused the caller, if the response to an earlier call can replace it. */
  refusal?: ServiceError
  received: Received
  stamp: RequestStamp | null
  input?: Fields
  answer?: Fields
  shown?: Shown
  /** Cleanup functions, run in reverse order when the call ends. */
  readonly ends: (() => unknown)[]
}

export type Step = <Shown>(call: Call<Shown>) => void | Promise<void>

/** Applies the rate limits of the call's IP address. Throws `rate_limited`. */
export const limit: Step = ({ asked }) => countAddress(asked)

/** Finds the caller. A caller without any right to the call is refused before the server reads the body. */
export const admit: Step = async (call) => {
  try {
    call.caller = await admitted(call.asked)
  } catch (error) {
    // A repeated deletion gets the first response again, although the document is gone.
    if (call.asked.name !== 'deleteDocument' || !(error instanceof ServiceError) || error.code !== 'document_deleted') throw error
    call.refusal = error
  }
}

/** Reads the body. Then checks the caller's access again, because the sender may have taken a long time to send the body. */
const body: Step = async (call) => {
  const { asked, caller } = call
  call.received = await call.adapter.receive(asked)
  const { file } = call.received
  if (file !== null) call.ends.push(() => file.upload.discard())
  if (caller !== undefined && asked.operation.rest.method !== 'GET')
    await requireRightNow(asked.http.service, asked.doc, caller, asked.operation)
}

const underWay = new Map<string, Promise<void>>()

/** Reuses the response to an earlier identical call, or waits for such a call if it is in progress. Throws `rate_limited`. */
const once: Step = async (call) => {
  const { asked } = call
  const stamp = (call.stamp = call.adapter.stamp(asked, call.received))
  if (stamp !== null) {
    if (underWay.size >= limits.idempotencyUnderWayMax) throw new ServiceError('rate_limited', { retryAfterSeconds: 1 })
    while (underWay.has(stamp.id)) await underWay.get(stamp.id)
    const { promise, resolve } = Promise.withResolvers<void>()
    underWay.set(stamp.id, promise)
    call.ends.push(() => {
      underWay.delete(stamp.id)
      resolve()
    })
    call.ends.push(await claimRequest(asked.http.service, stamp))
    const scope = asked.operation.on === 'document' && asked.name !== 'deleteDocument' ? asked.doc : null
    const found = await findAnswer(asked.http.service, scope, stamp)
    if (found !== undefined) {
      asked.ctx.set('Idempotency-Replayed', 'true')
      call.answer = found.answer as Fields
    }
  }
  if (call.answer === undefined && call.refusal !== undefined) throw call.refusal
}

/** Reads the input, unless the call already has a response. */
export const check: Step = (call) => {
  if (call.answer === undefined) call.input = call.adapter.check(call.asked, call.received)
}

/** Runs the operation, unless the call already has a response. */
export const handle: Step = async (call) => {
  const { asked, caller, input, received, stamp } = call
  if (call.answer !== undefined) return
  ok(caller !== undefined && input !== undefined)
  call.answer = await perform(asked, { ...caller, request: stamp }, input, received.file)
}

/** Presents the response, in short form if the caller asks for it. */
const present: Step = async (call) => {
  const { asked, adapter, answer } = call
  const { input: fields, rest } = asked.operation
  ok(answer !== undefined)
  // The input of a repeated call was not checked.
  const input = 'brief' in fields.shape ? (call.input ?? adapter.check(asked, call.received)) : {}
  call.shown = await adapter.present(asked, input['brief'] === true ? briefly(rest.method, answer, input) : answer)
}

/** The steps of every call, in order. */
const way: readonly Step[] = [limit, admit, body, once, check, handle, present]

/** The empty body of a call that was sent without a body. */
export const nothing: Received = { body: Buffer.alloc(0), file: null }

/** Runs the given steps of a call. Throws the errors of the steps. */
export const walk = async <Shown>(asked: Asked, adapter: CallAdapter<Shown>, steps: readonly Step[]): Promise<Call<Shown>> => {
  const call: Call<Shown> = { asked, adapter, received: nothing, stamp: null, ends: [] }
  try {
    for (const step of steps) await step(call)
    return call
  } finally {
    for (const end of call.ends.toReversed()) await end()
  }
}

/** Runs all steps of a call, and returns the presented response. Throws the errors of the steps. */
export const answerTo = async <Shown>(asked: Asked, face: CallAdapter<Shown>): Promise<Shown> =>
  (await walk(asked, face, way)).shown as Shown
