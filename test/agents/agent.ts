/** A scripted agent that received a link. It knows the guide, follows the answers of the service, and counts its calls. */
import { expect } from 'vitest'
import type { Machine, Ran } from '../support/cli.ts'
import type { Json } from '../support/world.ts'

/** A call in the form in which the service suggests it: `POST https://… {"field": …}`. */
export interface NamedCall {
  readonly method: string
  readonly url: string
  readonly body: string | undefined
}

export interface Agent {
  /** The guide, which is all that the agent knows about the service. */
  readonly guide: string
  /** The answer that the agent gets for its link. */
  readonly head: string
  readonly text: string
  calls(): number
  bytes(): number
  /** Returns the call that `head` lists under a name, with its body filled in. */
  told(name: string): NamedCall
  /** Makes a suggested call with the key of the link and the agent's name. */
  do(call: NamedCall, body?: Json): Promise<Json>
  /** Runs a shell command. `mayEnd` is an exit code that is accepted as well, such as that of a conflict. */
  run(machine: Machine, line: string, mayEnd?: number): Promise<Ran>
}

/** Finds a call in a sentence written by the service. */
export const callIn = (sentence: string): NamedCall => {
  const found = /(GET|POST|PUT|PATCH|DELETE) (https?:\/\/[^\s;]+)(?: (\{.*\}))?/.exec(sentence)
  if (found === null) throw new Error(`no call in: ${sentence}`)
  const [, method = '', url = '', body] = found
  return { method, url, body }
}

export const newAgent = async (link: string, { reads = true }: { readonly reads?: boolean } = {}): Promise<Agent> => {
  let [calls, bytes] = [0, 0]
  const key = new URL(link).searchParams.get('key') ?? ''
  const count = (answer: string): string => {
    calls++
    bytes += Buffer.byteLength(answer)
    return answer
  }
  const ask = async (url: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(url, init)
    const answer = count(await response.text())
    expect(response.status, `${init.method ?? 'GET'} ${url}: ${answer}`).toBeLessThan(300)
    return answer
  }
  const guide = await ask(`${new URL(link).origin}/agents.md`)
  const opened = reads ? await ask(link) : ''
  const end = opened.indexOf('-->\n')
  const [head, text] = [opened.slice(0, Math.max(end, 0)), opened.slice(end + 4)]
  return {
    guide,
    head,
    text,
    calls: () => calls,
    bytes: () => bytes,
    told(name) {
      const line = head.split('\n').find((each) => each.startsWith(`${name}: `))
      if (line === undefined) throw new Error(`the head tells no ${name}: ${head}`)
      return callIn(line)
    },
    async do({ method, url }, body) {
      const headers = { 'X-Share-Key': key, 'X-Agent-Author': 'scripted', 'Content-Type': 'application/json' }
      return JSON.parse(await ask(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })) as Json
    },
    async run(machine, line, mayEnd = 0) {
      const ran = await machine.shell(line)
      count(ran.stdout + ran.stderr)
      expect([0, mayEnd], `${line}: ${ran.stderr}`).toContain(ran.code)
      return ran
    }
  }
}
