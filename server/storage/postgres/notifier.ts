/**
 * The connection that tells other nodes which keys were written, and sends them messages.
 *
 * The notices about a commit are sent after it, in a separate transaction. A transaction with a `NOTIFY` holds a lock on the whole database until it
 * ends. If the commit itself sent them, all nodes would therefore wait for the disk one after another. A transaction that only notifies writes
 * nothing and does not wait for the disk. Notices and messages that arrive during one such transaction, or in the pause after it, go into the next
 * one. Nothing is sent while no other node listens.
 *
 * A commit does not wait for its notices. A node that must know the commits of other nodes compares their numbers (`listener.ts`). It thus also finds
 * the commits of a node that was killed before it sent its notices.
 */
import type pg from 'pg'

import { limits } from '../../../shared/limits.ts'
import { type Connection, connect, retryMs, withinSeconds } from './connection.ts'
import { encodeNotices, encodeMessage } from './notices.ts'

/** How long a transaction may take, in seconds. */
const sendSecondsMax = 5

/** How long `close` waits for the transaction in progress, in seconds. */
const closeSecondsMax = 1

/** The maximum number of notices that wait. If there are more, one notice that names no keys replaces them all. */
const noticesMax = 1_000

/** How long a message is kept if no other node listens, in milliseconds. Another node may have just begun to listen. */
const unsentMs = 1_000

/** A string for the other nodes. `commit` is the number of the commit that the string announces; absent for a message. */
interface Waiting {
  readonly text: string
  readonly commit?: number
}

export interface Notifier {
  /** Tells other nodes that a commit wrote these keys. `any` means that any key may have been written. */
  wrote(commit: number, keys: readonly Uint8Array[] | 'any'): void
  /**
   * Sends a message. It is dropped if too many are waiting, or if it cannot be sent immediately. Senders therefore repeat the state that they report.
   */
  send(text: string): void
  /** Sets whether no other node listens. At first, others may listen. */
  alone(isAlone: boolean): void
  /** Waits a moment for the transaction in progress, then ends the connection. */
  close(): Promise<void>
}

/** `id` is the id of this store. */
export function createNotifier({ config, id, channel }: { config: pg.ClientConfig; id: string; channel: string }): Notifier {
  let waiting: Waiting[] = []
  let sending: Promise<void> | undefined
  let connection: Connection | undefined
  let closed = false
  let isAlone = false
  /** The number of the newest commit that was not announced, because no other node listened. */
  let untold: number | undefined
  /** The recent messages that were not sent for the same reason, and the time of each in milliseconds of `performance.now()`. */
  const unsent: { readonly text: string; readonly at: number }[] = []

  const send = async (texts: readonly string[]): Promise<void> => {
    if (connection === undefined || connection.ended()) connection = await connect(config)
    await withinSeconds(
      sendSecondsMax,
      connection.client.query({
        name: 'notify',
        text: 'select pg_notify($1, text) from unnest($2::text[]) as text',
        values: [channel, texts]
      })
    )
  }

  const drain = async (): Promise<void> => {
    for (let attempt = 0; waiting.length > 0 && !(closed && attempt > 0);) {
      const batch = waiting
      waiting = []
      try {
        await send(batch.map(({ text }) => text))
        attempt = 0
        await new Promise((resolve) => setTimeout(resolve, limits.nodeNoticeMs))
      } catch {
        connection?.cut()
        // Notices that arrive twice do no harm.
        waiting = [...batch.filter(({ commit }) => commit !== undefined), ...waiting]
        await new Promise((resolve) => setTimeout(resolve, retryMs(attempt++)))
      }
    }
    sending = undefined
  }

  const add = (texts: readonly Waiting[]): void => {
    waiting.push(...texts)
    // Notices and messages of one turn of the event loop share a transaction.
    sending ??= Promise.resolve().then(drain)
  }

  const forgetUnsent = (): void => {
    const since = performance.now() - unsentMs
    const recent = unsent.findIndex(({ at }) => at > since)
    const kept = recent === -1 ? 0 : Math.min(unsent.length - recent, limits.nodeMessagesWaitingMax)
    unsent.splice(0, unsent.length - kept)
  }

  return {
    wrote(commit, keys) {
      if (isAlone) {
        untold = commit
        return
      }
      const isFull = waiting.length >= noticesMax
      if (isFull) waiting = waiting.filter((each) => each.commit === undefined)
      add(encodeNotices(id, commit, isFull ? 'any' : keys).map((text) => ({ text, commit })))
    },
    send(text) {
      if (Buffer.byteLength(text) > limits.nodeMessageBytesMax || waiting.length >= limits.nodeMessagesWaitingMax) return
      const message = { text: encodeMessage(id, text) }
      if (!isAlone) return add([message])
      unsent.push({ ...message, at: performance.now() })
      forgetUnsent()
    },
    alone(is) {
      isAlone = is
      if (is) return
      forgetUnsent()
      const messages = unsent.splice(0).map(({ text }) => ({ text }))
      // A node that has just begun to listen may have read before these commits.
      const notices = untold === undefined ? [] : encodeNotices(id, untold, 'any').map((text) => ({ text, commit: untold! }))
      untold = undefined
      if (messages.length + notices.length > 0) add([...notices, ...messages])
    },
    async close() {
      closed = true
      if (sending !== undefined) await withinSeconds(closeSecondsMax, sending).catch(() => {})
      const { client } = connection ?? {}
      connection = undefined
      if (client !== undefined) await withinSeconds(closeSecondsMax, client.end()).catch(() => {})
    }
  }
}
