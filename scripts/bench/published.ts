/**
 * Measures published pages: how fast text is rendered, and how many requests per second a rendered page serves. The baseline is a bare Koa route
 * with the same number of bytes. The Lighthouse scores of these pages are in pages.ts.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createPageRenderer } from '../../server/http/published/renderer.ts'
import { load, type Load, type Requests, secondsPerRound } from './support/load.ts'
import { createDocument, ms, pause, type DocumentAddress, startBare, startProcess, table } from './support/support.ts'

const rounds = 3
const specification = readFileSync(
  join(dirname(createRequire(import.meta.url).resolve('commonmark-spec/package.json')), 'spec.txt'),
  'utf8'
)
const sample = readFileSync(join(import.meta.dirname, '../../test/browser/published.md'), 'utf8')

const ofLength = (length: number): string => specification.repeat(Math.ceil(length / specification.length)).slice(0, length)
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

// Measures only the rendering.
const renderer = createPageRenderer(() => false, {})
const timed = (text: string, times: number): number => {
  const taken = Array.from({ length: times }, () => {
    const start = performance.now()
    renderer.render(text)
    return performance.now() - start
  })
  return median(taken)
}
renderer.render(specification)
console.log('time to render, in ms')
table(
  ['text', 'median'],
  [
    ['sample, 2 KB', ms(timed(sample, 20))],
    ['100 KB', ms(timed(ofLength(100 * 1024), 10))],
    ['1 MB', ms(timed(ofLength(1024 * 1024), 3))]
  ]
)

const agmd = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })
const url = `http://127.0.0.1:${agmd.port}`
const koa = await startBare('koa')

const publish = async (text: string): Promise<DocumentAddress> => {
  const place = await createDocument(url, text)
  await fetch(`${url}/api/docs/${place.doc}/publish`, { method: 'POST', headers: { 'x-share-key': place.key } })
  return place
}
const first = async (text: string): Promise<number> => {
  const { doc } = await publish(text)
  const start = performance.now()
  await (await fetch(`${url}/pub/${doc}`)).text()
  return performance.now() - start
}
const firsts: [string, number][] = []
for (const [name, length] of [
  ['100 KB', 100 * 1024],
  ['1 MB, in a thread of its own', 1024 * 1024]
] as const)
  firsts.push([name, median([await first(ofLength(length)), await first(`a ${ofLength(length)}`), await first(`b ${ofLength(length)}`)])])
console.log('\ntime to the first answer, rendered and compressed, in ms')
table(
  ['text', 'median'],
  firsts.map(([name, value]) => [name, ms(value)])
)

// Measures requests per second.
const page = await publish('A line of forty characters, more or less.\n\n'.repeat(190))
const etag = (await fetch(`${url}/pub/${page.doc}`)).headers.get('etag') ?? ''
const get = (path: string, more = ''): Buffer => Buffer.from(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAccept: text/html\r\n${more}\r\n`)
const bareRequest = get('/text')
const plain = get(`/pub/${page.doc}`)
const packed = get(`/pub/${page.doc}`, 'Accept-Encoding: br\r\n')
const known = get(`/pub/${page.doc}`, `If-None-Match: ${etag}\r\n`)
const subjects: [string, number, Requests][] = [
  ['bare koa, 10 KB', koa.port, () => bareRequest],
  ['published page, 10 KB', agmd.port, () => plain],
  ['… compressed', agmd.port, () => packed],
  ['… 304', agmd.port, () => known]
]
for (const [, port, requests] of subjects) await load(port, 16, requests)
const figures = new Map<string, Load[]>()
for (let round = 0; round < rounds; round++)
  for (const [name, port, requests] of subjects) {
    figures.set(name, [...(figures.get(name) ?? []), await load(port, 16, requests)])
    await pause(50)
  }
const perSecond = (name: string): number => median((figures.get(name) ?? []).map((one) => one.perSecond))
const bare = perSecond(subjects[0]?.[0] ?? '')
console.log(`\nrequests per second over 16 connections, median of ${rounds} rounds of ${secondsPerRound} s`)
table(
  ['request', 'per second', 'p99 ms', 'of bare koa', 'failed'],
  subjects.map(([name]) => {
    const all = figures.get(name) ?? []
    return [
      name,
      Math.round(perSecond(name)),
      ms(median(all.map(({ p99 }) => p99))),
      `${Math.round((perSecond(name) / bare) * 100)} %`,
      all.reduce((sum, { failed }) => sum + failed, 0)
    ]
  })
)
koa.stop()
await agmd.stop()
process.exit()
