/** Manages a front's processes: starts them, restarts them when they end, gives them connections, and collects their metrics. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { limits } from '../../shared/limits.ts'
import type { Log } from '../log.ts'
import { readSecret, writeSecret } from '../storage/data-folder.ts'
import type { MetricsOfProcess } from '../metrics/merged.ts'
import { processWord, type ToFront, type ToProcess } from './messages.ts'

/** How a process ended: its exit code, or the name of the signal that ended it. */
export type Ended = number | NodeJS.Signals

interface WorkersOptions {
  readonly folder: string
  readonly processes: number
  readonly baseUrl: string
  readonly log: Log
  readonly onFatal: (ended: Ended) => void
}

export interface Workers {
  /** Resolves with the numbers of the processes that answer requests, as soon as there is one. Never resolves if all have ended permanently. */
  someReady(): Promise<readonly number[]>
  /** Gives a process a connection, whose first bytes are `first`. Closes the connection if the process has ended. */
  hand(process: number, socket: Socket, first: Uint8Array): void
  stop(): Promise<void>
}

/** Returns the data folder of a process. The first process uses the server's own folder, because it serves the server's commands and backups. */
const folderOf = (folder: string, process: number): string => (process === 1 ? folder : join(folder, 'processes', String(process)))

/** Gives another process the first process's secret, which every additional node needs. */
const shareSecret = async (folder: string, process: number): Promise<void> => {
  if (process === 1 || process === undefined) return
  await mkdir(folderOf(folder, process), { recursive: true, mode: 0o700 })
  await writeSecret(folderOf(folder, process), await readSecret(folder))
}

/** Collects the other processes' metrics for a process that was asked for them. */
const createGatherer = (others: (asking: number) => readonly [number, ChildProcess][]) => {
  const open = new Map<number, (text: MetricsOfProcess) => void>()
  let questions = 0
  return {
    answered: (question: number, text: MetricsOfProcess): void => open.get(question)?.(text),
    async gather(asking: number): Promise<MetricsOfProcess[]> {
      const question = questions++
      const asked = others(asking)
      const texts: MetricsOfProcess[] = []
      if (asked.length === 0) return texts
      const { promise, resolve } = Promise.withResolvers<void>()
      open.set(question, (text) => texts.push(text) === asked.length && resolve())
      const timer = setTimeout(resolve, limits.metricsGatherMs)
      for (const [, child] of asked) send(child, { kind: 'read metrics', question })
      await promise
      clearTimeout(timer)
      open.delete(question)
      return texts
    }
  }
}

/** Sends a message. A process that is ending gets no more messages. */
const send = (child: ChildProcess, message: ToProcess, socket?: Socket): void => {
  if (!child.connected) return void socket?.destroy()
  child.send(message, socket, {}, (error) => {
    if (error !== null) socket?.destroy()
  })
}

export const openWorkers = ({ folder, processes, baseUrl, log, onFatal }: WorkersOptions): Workers => {
  const running = new Map<number, ChildProcess>()
  const ready = new Set<number>()
  let waiting = Promise.withResolvers<void>()
  let stopping = false
  let servedOnce = false
  const retries = new Set<ReturnType<typeof setTimeout>>()
  const gatherer = createGatherer((asking) => [...running].filter(([process]) => process !== asking && ready.has(process)))

  const onReady = (process: number): void => {
    ready.add(process)
    waiting.resolve()
    if (servedOnce) return
    servedOnce = true
    for (let other = 2; other <= processes; other++) begin(other, 0)
  }
  const onMessage = (process: number, child: ChildProcess, message: ToFront): void => {
    if (message.kind === 'ready') onReady(process)
    else if (message.kind === 'metrics') gatherer.answered(message.question, { process, text: message.text })
    else void gatherer.gather(process).then((texts) => send(child, { kind: 'metrics of others', question: message.question, texts }))
  }
  const onEnd = (process: number, how: Ended, failures: number): void => {
    running.delete(process)
    if (ready.delete(process) && ready.size === 0) waiting = Promise.withResolvers()
    if (stopping) return
    if (!servedOnce) return onFatal(how)
    const seconds = Math.min(2 ** failures, limits.processRestartSecondsMax)
    log.error('a process of the server ended; it starts again', { process, how, seconds })
    const timer = setTimeout(() => {
      retries.delete(timer)
      begin(process, failures + 1)
    }, seconds * 1000)
    retries.add(timer)
  }
  const start = async (process: number, failures: number): Promise<void> => {
    await shareSecret(folder, process)
    if (stopping) return
    const child = fork(processPath(), [processWord, String(process), folder], {
      env: { ...globalThis.process.env, ...ownSettings(folderOf(folder, process), baseUrl) },
      // Buffers are sent as bytes.
      serialization: 'advanced'
    })
    const begun = performance.now()
    running.set(process, child)
    child.on('message', (message) => onMessage(process, child, message as ToFront))
    child.once('exit', (code, signal) => {
      const wasLong = performance.now() - begun > limits.processRestartSecondsMax * 1000
      onEnd(process, signal ?? code ?? 1, wasLong ? 0 : failures)
    })
  }
  const begin = (process: number, failures: number): void =>
    void start(process, failures).catch((error: unknown) => {
      log.error('a process of the server could not be started', { process, error })
      onEnd(process, 1, failures)
    })
  begin(1, 0)

  return {
    async someReady() {
      while (ready.size === 0) await waiting.promise
      return [...ready].sort((a, b) => a - b)
    },
    hand(process, socket, first) {
      const child = running.get(process)
      if (child === undefined) socket.destroy()
      else send(child, { kind: 'connection', first }, socket)
    },
    async stop() {
      stopping = true
      for (const timer of retries) clearTimeout(timer)
      await Promise.all(
        [...running.values()].map(async (child) => {
          const ended = once(child, 'exit')
          child.kill('SIGTERM')
          await ended
        })
      )
    }
  }
}

/** The program that this process runs: the bundle, or the sources. */
const processPath = (): string => process.argv[1] as string

/** The settings of a process that differ from those of the server. The process listens only on this machine, for itself. */
const ownSettings = (folder: string, baseUrl: string): Readonly<Record<string, string>> => ({
  AGMD_PROCESSES: '1',
  AGMD_DATA_DIR: folder,
  AGMD_BASE_URL: baseUrl,
  AGMD_HOST: '127.0.0.1',
  AGMD_PORT: '0'
})
