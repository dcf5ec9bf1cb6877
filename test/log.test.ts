import { expect, test } from 'vitest'
import { setImmediate } from 'node:timers/promises'
import { collectTurns, createLog, logRecordBytesMax, type LogFields, type LogOptions } from '../server/log.ts'

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5, 678)

function logged(options: Partial<LogOptions> = {}) {
  const lines: string[] = []
  const log = createLog({ level: 'debug', format: 'json', now, write: (line) => lines.push(line), ...options })
  return { lines, log }
}

function json(message: string, fields: LogFields): Record<string, unknown> {
  const { log, lines } = logged()
  log.info(message, fields)
  return JSON.parse(lines.join(''))
}

function pretty(message: string, fields: LogFields = {}): string {
  const { log, lines } = logged({ format: 'pretty' })
  log.warn(message, fields)
  return lines.join('')
}

test('[LOG-1] a JSON record is one line: time, level, message, then the fields', () => {
  const { log, lines } = logged()
  log.info('request', { method: 'GET', status: 200, path: undefined })
  log.with({ requestId: 'r1' }).error('failed', { status: 500 })
  expect(lines).toEqual([
    '{"time":"2026-01-02T03:04:05.678Z","level":"info","message":"request","method":"GET","status":200}\n',
    '{"time":"2026-01-02T03:04:05.678Z","level":"error","message":"failed","requestId":"r1","status":500}\n'
  ])
})

test('[LOG-2] a pretty record is one line that quotes values where necessary', () => {
  expect(pretty('slow disk', { path: '/d/abc', note: 'a b', ms: 12 })).toBe('03:04:05.678 WARN  slow disk path=/d/abc note="a b" ms=12\n')
})

test('[LOG-3] records below the level are not written', () => {
  const { log, lines } = logged({ level: 'warn' })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level)
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['warn', 'error'])
})

const secret = 'Zm9vYmFyYmF6'
const carriers: LogFields[] = [
  { url: `/d/abc?key=${secret}` },
  { url: `https://x.org/d/abc?a=1&token=${secret}&b=2` },
  { url: `/auth/callback?code=${secret}#key=${secret}` },
  { url: `/sign-in?return=%2Fd%2Fabc%3Fkey%3D${secret}%26a%3D1` },
  { url: new URL(`http://x.org/?access_token=${secret}`) },
  { query: { key: secret, token: secret, code: secret } },
  { headers: { authorization: `Bearer ${secret}`, 'X-Share-Key': secret, Cookie: `session=${secret}` } },
  { headers: new Headers({ authorization: `Basic ${secret}` }) },
  { raw: `X-Share-Key: ${secret}\r\nHost: x` },
  { text: `sent asess_${secret} and ai_${secret}` },
  { list: [[{ token: secret }]] },
  { body: JSON.stringify({ access_token: secret }) },
  { [`ai_${secret}`]: 1 },
  { error: new Error(`no share ?key=${secret}`, { cause: new Error(`Bearer ${secret}`) }) }
]

test.each(carriers)('[LOG-4] keys, tokens, codes and credentials are redacted everywhere: %j', (fields) => {
  const { log, lines } = logged()
  log.info('request', fields)
  log.info(`request ${Object.values(fields).join(' ')}`)
  const { log: people, lines: shown } = logged({ format: 'pretty' })
  people.info('request', fields)
  expect([...lines, ...shown].join('')).not.toContain(secret)
})

test('[LOG-5] other values stay: parameters, error codes, words like key', () => {
  const fields = { url: '/d/abc?wait=5&since=3', code: 'not_found', key: ['d', 'abc'], text: 'press any key = ok', model: 'ai_small' }
  expect(json('request', fields)).toMatchObject(fields)
  expect(json('request', { url: `/d/abc?key=${secret}&wait=5` }).url).toBe('/d/abc?key=[redacted]&wait=5')
})

test('[LOG-6] no text can forge a record or control a terminal', () => {
  const text = 'a\r\nb\u001b[31m\u009b31m\u007f\u2028c'
  const { log, lines } = logged()
  log.info(text, { text, [text]: 1 })
  expect(lines.join('')).toMatch(/^[^\r\n\u001b\u007f-\u009f\u2028]*\n$/)
  expect(JSON.parse(lines.join('')).text).toBe(text)
  expect(pretty(text, { text, [text]: 1 })).toMatch(/^[^\r\n\u001b\u007f-\u009f\u2028]*\n$/)
})

test('[LOG-7] a record has at most 8 KiB; the longest fields are truncated and named', () => {
  const record = json('request', { requestId: 'r1', body: 'ö'.repeat(10_000), status: 500 })
  expect(record).toMatchObject({ message: 'request', requestId: 'r1', status: 500, cut: ['body'] })
  for (const format of ['json', 'pretty'] as const) {
    const { log, lines } = logged({ format })
    log.info(
      '\u0001'.repeat(100_000),
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}`.padEnd(200, '\u0002'), '\u0003'.repeat(n)]))
    )
    expect(Buffer.byteLength(lines.join(''))).toBeLessThanOrEqual(logRecordBytesMax)
  }
})

test('[LOG-8] an error is logged with name, message, code, stack and cause; pretty indents the stack', () => {
  const error = Object.assign(new TypeError('broken', { cause: new Error('disk') }), { code: 'EIO' })
  expect(json('failed', { error }).error).toMatchObject({ name: 'TypeError', message: 'broken', code: 'EIO', cause: { message: 'disk' } })
  expect(pretty('failed', { error })).toMatch(/^\S+ WARN {2}failed error=broken\n {4}TypeError: broken\n {4}at .*\n$/s)
})

test('[LOG-9] any value can be logged: cycles, big integers, bytes, functions, invalid dates', () => {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const fields = {
    cycle,
    big: 10n,
    nan: NaN,
    bytes: new Uint8Array(3),
    date: new Date(NaN),
    map: new Map([[1, 2]]),
    run: () => 1,
    symbol: Symbol('s')
  }
  expect(json('odd', fields)).toMatchObject({ big: '10', nan: 'NaN', bytes: '[3 bytes]', date: 'Invalid Date', symbol: 'Symbol(s)' })
  expect(pretty('odd', fields)).toContain('odd')
})

test('[LOG-10] fields cannot replace time, level or message', () => {
  expect(json('real', { time: 1, level: 'x', message: 'forged' })).toMatchObject({ level: 'info', message: 'real' })
})

test('[LOG-11] the records of one turn are written together after it, and the rest when the process exits', async () => {
  const written: string[] = []
  const { write, flush } = collectTurns((lines) => written.push(lines))
  const log = createLog({ level: 'info', format: 'pretty', write, now })
  log.info('one')
  log.info('two')
  expect(written).toEqual([])
  await setImmediate()
  expect(written).toEqual(['03:04:05.678 INFO  one\n03:04:05.678 INFO  two\n'])
  log.info('three')
  flush()
  expect(written).toHaveLength(2)
  expect(written[1]).toContain('three')
  await setImmediate()
  expect(written).toHaveLength(2)
})
