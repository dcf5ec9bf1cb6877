/** A socket that breaks the protocol. It never answers a close frame, and continues to send. It implements RFC 6455 without a library. */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import * as encoding from 'lib0/encoding'
import * as Y from 'yjs'
import { frameOf, until } from './world.ts'

export interface DeafSocket {
  /** Sends one binary message. */
  send(message: Uint8Array): void
  /** Sends the token of a document and waits for the answer. */
  open(doc: string, token: string): Promise<void>
  /** Resolves when the service has sent its close frame. */
  goodbye(): Promise<void>
  /** Answers the close frame, and waits until the service has read everything that was sent before. */
  answer(): Promise<void>
  /** Whether the connection has ended. */
  ended(): boolean
  destroy(): void
}

/** Returns a client frame. A mask of zeros leaves the bytes unchanged. */
const masked = (opcode: number, payload: Uint8Array): Buffer => {
  const { length } = payload
  const head = Buffer.alloc(length < 126 ? 6 : 8)
  head[0] = 0x80 | opcode
  head[1] = 0x80 | (length < 126 ? length : 126)
  if (length >= 126) head.writeUInt16BE(length, 2)
  return Buffer.concat([head, payload])
}

/** Returns the opcodes of the complete server frames in `bytes`. */
const opcodes = (bytes: Buffer): number[] => {
  const found: number[] = []
  for (let at = 0; at + 2 <= bytes.length;) {
    const short = (bytes[at + 1] ?? 0) & 0x7f
    const head = short < 126 ? 2 : short === 126 ? 4 : 10
    if (at + head > bytes.length) break
    const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
    if (at + head + length > bytes.length) break
    found.push((bytes[at] ?? 0) & 0x0f)
    at += head + length
  }
  return found
}

const closeOpcode = 8

/** Opens a socket. Rejects if the upgrade is refused. */
export const openDeaf = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<DeafSocket> => {
  const { host, port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let received = Buffer.alloc(0)
  let over = false
  socket.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])))
  socket.on('close', () => (over = true))
  // The test expects that the server cuts off a socket that is sending, so this is not a failure.
  socket.on('error', () => undefined)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(
    `GET /collab HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n${lines.join('')}\r\n`
  )
  await until(() => over || received.includes('\r\n\r\n'), 'an answer to the upgrade')
  if (!received.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(received.toString('latin1').split('\r\n')[0])
  received = received.subarray(received.indexOf('\r\n\r\n') + 4)
  return {
    send: (message) => socket.write(masked(2, message)),
    async open(doc, token) {
      socket.write(
        masked(
          2,
          frameOf(doc, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, token)))
        )
      )
      await until(() => received.length > 0, 'an answer to the token')
    },
    goodbye: () => until(() => opcodes(received).includes(closeOpcode), 'the goodbye'),
    async answer() {
      socket.write(masked(closeOpcode, new Uint8Array([0x03, 0xe8])))
      await until(() => over, 'the end of the connection')
    },
    ended: () => over,
    destroy: () => socket.destroy()
  }
}

/** Returns updates of one page on which somebody types. Each update inserts a mark at the beginning. */
export const typing = (): ((mark: string) => Uint8Array) => {
  const ydoc = new Y.Doc()
  return (mark) => {
    const before = Y.encodeStateVector(ydoc)
    ydoc.getText('content').insert(0, mark)
    return Y.encodeStateAsUpdate(ydoc, before)
  }
}
