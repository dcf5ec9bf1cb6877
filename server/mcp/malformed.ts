/** The error for messages that are refused before they reach a handler. The client receives a JSON-RPC error (§5.1). */
import type { ErrorCode as RpcErrorCode } from '@modelcontextprotocol/sdk/types.js'

/** The fields of a JSON object. */
type Fields = Record<string, unknown>

export const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a message's id; null if the message cannot be answered. */
export const idOf = ({ id }: Fields): string | number | null => (typeof id === 'string' || Number.isInteger(id) ? (id as string) : null)

interface More {
  /** The HTTP status. If absent, the error code determines the status. */
  readonly status?: number
  readonly data?: unknown
}

/** Thrown to refuse a message. `id` is null if there is no call to answer. */
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
