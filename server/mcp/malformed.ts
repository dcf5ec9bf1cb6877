/** A JSON-RPC refusal (§5.1) before any handler sees the message. */
import type { ErrorCode as RpcErrorCode } from '@modelcontextprotocol/sdk/types.js'

/** A name of a field in JSON. */
type Fields = Record<string, unknown>

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The id of a message, if it can be answered. */
export const idOf = ({ id }: Fields): string | number | null => (typeof id === 'string' || Number.isInteger(id) ? (id as string) : null)

interface More {
  /** The HTTP status. When absent, it follows from the code. */
  readonly status?: number
  readonly data?: unknown
}

/** `id` null: there is no call to answer. */
export class Malformed extends Error {
  readonly code: RpcErrorCode | number
  readonly id: string | number | null
  readonly more: More

  constructor(code: RpcErrorCode | number, message: string, id: string | number | null = null, more: More = {}) {
    super(message)
    this.code = code
    this.id = id
    this.more = more
  }
}
