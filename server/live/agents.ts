/**
 * Shows programs as participants. A program that writes through HTTP or MCP has no socket, so presence shows it at its last edit for half a minute.
 * If a program or person has an open page, that page shows them instead.
 */
import { hash } from 'node:crypto'
import type { Document } from '@hocuspocus/server'
import * as encoding from 'lib0/encoding'
import { applyAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { hueOfName } from '../../shared/hues.ts'
import { limits } from '../../shared/limits.ts'
import type { Range } from '../../shared/text/targets.ts'
import { type Caller, nameOfIdentity } from '../domain/rights/caller.ts'
import type { Registry } from '../domain/live.ts'
import type { Clock } from '../domain/ports.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import { presentHue, type PresenceUser } from './awareness.ts'

/** The programs that the presence of one document shows. */
export interface Agents {
  /** Shows the caller at a range of the current text. A repeated call moves the caller to the new range and restarts the half-minute timer. */
  show(caller: Caller, name: string, at: Range): void
  /** Hides the caller, because a page with the same name and link now shows it. The page's requests may arrive before its socket. */
  arrived(caller: Caller, name: string): void
  /** Whether a program is shown under this client id. */
  has(client: number): boolean
  /** Leaves a program's presence to another node, because the program last wrote there. */
  leave(client: number): void
  /** Removes all programs. */
  stop(): void
}

interface Shown {
  readonly client: number
  clock: number
  cancel: () => void
  /** Stops watching the program's link. */
  forget: () => void
}

/** Returns a program's name, or undefined if the caller is a person with an account or gave no name. */
export const agentName = ({ identity }: Caller): string | undefined =>
  identity.kind === 'account' && identity.program === undefined ? undefined : (nameOfIdentity(identity) ?? undefined)

/** Returns an awareness message (y-protocols) with one state of one client. Null removes the client. */
export const stateMessage = (client: number, clock: number, state: object | null): Uint8Array => {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, 1)
  encoding.writeVarUint(encoder, client)
  encoding.writeVarUint(encoder, clock)
  encoding.writeVarString(encoder, JSON.stringify(state))
  return encoding.toUint8Array(encoder)
}

interface AgentsOptions {
  readonly doc: string
  readonly document: Document
  readonly openDoc: OpenDocument
  readonly registry: Registry
  readonly clock: Clock
}

export const createAgents = ({ doc, document, openDoc, registry, clock }: AgentsOptions): Agents => {
  // Programs by link and name, in the order in which they were first shown.
  const shown = new Map<string, Shown>()

  const hide = (id: string): void => {
    const found = shown.get(id)
    if (found === undefined) return
    shown.delete(id)
    found.cancel()
    found.forget()
    removeAwarenessStates(document.awareness, [found.client], null)
  }

  /** Returns the client id of a program. It is the same on every node, so that a program that writes through several nodes is shown once. */
  const clientOf = (id: string): number => {
    for (let round = 0; ; round++) {
      const client = hash('sha256', `${doc} ${id} ${round}`, 'buffer').readUInt32BE()
      if (client !== document.awareness.clientID && !document.store.clients.has(client)) return client
    }
  }

  const enter = (id: string, caller: Caller): Shown => {
    const [first] = shown.keys()
    if (shown.size >= limits.agentsShownMax && first !== undefined) hide(first)
    const entry: Shown = { client: clientOf(id), clock: 0, cancel: () => undefined, forget: () => undefined }
    shown.set(id, entry)
    entry.forget = registry.add(doc, caller, () => hide(id))
    return entry
  }

  const cursorAt = ({ from, to }: Range): object => {
    const place = (index: number): unknown =>
      Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(openDoc.text, Math.min(index, openDoc.text.length)))
    return { anchor: place(from), head: place(to) }
  }

  const idOf = ({ share, identity: { kind } }: Caller, name: string): string => `${share ?? ''} ${kind} ${name}`

  return {
    arrived: (caller, name) => hide(idOf(caller, name)),
    show(caller, name, at) {
      const id = idOf(caller, name)
      const entry = shown.get(id) ?? enter(id, caller)
      // The program's link may have ended since.
      if (!shown.has(id)) return entry.forget()
      const { client } = entry
      const named: PresenceUser = { name, kind: 'agent', role: caller.role ?? 'view', hue: hueOfName(name) }
      const user: PresenceUser = { ...named, hue: presentHue(document.awareness.states, client, named) }
      entry.clock = Math.max(entry.clock, document.awareness.meta.get(client)?.clock ?? 0) + 1
      applyAwarenessUpdate(document.awareness, stateMessage(client, entry.clock, { user, cursor: cursorAt(at) }), null)
      entry.cancel()
      entry.cancel = clock.after(limits.agentShownSeconds * 1000, () => hide(id))
      return undefined
    },
    leave(client) {
      const [id, entry] = [...shown].find(([, each]) => each.client === client) ?? []
      if (id === undefined || entry === undefined) return
      shown.delete(id)
      entry.cancel()
      entry.forget()
    },
    has: (client) => [...shown.values()].some((entry) => entry.client === client),
    stop() {
      for (const id of shown.keys()) hide(id)
    }
  }
}
