/** Runs attacks on the event loop of a real server in a separate process, one after another, and measures the turns that each attack causes. */
import { join } from 'node:path'
import type { Operation } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { isLong } from './repeats.ts'
import { type ProcessWorld, startProcess } from './start.ts'
import type { Turns } from './loop-watch.ts'
import { type Target, Typist } from './typist.ts'
import { type Answer, ask, type Ask } from './world.ts'

export interface Watched extends ProcessWorld {
  /** Returns the turns since the last call. */
  turns(): Promise<Turns>
}

export const startWatched = async (env: Readonly<Record<string, string>> = {}): Promise<Watched> => {
  const world = await startProcess({ preload: join(import.meta.dirname, 'loop-watch.ts'), env: { AGMD_LOG_LEVEL: 'info', ...env } })
  const turns = (): Promise<Turns> =>
    new Promise((resolve) => {
      world.child.once('message', (told) => resolve(told as Turns))
      world.child.send('turns')
    })
  return { ...world, turns }
}

export interface Measured {
  readonly name: string
  /** Longest turn of the event loop, in milliseconds of CPU time. */
  readonly turn: number
  /** The 99.9th percentile of the turns, in milliseconds of CPU time. */
  readonly p999: number
  /** Slowest probe of `GET /api/health`, in milliseconds. */
  readonly probe: number
  readonly seconds: number
  /** Resident memory after the attack, in bytes. */
  readonly rss: number
  readonly said: string
}

/** Requests the health of the service repeatedly. Returns a function that stops the requests and returns the slowest time. */
const probing = (url: string): (() => Promise<number>) => {
  let running = true
  let slowest = 0
  const run = async (): Promise<void> => {
    while (running) {
      const start = performance.now()
      await (await fetch(`${url}/api/health`)).arrayBuffer()
      slowest = Math.max(slowest, performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const done = run()
  return async () => {
    running = false
    await done
    return slowest
  }
}

/** Runs one attack and returns its figures. */
export const measure = async (server: Watched, name: string, attack: () => Promise<string>): Promise<Measured> => {
  await server.turns()
  const stop = probing(server.url)
  const start = performance.now()
  const said = await attack().catch((error: unknown) => `failed: ${String(error)}`)
  const seconds = (performance.now() - start) / 1000
  const probe = await stop()
  const { count, longest, rss } = await server.turns()
  const p999 = longest[Math.floor(count / 1000)] ?? 0
  return { name, turn: longest[0] ?? 0, p999, probe, seconds, rss, said }
}

// ——— hostile texts ———

const unitsMax = 4 * 1024 * 1024
const filled = (piece: string, units = unitsMax): string => piece.repeat(Math.floor(units / piece.length))
const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_none, index) => line(index)).join('')

/** Expensive texts. Each is as large as a document may be, or as large as is useful for the test. */
export const families: Readonly<Record<string, () => string>> = {
  headings: () => filled('#\n', 2 * 1024 * 1024),
  titled: () => lines(180_000, (index) => `# ${index}\n\nx\n\n`).slice(0, unitsMax),
  setext: () => filled('a\n=\n'),
  'empty lines': () => filled('\n', 2_000_000),
  'one line': () => filled('word '),
  spaces: () => `# ${' '.repeat(4_000_000)}\u2028`,
  brackets: () => `# ${filled('[', 4_000_000)}`,
  comments: () => filled('<!--'),
  'nested maths': () => filled('> $$x\n'),
  'listed maths': () => filled('- $$x\n'),
  'nested quotes': () => `${'> '.repeat(2000)}x\n`.repeat(500),
  fences: () => filled('```chat\n@x\n```\n'),
  board: () => `\`\`\`board\n${filled('## x\n- [ ] y\n', 4_000_000)}\`\`\`\n`,
  chat: () => `\`\`\`chat\n${lines(60_000, (index) => `[2026-01-01 10:00] Ana: @Bob ${index}\n`)}\`\`\`\n`,
  sheet: () =>
    lines(
      50,
      (sheet) =>
        `\`\`\`sheet id=s${sheet}\n${lines(200, (row) => `${row},=SUM(A1:A200),=B${row + 1}*2,=s${(sheet + 1) % 50}!A1\n`)}\`\`\`\n`
    ),
  'distinct lines': () => lines(300_000, (index) => `line ${index}\n`),
  'like lines': () => lines(1_000_000, (index) => `${index % 7}\n`),
  prose: () =>
    lines(40_000, (index) => `Paragraph ${index} has some words, *marks* and a [link](https://x.example/${index}).\n\n`).slice(0, unitsMax)
}

/** Returns text in another order, which is the slowest case for a comparison of lines. */
export const reordered = (text: string): string => {
  const all = text.split('\n')
  const half = Math.floor(all.length / 2)
  return [...all.slice(half), ...all.slice(0, half).toReversed()].join('\n')
}

/** Changes every third line of the text, which makes many small changes. */
export const sprinkled = (text: string): string =>
  text
    .split('\n')
    .map((line, index) => (index % 3 === 0 ? `${line}!` : line))
    .join('\n')
    .slice(0, unitsMax)

// ——— hostile JSON ———

export const hostileJson: Readonly<Record<string, () => string>> = {
  'a million keys': () => `{${lines(1_000_000, (index) => `"k${index}":1,`)}"content":"x"}`,
  'a million keys that are slips': () => `{${lines(600_000, (index) => `"content${index % 10}${index}":1,`)}"content":"x"}`,
  'empty objects': () => `{"content":[${filled('{},', 15_000_000)}{}]}`,
  numbers: () => `{"content":[${filled('1,', 15_000_000)}1]}`,
  'deep arrays': () => `{"content":${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}}`,
  'deep objects': () => `{"content":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
  'escaped text': () => `{"content":"${filled('\\u0061', 15_000_000)}"}`,
  'escaped quotes': () => `{"content":"${filled('\\"', 15_000_000)}"}`,
  'carriage returns': () => `{"content":"${filled('\\r', 15_000_000)}"}`,
  'a long name': () => `{"${filled('a', 15_000_000)}":1}`,
  'long names': () => `{${lines(200, (index) => `"${filled('ab', 70_000)}${index}":1,`)}"content":"x"}`,
  'no end': () => `{"content":"${filled('a', 15_000_000)}`,
  'wide text': () => `{"content":"${filled('漢', 5_000_000)}"}`
}

// ——— attacks ———

/** An attack on a server. Resolves with a short description of the outcome. */
export type Attack = () => Promise<string>

/** Longest time that one attack may take, in milliseconds. The machine may be busy, but the server must not be. */
const patienceMs = 120_000

const tell = ({ status, text }: Answer): string => `${status}, ${text.length} characters`

const send = async (url: string, method: string, path: string, what: Ask = {}): Promise<string> =>
  tell(await ask(url, method, path, { ...what, signal: AbortSignal.timeout(patienceMs) }))

const json = 'application/json'
const markdown = 'text/markdown'

/**
 * Returns attacks with hostile bodies: for every operation that accepts a body as large as a document, with the owner's key, and for `/mcp`. The
 * short run sends each body to `/mcp` and to one of the operations, in turn.
 */
export const bodyAttacks = async (url: string): Promise<Map<string, Attack>> => {
  const { id, key } = (await ask(url, 'POST', '/api/docs', { json: { content: '# x\n' } })).json as { id: string; key: string }
  const attacks = new Map<string, Attack>()
  const large = Object.entries(operations as unknown as Readonly<Record<string, Operation>>).filter(([, { rest }]) => rest.large === true)
  for (const [index, [family, make]] of Object.entries(hostileJson).entries()) {
    const body = make()
    for (const [name, { rest }] of isLong ? large : [large[index % large.length]!])
      attacks.set(`${name} with ${family}`, () => send(url, rest.method, rest.path.replace('{id}', id), { key, body, type: json }))
    attacks.set(`/mcp with ${family}`, () => send(url, 'POST', '/mcp', { key, body, type: json }))
  }
  return attacks
}

interface Made {
  readonly id: string
  readonly key: string
  readonly version: string
}

/**
 * Returns attacks with hostile text. The text is stored, read in every way, compared, replaced, merged, restored, published, and opened by a person
 * who types.
 */
export const textAttacks = async (url: string, family: string): Promise<Map<string, Attack>> => {
  const content = families[family]?.() ?? ''
  const made = (await ask(url, 'POST', '/api/docs', { body: content, type: markdown })).json as Made
  const path = `/api/docs/${made.id}`
  const { key } = made
  const viewer = (await ask(url, 'POST', `${path}/shares`, { key, json: { role: 'view' } })).json as { secret: string }
  const get =
    (rest: string): Attack =>
    () =>
      send(url, 'GET', path + rest, { key: viewer.secret })
  const put =
    (body: string, query = '', headers = {}): Attack =>
    () =>
      send(url, 'PUT', `${path}/content${query}`, { key, body, headers, type: markdown })
  const stale = { 'If-Match': made.version }
  const tool =
    (args: object): Attack =>
    () =>
      send(url, 'POST', '/mcp', {
        json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc.read_doc', arguments: { doc: made.id, key, ...args } } }
      })
  const attacks: Record<string, Attack> = {
    create: () => send(url, 'POST', '/api/docs', { body: content, type: markdown }),
    outline: get('/outline'),
    attribution: get('/attribution'),
    'a section': get('/content?section=nothing'),
    'some lines': get('/content?lines=5-2000000'),
    values: get('/content?values=1'),
    text: get('/content'),
    'an excerpt for a tool': tool({}),
    'an outline for a tool': tool({ view: 'outline' }),
    publish: () => send(url, 'POST', `${path}/publish`, { key, json: {} }),
    'the published page': () => send(url, 'GET', `/pub/${made.id}`),
    reorder: put(reordered(content)),
    'a stale replacement': put(sprinkled(content), '', stale),
    'a merge': put(sprinkled(content), '?onConflict=merge', stale),
    'a dry run': put(sprinkled(content), '?dryRun=1'),
    sprinkle: put(sprinkled(content)),
    difference: get(`/diff?from=${made.version}`),
    'changes since': get(`/content?since=${made.version}`),
    'an old version': get(`/content?version=${made.version}`),
    restore: () => send(url, 'POST', `${path}/restore`, { key, json: { revision: 1 } }),
    'a comment on words': () => send(url, 'POST', `${path}/comments`, { key, json: { body: 'x', find: 'words that are not there' } }),
    'a suggestion': () =>
      send(url, 'POST', `${path}/suggestions`, { key, json: { operation: 'replace', find: 'words that are not there', text: 'y' } }),
    'edits by section': () =>
      send(url, 'POST', `${path}/edits`, { key, json: { operations: [{ op: 'append', section: 'not there', markdown: 'x' }] } }),
    'an addition': () => send(url, 'POST', `${path}/edits`, { key, json: { operations: [{ op: 'append', markdown: 'x' }] } }),
    'another text as suggestions': put(reordered(content), '?as=suggestions'),
    'somebody typing': () => typing({ url, doc: made.id, key })
  }
  return new Map(Object.entries(attacks).map(([name, attack]) => [`${family}: ${name}`, attack]))
}

/** Opens the document, types a few words, and leaves once they are saved. */
const typing = async (target: Target): Promise<string> => {
  const typist = new Typist('guard', target)
  typist.connect()
  try {
    await typist.until(() => typist.synced, 'the text', patienceMs / 1000)
    // The document may already have the maximum size, so only as many letters as fit are typed.
    for (let word = 0; word < 5; word++) {
      typist.text.delete(typist.text.length - 2, 2)
      typist.text.insert(typist.text.length, ' x')
    }
    await typist.whenSettled(patienceMs / 1000)
    return `${typist.text.length} units`
  } finally {
    typist.destroy()
  }
}

/** Repeats an attack if a turn was too long. A real weakness appears every time, but a brief delay of the machine does not. */
export const leastOf = async (server: Watched, name: string, attack: Attack, turnMsMax: number, attempts = 3): Promise<Measured> => {
  let best = await measure(server, name, attack)
  for (let left = attempts - 1; left > 0 && best.p999 > turnMsMax; left--) {
    const next = await measure(server, name, attack)
    if (next.p999 < best.p999) best = next
  }
  return best
}
