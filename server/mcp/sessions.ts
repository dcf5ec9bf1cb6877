/**
 * The sessions of MCP clients. A session is the stream of one client with its subscriptions. Sessions are the only state of the endpoint. A session
 * lives as long as its stream. Invariant: a session that has ended watches nothing.
 *
 * With several nodes, each node that received a request of a session has a part of it, with the subscriptions that came there. Parts without the
 * stream pass their notices to the node that has the stream (sessions-of-nodes.ts).
 */
import type { PassThrough } from 'node:stream'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Clock, Nodes } from '../domain/ports.ts'
import { createSessionsOfNodes } from './sessions-of-nodes.ts'

export interface Session {
  /** Functions that stop watching a resource, by the resource's URI. */
  readonly watched: Map<string, () => void>
  /** The nodes that watch other resources for the session, by URI. Undefined if the client no longer wants notices about the resource. */
  readonly elsewhere: Map<string, string | undefined>
  stream: PassThrough | undefined
  /** The node that last reported that the session continues. Undefined while the stream is here, or if no node has reported this. */
  holder: string | undefined
  /** Whether other nodes know the session. */
  isShared: boolean
  /** Cancels the session's timer. The timer first waits for the stream, and then for the next heartbeat. */
  cancel: () => void
  /** Removes the session from the registry of credentials. */
  forget: () => void
  /** Returns the notification that a resource changed. */
  readonly notice: (uri: string) => string
  /** The last message of the stream, which is sent if the server ends the stream. */
  readonly farewell: string
}

export interface Sessions {
  newId(): string
  /** Adds a session. Throws `rate_limited` if there are too many. */
  add(id: string, session: Session): void
  /** Returns the session with this id, which any node may have begun. Throws `not_found` if it has ended, or `rate_limited`. */
  get(id: string): Promise<Session>
  end(id: string): void
  /** Makes a stream the session's stream. Ends the session's previous stream, on any node. Throws `not_found` if the session has ended. */
  open(id: string, session: Session, stream: PassThrough): Promise<void>
  /** Sends heartbeats at intervals that are shorter than the idle limit of proxies. */
  beat(id: string, session: Session): void
  /** Reports a change to a resource on the session's stream, which may be on another node. */
  notify(id: string, session: Session, uri: string): void
  /** Records that this node watches a resource from now on. */
  watch(id: string, session: Session, uri: string): void
  /** Stops watching a resource, on all nodes. */
  unwatch(id: string, session: Session, uri: string): void
}

/** Returns a session without a stream. */
export const newSession = (notice: Session['notice'], farewell = ''): Session => ({
  watched: new Map(),
  elsewhere: new Map(),
  stream: undefined,
  holder: undefined,
  isShared: false,
  cancel: () => undefined,
  forget: () => undefined,
  notice,
  farewell
})

const over = (): ServiceError =>
  new ServiceError('not_found', { message: 'This session has ended.', hint: 'Send initialize again, without Mcp-Session-Id.' })

interface SessionsOptions {
  readonly clock: Clock
  readonly nodes: Nodes | undefined
  readonly notice: Session['notice']
}

export const createSessions = ({ clock, nodes, notice }: SessionsOptions): Sessions => {
  const sessions = new Map<string, Session>()
  const ended = new Set<string>()

  const noteEnd = (id: string): void => {
    ended.add(id)
    if (ended.size > limits.mcpSessionsEndedMax) ended.delete(ended.values().next().value as string)
  }

  /** Ends this node's part of a session. */
  const endHere = (id: string): void => {
    const session = sessions.get(id)
    if (session === undefined) return
    sessions.delete(id)
    noteEnd(id)
    for (const stop of session.watched.values()) stop()
    session.cancel()
    session.forget()
    if (session.stream?.writable === true) session.stream.end(session.farewell)
  }

  const end = (id: string): void => {
    const isShared = sessions.get(id)?.isShared === true
    endHere(id)
    if (isShared) others.tell('ended', id)
  }

  const add = (id: string, session: Session): void => {
    if (sessions.size >= limits.mcpSessionsMax) throw new ServiceError('rate_limited', { retryAfterSeconds: 5 })
    sessions.set(id, session)
  }

  /** A session waits only a limited time for its stream, or for a message about its stream on another node. */
  const waitForStream = (id: string, session: Session): void => {
    session.cancel()
    session.cancel = clock.after(limits.mcpStreamSeconds * 1000, () => {
      // A part that watches nothing can be made again at any time.
      if (session.isShared && session.watched.size === 0) sessions.delete(id)
      else end(id)
    })
  }

  const addWaiting = (id: string): Session => {
    const session = newSession(notice)
    session.isShared = !others.isOwn(id)
    add(id, session)
    waitForStream(id, session)
    return session
  }

  const write = (id: string, session: Session, text: string): void => {
    if ((session.stream?.writableLength ?? 0) > limits.mcpStreamBytesMax) end(id)
    else if (session.stream?.writable === true) session.stream.write(text)
  }

  const noteElsewhere = ({ elsewhere }: Session, uri: string, node: string | undefined): void => {
    elsewhere.delete(uri)
    elsewhere.set(uri, node)
    if (elsewhere.size > limits.mcpSubscriptionsElsewhereMax) elsewhere.delete(elsewhere.keys().next().value as string)
  }

  /**
   * Ends a session if a node with a part of it was killed. Otherwise, the client would miss changes to the resources that the killed node watched.
   */
  const checkNodes = async (id: string, those: Iterable<string | undefined>): Promise<void> => {
    for (const node of new Set(those)) if (node !== undefined && !(await others.isAlive(node))) end(id)
  }

  const others = createSessionsOfNodes(nodes, {
    whose(id) {
      if (ended.has(id)) return others.tell('ended', id)
      if (!sessions.has(id) && others.isOwn(id) && sessions.size < limits.mcpSessionsMax) addWaiting(id)
      const session = sessions.get(id)
      if (session === undefined) return undefined
      session.isShared = true
      if (session.stream !== undefined || others.isOwn(id)) others.tell('alive', id)
      return undefined
    },
    alive(id, _uri, node) {
      // The message that the session has ended may have been lost.
      if (ended.has(id)) return others.tell('ended', id)
      const session = sessions.get(id)
      if (session === undefined || session.stream !== undefined) return undefined
      session.holder = node
      waitForStream(id, session)
      return undefined
    },
    opened(id, _uri, node) {
      const session = sessions.get(id)
      if (session === undefined) return
      const { stream } = session
      void checkNodes(id, [session.holder, ...session.elsewhere.values()])
      session.stream = undefined
      session.holder = node
      session.forget()
      session.forget = () => undefined
      session.elsewhere.clear()
      waitForStream(id, session)
      stream?.end()
      for (const uri of session.watched.keys()) others.tell('watch', id, uri)
    },
    ended(id) {
      endHere(id)
      noteEnd(id)
    },
    watch(id, uri, node) {
      const session = sessions.get(id)
      if (session?.stream === undefined) return
      session.watched.get(uri)?.()
      noteElsewhere(session, uri, node)
    },
    unwatch(id, uri) {
      const session = sessions.get(id)
      session?.watched.get(uri)?.()
      if (session !== undefined) noteElsewhere(session, uri, undefined)
    },
    notice(id, uri, node) {
      const session = sessions.get(id)
      if (session?.stream === undefined || session.watched.has(uri)) return
      if (!session.elsewhere.has(uri)) noteElsewhere(session, uri, node)
      // The client may have subscribed again on another node, or unsubscribed.
      if (session.elsewhere.get(uri) === node) write(id, session, session.notice(uri))
    }
  })

  const beat = (id: string, session: Session): void => {
    session.cancel()
    if (session.stream?.writable === true) session.stream.write(':\n\n')
    if (session.isShared) {
      others.tell('alive', id)
      void checkNodes(id, session.elsewhere.values())
    }
    session.cancel = clock.after(limits.mcpHeartbeatSeconds * 1000, () => beat(id, session))
  }

  return {
    newId: others.newId,
    add,
    async get(id) {
      const known = (): Session | undefined => {
        if (ended.has(id)) throw over()
        return sessions.get(id)
      }
      const session = known()
      if (session !== undefined) return session
      if (!others.isOwn(id) && !(await others.ask(id))) throw over()
      return known() ?? addWaiting(id)
    },
    end,
    async open(id, session, stream) {
      await checkNodes(id, [session.holder])
      if (sessions.get(id) !== session) throw over()
      const former = session.stream
      session.stream = stream
      session.elsewhere.clear()
      session.holder = undefined
      former?.end()
      if (session.isShared) others.tell('opened', id)
    },
    beat,
    notify(id, session, uri) {
      if (session.stream !== undefined) write(id, session, session.notice(uri))
      else if (session.isShared) others.tell('notice', id, uri)
    },
    watch(id, session, uri) {
      // The session may have ended while this node looked for it.
      if (sessions.get(id) !== session) session.watched.get(uri)?.()
      session.elsewhere.delete(uri)
      if (session.isShared && session.stream === undefined) others.tell('watch', id, uri)
    },
    unwatch(id, session, uri) {
      session.watched.get(uri)?.()
      if (!session.isShared) return
      noteElsewhere(session, uri, undefined)
      others.tell('unwatch', id, uri)
    }
  }
}
