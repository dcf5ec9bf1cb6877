/** The connection of one document: socket, token, presence, roles, and what is still unconfirmed. No user interface. */
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { batch, signal, type Signal } from '@preact/signals'
import type { Awareness } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import { roles, type Role } from '../../shared/roles.ts'
import { closedWire, durableSocket, type WireState } from './durable-socket.ts'

/** Why the server ended the connection for good: a close code, or the code of an error. */
export type Ended = 'credential_ended' | 'forbidden' | 'deleted' | 'bad_message' | 'too_big' | 'credential_required' | 'not_found'

const endedByClose: Readonly<Record<number, Ended>> = {
  1009: 'too_big',
  4400: 'bad_message',
  4401: 'credential_ended',
  4403: 'forbidden',
  4404: 'deleted'
}

const endedByReason: Readonly<Record<string, Ended>> = {
  credential_required: 'credential_required',
  credential_invalid: 'credential_ended',
  document_deleted: 'deleted',
  not_found: 'not_found',
  forbidden: 'forbidden'
}

export interface Link {
  readonly awareness: Awareness
  readonly socket: Signal<'connecting' | 'synced' | 'closed'>
  readonly wire: Signal<WireState>
  readonly connectedBefore: Signal<boolean>
  readonly ended: Signal<Ended | undefined>
  /** From `authorizedScope` and `role` messages; undefined until the server has said. */
  readonly canWrite: Signal<boolean | undefined>
  readonly role: Signal<Role | undefined>
  close(): void
}

interface LinkInput {
  readonly id: string
  readonly key: string
  readonly doc: Y.Doc
  /** A stateless message of the server, as an object. */
  onEvent?(message: Record<string, unknown>): void
}

function parse(payload: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(payload)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const socketUrl = (): string => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/collab`

/** Connects and keeps connecting, until `close()` or the server ends it. */
export function openLink({ id, key, doc, onEvent }: LinkInput): Link {
  const socket = signal<'connecting' | 'synced' | 'closed'>('connecting')
  const wire = signal(closedWire)
  const connectedBefore = signal(false)
  const ended = signal<Ended | undefined>(undefined)
  const canWrite = signal<boolean | undefined>(undefined)
  const role = signal<Role | undefined>(undefined)

  const transport = new HocuspocusProviderWebsocket({
    url: socketUrl(),
    WebSocketPolyfill: durableSocket((state) => (wire.value = state)),
    delay: 500,
    minDelay: 500,
    factor: 1.6,
    maxDelay: 10_000,
    onOpen: () => {
      // What was typed without a connection waits in this queue too. The handshake offers it as one message; sent twice, a
      // long offline session would exceed the limits of a socket.
      ;(transport as unknown as { messageQueue: unknown[] }).messageQueue = []
    }
  })

  function end(reason: Ended): void {
    batch(() => {
      ended.value ??= reason
      socket.value = 'closed'
      canWrite.value = false
    })
    transport.disconnect()
  }

  function receive(payload: string): void {
    const message = parse(payload)
    const named = roles.find((name) => name === message['role'])
    if (message['type'] === 'role' && named !== undefined) {
      batch(() => {
        role.value = named
        canWrite.value = named === 'edit' || named === 'owner'
      })
    }
    onEvent?.(message)
  }

  const provider = new HocuspocusProvider({
    name: id,
    document: doc,
    token: key,
    websocketProvider: transport,
    onAuthenticated: ({ scope }) => (canWrite.value = scope === 'read-write'),
    onAuthenticationFailed: ({ reason }) => {
      const known = endedByReason[reason]
      if (known !== undefined) end(known)
      // rate_limited and the like pass: the next attempt may succeed.
      else transport.webSocket?.close()
    },
    onSynced: () =>
      batch(() => {
        socket.value = 'synced'
        connectedBefore.value = true
      }),
    onClose: ({ event }) => {
      const reason = endedByClose[event.code]
      if (reason !== undefined) end(reason)
      batch(() => {
        if (ended.value === undefined) socket.value = 'connecting'
        wire.value = closedWire
      })
    },
    onStateless: ({ payload }) => receive(payload)
  })
  provider.attach()

  const retryNow = (): void => {
    if (ended.value === undefined) void transport.connect()
  }
  addEventListener('online', retryNow)

  return {
    awareness: provider.awareness as Awareness,
    socket,
    wire,
    connectedBefore,
    ended,
    canWrite,
    role,
    close() {
      removeEventListener('online', retryNow)
      provider.destroy()
      transport.destroy()
    }
  }
}
