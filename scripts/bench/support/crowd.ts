/** Simulates crowds of people on sockets, in one process. No client holds the document, and only some clients read incoming frames. */
import { readFileSync } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { WebSocket } from 'ws'
import { liveFrame } from '../../../server/live/frame.ts'
import { createDocument, type DocumentAddress, scan, startBare, startProcess } from './support.ts'

/** Returns the frame for an update to the document. */
export const updateFrame = (doc: string, update: Uint8Array): Uint8Array =>
  liveFrame(doc, 0, (encoder) => {
    encoding.writeVarUint(encoder, 2)
    encoding.writeVarUint8Array(encoder, update)
  })

/** Returns a frame of y-websocket, which has no address. */
const bareFrame = (type: number, write: (frame: encoding.Encoder) => void): Uint8Array => {
  const frame = encoding.createEncoder()
  encoding.writeVarUint(frame, type)
  write(frame)
  return encoding.toUint8Array(frame)
}

/** Returns the update of a client that types `mark` after its last text (update-check.ts describes the format). */
const typed = (client: number, clock: number, mark: string): Uint8Array => {
  const encoder = encoding.createEncoder()
  for (const number of [1, 1, client, clock]) encoding.writeVarUint(encoder, number)
  encoding.writeUint8(encoder, clock > 0 ? 0x84 : 0x04)
  if (clock > 0) for (const number of [client, clock - 1]) encoding.writeVarUint(encoder, number)
  else {
    encoding.writeVarUint(encoder, 1)
    encoding.writeVarString(encoder, 'content')
  }
  encoding.writeVarString(encoder, mark)
  encoding.writeVarUint(encoder, 0)
  return encoding.toUint8Array(encoder)
}

const cursorAt = (client: number, clock: number): object => {
  const place = { type: null, tname: 'content', item: { client, clock }, assoc: 0 }
  return { user: { name: `Person ${client}`, kind: 'guest', role: 'edit', hue: client % 10 }, cursor: { anchor: place, head: place } }
}

export interface Person {
  /** Types a mark. If people have cursors, the cursor also moves past the mark. */
  type(mark: string): void
  /** Sends a frame unchanged. Returns the number of bytes that are waiting to be sent. */
  send(frame: Uint8Array): number
  close(): void
}

interface PersonOptions {
  readonly place: DocumentAddress
  readonly client: number
  readonly hasCursor: boolean
  /** Called for each mark that arrives. If absent, incoming frames are discarded unread. */
  readonly onMark?: (mark: string) => void
  readonly onAcknowledged?: () => void
  readonly onClose?: (code: number) => void
}

export const openPerson = ({ place, client, hasCursor, onMark, onAcknowledged, onClose }: PersonOptions): Promise<Person> =>
  new Promise((resolve, reject) => {
    const ws = new WebSocket(place.url, { perMessageDeflate: false, skipUTF8Validation: true })
    ws.binaryType = 'nodebuffer'
    const isBare = place.protocol === 'y-websocket'
    const frameOf = (type: number, write: (frame: encoding.Encoder) => void): Uint8Array =>
      isBare ? bareFrame(type, write) : liveFrame(place.doc, type, write)
    let clock = 0
    let moves = 0
    const send = (frame: Uint8Array): number => {
      ws.send(frame)
      return ws.bufferedAmount
    }
    const person: Person = {
      type(mark) {
        const update = typed(client, clock, mark)
        send(
          frameOf(0, (encoder) => {
            encoding.writeVarUint(encoder, 2)
            encoding.writeVarUint8Array(encoder, update)
          })
        )
        clock += mark.length
        if (!hasCursor) return
        const states = encoding.createEncoder()
        moves += 1
        for (const number of [1, client, moves]) encoding.writeVarUint(states, number)
        encoding.writeVarString(states, JSON.stringify(cursorAt(client, clock - 1)))
        send(frameOf(1, (encoder) => encoding.writeVarUint8Array(encoder, encoding.toUint8Array(states))))
      },
      send,
      close: () => ws.terminate()
    }
    const admitted = (): void => {
      if (onMark === undefined && onAcknowledged === undefined) {
        const socket = (ws as unknown as { readonly _socket: Socket })._socket
        socket.removeAllListeners('data').on('data', () => undefined)
      }
      resolve(person)
    }
    ws.on('error', reject)
    ws.on('close', (code) => onClose?.(code))
    const askForText = (): number =>
      send(
        frameOf(0, (encoder) => {
          encoding.writeVarUint(encoder, 0)
          encoding.writeVarUint8Array(encoder, Uint8Array.of(0))
        })
      )
    const present = (): number =>
      send(
        liveFrame(place.doc, 2, (encoder) => {
          encoding.writeVarUint(encoder, 0)
          encoding.writeVarString(encoder, place.key)
          encoding.writeVarString(encoder, 'bench')
        })
      )
    ws.on('open', () => void (isBare ? askForText() : present()))
    ws.on('message', (data: Buffer) => {
      const type = data[isBare ? 0 : (data[0] ?? 0) + 1]
      if (type === 8) return onAcknowledged?.()
      if (type !== 2 && type !== 0 && type !== 4) return undefined
      const decoder = decoding.createDecoder(data)
      if (!isBare) decoding.readVarString(decoder)
      decoding.readVarUint(decoder)
      const step = decoding.readVarUint(decoder)
      if (type === 2) return step === 2 ? void askForText() : reject(new Error('not let in'))
      if (step === 1) admitted()
      else if (onMark !== undefined) scan(data, onMark)
      return undefined
    })
  })

/** A server that is measured. */
export interface Target {
  readonly name: string
  readonly pid: number
  /** Whether the server tells a writer that it has received an update. */
  readonly acknowledges: boolean
  place(): Promise<DocumentAddress>
  stop(): Promise<void>
}

/**
 * Starts our server and the baselines, or only those in AGMD_BENCH_ONLY. Profiles of our server are written to the folder AGMD_BENCH_PROFILE
 * (scripts/profile.ts).
 */
export const startTargets = async (): Promise<Target[]> => {
  const only = process.env['AGMD_BENCH_ONLY']?.split(',')
  const profiles = process.env['AGMD_BENCH_PROFILE']
  const targets: Target[] = []
  const isWanted = (name: string): boolean => only === undefined || only.includes(name)
  if (isWanted('agmd')) {
    const profile: Record<string, string> = profiles === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` }
    const server = await startProcess({ env: { AGMD_LOG_LEVEL: 'info', ...profile } })
    targets.push({
      name: 'agmd',
      pid: server.child.pid ?? 0,
      acknowledges: true,
      async place() {
        const { doc, key } = await createDocument(`http://127.0.0.1:${server.port}`, '')
        return { url: `ws://127.0.0.1:${server.port}/collab`, doc, key }
      },
      stop: () => server.stop()
    })
  }
  for (const name of ['hocuspocus', 'hocuspocus-sqlite', 'y-websocket'] as const) {
    if (!isWanted(name)) continue
    const { port, child, stop } = await startBare(name)
    let made = 0
    const isBare = name === 'y-websocket'
    const place = async (): Promise<DocumentAddress> => {
      const doc = `bench${made++}`
      return { url: `ws://127.0.0.1:${port}${isBare ? `/${doc}` : ''}`, doc, key: 'none', ...(isBare && { protocol: name }) }
    }
    targets.push({ name, pid: (child as ChildProcess).pid ?? 0, acknowledges: !isBare, place, stop: async () => stop() })
  }
  return targets
}

/** Returns the CPU time that a process has used so far, in seconds of user and system time. */
export const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Starts to measure the CPU time of the server and of this process. The returned function reports it. */
export const startMeter = (pid: number): (() => { readonly seconds: number; readonly server: number; readonly own: number }) => {
  const begun = performance.now()
  const [server, own] = [cpuSeconds(pid), process.cpuUsage()]
  return () => {
    const seconds = (performance.now() - begun) / 1000
    const used = process.cpuUsage(own)
    return { seconds, server: cpuSeconds(pid) - server, own: (used.user + used.system) / 1e6 }
  }
}

/** Whether the load generator was the bottleneck because it used nearly an entire core. */
export const isLimited = (own: number, seconds: number): boolean => own / seconds > 0.85
