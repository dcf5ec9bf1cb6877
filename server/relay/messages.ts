/** Checks every message from a node, because anyone can run a node. */
import { z } from 'zod'
import { limits } from '../../shared/limits.ts'
import { jobKinds } from '../../shared/media-jobs.ts'
import { nodeFailures, type NodeMessage } from '../../shared/relay.ts'

const job = z.int().min(1).max(0xffff_ffff)
const bytes = z.int().min(1)
const name = z.string().min(1).max(limits.mediaNameUnitsMax)
const seconds = z.number().min(0).max(1_000_000)

const capability = z.object({ kind: z.enum(jobKinds), engine: name, voices: z.array(name).max(limits.mediaVoicesMax).optional() })
const segment = z.object({ start: seconds, end: seconds, text: z.string().max(limits.mediaTextUnitsMax) })

const message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: z.int(),
    slots: z.int().min(1).max(limits.relaySlotsMax),
    capabilities: z.array(capability).max(jobKinds.length * 4)
  }),
  z.object({ type: z.literal('beat') }),
  z.object({ type: z.literal('progress'), job, progress: z.number().min(0).max(1) }),
  z.object({ type: z.literal('credit'), job, bytes }),
  z.object({
    type: z.literal('result'),
    job,
    result: z.object({
      text: z.string().max(limits.mediaTextUnitsMax).optional(),
      duration: seconds.optional(),
      segments: z.array(segment).max(limits.mediaSegmentsMax).optional(),
      engine: name.optional()
    }),
    file: z.object({ bytes, hash: z.string().length(43), contentType: z.string().max(100) }).nullable()
  }),
  z.object({ type: z.literal('fail'), job, code: z.enum(nodeFailures), message: z.string().max(limits.mediaReasonUnitsMax) })
])

/** Parses a message. Throws `RangeError` if the message is invalid. */
export const parseMessage = (text: string): NodeMessage => {
  try {
    return message.parse(JSON.parse(text)) as NodeMessage
  } catch {
    throw new RangeError('not a message of this protocol')
  }
}
