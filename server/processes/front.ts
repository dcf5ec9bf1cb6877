/**
 * The front of a server with several processes (`AGMD_PROCESSES`). It accepts all connections, reads the first bytes of each, and hands the
 * connection to the process that its document prefers (preference.ts). Beyond that, it does not interpret requests, and it never sees the remaining
 * bytes. It starts the processes, and restarts a process that has ended. Each process is a separate node (live/nodes.ts) with its own data folder.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { limits } from '../../shared/limits.ts'
import type { Log } from '../log.ts'
import { isPortError, PortError } from '../port-error.ts'
import { documentOf, preferredOf } from './preference.ts'
import { type Ended, openWorkers, type Workers } from './workers.ts'

interface FrontOptions {
  readonly host: string
  readonly port: number
  /** The public address; null for http://localhost with the port. */
  readonly baseUrl: string | null
  /** The data folder of the first process. It contains the folders of the other processes. */
  readonly folder: string
  readonly processes: number
  readonly log: Log
  /** Called if a process cannot start and no process has started before, or if the first process finds that its store is damaged. */
  readonly onFatal: (ended: Ended) => void
}

export interface Front {
  /** The address on which the front listens. */
  readonly url: string
  readonly baseUrl: string
  /** Ends all processes, and resolves when they have ended. */
  stop(): Promise<void>
}

/** Reads the first bytes of a connection, and hands the connection over. Nothing is read after that, so no byte is lost. */
const receive = (socket: Socket, workers: Workers, turn: () => number): void => {
  // A client that sends nothing gets the same time as for sending request headers.
  socket.setTimeout(limits.headersSecondsMax * 1000, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.once('data', (first) => {
    socket.pause()
    // The returned bytes fill the buffer (`highWaterMark`), so that the socket stops reading. The process gets them from the message.
    socket.unshift(first)
    socket.setTimeout(0)
    void workers.someReady().then((ready) => {
      const document = documentOf(first)
      const next = ready[turn() % ready.length]
      const process = (document === undefined ? undefined : preferredOf(document, ready)) ?? next
      if (process === undefined || socket.destroyed) return socket.destroy()
      return workers.hand(process, socket, first)
    })
  })
}

const listen = async (server: Server, port: number, host: string): Promise<number> => {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw isPortError(error as NodeJS.ErrnoException) ? new PortError(host, port, error as NodeJS.ErrnoException) : error
  }
  return (server.address() as AddressInfo).port
}

/** Starts the front and its processes. Resolves when the first process answers requests. Throws `PortError`. */
export const startFront = async ({ host, port: wanted, baseUrl: known, folder, processes, log, onFatal }: FrontOptions): Promise<Front> => {
  let turns = 0
  const server = createServer({ highWaterMark: 1, noDelay: true }, (socket) => receive(socket, workers, () => turns++))
  server.maxConnections = limits.heldConnectionsMax
  const port = await listen(server, wanted, host)
  const baseUrl = known ?? `http://localhost:${port}`
  const workers = openWorkers({ folder, processes, baseUrl, log, onFatal })
  await workers.someReady()
  return {
    url: `http://${host}:${port}`,
    baseUrl,
    async stop() {
      server.close()
      await workers.stop()
    }
  }
}
