/** Generates load over persistent sockets, with one request at a time on each. It runs in the process that measures. */
import { connect, type Socket } from 'node:net'
import { pause, percentile } from './support.ts'

/** Length of one round, in seconds. */
export const secondsPerRound = Number(process.env['AGMD_BENCH_SECONDS'] ?? 2)

/** Returns the bytes of the n-th request on a connection. `previous` is the head of the previous response on it, or '' for the first request. */
export type Requests = (connection: number, n: number, previous: string) => string | Buffer

export interface Load {
  readonly perSecond: number
  readonly p99: number
  readonly failed: number
}

/** Returns the length of the response at the beginning of `data`; 0 if the response is incomplete. */
const answerLength = (data: Buffer): number => {
  const end = data.indexOf('\r\n\r\n')
  if (end === -1) return 0
  const head = data.toString('latin1', 0, end)
  if (head.startsWith('HTTP/1.1 304')) return end + 4
  const length = /content-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`no length: ${head}`)
  return data.length >= end + 4 + Number(length) ? end + 4 + Number(length) : 0
}

export const load = async (port: number, connections: number, requests: Requests): Promise<Load> => {
  const times: number[] = []
  let failed = 0
  const end = performance.now() + secondsPerRound * 1000
  const drive = (connection: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket: Socket = connect(port, '127.0.0.1')
      let n = 0
      let at = 0
      let parts: Buffer[] = []
      let previous = ''
      const send = (): void => {
        at = performance.now()
        socket.write(requests(connection, n++, previous))
      }
      socket.setNoDelay(true)
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        parts.push(chunk)
        const data = parts.length === 1 ? chunk : Buffer.concat(parts)
        if (answerLength(data) === 0) return
        previous = data.toString('latin1', 0, data.indexOf('\r\n\r\n'))
        if (!['200', '201', '304'].includes(previous.slice(9, 12))) failed += 1
        parts = []
        times.push(performance.now() - at)
        if (performance.now() < end) send()
        else {
          socket.destroy()
          resolve()
        }
      })
    })
  await Promise.all(Array.from({ length: connections }, (_, connection) => drive(connection)))
  return { perSecond: times.length / secondsPerRound, p99: percentile(times, 0.99), failed }
}

/** The name of a row, the port of its server, and its requests. */
export type Subject = readonly [name: string, port: number, requests: Requests]

/** Number of rounds of a measurement. */
export const rounds = 3

/**
 * Measures each subject with each number of connections. Rounds of the subjects alternate. Returns a function that returns the round with the median
 * number of requests per second.
 */
export const measure = async (
  subjects: readonly Subject[],
  connectionCounts: readonly number[]
): Promise<(name: string, connections: number) => Load> => {
  for (const [, port, requests] of subjects) await load(port, 16, requests)
  const figures = new Map<string, Load[]>()
  for (let round = 0; round < rounds; round++)
    for (const connections of connectionCounts)
      for (const [name, port, requests] of subjects) {
        const key = `${name}|${connections}`
        figures.set(key, [...(figures.get(key) ?? []), await load(port, connections, requests)])
        await pause(50)
      }
  return (name, connections) => {
    const all = figures.get(`${name}|${connections}`) ?? []
    return all.toSorted((one, other) => one.perSecond - other.perSecond)[Math.floor(all.length / 2)] as Load
  }
}
