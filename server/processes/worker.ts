/** One of several server processes. It takes connections from the front and exchanges metrics with the others. */
import type { Socket } from 'node:net'
import type { MetricsOfProcess } from '../metrics/merged.ts'
import type { ToFront, ToProcess } from './messages.ts'

interface WorkerOptions {
  /** Serves a connection, whose first bytes the front has read. */
  readonly accept: (socket: Socket, first: Uint8Array) => void
  /** Returns this process's metrics; undefined if it has none. */
  readonly readMetrics: () => Promise<string | undefined>
}

export interface Worker {
  /** Connects the running server to the front, which then hands over connections. */
  begin(options: WorkerOptions): void
  /** Returns the other processes' metrics. */
  metricsOfOthers(): Promise<readonly MetricsOfProcess[]>
}

const send = (message: ToFront): void => void (process.connected && process.send?.(message))

/** Opens the channel to the front that has started this process. */
export const openWorker = (): Worker => {
  const open = new Map<number, (texts: readonly MetricsOfProcess[]) => void>()
  let questions = 0
  return {
    begin({ accept, readMetrics }) {
      process.on('message', (message: ToProcess, socket: unknown) => {
        // The client may have closed the connection in transit. In that case, there is no socket.
        if (message.kind === 'connection') return socket !== undefined && accept(socket as Socket, message.first)
        if (message.kind === 'metrics of others') return open.get(message.question)?.(message.texts)
        const { question } = message
        return void readMetrics().then((text = '') => send({ kind: 'metrics', question, text }))
      })
      send({ kind: 'ready' })
    },
    metricsOfOthers() {
      const question = questions++
      const { promise, resolve } = Promise.withResolvers<readonly MetricsOfProcess[]>()
      open.set(question, (texts) => {
        open.delete(question)
        resolve(texts)
      })
      send({ kind: 'gather metrics', question })
      return promise
    }
  }
}
