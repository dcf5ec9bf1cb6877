import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { metricTable } from '../server/metrics/table.ts'
import { type Scraped, scrape } from './support/exposition.ts'
import { ask, startWorld, type World } from './support/world.ts'

interface Panel {
  readonly type: string
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const { panels } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'deploy', 'grafana-dashboard.json'), 'utf8')) as {
  panels: readonly Panel[]
}
const queries = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })))

/** Replaces the variables of Grafana, as Grafana does before it sends a query to Prometheus. */
const asked = (expr: string): string => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')

interface Query {
  readonly faults: number
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
}

const read = (expr: string): Query => {
  const text = asked(expr)
  const [metrics, labels]: [string[], string[]] = [[], []]
  let faults = 0
  parser.parse(text).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) faults += 1
      // A vector begins with the name of its metric.
      if (name === 'VectorSelector') metrics.push(/^[\w:]+/.exec(text.slice(from, to))?.[0] ?? '')
      if (name === 'LabelName') labels.push(text.slice(from, to))
    }
  })
  return { faults, metrics, labels }
}

let world: World
let scraped: Scraped
beforeAll(async () => {
  world = await startWorld({ env: { AGMD_METRICS_TOKEN: 'a-token-of-the-monitoring' } })
  await ask(world.url, 'GET', '/nowhere')
  scraped = await scrape(world.url, 'a-token-of-the-monitoring')
})
afterAll(() => world.stop())

/** Labels that Prometheus adds. */
const ofPrometheus = ['instance', 'job']

/** Returns the labels of the series with this name. The series may be part of a histogram. */
const labelsOf = (name: string): readonly string[] | undefined => {
  const base = scraped.metrics.has(name) ? name : name.replace(/_(bucket|count|sum)$/, '')
  const known = Object.values(metricTable).find((metric) => metric.name === base)
  if (known !== undefined) return [...known.labels, ...(name.endsWith('_bucket') ? ['le'] : [])]
  return scraped.metrics.has(base) ? (scraped.metrics.get(base)?.samples.flatMap(({ labels }) => Object.keys(labels)) ?? []) : undefined
}

test.each(queries)('[METRIC-10] the query is valid and names what exists: $title, $legendFormat', ({ expr, legendFormat }) => {
  const { faults, metrics, labels } = read(expr)
  expect(faults, expr).toBe(0)
  expect(metrics.length).toBeGreaterThan(0)
  const known = metrics.flatMap((name) => {
    const found = labelsOf(name)
    expect(found, name).toBeDefined()
    return found ?? []
  })
  const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)
  for (const label of [...labels, ...shown]) expect([...known, ...ofPrometheus]).toContain(label)
})

test('[METRIC-10] an invalid query is found', () => {
  expect(read('sum(rate(agmd_sockets[5m])').faults).toBeGreaterThan(0)
  expect(read('sum by (kind) (agmd_sockets{kind="page"})')).toEqual({ faults: 0, metrics: ['agmd_sockets'], labels: ['kind', 'kind'] })
  expect(labelsOf('agmd_socket')).toBeUndefined()
  expect(queries.length).toBeGreaterThan(30)
})

test('[METRIC-10] the dashboard shows every metric of the table', () => {
  const used = new Set(queries.flatMap(({ expr }) => read(expr).metrics.map((name) => name.replace(/_(bucket|count|sum)$/, ''))))
  const shown = Object.values(metricTable).map(({ name }) => name)
  // Two metrics are not in any query: the dashboard uses `agmd_info` only to select servers, and quotas are settings.
  expect(shown.filter((name) => !used.has(name))).toEqual(['agmd_info', 'agmd_quota_bytes'])
})
