/**
 * The metrics in the Prometheus text format. Only the server loads this file, and only if somebody may read the metrics. Requests and commits are
 * counted when they end. All other values are read when Prometheus requests the metrics.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { ServiceError } from '../../shared/errors.ts'
import type { Storage } from '../domain/ports.ts'
import type { AnsweredRequest } from '../http/context.ts'
import { createRoutes, knownMethods } from './routes.ts'
import { type MetricField, type MetricTable, metricTable } from './table.ts'

/** One value of a metric, with its labels. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>]

/** The metrics that are counted while the server runs. */
type Counted = 'requests' | 'errors' | 'commits' | 'commitsWaiting' | 'commitFailures'

/** Functions that read the metrics that are not counted. If a function rejects, its metric is left out. */
export type Readers = Readonly<Record<Exclude<MetricField, Counted>, () => readonly Sample[] | Promise<readonly Sample[]>>>

export interface Metrics {
  /** Counts a request. */
  answered(request: AnsweredRequest): void
  /** Returns a store that counts its commits. */
  watched(storage: Storage): Storage
  /** Reads the metrics that are not counted, and returns the values of all metrics as text. */
  write(readers: Readers): Promise<{ readonly type: string; readonly text: string }>
}

const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60]
const commitBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10]

/** Creates the metrics of one server. */
export const createMetrics = (): Metrics => {
  const registry = new Registry()
  const registers = [registry]
  const about = <Field extends MetricField>(field: Field) => {
    const { name, help, labels } = metricTable[field]
    return { name, help, labelNames: [...labels] as MetricTable[Field]['labels'][number][], registers }
  }
  let readers: Readers | undefined
  const routeOf = createRoutes()

  const requests = new Histogram({ ...about('requests'), buckets: requestBuckets })
  const errors = new Counter(about('errors'))
  const commits = new Histogram({ ...about('commits'), buckets: commitBuckets })
  const commitFailures = new Counter(about('commitFailures'))
  let waiting = 0
  new Gauge({
    ...about('commitsWaiting'),
    collect() {
      this.set(waiting)
    }
  })

  const addRead = (field: keyof Readers): void => {
    const read = async (): Promise<readonly Sample[]> => {
      try {
        return (await readers?.[field]()) ?? []
      } catch {
        return []
      }
    }
    const options = about(field)
    if (metricTable[field].type === 'counter')
      new Counter<string>({
        ...options,
        async collect() {
          const samples = await read()
          this.reset()
          for (const [value, labels = {}] of samples) this.inc(labels, value)
        }
      })
    else
      new Gauge<string>({
        ...options,
        async collect() {
          const samples = await read()
          this.reset()
          for (const [value, labels = {}] of samples) this.set(labels, value)
        }
      })
  }
  const counted: readonly MetricField[] = ['requests', 'errors', 'commits', 'commitsWaiting', 'commitFailures'] satisfies Counted[]
  for (const field of Object.keys(metricTable) as MetricField[]) if (!counted.includes(field)) addRead(field as keyof Readers)
  collectDefaultMetrics({ register: registry })

  return {
    answered({ method, route, status, error, ms }) {
      const labels = {
        method: knownMethods.has(method) ? method : 'other',
        route: routeOf(route),
        status: `${Math.floor(status / 100)}xx`
      }
      requests.observe(labels, ms / 1000)
      if (error !== undefined) errors.inc({ code: error })
    },
    watched: (storage) => ({
      ...storage,
      async commit(batch) {
        const start = performance.now()
        waiting += 1
        try {
          return await storage.commit(batch)
        } catch (error) {
          commitFailures.inc({ code: error instanceof ServiceError ? error.code : 'internal' })
          throw error
        } finally {
          waiting -= 1
          commits.observe((performance.now() - start) / 1000)
        }
      }
    }),
    async write(given) {
      readers = given
      return { type: registry.contentType, text: await registry.metrics() }
    }
  }
}
