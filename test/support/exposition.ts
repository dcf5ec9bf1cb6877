/** Reads the text format of Prometheus (version 0.0.4), strictly. */
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'

export interface Metric {
  readonly type: string
  readonly help: string
  readonly samples: readonly { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number }[]
}

const sample = /^([a-zA-Z_:][\w:]*)(?:\{((?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/

/** Returns the metrics by name. Throws if the text violates the format. */
export const parseExposition = (text: string): ReadonlyMap<string, Metric> => {
  const metrics = new Map<string, { type: string; help: string; samples: Metric['samples'][number][] }>()
  const seen = new Set<string>()
  let current = ''
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  for (const line of text.split('\n').slice(0, -1)) {
    const about = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line)
    if (about !== null) {
      const [, what = '', name = '', rest = ''] = about
      if (what === 'HELP') {
        if (metrics.has(name)) throw new Error(`${name} is there twice`)
        metrics.set((current = name), { type: '', help: rest, samples: [] })
      } else if (name === current) metrics.get(name)!.type = rest
      else throw new Error(`TYPE of ${name} after ${current}`)
      continue
    }
    if (line === '') continue
    const [, name = '', labels = '', value = ''] = sample.exec(line) ?? []
    const metric = metrics.get(current)
    const base = metric?.type === 'histogram' || metric?.type === 'summary' ? name.replace(/_(bucket|sum|count)$/, '') : name
    if (metric === undefined || base !== current || seen.has(`${name}{${labels}`)) throw new Error(`not a sample: ${line}`)
    seen.add(`${name}{${labels}`)
    const found = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', said = '']) => [label, said] as const)
    metric.samples.push({ name, labels: Object.fromEntries(found), value: value === '+Inf' ? Infinity : Number(value) })
  }
  return metrics
}

/** The metrics at one point in time. */
export interface Scraped {
  readonly metrics: ReadonlyMap<string, Metric>
  /** Returns the value of a series; undefined if there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined
}

export const scrape = async (url: string, token: string): Promise<Scraped> => {
  const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('Content-Type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const metrics = parseExposition(await answer.text())
  const all = [...metrics.values()].flatMap(({ samples }) => samples)
  return {
    metrics,
    value: (name, labels = {}) => all.find((each) => each.name === name && isDeepStrictEqual(each.labels, labels))?.value
  }
}
