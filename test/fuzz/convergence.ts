/**
 * Convergence fuzz: one seed is one world. Browsers type, delete, leave and return. Agents replace the text, with or without a base version, and restore
 * revisions. Time passes, and the server restarts cleanly or as after a crash. At the end, everyone has the same bytes, and no acknowledged change is
 * missing.
 *
 * The seed decides the operations, but their order on the sockets depends on the machine. A failing seed prints both.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../server/domain/ports.ts'
import { contentAt, formatVersion } from '../../server/domain/text/journal.ts'
import { ServiceError } from '../../shared/errors.ts'
import { start, type World } from '../support/start.ts'
import {
  countTokens,
  createDocument,
  pause,
  putMarkdown,
  type Read,
  readMarkdown,
  seeded,
  type Target,
  TokenLedger,
  Typist
} from '../support/typist.ts'

/** Creates a clock that stands still until it is advanced. */
const turnableClock = (): Clock & { turn(milliseconds: number): void } => {
  let now = Date.UTC(2026, 0, 1)
  const timers = new Set<{ readonly at: number; readonly run: () => void }>()
  return {
    now: () => now,
    after(milliseconds, run) {
      const timer = { at: now + milliseconds, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    turn(milliseconds) {
      now += milliseconds
      for (const timer of [...timers].filter(({ at }) => at <= now).toSorted((one, other) => one.at - other.at))
        if (timers.delete(timer)) timer.run()
    }
  }
}

interface Page {
  readonly created: Target
  /** Texts by version, as they appeared in answers. */
  readonly seen: Map<string, string>
  /** The text that agents read last. */
  read: Read | undefined
}

interface Fuzz {
  readonly random: (below: number) => number
  readonly clock: ReturnType<typeof turnableClock>
  readonly folder: string
  readonly ledger: TokenLedger
  readonly pages: Page[]
  readonly typists: { readonly typist: Typist; readonly page: Page; online: boolean }[]
  /** Tokens that a recorded deletion or replacement may have removed. */
  readonly covered: Set<string>
  /** Requests that have not been answered yet. */
  readonly pending: Set<Promise<void>>
  readonly log: string[]
  world: World
}

const pick = <T>(random: Fuzz['random'], from: readonly T[]): T => from[random(from.length)] as T

const target = (fuzz: Fuzz, page: Page): Target => ({ ...page.created, url: fuzz.world.url })

const see = (page: Page, { version, content }: Read): void => {
  const before = page.seen.get(version)
  if (before !== undefined) assert.equal(content, before, `version ${version} was handed out with two texts`)
  page.seen.set(version, content)
}

/** Runs work alongside the next operations. It is not a failure if the server stops while answering. */
const meanwhile = (fuzz: Fuzz, work: () => Promise<void>): void => {
  const promise = work()
    .catch((error: unknown) => {
      if (!(error instanceof TypeError) && !/: (500|503) /.test(String(error))) throw error
    })
    .finally(() => fuzz.pending.delete(promise))
  fuzz.pending.add(promise)
  promise.catch(() => undefined)
}

const settlePending = async (fuzz: Fuzz): Promise<void> => {
  await Promise.all(fuzz.pending)
}

// ——— operations ———

const type = (fuzz: Fuzz): string => {
  const { typist } = pick(fuzz.random, fuzz.typists)
  const count = 1 + fuzz.random(4)
  const tokens = Array.from({ length: count }, () => typist.typeToken(fuzz.random(typist.text.length + 1)))
  return `${typist.name} types ${tokens.join(' ')}`
}

/** Deletes complete lines, because half a token could form another token with its neighbors. */
const erase = (fuzz: Fuzz): string => {
  const { typist } = pick(fuzz.random, fuzz.typists)
  const content = typist.text.toString()
  const lines = content.split('\n').length - 1
  if (lines === 0) return `${typist.name} has nothing to delete`
  const first = fuzz.random(lines)
  const kept = content.split('\n')
  const removed = kept.splice(first, 1 + fuzz.random(fuzz.random(8) === 0 ? lines : 3))
  const from = content.split('\n').slice(0, first).join('\n').length + (first > 0 ? 1 : 0)
  const length = Math.min(removed.join('\n').length + 1, content.length - from)
  for (const token of countTokens(content.slice(from, from + length)).keys()) fuzz.covered.add(token)
  typist.text.delete(from, length)
  return `${typist.name} deletes ${length} at ${from}`
}

const leave = (fuzz: Fuzz): string => {
  const person = pick(fuzz.random, fuzz.typists)
  const abrupt = fuzz.random(2) === 0
  person.online = false
  person.typist.disconnect(abrupt)
  return `${person.typist.name} goes offline${abrupt ? ' abruptly' : ''}`
}

const comeBack = (fuzz: Fuzz): string => {
  const person = fuzz.typists.find(({ online }) => !online)
  if (person === undefined) return type(fuzz)
  person.online = true
  person.typist.connect(target(fuzz, person.page))
  return `${person.typist.name} comes back`
}

const agentReads = (fuzz: Fuzz): string => {
  const page = pick(fuzz.random, fuzz.pages)
  meanwhile(fuzz, async () => {
    page.read = await readMarkdown(target(fuzz, page))
    see(page, page.read)
  })
  return `an agent reads ${fuzz.pages.indexOf(page)}`
}

/** Appends to the text that was read last, which may be old. The answer may be 200 only if no other change came in between. */
const agentAppends = (fuzz: Fuzz): string => {
  const page = pick(fuzz.random, fuzz.pages)
  const fresh = fuzz.random(3) > 0
  const token = fuzz.ledger.make('a0')
  meanwhile(fuzz, async () => {
    const base = fresh ? await readMarkdown(target(fuzz, page)) : page.read
    if (base === undefined) return
    see(page, base)
    const content = `${base.content}${base.content === '' || base.content.endsWith('\n') ? '' : '\n'}${token}\n`
    const { status, body } = await putMarkdown(target(fuzz, page), content, base.version, 'agent')
    if (status === 200) {
      fuzz.ledger.acknowledged.add(token)
      see(page, { content, version: body.version ?? '' })
    } else assert.ok([409, 500, 503].includes(status), `a PUT answered ${status} ${JSON.stringify(body)}`)
  })
  return `an agent appends ${token} to ${fuzz.pages.indexOf(page)}${fresh ? '' : ' on an old base'}`
}

const coverAllMade = (fuzz: Fuzz): void => {
  for (const token of fuzz.ledger.made) fuzz.covered.add(token)
}

/** Replaces any text: drops, moves and duplicates lines, adds emoji, or removes the final line break. */
const agentReplaces = (fuzz: Fuzz): string => {
  const page = pick(fuzz.random, fuzz.pages)
  const { random } = fuzz
  const base = page.read?.content ?? '# Replaced\n'
  const lines = base.split('\n').filter(() => random(4) > 0)
  if (lines.length > 1) lines.splice(random(lines.length), 0, ...lines.splice(random(lines.length), 1))
  lines.splice(random(lines.length + 1), 0, pick(random, ['', 'α𝛽🙂', '- [ ] task', '🙃', '# Title', '```\ncode\n```']))
  const content = lines.join('\n')
  meanwhile(fuzz, async () => {
    const { status, body } = await putMarkdown(target(fuzz, page), content, undefined, 'agent')
    coverAllMade(fuzz)
    assert.ok([200, 500, 503].includes(status), `a PUT answered ${status} ${JSON.stringify(body)}`)
    if (status === 200) see(page, { content, version: body.version ?? '' })
  })
  coverAllMade(fuzz)
  return `an agent replaces ${fuzz.pages.indexOf(page)} by ${JSON.stringify(content.slice(0, 80))}`
}

const agentRestores = (fuzz: Fuzz): string => {
  const page = pick(fuzz.random, fuzz.pages)
  const revision = 1 + fuzz.random(6)
  meanwhile(fuzz, async () => {
    const { url, doc, key } = target(fuzz, page)
    const answer = await fetch(`${url}/api/docs/${doc}/restore`, {
      method: 'POST',
      headers: { 'X-Share-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ revision })
    })
    await answer.text()
    coverAllMade(fuzz)
    assert.ok([200, 404, 500, 503].includes(answer.status), `a restore answered ${answer.status}`)
  })
  coverAllMade(fuzz)
  return `an agent restores revision ${revision} of ${fuzz.pages.indexOf(page)}`
}

const timePasses = (fuzz: Fuzz): string => {
  const seconds = pick(fuzz.random, [1, 2, 6, 31, 61, 601])
  fuzz.clock.turn(seconds * 1000)
  return `${seconds} s pass`
}

/** Simulates a crash. From now on nothing reaches the disk, and nothing is cleaned up. */
const die = (world: World): void => {
  world.service.storage.commit = () =>
    Promise.reject(new ServiceError('storage_unavailable', {}, { cause: new Error('the fuzz ended it') }))
}

/** Stops the server. The clock advances meanwhile, because the time limits of the server depend on it. */
const stopWorld = async ({ world, clock }: Fuzz): Promise<void> => {
  const ticking = setInterval(() => clock.turn(500), 100)
  await world.stop().finally(() => clearInterval(ticking))
}

const restart = async (fuzz: Fuzz, abrupt: boolean): Promise<string> => {
  if (abrupt) die(fuzz.world)
  else if (fuzz.random(2) === 0) await settlePending(fuzz)
  await stopWorld(fuzz)
  await settlePending(fuzz)
  fuzz.world = await startWorld(fuzz)
  for (const { typist, page, online } of fuzz.typists) {
    typist.disconnect(true)
    if (online) typist.connect(target(fuzz, page))
  }
  return abrupt ? 'the server dies and starts' : 'the server restarts'
}

const weights: readonly [number, (fuzz: Fuzz) => string | Promise<string>][] = [
  [40, type],
  [9, erase],
  [8, leave],
  [10, comeBack],
  [6, agentReads],
  [10, agentAppends],
  [2, agentReplaces],
  [2, agentRestores],
  [8, timePasses],
  [1, (fuzz) => restart(fuzz, false)],
  [1, (fuzz) => restart(fuzz, true)]
]

const weightSum = weights.reduce((sum, [weight]) => sum + weight, 0)

const operate = (fuzz: Fuzz): string | Promise<string> => {
  let at = fuzz.random(weightSum)
  for (const [weight, run] of weights) {
    if (at < weight) return run(fuzz)
    at -= weight
  }
  return type(fuzz)
}

// ——— checks at the end ———

const checkTokens = (fuzz: Fuzz, texts: readonly string[]): void => {
  const counts = countTokens(texts.join('\n'))
  const twice = [...counts].filter(([, count]) => count > 1).map(([token]) => token)
  const lost = [...fuzz.ledger.acknowledged].filter((token) => !counts.has(token) && !fuzz.covered.has(token))
  assert.deepEqual({ twice, lost }, { twice: [], lost: [] })
}

interface EventRow {
  readonly seq: number
  readonly kind: string
  readonly payload: { readonly fromVersion?: string; readonly toVersion?: string }
}

/** Checks that the event cursors have no gaps, and that the content events lead from each version to the next. */
const checkEvents = async (fuzz: Fuzz, page: Page): Promise<void> => {
  const { url, doc, key } = target(fuzz, page)
  const events: EventRow[] = []
  for (;;) {
    const answer = await fetch(`${url}/api/docs/${doc}/events?since=${events.at(-1)?.seq ?? 0}`, { headers: { 'X-Share-Key': key } })
    const found = (await answer.json()) as { events: EventRow[] }
    if (found.events.length === 0) break
    events.push(...found.events)
  }
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1)
  )
  const changes = events.filter(({ payload }) => payload.toVersion !== undefined)
  for (const [index, { payload }] of changes.entries())
    if (index > 0) assert.equal(payload.fromVersion, changes[index - 1]?.payload.toVersion, `the chain of content events at ${index}`)
}

const checkVersions = async (fuzz: Fuzz, page: Page): Promise<void> => {
  for (const [version, content] of page.seen)
    assert.equal((await readMarkdown(target(fuzz, page), version)).content, content, `the text of ${version}`)
}

const checkJournal = async (fuzz: Fuzz, page: Page, read: Read): Promise<void> => {
  const { service } = fuzz.world
  const head = await service.ledger.head(page.created.doc)
  assert.equal(formatVersion(head), read.version)
  assert.equal(await contentAt(service.storage, page.created.doc, head), read.content, 'the journal replayed')
}

const converge = async (fuzz: Fuzz): Promise<string[]> => {
  await settlePending(fuzz)
  for (const person of fuzz.typists) {
    person.online = true
    person.typist.connect(target(fuzz, person.page))
  }
  for (const { typist } of fuzz.typists) await typist.whenSettled()
  const texts: string[] = []
  for (const page of fuzz.pages) {
    const read = await readMarkdown(target(fuzz, page))
    see(page, read)
    for (const { typist } of fuzz.typists.filter((each) => each.page === page))
      await typist.until(() => typist.text.toString() === read.content, `the text of page ${fuzz.pages.indexOf(page)}`)
    await checkJournal(fuzz, page, read)
    texts.push(read.content)
  }
  return texts
}

const startWorld = ({ folder, clock }: { readonly folder: string; readonly clock: Clock }): Promise<World> =>
  start({ folder, clock, env: { AGMD_LOG_LEVEL: 'warn' } })

const play = async (fuzz: Fuzz, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step++) {
    fuzz.log.push(await operate(fuzz))
    if (fuzz.random(3) === 0) await pause(fuzz.random(4))
  }
  const texts = await converge(fuzz)
  checkTokens(fuzz, texts)
  // Everything that was still due has happened by this time. The text must come from the disk alone.
  fuzz.clock.turn(1_500)
  for (const { typist } of fuzz.typists) typist.disconnect()
  await stopWorld(fuzz)
  fuzz.world = await startWorld(fuzz)
  for (const [index, page] of fuzz.pages.entries()) {
    const read = await readMarkdown(target(fuzz, page))
    assert.equal(read.content, texts[index], 'the text after a restart')
    await checkJournal(fuzz, page, read)
    await checkVersions(fuzz, page)
    await checkEvents(fuzz, page)
  }
}

/** Runs one seed. Throws the first fault, with the seed and its operations. */
export const converges = async (seed: number, steps?: number): Promise<void> => {
  const random = seeded(seed)
  const folder = await mkdtemp(join(tmpdir(), 'agmd-fuzz-'))
  const clock = turnableClock()
  const world = await startWorld({ folder, clock })
  const fuzz: Fuzz = {
    random,
    clock,
    folder,
    world,
    ledger: new TokenLedger(),
    pages: [],
    typists: [],
    covered: new Set(),
    pending: new Set(),
    log: []
  }
  try {
    for (const content of ['# One\n', '']) {
      const created = await createDocument(world.url, content)
      const page: Page = { created, seen: new Map([[created.version, content]]), read: undefined }
      fuzz.pages.push(page)
      for (let n = 2 + random(2); n > 0; n--)
        fuzz.typists.push({ typist: new Typist(`c${fuzz.typists.length}`, created, fuzz.ledger), page, online: true })
    }
    for (const { typist } of fuzz.typists) typist.connect()
    await play(fuzz, steps ?? 25 + random(35))
  } catch (error) {
    const warnings = fuzz.world.lines.slice(-5).join('')
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n${fuzz.log.join('\n')}\n${warnings}`, {
      cause: error
    })
  } finally {
    for (const { typist } of fuzz.typists) typist.destroy()
    await Promise.allSettled(fuzz.pending)
    await stopWorld(fuzz)
    await rm(folder, { recursive: true, force: true })
  }
}
