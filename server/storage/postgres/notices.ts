/**
 * The messages that the nodes of a database send each other about the keys that they wrote. They use `NOTIFY`, on one channel for each schema.
 *
 *     message = the writer's id, a dot and the number of its commit, a space, then the keys in base64; each key is its length (2 bytes, big-endian) and its encoded form
 *             | the sender's id, a space, an exclamation mark, then text for the other nodes (`Nodes.tell`)
 *
 * A message without keys means that any key may have been written. The transaction that writes the records also sends the messages, so none is lost
 * while a node listens.
 */
import type { Key } from '../../domain/ports.ts'
import { decodeKey } from '../keys.ts'

/** PostgreSQL accepts messages of less than 8,000 bytes. A writer's id is 36 bytes long, and base64 turns 3 bytes into 4. */
const keyBytesMax = 5_800
const messagesMax = 16

export const channelOf = (schema: string): string => `agmd_${schema}`

/** Returns the messages about the given keys of one commit. */
export function encodeNotices(id: string, number: number, keys: readonly Uint8Array[]): string[] {
  const writer = `${id}.${number}`
  if (keys.length === 0) return []
  const messages: Buffer[][] = [[]]
  let room = keyBytesMax
  for (const key of keys) {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(key.length)
    if (key.length + 2 > room) {
      messages.push([])
      room = keyBytesMax
    }
    messages.at(-1)!.push(length, Buffer.from(key))
    room -= key.length + 2
  }
  if (messages.length > messagesMax) return [`${writer} `]
  return messages.map((pieces) => `${writer} ${Buffer.concat(pieces).toString('base64')}`)
}

/** Returns the message with a text for the other nodes. */
export const encodeTold = (sender: string, text: string): string => `${sender} !${text}`

/** Parses a message. It has either keys or a text. Returns undefined if no store sent it. */
export function decodeNotice(message: string): { writer: string; number: number; keys: Key[]; told?: string } | undefined {
  const space = message.indexOf(' ')
  if (space === -1) return undefined
  if (message[space + 1] === '!') return { writer: message.slice(0, space), number: 0, keys: [], told: message.slice(space + 2) }
  const bytes = Buffer.from(message.slice(space + 1), 'base64')
  const keys: Key[] = []
  for (let at = 0; at + 2 <= bytes.length;) {
    const end = at + 2 + bytes.readUInt16BE(at)
    keys.push(decodeKey(bytes.subarray(at + 2, end)))
    at = end
  }
  const [writer = '', number = ''] = message.slice(0, space).split('.')
  return { writer, number: Number(number), keys }
}
