/** Helpers for the benchmarks: servers in separate processes, a cheap socket client, and tables. */
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { WebSocket } from 'ws'
import * as Y from 'yjs'

export { start, startProcess } from '../../../test/support/start.ts'
export { createDocument, pause, readMarkdown, seeded, Typist } from '../../../test/support/typist.ts'

/** The address of a document. The bare servers need no key. */
export interface DocumentAddress {
  readonly url: string
  readonly doc: string
  readonly key: string
  /** The protocol of the server; if absent, the protocol of Hocuspocus. With y-websocket, `url` names the document. */
  readonly protocol?: 'y-websocket'
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN

export const ms = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(value < 10 ? 2 : 1))

/** Prints right-aligned rows below their headings. */
export const table = (heads: readonly string[], rows: readonly (readonly (string | number)[])[]): void => {
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => String(row[column] ?? '').length)))
  for (const row of [heads, ...rows]) console.log(row.map((cell, column) => String(cell).padStart(widths[column] ?? 0)).join('  '))
}

/** Records a figure of a server for the table of all benchmarks (all.ts). `name` is a key of that table. */
export const record = (name: string, server: string, value: number): void => {
  const file = process.env['AGMD_BENCH_RECORD']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ name, server, value })}\n`)
}

/** Returns the resident memory of a process in MiB, without mapped files such as the store. */
export const rss = (pid: number): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1024

/** Starts a bare server (`bare.ts`) in a separate process. */
export const startBare = async (
  kind: 'hocuspocus' | 'hocuspocus-sqlite' | 'y-websocket' | 'ws' | 'koa'
): Promise<{ port: number; child: ChildProcess; stop: () => void }> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'bare.ts'), kind], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      const found = /listening (\d+)/.exec(chunk.toString())?.[1]
      if (found !== undefined) resolve(Number(found))
    })
  })
  return { port, child, stop: () => child.kill() }
}

/** A person on a socket. Received bytes are only searched for marks and not added to a document, so that hundreds of people fit into one process. */
export interface Peer {
  /** Types a mark into the document. */
  type(mark: string): void
  close(): void
}

interface PeerOptions {
  readonly place: DocumentAddress
  /** The protocol of the server. With `raw`, marks are sent unchanged, for the ws broadcast. */
  readonly protocol: 'hocuspocus' | 'raw'
  readonly onMark: (mark: string) => void
  readonly onAcknowledged: (mark: string) => void
}

/** Returns a mark: `~` and six digits. */
export const markOf = (number: number): string => `~${String(number).padStart(6, '0')}`

export const scan = (data: Buffer, onMark: (mark: string) => void): void => {
  for (let at = data.indexOf(0x7e); at !== -1; at = data.indexOf(0x7e, at + 7)) onMark(data.toString('latin1', at, at + 7))
}

export const openPeer = ({ place, protocol, onMark, onAcknowledged }: PeerOptions): Promise<Peer> =>
  new Promise((resolve, reject) => {
    const ws = new WebSocket(place.url, { perMessageDeflate: false })
    ws.binaryType = 'nodebuffer'
    const ydoc = new Y.Doc()
    const text = ydoc.getText('content')
    const unanswered: string[] = []
    const frame = (type: number, write: (encoder: encoding.Encoder) => void): void => {
      const encoder = encoding.createEncoder()
      encoding.writeVarString(encoder, place.doc)
      encoding.writeVarUint(encoder, type)
      write(encoder)
      ws.send(encoding.toUint8Array(encoder))
    }
    const sync = (type: number, payload: Uint8Array): void =>
      frame(0, (encoder) => {
        encoding.writeVarUint(encoder, type)
        encoding.writeVarUint8Array(encoder, payload)
      })
    const peer: Peer = {
      type(mark) {
        unanswered.push(mark)
        if (protocol === 'raw') ws.send(Buffer.from(mark))
        else text.insert(0, mark)
      },
      close: () => ws.terminate()
    }
    ydoc.on('update', (update: Uint8Array) => sync(2, update))
    ws.on('error', reject)
    ws.on('open', () => {
      if (protocol === 'raw') return resolve(peer)
      return frame(2, (encoder) => {
        encoding.writeVarUint(encoder, 0)
        encoding.writeVarString(encoder, place.key)
        encoding.writeVarString(encoder, 'bench')
      })
    })
    ws.on('message', (data: Buffer) => {
      if (protocol === 'raw') return scan(data, onMark)
      const decoder = decoding.createDecoder(data)
      decoding.readVarString(decoder)
      const type = decoding.readVarUint(decoder)
      if (type === 2) {
        if (decoding.readVarUint(decoder) !== 2) return reject(new Error('not let in'))
        return sync(0, Y.encodeStateVector(ydoc))
      }
      if (type === 8) {
        const mark = unanswered.shift()
        if (mark !== undefined) onAcknowledged(mark)
        return undefined
      }
      if (type !== 0 && type !== 4) return undefined
      const step = decoding.readVarUint(decoder)
      if (step === 1) resolve(peer)
      if (step === 2) scan(data, onMark)
      return undefined
    })
  })
