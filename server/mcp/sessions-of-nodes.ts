/**
 * Messages about MCP sessions between the nodes of a service. With them, any node can handle a session's request. The id of a session begins with the
 * id of the node that began it. Each node keeps the subscriptions that it accepted, and one node has the stream.
 *
 *     mcp whose {session}         a node received a request of a session that another node began
 *     mcp alive {session}         the session continues; the node with the stream repeats this
 *     mcp opened {session}        the sender has the stream from now on
 *     mcp ended {session}         the session is over
 *     mcp watch {session} {URI}   the sender watches a resource for the session
 *     mcp unwatch {session} {URI} the client no longer wants notices about a resource
 *     mcp notice {session} {URI}  a resource that the sender watches has changed
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Nodes } from '../domain/ports.ts'

const words = ['whose', 'alive', 'opened', 'ended', 'watch', 'unwatch', 'notice'] as const

type Word = (typeof words)[number]

type Hear = Readonly<Record<Word, (session: string, uri: string, node: string) => void>>

export interface SessionsOfNodes {
  /** Returns the id of a session that this node begins. */
  newId(): string
  /** Whether this node began the session. False for ids that no node made. */
  isOwn(session: string): boolean
  /** Asks the other nodes whether a session continues. Resolves to false if no node confirms this in time. Throws `rate_limited`. */
  ask(session: string): Promise<boolean>
  tell(word: Word, session: string, uri?: string): void
  /** Whether a node is connected. True if the store does not answer. */
  isAlive(node: string): Promise<boolean>
}

const idPattern = /^([0-9a-f-]{36})\.[\w-]{24}$/

/** Starts the exchange. Without other nodes, sessions of earlier processes are invalid, because their subscriptions were lost. */
export const createSessionsOfNodes = (nodes: Nodes | undefined, hear: Hear): SessionsOfNodes => {
  const own = nodes?.id ?? randomUUID()
  /** The questions that wait for an answer, by session. */
  const asked = new Map<string, { readonly answer: Promise<boolean>; readonly settle: (continues: boolean) => void }>()
  const tell = (word: Word, session: string, uri?: string): void =>
    nodes?.send(['mcp', word, session, ...(uri === undefined ? [] : [uri])].join(' '))

  nodes?.onMessage((message, node) => {
    const [start, word = '', session = ''] = message.split(' ', 3)
    if (start !== 'mcp' || !(words as readonly string[]).includes(word)) return
    if (word === 'alive' || word === 'opened') asked.get(session)?.settle(true)
    if (word === 'ended') asked.get(session)?.settle(false)
    hear[word as Word](session, message.slice(start.length + word.length + session.length + 3), node)
  })

  const ask = (session: string): Promise<boolean> => {
    const known = asked.get(session)
    if (known !== undefined) return known.answer
    if (asked.size >= limits.mcpSessionsAskedMax) throw new ServiceError('rate_limited', { retryAfterSeconds: 5 })
    const { promise: answer, resolve } = Promise.withResolvers<boolean>()
    const settle = (continues: boolean): void => {
      clearTimeout(timer)
      asked.delete(session)
      resolve(continues)
    }
    const timer = setTimeout(() => settle(false), limits.mcpAnswerMs)
    asked.set(session, { answer, settle })
    tell('whose', session)
    return answer
  }

  return {
    newId: () => `${own}.${randomBytes(18).toString('base64url')}`,
    isOwn: (session) => idPattern.exec(session)?.[1] === own,
    ask: async (session) => nodes !== undefined && idPattern.test(session) && ask(session),
    tell,
    isAlive: async (node) => nodes === undefined || nodes.isAlive(node).catch(() => true)
  }
}
