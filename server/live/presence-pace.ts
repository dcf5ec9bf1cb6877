/**
 * Limits the rate of presence. A client may send its cursor a thousand times a second, and each message goes to everyone. The first message passes
 * through immediately. Messages that follow too soon are merged, with the latest state of each client id, and pass through together a moment later.
 */
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { limits } from '../../shared/limits.ts'
import { presenceFrame } from './presence-frames.ts'

/** The states of an awareness message (y-protocols): clock and JSON by client id. */
type States = Map<number, { readonly clock: number; readonly state: string }>

interface Pace {
  /** The time when the last message passed through, in milliseconds. */
  at: number
  held: States | undefined
  timer: NodeJS.Timeout | undefined
}

/** Reads the states of a message into `states`. Throws if the content cannot be decoded. */
const readInto = (states: States, content: Uint8Array): void => {
  const decoder = decoding.createDecoder(decoding.readVarUint8Array(decoding.createDecoder(content)))
  const count = decoding.readVarUint(decoder)
  if (count > content.length) throw new RangeError('a count exceeds the message')
  for (let index = 0; index < count; index++) {
    const client = decoding.readVarUint(decoder)
    const clock = decoding.readVarUint(decoder)
    const state = decoding.readVarString(decoder)
    if ((states.get(client)?.clock ?? -1) > clock) continue
    states.delete(client)
    states.set(client, { clock, state })
  }
}

const sizeOf = (states: States): number => [...states.values()].reduce((sum, { state }) => sum + state.length + 12, 0)

/** Keeps only the latest states. A connection shows presence with one client id, so a few are enough. */
const trim = (states: States): void => {
  let size = sizeOf(states)
  for (const [client, { state }] of states) {
    if (size <= limits.awarenessBytesMax) return
    states.delete(client)
    size -= state.length + 12
  }
}

const frameOf = (address: string, states: States): Uint8Array => {
  const update = encoding.createEncoder()
  encoding.writeVarUint(update, states.size)
  for (const [client, { clock, state }] of states) {
    encoding.writeVarUint(update, client)
    encoding.writeVarUint(update, clock)
    encoding.writeVarString(update, state)
  }
  return presenceFrame(address, encoding.toUint8Array(update))
}

export class PresencePace {
  readonly #paces = new Map<string, Pace>()
  readonly #pass: (frame: Uint8Array) => void

  /** Creates the limit. `pass` receives a held message when it is due. */
  constructor(pass: (frame: Uint8Array) => void) {
    this.#pass = pass
  }

  /** Returns whether a message may pass through now. If not, holds the message. Throws if the content cannot be decoded. */
  take(address: string, content: Uint8Array): boolean {
    const pace = this.#paces.get(address) ?? { at: Number.NEGATIVE_INFINITY, held: undefined, timer: undefined }
    this.#paces.set(address, pace)
    const wait = pace.at + limits.presenceMs - performance.now()
    if (wait <= 0 && pace.held === undefined) {
      pace.at = performance.now()
      return true
    }
    pace.held ??= new Map()
    readInto(pace.held, content)
    trim(pace.held)
    pace.timer ??= setTimeout(() => this.#release(address, pace), wait).unref()
    return false
  }

  /** Forgets one session, or all sessions. */
  forget(address?: string): void {
    for (const [known, { timer }] of this.#paces) {
      if (address !== undefined && known !== address) continue
      clearTimeout(timer)
      this.#paces.delete(known)
    }
  }

  #release(address: string, pace: Pace): void {
    const { held } = pace
    pace.timer = undefined
    pace.held = undefined
    pace.at = performance.now()
    if (held !== undefined && held.size > 0) this.#pass(frameOf(address, held))
  }
}
