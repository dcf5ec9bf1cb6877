/** Media jobs of several nodes on one PostgreSQL. Each node has a clock of its own. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { RelayCounts, RelayServer } from '../server/relay/relay.ts'
import { limits } from '../shared/limits.ts'
import { type TestClock, testClock } from './support/clock.ts'
import { samples } from './support/media.ts'
import { type NodeWorlds, startNodeWorlds } from './support/node-worlds.ts'
import { dialIn, newSigned, type ScriptedNode, type Signed } from './support/nodes.ts'
import { noPostgres } from './support/postgres.ts'
import { type Json, startWorld, until, type World } from './support/world.ts'

// Only PostgreSQL has several nodes. `noPostgres` says why its programs are missing, if they are.
describe.skipIf(noPostgres !== undefined)('media jobs of several nodes', () => {
  const clocks = [testClock(), testClock(), testClock()] as const
  let nodes: NodeWorlds
  let worlds: World[]
  let eva: Signed
  let doc: string
  beforeAll(async () => {
    nodes = await startNodeWorlds(3, clocks)
    worlds = nodes.worlds
    eva = await newSigned(worlds[0]!, 'eva@example.org')
    ;({ doc } = await eva.document())
  })
  afterAll(() => nodes?.stop())

  const countsOf = ({ service }: World): RelayCounts => (service.relay as RelayServer).counts()
  const sum = (name: 'done' | 'failed'): number => worlds.reduce((total, world) => total + countsOf(world)[name], 0)
  const ask = (n: number, method: string, path: string, json?: object): Promise<Json> =>
    worlds[n]!.ask(method, `/api/docs/${doc}/media${path}`, { headers: eva.headers, json })
  const statusOf = async (id: string): Promise<string> => (await ask(0, 'GET', `/speak/${id}`)).json.status

  /** Sends a job to the first node. A compute node ends it as the text says. */
  const speak = async (text: string): Promise<string> => {
    const answer = await ask(0, 'POST', '/speak', { text })
    expect(answer.status).toBe(202)
    return answer.json.jobId
  }

  const finish = (node: ScriptedNode, job: number): Promise<void> =>
    node.answer(job, { duration: 1 }, { bytes: samples['wav']!.bytes, contentType: 'audio/wav' })

  const dial = async (world: World): Promise<ScriptedNode> => {
    const compute = await dialIn(world, (await eva.nodeToken()).token, {
      onJob(node, { job, input }) {
        if (input.text === 'done') void finish(node, job)
        if (input.text === 'fail') node.say({ type: 'fail', job, code: 'engine_failed', message: 'no voice' })
      }
    })
    onTestFinished(() => compute.die())
    return compute
  }

  const allSee = (count: number): Promise<void> =>
    until(async () => {
      const { headers } = eva
      const seen = await Promise.all(worlds.map(async (world) => (await world.ask('GET', '/api/relay/status', { headers })).json.nodes))
      return seen.every((found) => found === count)
    }, 'the offers')

  const beatsOf = ({ messages }: ScriptedNode): number => messages.filter(({ type }) => type === 'beat').length
  /** Lets time pass on a node whose compute node answers each beat. */
  const pass = async (clock: TestClock, compute: ScriptedNode, seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds; passed += limits.relayBeatSeconds) {
      const beats = beatsOf(compute)
      clock.advance(limits.relayBeatSeconds * 1000)
      await until(() => beatsOf(compute) > beats, 'the beat')
    }
  }

  test('[NODES-19] a job that another node finished, failed, canceled or timed out counts nowhere', async () => {
    const computes = [await dial(worlds[1]!), await dial(worlds[2]!)] as const
    await allSee(2)
    const jobsNow = (): number => computes[0].jobs.length + computes[1].jobs.length
    const begin = async (text: string): Promise<string> => {
      const before = jobsNow()
      const id = await speak(text)
      await until(() => jobsNow() > before, 'the job')
      return id
    }
    const ends = async (id: string, status: string): Promise<void> => until(async () => (await statusOf(id)) === status, status)
    for (let round = 0; round < 6; round++) {
      await ends(await begin('done'), 'done')
      await ends(await begin('fail'), 'failed')
    }
    const canceled = await begin('hold')
    await ask(2, 'DELETE', `/jobs/${canceled}`)
    await ends(canceled, 'canceled')
    const late = await begin('hold')
    const seconds = limits.mediaSeconds.speech
    await Promise.all([pass(clocks[1], computes[0], seconds), pass(clocks[2], computes[1], seconds)])
    await ends(late, 'failed')
    const isFree = ({ service }: World): boolean => service.relay.openJobs(eva.account.id) === 0
    await until(() => worlds.every(isFree), 'the end of all jobs')
    await until(() => sum('done') === 6 && sum('failed') === 7, 'the counts')

    // The first node would now give the job up if it still waited.
    const long = await begin('hold')
    clocks[0].advance(limits.mediaQueueSecondsMax * 1000)
    for (const compute of computes) if (compute.jobs.length > 0) await finish(compute, compute.jobs.at(-1)!.job)
    await ends(long, 'done')
    await until(() => worlds.every(isFree), 'the end of the last job')
    await until(() => sum('done') === 7, 'the last count')
    expect(sum('failed')).toBe(7)
  })

  test('[NODES-20] when a node ends during a job, the job runs once more on another node', async () => {
    const other = await startWorld({ env: nodes.env, besides: worlds[0]!, clock: testClock() })
    const lost = await dial(other)
    await allSee(1)
    const id = await speak('hold')
    await lost.next()
    const computes = [await dial(worlds[0]!), await dial(worlds[1]!)] as const
    await allSee(3)
    await other.stop()
    await Promise.all([pass(clocks[0], computes[0], 60), pass(clocks[1], computes[1], 60)])
    const runs = (): ScriptedNode[] => computes.filter(({ jobs }) => jobs.length > 0)
    await until(() => runs().length > 0, 'the job')
    for (const compute of runs()) await finish(compute, compute.jobs[0]!.job)
    await until(async () => (await statusOf(id)) === 'done', 'the result')
    expect(computes.flatMap(({ jobs }) => jobs)).toHaveLength(1)
  })
})
