/**
 * Paces responses that contain an entire document. They cost the server time and memory, and a reader may request them as often as it likes. The
 * server therefore sends one such response in each turn of the event loop. It sends them only to clients that read what they requested, and within a
 * byte budget.
 */
import { limits } from '../../shared/limits.ts'
import type { Clock } from '../domain/ports.ts'
import { closeCodes } from '../../shared/live-protocol.ts'
import type { Peer } from './durable-acks.ts'

interface Budget {
  bytes: number
  /** The time of the last refill, in milliseconds since 1970. */
  at: number
}

// When the table is full, the oldest entry is removed. This does little harm, because budgets refill within seconds.
const budgetsMax = 10_000

export interface Answers {
  /**
   * Resolves when the server may send the response. Throws if the socket is closed, including when it was closed because its address requested too
   * much.
   */
  turn(peer: Peer, bytes: number): Promise<void>
}

const everyone = 'all addresses'

/** Counts, for each address, the response bytes that its clients have not read yet. */
const createUnread = () => {
  const bytesOf = new Map<string, number>()
  let waiting: (() => void)[] = []

  const add = (who: string, bytes: number): void => {
    const left = (bytesOf.get(who) ?? 0) + bytes
    if (left > 0) bytesOf.set(who, left)
    else bytesOf.delete(who)
  }

  const fits = (who: string, bytes: number, most: number): boolean => {
    const unread = bytesOf.get(who) ?? 0
    return unread === 0 || unread + bytes <= most
  }

  const note = (address: string, bytes: number): void => {
    for (const who of [address, everyone]) add(who, bytes)
  }

  return {
    /** Resolves when the unread responses leave enough room for this response, or when the socket is closed. */
    async room({ address, ...peer }: { readonly address: string; readonly isOpen: () => boolean }, bytes: number): Promise<void> {
      const isFull = (): boolean =>
        !fits(address, bytes, limits.socketAnswersWaitingBytesMax) || !fits(everyone, bytes, limits.socketsAnswersWaitingBytesMax)
      while (peer.isOpen() && isFull()) await new Promise<void>((resolve) => waiting.push(resolve))
    },
    /** Counts a response as unread until the promise that `read` returns resolves. */
    note(address: string, bytes: number, read: () => Promise<void>): void {
      note(address, bytes)
      // By the next turn of the event loop, the response has been sent.
      setImmediate(() => {
        void read().then(() => {
          note(address, -bytes)
          const woken = waiting
          waiting = []
          for (const wake of woken) wake()
        })
      })
    }
  }
}

export const createAnswers = (clock: () => Clock): Answers => {
  const budgets = new Map<string, Budget>()
  const unread = createUnread()
  let last: Promise<unknown> = Promise.resolve()

  /** Takes bytes from the budget. Returns false if too few are left. */
  const spend = (address: string, bytes: number): boolean => {
    const now = clock().now()
    const budget = budgets.get(address) ?? { bytes: limits.socketAnswerBytesBurst, at: now }
    const refilled = budget.bytes + (Math.max(0, now - budget.at) / 1000) * limits.socketAnswerBytesPerSecond
    budget.bytes = Math.min(limits.socketAnswerBytesBurst, refilled) - bytes
    budget.at = now
    budgets.delete(address)
    budgets.set(address, budget)
    if (budgets.size > budgetsMax) budgets.delete(budgets.keys().next().value as string)
    return budget.bytes >= 0
  }

  return {
    async turn(peer, bytes) {
      const mine = last.then(() => new Promise((resolve) => setImmediate(resolve)))
      last = mine
      await mine
      await peer.drained()
      await unread.room({ address: peer.address, isOpen: () => peer.isOpen }, bytes)
      if (!peer.isOpen) throw new Error('the socket is closed')
      if (spend(peer.address, bytes)) return unread.note(peer.address, bytes, () => peer.drained())
      peer.close(closeCodes.tooFast, 'requested too much data')
      throw new Error('requested too much data')
    }
  }
}
