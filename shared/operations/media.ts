/** Operations on media jobs (docs/api.md, Assets and media jobs) and on the compute nodes of an account. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { jobKinds, voicePattern } from '../media-jobs.ts'
import { operation, rename } from '../operation.ts'
import { Asset } from './assets.ts'
import { Instant, line } from './schemas.ts'

const wait = z.coerce
  .number()
  .int()
  .min(0)
  .transform((seconds) => Math.min(seconds, limits.mediaWaitSecondsMax))
  .optional()
  .meta({ description: `Seconds to wait for the job to end, at most ${limits.mediaWaitSecondsMax}; defaults to 0.` })

const jobId = z.string().min(1).max(limits.idUnitsMax).meta({ description: 'Id of the job.' })

const job = {
  id: z.string(),
  jobId: z.string(),
  kind: z.enum(jobKinds),
  status: z.enum(['queued', 'running', 'done', 'failed', 'canceled']),
  progress: z.number().min(0).max(1).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  createdAt: Instant,
  engine: z.string().optional()
} as const

/** The fields that all jobs have. */
export const MediaJob = z.object(job).meta({ id: 'MediaJob' })

/** Returns the schema of the response when a job is started or polled. `result` and its fields are present when `status` is `done`. */
const jobOf = <Result extends z.ZodRawShape>(id: string, idName: string, result: Result) =>
  z
    .object({
      ...job,
      ...(idName === 'jobId' ? {} : { [idName]: z.string() }),
      result: z.object({ ...result, engine: z.string().optional() }).nullable(),
      ...(z.object(result).partial().shape as { [Name in keyof Result]: z.ZodOptional<Result[Name]> })
    })
    .meta({ id })

const ImageJob = jobOf('ImageJob', 'jobId', {
  markdown: z.string().meta({ description: 'Markdown that shows the picture.' }),
  url: z.string()
})
const SpeechJob = jobOf('SpeechJob', 'talkId', {
  audioUrl: z.string().meta({ description: 'Address of the audio, for this account only.' }),
  markdown: z.string().optional().meta({ description: 'Markdown that plays the audio, once it is saved.' }),
  url: z.string().optional()
})
const Segment = z.object({ start: z.number(), end: z.number(), text: z.string() }).meta({ id: 'Segment', description: 'Times in seconds.' })
const TranscriptionJob = jobOf('TranscriptionJob', 'asrId', {
  text: z.string(),
  duration: z.number().meta({ description: 'Seconds.' }),
  segments: z.array(Segment)
})
const OcrJob = jobOf('OcrJob', 'ocrId', { text: z.string() })

const document = { on: 'document', needs: 'account' } as const
const startErrors = ['account_required', 'node_offline', 'engine_unavailable', 'media_queue_full'] as const
const media = '/api/docs/{id}/media'

const pixels = z.coerce.number().int().min(limits.imagePixelsMin).max(limits.imagePixelsMax).optional()

export const startImage = operation({
  summary: 'Generates a picture on a compute node and saves it as an asset.',
  description: 'Poll until `status` is `done`; `markdown` then contains the picture. Without an image model, the request fails.',
  ...document,
  role: 'edit',
  rest: { method: 'POST', path: `${media}/image`, query: ['wait'], status: 202 },
  mcp: 'generate_image',
  cli: 'media image',
  input: z.object({
    prompt: z.string().trim().min(1).max(limits.promptUnitsMax).meta({ description: 'Description of the picture.' }),
    width: pixels.meta({ description: `Pixels; defaults to ${limits.imagePixelsDefault}.` }),
    height: pixels.meta({ description: `Pixels; defaults to ${limits.imagePixelsDefault}.` }),
    wait
  }),
  output: ImageJob,
  example: { prompt: 'A boat' },
  errors: startErrors,
  normalise: rename({ text: 'prompt', description: 'prompt' })
})

export const readImage = operation({
  summary: 'Reads the status of a picture job.',
  ...document,
  role: 'view',
  rest: { method: 'GET', path: `${media}/image/{jobId}`, query: ['wait'] },
  mcp: 'generate_image',
  input: z.object({ jobId, wait }),
  output: ImageJob,
  errors: ['account_required']
})

export const startSpeech = operation({
  summary: 'Converts text to speech on a compute node (mono WAV, 16 kHz).',
  ...document,
  role: 'edit',
  rest: { method: 'POST', path: `${media}/speak`, query: ['wait'], status: 202 },
  mcp: 'speak_text',
  cli: 'media speak',
  input: z.object({
    text: z
      .string()
      .trim()
      .min(1)
      .max(limits.speechUnitsMax)
      .meta({ description: `At most ${limits.speechUnitsMax} characters.` }),
    // The node looks up the voice among its own voices.
    voice: z.string().regex(voicePattern, 'must be the name of a voice').optional().meta({ description: 'The name of a voice.' }),
    save: z.boolean().optional().meta({ description: 'Save the audio as an asset; the response has its Markdown.' }),
    wait
  }),
  output: SpeechJob,
  example: { text: 'Hello' },
  errors: startErrors
})

export const readSpeech = operation({
  summary: 'Reads the status of a speech job.',
  ...document,
  role: 'view',
  rest: { method: 'GET', path: `${media}/speak/{talkId}`, query: ['wait'] },
  mcp: 'speak_text',
  input: z.object({ talkId: jobId, wait }),
  output: SpeechJob,
  errors: ['account_required']
})

export const readSpeechAudio = operation({
  summary: 'Reads the audio of a speech job.',
  ...document,
  role: 'view',
  rest: { method: 'GET', path: `${media}/speak/{talkId}/audio`, reply: 'file' },
  input: z.object({ talkId: jobId }),
  output: z.object({ contentType: z.string(), size: z.number().int(), blob: z.custom<Blob>().optional() }),
  errors: ['account_required', 'job_not_done']
})

export const saveSpeech = operation({
  summary: 'Saves the audio of a speech job as an asset, and returns its Markdown.',
  ...document,
  role: 'edit',
  rest: { method: 'POST', path: `${media}/speak/{talkId}/save`, status: 201 },
  mcp: 'speak_text',
  input: z.object({ talkId: jobId }),
  output: Asset,
  errors: ['account_required', 'job_not_done', 'asset_quota_exceeded']
})

const sent = {
  data: z.string().optional().meta({ description: 'The file, in base64.' }),
  url: z.string().max(500).optional().meta({ description: 'Address of an asset of this service, instead of data: /f/….' })
}
const fileNames = { base64: 'data', audio: 'data', image: 'data', assetUrl: 'url', asset: 'url' }

export const startTranscription = operation({
  summary: 'Transcribes a recording on a compute node.',
  description:
    'Send the recording as the body, with its Content-Type, or JSON with `data` (base64) or `url` (an asset of this service). The ' +
    'node converts it to mono 16 kHz WAV.',
  ...document,
  role: 'edit',
  rest: {
    method: 'POST',
    path: `${media}/transcribe`,
    query: ['wait'],
    status: 202,
    body: 'media',
    media: { kinds: ['audio', 'video'], bytesMax: limits.transcriptionBytesMax, fields: true }
  },
  mcp: 'transcribe_audio',
  cli: 'media transcribe',
  input: z.object({ ...sent, wait }),
  output: TranscriptionJob,
  errors: startErrors,
  normalise: rename(fileNames)
})

export const readTranscription = operation({
  summary: 'Reads the status of a transcription job.',
  ...document,
  role: 'view',
  rest: { method: 'GET', path: `${media}/transcribe/{asrId}`, query: ['wait'] },
  mcp: 'transcribe_audio',
  input: z.object({ asrId: jobId, wait }),
  output: TranscriptionJob,
  errors: ['account_required']
})

export const startOcr = operation({
  summary: 'Uses a compute node to read the text in a picture.',
  description: 'Send the picture as the body, with its Content-Type, or JSON with `data` (base64) or `url` (an asset of this service).',
  ...document,
  role: 'edit',
  rest: {
    method: 'POST',
    path: `${media}/ocr`,
    query: ['wait'],
    status: 202,
    body: 'media',
    media: { kinds: ['image'], bytesMax: limits.ocrBytesMax, fields: true }
  },
  mcp: 'ocr_image',
  cli: 'media ocr',
  input: z.object({ ...sent, wait }),
  output: OcrJob,
  errors: startErrors,
  normalise: rename(fileNames)
})

export const readOcr = operation({
  summary: 'Reads the status of a text recognition job.',
  ...document,
  role: 'view',
  rest: { method: 'GET', path: `${media}/ocr/{ocrId}`, query: ['wait'] },
  mcp: 'ocr_image',
  input: z.object({ ocrId: jobId, wait }),
  output: OcrJob,
  errors: ['account_required']
})

export const cancelJob = operation({
  summary: 'Cancels a waiting or running media job.',
  ...document,
  role: 'view',
  rest: { method: 'DELETE', path: `${media}/jobs/{jobId}` },
  mcp: 'generate_image',
  cli: 'media cancel',
  input: z.object({ jobId }),
  output: z.object({ ok: z.literal(true), jobId: z.string(), status: z.enum(['queued', 'running', 'done', 'failed', 'canceled']) }),
  errors: ['account_required']
})

export const readRelayStatus = operation({
  summary: 'Lists the kinds of media jobs that connected compute nodes can run for the caller.',
  on: 'service',
  rest: { method: 'GET', path: '/api/relay/status' },
  cli: 'media status',
  input: z.object({}),
  output: z.object({
    online: z.boolean(),
    nodes: z.number().int().meta({ description: 'Number of connected nodes that the caller can use.' }),
    capabilities: z.array(z.enum(jobKinds)),
    voices: z.array(z.string()).meta({ description: 'Speech voices of these nodes; the first is the default.' })
  }),
  errors: []
})

const Node = z
  .object({
    id: z.string(),
    name: z.string(),
    connected: z.boolean(),
    shared: z.boolean().meta({ description: 'Whether everybody can use the node (AGMD_NODE_ACCOUNTS), or only this account.' }),
    createdAt: Instant,
    lastSeenAt: Instant.nullable()
  })
  .meta({ id: 'Node' })

export const createNode = operation({
  summary: 'Creates a token for a compute node of the account (agmd node).',
  on: 'account',
  needs: 'account',
  rest: { method: 'POST', path: '/api/me/nodes', status: 201 },
  cli: 'node token',
  input: z.object({
    name: line(limits.mediaNameUnitsMax).optional().meta({ description: 'Name of the node on the account page.' })
  }),
  output: z.object({ node: Node, token: z.string().meta({ description: 'Shown only once.' }) }),
  errors: ['too_many_nodes']
})

export const listNodes = operation({
  summary: 'Lists the compute nodes of the account.',
  on: 'account',
  needs: 'account',
  rest: { method: 'GET', path: '/api/me/nodes' },
  cli: 'node list',
  input: z.object({}),
  output: z.object({ nodes: z.array(Node) }),
  errors: []
})

export const revokeNode = operation({
  summary: 'Revokes a compute node’s token and disconnects the node at once.',
  on: 'account',
  needs: 'account',
  rest: { method: 'DELETE', path: '/api/me/nodes/{node}' },
  cli: 'node revoke',
  input: z.object({ node: z.string().max(limits.idUnitsMax) }),
  output: z.object({ ok: z.literal(true), revoked: z.literal(true) }),
  errors: ['not_found']
})
