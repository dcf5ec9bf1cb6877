/** The connection of one document: socket, token, presence, role and unconfirmed changes. This module has no user interface code. */
import type { LiveMessage } from '../../shared/live-protocol.ts'
import { HocuspocusProvider, HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { batch, effect, signal, type Signal } from '@preact/signals'
import type { Awareness } from 'y-protocols/awareness'
import type * as Y from 'yjs'
import { includesRole, type Role } from '../../shared/roles.ts'
import { closedWire, durableSocket, type WireState } from './durable-socket.ts'
import { takeGaps } from './gaps.ts'
import { createRetries, type Ended, endedByRefusal, keepsWriting, roomRetryMs } from './retry.ts'

export interface Link {
  readonly awareness: Awareness
  readonly socket: Signal<'connecting' | 'synced' | 'closed'>
  readonly wire: Signal<WireState>
  /** Whether nothing has arrived from the server since the browser last reported that the network is gone. */
  readonly unheard: Signal<boolean>
  readonly connectedBefore: Signal<boolean>
  readonly ended: Signal<Ended | undefined>
  /** Whether the server keeps closing connections before it has received everything from this device. The page keeps trying. */
  readonly struggling: Signal<boolean>
  /** Whether the person may write, as the server reported in an `authorizedScope` or `role` message. Undefined until then. */
  readonly canWrite: Signal<boolean | undefined>
  readonly role: Signal<Role | undefined>
  /** Reconnects when the reason why the connection ended no longer applies. */
  resume(): void
  /** Ends the connection and opens another one. */
  reconnect(): void
  close(): void
}

interface LinkInput {
  readonly id: string
  readonly key: string
  readonly doc: Y.Doc
  /** The page connects when this promise resolves. The caller resolves it once the document contains the device's text. */
  readonly after: Promise<unknown>
  /** Whether this page's text is within the size limit for documents. */
  fits(): boolean
  /** Handles a stateless message from the server. The server may be newer and send types that this page does not know. */
  onEvent?(message: LiveMessage): void
}

/** The page informs the person after this many consecutive connections that ended before everything was sent. */
const strugglingFrom = 4
/** Close code that the provider itself sends when the server closes the document but not the socket. */
const documentClosed = 1000

/** Parses a stateless message. Returns undefined if the payload is not one. */
function parse(payload: string): LiveMessage | undefined {
  try {
    const value = JSON.parse(payload) as LiveMessage | null
    return typeof value?.type === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

// The parameter lets a proxy send all connections to one document to the same server.
export const socketUrl = (id: string): string => `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/collab?doc=${id}`

/** Connects to the server and reconnects until `close()` is called or the server ends the connection permanently. */
export function openLink({ id, key, doc, after, fits, onEvent }: LinkInput): Link {
  const socket = signal<'connecting' | 'synced' | 'closed'>('connecting')
  const wire = signal(closedWire)
  const unheard = signal(false)
  const connectedBefore = signal(false)
  const ended = signal<Ended | undefined>(undefined)
  const struggling = signal(false)
  const canWrite = signal<boolean | undefined>(undefined)
  const role = signal<Role | undefined>(undefined)
  const retries = createRetries()
  let openedAt: number | undefined
  let roomTimer: ReturnType<typeof setTimeout> | undefined
  let putGapsBack = (): void => undefined

  const transport = new HocuspocusProviderWebsocket({
    url: socketUrl(id),
    autoConnect: false,
    WebSocketPolyfill: durableSocket({
      onChange: (state) => (wire.value = state),
      onIdle: () => provider.forceSync()
    }),
    // This must be shorter than every delay that is set later. The provider would stop permanently if a later delay were shorter.
    minDelay: 250,
    factor: 1.6,
    maxDelay: 10_000,
    // The socket detects a silent server itself.
    messageReconnectTimeout: 3_600_000,
    onOpen: () => {
      openedAt = Date.now()
      setGapsAside()
      forgetOthers()
    },
    onMessage: () => (unheard.value = false),
    onClose: ({ event }) => closed(event.code)
  })

  function setGapsAside(): void {
    putGapsBack()
    putGapsBack = takeGaps(doc)
  }

  /**
   * Forgets the clocks of the others. When a connection ends, the provider removes their states, but keeps the clocks. The page would ignore the states
   * that the server sends over the next connection, because they are not newer (y-protocols).
   */
  function forgetOthers(): void {
    for (const client of awareness.meta.keys())
      if (client !== awareness.clientID && !awareness.states.has(client)) awareness.meta.delete(client)
  }

  // Sets the delay before the provider plans its next attempt. The provider itself sets the delay after attempts that never open.
  function closed(code: number): void {
    // The provider may have planned this attempt before the connection ended.
    if (ended.value !== undefined) return transport.disconnect()
    if (openedAt === undefined) return
    // Until the first message, the provider would both repeat this attempt and plan another one. The number of attempts would double each time.
    transport.stopConnectionAttempt()
    const next = retries.closed(code, Date.now() - openedAt, fits())
    openedAt = undefined
    if ('ended' in next) return end(next.ended)
    transport.configuration.delay = next.afterMs
    struggling.value = retries.failures >= strugglingFrom
  }

  function end(reason: Ended): void {
    batch(() => {
      ended.value ??= reason
      socket.value = 'closed'
      if (!keepsWriting(reason)) canWrite.value = false
      struggling.value = false
    })
    transport.disconnect()
    // Somebody may shorten the document meanwhile.
    if (keepsWriting(reason)) roomTimer = setTimeout(resume, roomRetryMs)
  }

  function resume(): void {
    clearTimeout(roomTimer)
    if (ended.value === undefined || closedHere) return
    batch(() => {
      ended.value = undefined
      socket.value = 'connecting'
    })
    void transport.connect()
  }

  function receive(payload: string): void {
    const message = parse(payload)
    if (message === undefined) return
    if (message.type === 'role') {
      batch(() => {
        role.value = message.role
        canWrite.value = includesRole(message.role, 'edit')
      })
    }
    onEvent?.(message)
  }

  const provider = new HocuspocusProvider({
    name: id,
    document: doc,
    token: key,
    websocketProvider: transport,
    onAuthenticated: ({ scope }) => {
      // The role follows at once. Until then the person types on, because after a lowering typed letters may become suggestions.
      if (role.value === undefined || scope === 'read-write') canWrite.value = scope === 'read-write'
      // The other pages have removed this page's presence. They ignore a state that is not newer than the one they removed (y-protocols).
      awareness.setLocalState(awareness.getLocalState())
    },
    onAuthenticationFailed: ({ reason }) => {
      const known = endedByRefusal(reason)
      if (known !== undefined) end(known)
      // This refusal is temporary, so the next attempt may succeed.
      else transport.webSocket?.close()
    },
    onSynced: () => {
      setGapsAside()
      batch(() => {
        socket.value = 'synced'
        connectedBefore.value = true
      })
    },
    onClose: ({ event }) => {
      if (event.code === documentClosed) transport.webSocket?.close()
      batch(() => {
        if (ended.value === undefined) socket.value = 'connecting'
        wire.value = closedWire
      })
    },
    onStateless: ({ payload }) => receive(payload)
  })
  const awareness = provider.awareness as Awareness
  // The server learns this page's client id from its presence. It ignores the very first state, whose clock is 0.
  awareness.setLocalState({})
  provider.attach()

  const stopSettling = effect(() => {
    const { offered, unconfirmed } = wire.value
    if (socket.value !== 'synced' || !offered || unconfirmed > 0) return
    retries.settled()
    struggling.value = false
  })

  /** Checks the connection, because the network may have changed: asks the server for an answer, or connects immediately. */
  const look = (): void => {
    if (ended.value !== undefined || document.visibilityState === 'hidden') return
    if (socket.value === 'synced') provider.forceSync()
    else if (started) void transport.connect()
  }
  // Only an answer can tell whether the server is still there: it may be on this machine.
  const lose = (): void => {
    unheard.value = true
    look()
  }
  let started = false
  let closedHere = false
  void after.then(() => {
    if (closedHere || ended.value !== undefined) return
    started = true
    void transport.connect()
  })
  // The provider removes the presence when the person leaves the page. If the browser restores the page, the presence must be set again.
  let presence = awareness.getLocalState()
  const leave = (): void => {
    presence = awareness.getLocalState()
  }
  const comeBack = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) awareness.setLocalState(presence)
  }
  addEventListener('pagehide', leave, { capture: true })
  addEventListener('pageshow', comeBack)
  addEventListener('online', look)
  addEventListener('offline', lose)
  document.addEventListener('visibilitychange', look)

  return {
    awareness,
    socket,
    wire,
    unheard,
    connectedBefore,
    ended,
    struggling,
    canWrite,
    role,
    resume,
    reconnect: () => transport.webSocket?.close(),
    close() {
      closedHere = true
      clearTimeout(roomTimer)
      removeEventListener('pagehide', leave, { capture: true })
      removeEventListener('pageshow', comeBack)
      removeEventListener('online', look)
      removeEventListener('offline', lose)
      document.removeEventListener('visibilitychange', look)
      stopSettling()
      provider.destroy()
      transport.destroy()
    }
  }
}
