/**
 * Turns: which node may write the text of a document.
 *
 * Typed updates commute, so every node may add them, and nobody needs a turn as long as people only type. A change through the API is different: it
 * is right only for the text that it was made for, it is applied in memory before it is on disk, and Yjs cannot take it back. The node that makes it
 * therefore takes the turn first. The head of the document names this node, and until it gives the turn back, the others wait with their updates.
 *
 * A node keeps the turn until another node asks for it, so a document that one node serves needs one commit for its first change. The question is a
 * message (`Nodes.tell`): `turn`, a space, the document. A node that is gone, or that does not answer for `limits.turnWaitSecondsMax`, loses the turn.
 * If it was only slow, its next commit fails at the check of the head, and it drops its copy of the document.
 */
import { limits } from '../../../shared/limits.ts'
import type { Nodes, Storage } from '../ports.ts'
import type { Ledger } from './draft.ts'
import { type Head, keys } from './keys.ts'

const question = 'turn '

/** The time between two questions for the same turn, in milliseconds. */
const askMs = 500

/** How long a node that was asked for its turn waits before it takes the turn again, in milliseconds, so that the others come first. */
const pauseMs = 20

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

export interface TurnWaits {
  /** Waits until the turn of a document may have ended. `holder` is the node that has the turn. */
  until(doc: string, holder: string): Promise<void>
  /** Returns the head without its turn if the node that has the turn has lost it. */
  withoutLost(doc: string, head: Head): Head
}

interface Wait {
  readonly holder: string
  /** The time of the first question, in milliseconds of `performance.now()`. */
  readonly since: number
  isLost: boolean
}

/** Creates the waits of a node for the turns of other nodes. */
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
        nodes.tell(question + doc)
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
  /** How many changes need the turn at the moment. */
  users: number
  isHeld: boolean
  /** Whether another node has asked for the turn. */
  isWanted: boolean
  /** The taking or giving back of the turn that is in progress. */
  moving: Promise<void> | undefined
}

export interface Turns {
  /** Runs `work` while this node has the turn to write the text of a document. */
  run<T>(doc: string, work: () => Promise<T>): Promise<T>
  /** Whether this node has the turn. */
  has(doc: string): boolean
  /** Learns from a head of another node that this node has lost the turn. */
  note(doc: string, head: Head): void
  /** Gives the turn back, because the document leaves memory. */
  leave(doc: string): Promise<void>
  stop(): void
}

/** Creates the turns of a node. */
export const createTurns = (ledger: Ledger, nodes: Nodes): Turns => {
  const turns = new Map<string, Turn>()

  const take = async (doc: string, turn: Turn): Promise<void> => {
    if (turn.isWanted) await pause(pauseMs)
    turn.isWanted = false
    await ledger.write(doc, 'system', (draft) => {
      draft.head = { ...draft.head, turn: nodes.id }
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
      (draft) => {
        draft.head = give(draft)
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
    // If this fails, the store is away or the document is gone. The others take the turn after a while.
    move(doc, turn, giveBack).catch(() => undefined)
  }

  const stopTold = nodes.onTold((message) => {
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
      // Changes that come after the question wait for the next turn.
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
    stop: stopTold
  }
}
