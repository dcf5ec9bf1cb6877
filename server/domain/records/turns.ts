/**
 * Turns decide which node may write the text of a document.
 *
 * Typed updates commute, so every node may add them, and no node needs a turn as long as people only type. A change through the API is different: it
 * is valid only for the text for which it was computed. It is applied in memory before it is on disk, and Yjs cannot undo it. The node that makes the
 * change therefore takes the turn first. The document's head names this node. The others queue their updates until it gives the turn back.
 *
 * A node keeps the turn until another node asks for it, so a document on a single node needs an extra commit only for its first change. The question
 * is a message (`Nodes.tell`): `turn`, a space, the document. A node that is gone, or that does not respond for `limits.turnWaitSecondsMax`, loses
 * the turn. If the node was only slow, the check of the head refuses its next commit, and it drops its copy of the document.
 */
import { limits } from '../../../shared/limits.ts'
import type { Nodes, Storage } from '../ports.ts'
import type { Ledger } from './transaction.ts'
import { type Head, keys } from './keys.ts'

const question = 'turn '

/** The time between two questions for the same turn, in milliseconds. */
const askMs = 500

/** How long a change on the node that has the turn waits, in milliseconds, if another node has asked for the turn. The other node then comes first. */
const pauseMs = 20

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

export interface TurnWaits {
  /** Asks for the turn of a document and waits until it may have ended, or for a moment. `holder` is the node that has the turn. */
  until(doc: string, holder: string): Promise<void>
  /** Returns the head. Removes the turn from it if `until` found that the node with the turn has lost it. */
  withoutLost(doc: string, head: Head): Head
}

interface Wait {
  readonly holder: string
  /** The time of the first question, in milliseconds of `performance.now()`. */
  readonly since: number
  isLost: boolean
}

/** Lets a node wait for turns that other nodes have. */
export const createTurnWaits = (storage: Storage, nodes: Nodes): TurnWaits => {
  const waits = new Map<string, Wait>()

  const waitFor = (doc: string, holder: string): Wait => {
    const known = waits.get(doc)
    if (known?.holder === holder) return known
    const wait = { holder, since: performance.now(), isLost: false }
    waits.set(doc, wait)
    return wait
  }

  return {
    async until(doc, holder) {
      const wait = waitFor(doc, holder)
      const { promise: woken, resolve } = Promise.withResolvers<void>()
      const stop = storage.watch(keys.head(doc), () => resolve())
      try {
        nodes.send(question + doc)
        wait.isLost = performance.now() - wait.since > limits.turnWaitSecondsMax * 1000 || !(await nodes.isAlive(holder))
        if (!wait.isLost) await Promise.race([woken, pause(askMs)])
      } finally {
        stop()
      }
    },
    withoutLost(doc, head) {
      const wait = waits.get(doc)
      if (wait === undefined) return head
      if (wait.holder === head.turn && !wait.isLost) return head
      waits.delete(doc)
      if (wait.holder !== head.turn) return head
      const { turn: _, ...rest } = head
      return rest
    }
  }
}

interface Turn {
  /** The number of changes that are using the turn. */
  users: number
  isHeld: boolean
  /** Whether another node has asked for the turn. */
  isWanted: boolean
  /** The commit in progress that takes the turn or gives it back. */
  moving: Promise<void> | undefined
}

export interface Turns {
  /** Runs `work` while this node has the turn to write the text of a document. */
  run<T>(doc: string, work: () => Promise<T>): Promise<T>
  /** Whether this node has the turn. */
  has(doc: string): boolean
  /** Reads a head from another node, which can show that this node has lost the turn. */
  note(doc: string, head: Head): void
  /** Gives the turn back, because the document leaves memory. */
  leave(doc: string): Promise<void>
  stop(): void
}

/** Manages the turns that this node takes. */
export const createTurns = (ledger: Ledger, nodes: Nodes): Turns => {
  const turns = new Map<string, Turn>()

  const take = async (doc: string, turn: Turn): Promise<void> => {
    if (turn.isWanted) await pause(pauseMs)
    turn.isWanted = false
    await ledger.write(doc, 'system', (tx) => {
      tx.head = { ...tx.head, turn: nodes.id }
    })
    turn.isHeld = true
  }

  const giveBack = async (doc: string, turn: Turn): Promise<void> => {
    turn.isHeld = false
    const give = ({ head }: { readonly head: Head }): Head => {
      const { turn: holder, ...rest } = head
      return holder === nodes.id ? rest : head
    }
    await ledger.write(
      doc,
      'system',
      (tx) => {
        tx.head = give(tx)
      },
      { afterDeletion: true }
    )
  }

  /** Takes the turn or gives it back. Only one of these happens at a time. */
  const move = (doc: string, turn: Turn, how: typeof take): Promise<void> => {
    const moving = how(doc, turn).finally(() => {
      turn.moving = undefined
      if (turn.users === 0 && !turn.isHeld) turns.delete(doc)
    })
    return (turn.moving = moving)
  }

  const giveIfWanted = (doc: string, turn: Turn): void => {
    if (!turn.isWanted || turn.users > 0 || !turn.isHeld || turn.moving !== undefined) return
    // This fails if the store does not respond or the document is gone. The other nodes then take the turn after a while.
    move(doc, turn, giveBack).catch(() => undefined)
  }

  const stopMessages = nodes.onMessage((message) => {
    if (!message.startsWith(question)) return
    const doc = message.slice(question.length)
    const turn = turns.get(doc)
    if (turn === undefined) return
    turn.isWanted = true
    giveIfWanted(doc, turn)
  })

  const enter = async (doc: string): Promise<Turn> => {
    for (;;) {
      const turn = turns.get(doc) ?? { users: 0, isHeld: false, isWanted: false, moving: undefined }
      turns.set(doc, turn)
      // After another node has asked for the turn, new changes wait until this node gets the turn again.
      if (turn.isHeld && turn.moving === undefined && (!turn.isWanted || turn.users === 0)) {
        turn.users += 1
        return turn
      }
      if (turn.moving !== undefined) await turn.moving.catch(() => undefined)
      else if (turn.isHeld) await pause(pauseMs)
      else await move(doc, turn, take)
    }
  }

  return {
    async run(doc, work) {
      const turn = await enter(doc)
      try {
        return await work()
      } finally {
        turn.users -= 1
        giveIfWanted(doc, turn)
      }
    },
    has: (doc) => turns.get(doc)?.isHeld === true,
    note(doc, head) {
      const turn = turns.get(doc)
      if (turn !== undefined && turn.moving === undefined && head.turn !== nodes.id) turn.isHeld = false
    },
    async leave(doc) {
      const turn = turns.get(doc)
      if (turn !== undefined && turn.users === 0 && turn.isHeld && turn.moving === undefined) await move(doc, turn, giveBack)
    },
    stop: stopMessages
  }
}
