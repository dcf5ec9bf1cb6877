/**
 * The messages between an import and a running server, over a socket in the data folder. The import sends one request at a time and waits for the
 * response. Each import has its own connection, and the server accepts one import at a time.
 *
 *   frame    length of the rest (4 bytes, big-endian) · kind (string) · JSON (string) · count · (key as JSON (string) · value (bytes))…
 *   answer   length of the rest (4 bytes, big-endian) · JSON in UTF-8: { "ok": true } or { "code", "message", "hint" }
 */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import type { Key, Put } from '../domain/ports.ts'

/** Largest frame, in bytes. The largest record is the state of a document with a long history. */
export const frameBytesMax = 256 * 1024 * 1024

export interface Frame {
  readonly kind: 'begin' | 'blob' | 'records' | 'end'
  readonly facts: Readonly<Record<string, unknown>>
  readonly puts: readonly Put[]
}

const withLength = (bytes: Uint8Array): Buffer => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

export const encodeFrame = ({ kind, facts, puts }: Frame): Buffer => {
  const encoder = encoding.createEncoder()
  encoding.writeVarString(encoder, kind)
  encoding.writeVarString(encoder, JSON.stringify(facts))
  encoding.writeVarUint(encoder, puts.length)
  for (const { key, value } of puts) {
    encoding.writeVarString(encoder, JSON.stringify(key))
    encoding.writeVarUint8Array(encoder, value)
  }
  return withLength(encoding.toUint8Array(encoder))
}

export const decodeFrame = (bytes: Uint8Array): Frame => {
  const decoder = decoding.createDecoder(bytes)
  const kind = decoding.readVarString(decoder) as Frame['kind']
  const facts = JSON.parse(decoding.readVarString(decoder)) as Frame['facts']
  const puts: Put[] = []
  for (let remaining = decoding.readVarUint(decoder); remaining > 0; remaining--) {
    const key = JSON.parse(decoding.readVarString(decoder)) as Key
    puts.push({ key, value: decoding.readVarUint8Array(decoder) })
  }
  return { kind, facts, puts }
}

export type AnswerFacts = Readonly<Record<string, unknown>>

export const encodeAnswer = (facts: AnswerFacts): Buffer => withLength(Buffer.from(JSON.stringify(facts)))

export const decodeAnswer = (bytes: Uint8Array): AnswerFacts => JSON.parse(Buffer.from(bytes).toString()) as AnswerFacts

/** Yields the contents of the frames that arrive in a stream. Throws if a frame is too large. */
export async function* framesIn(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let bytes = 0
  let wanted: number | undefined
  for await (const chunk of stream) {
    chunks.push(chunk)
    bytes += chunk.length
    while (bytes >= (wanted === undefined ? 4 : wanted)) {
      const all = Buffer.concat(chunks)
      if (wanted === undefined) {
        wanted = all.readUInt32BE(0)
        if (wanted > frameBytesMax) throw new Error(`a frame has ${wanted} bytes`)
        chunks = [all.subarray(4)]
        bytes -= 4
      } else {
        yield all.subarray(0, wanted)
        chunks = [all.subarray(wanted)]
        bytes -= wanted
        wanted = undefined
      }
    }
  }
}
