/**
 * The messages that the nodes of a database send each other about the keys that they wrote. They use `NOTIFY`, on one channel for each schema.
 *
 *     message = the writer's id, a dot and the number of its commit, a space, then the keys in base64; each key is its length (2 bytes, big-endian) and its encoded form
 *             | the writer's id, a dot and the number of its commit, a space, a dash: the commit wrote nothing
 *             | the sender's id, a space, an exclamation mark, then text for the other nodes (`Nodes.send`)
 *
 * A message without keys means that any key may have been written. If a commit needs several messages, only the last one has its number, and the others
 * have 0. A node that has a number therefore has all messages of that commit.
 */
import type { Key } from '../../domain/ports.ts'
import { decodeKey } from '../keys.ts'

/** PostgreSQL accepts messages of less than 8,000 bytes. A writer's id is 36 bytes long, and base64 turns 3 bytes into 4. */
const keyBytesMax = 5_800
const messagesMax = 16

/** Stands in place of the keys if a commit wrote nothing. */
const nothing = '-'

export const channelOf = (schema: string): string => `agmd_${schema}`

/** Returns the messages about the keys that one commit wrote. With `any`, the messages mean that any key may have been written. */
export function encodeNotices(id: string, number: number, keys: readonly Uint8Array[] | 'any'): string[] {
  if (keys === 'any') return [`${id}.${number} `]
  if (keys.length === 0) return [`${id}.${number} ${nothing}`]
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
  if (messages.length > messagesMax) return encodeNotices(id, number, 'any')
  return messages.map((pieces, at) => `${id}.${at === messages.length - 1 ? number : 0} ${Buffer.concat(pieces).toString('base64')}`)
}

/** Returns the message with a string for the other nodes. */
export const encodeMessage = (sender: string, text: string): string => `${sender} !${text}`

export interface Notice {
  readonly writer: string
  /** The commit's number, if the node now has all messages about that commit; otherwise 0. */
  readonly number: number
  /** The keys that were written. `any` means that any key may have been written. */
  readonly keys: readonly Key[] | 'any'
  /** The text of a message. */
  readonly text?: string
}

/** Parses a message. It has either keys or a string. Returns undefined if no store sent it. */
export function decodeNotice(message: string): Notice | undefined {
  const space = message.indexOf(' ')
  if (space === -1) return undefined
  const rest = message.slice(space + 1)
  if (rest.startsWith('!')) return { writer: message.slice(0, space), number: 0, keys: [], text: rest.slice(1) }
  const [writer = '', number = ''] = message.slice(0, space).split('.')
  return { writer, number: Number(number), keys: rest === '' ? 'any' : rest === nothing ? [] : decodeKeys(Buffer.from(rest, 'base64')) }
}

const decodeKeys = (bytes: Buffer): Key[] => {
  const keys: Key[] = []
  for (let at = 0; at + 2 <= bytes.length;) {
    const end = at + 2 + bytes.readUInt16BE(at)
    keys.push(decodeKey(bytes.subarray(at + 2, end)))
    at = end
  }
  return keys
}
