/**
 * Programs and people in one document, each in a section of their own. AGMD_TEST_SOAK_SECONDS sets a longer run: AGMD_TEST_SOAK_SECONDS=60 node
 * node_modules/vitest/vitest.mjs run --project faults test/faults/agents.test.ts
 */
import { expect, test } from 'vitest'
import { call } from '../support/mcp.ts'
import { start } from '../support/start.ts'
import { countTokens, createDocument, pause, readMarkdown, seeded, type Target, TokenLedger, Typist } from '../support/typist.ts'

const seconds = Number(process.env['AGMD_TEST_SOAK_SECONDS'] ?? 4)
const agentCount = 8
const peopleCount = 4

const section = (title: string): string => `## ${title}\n\n${'A line of forty characters, more or less.\n'.repeat(195)}\n`
const titles = [
  ...Array.from({ length: agentCount }, (_, n) => `Agent ${n}`),
  ...Array.from({ length: peopleCount }, (_, n) => `Person ${n}`)
]
const text = titles.map(section).join('')

interface Edit {
  readonly op: 'insert' | 'replace' | 'delete'
  readonly find?: string
  readonly with?: string
  readonly after?: string
  readonly markdown?: string
}

/** Makes edits over HTTP or MCP. Returns the code of a refusal. */
type Door = (target: Target, edits: readonly Edit[], baseVersion: string, author: string) => Promise<string | undefined>

const byHttp: Door = async ({ url, doc, key }, operations, baseVersion, author) => {
  const answer = await fetch(`${url}/api/docs/${doc}/edits`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Share-Key': key, 'X-Agent-Author': author },
    body: JSON.stringify({ operations, baseVersion })
  })
  const { code } = (await answer.json()) as { code?: string }
  return answer.ok ? undefined : `${answer.status} ${code}`
}

const byMcp: Door = async ({ url, doc, key }, edits, baseVersion, author) => {
  const { isError, structuredContent } = await call(url, 'replace_doc', { doc, key, edits, baseVersion, author })
  return isError === true ? structuredContent.error.code : undefined
}

test(
  '[FAULT-9] 8 programs and 4 people, each in a section of a 100 KB document: no edit is refused, lost or duplicated',
  { timeout: (seconds + 60) * 1000 },
  async () => {
    expect(text.length).toBeGreaterThan(98_000)
    const world = await start()
    const target = await createDocument(world.url, text)
    const ledger = new TokenLedger()
    const typists = Array.from({ length: peopleCount }, (_, n) => new Typist(`p${n}`, target, ledger))
    for (const typist of typists) typist.connect()
    for (const typist of typists) await typist.whenSynced()
    const end = performance.now() + seconds * 1000
    const refusals: string[] = []
    const gone = new Set<string>()
    const edits = { made: 0 }

    const person = async (typist: Typist, n: number): Promise<void> => {
      const random = seeded(n)
      while (performance.now() < end) {
        const at = typist.text.toString().indexOf(`## Person ${n}`)
        typist.typeToken(at + 20 + random(7000))
        await pause(20 + random(60))
      }
    }

    const program = async (n: number): Promise<void> => {
      const random = seeded(100 + n)
      const door = n % 2 === 0 ? byHttp : byMcp
      // On a busy machine the first rounds may take longer than the time.
      for (let round = 0; round < 2 || performance.now() < end; round++) {
        // One read serves several edits, while the others continue to write.
        const { content, version } = await readMarkdown(target)
        const own = [...countTokens(content).keys()].filter((token) => token.startsWith(`⟦a${n}-`)).toSorted(() => random(3) - 1)
        for (let turn = 0; turn < 3; turn++) {
          const token = ledger.make(`a${n}`)
          const [replaced, deleted] = [own.pop(), random(4) === 0 ? own.pop() : undefined]
          const operations: Edit[] = [
            replaced === undefined
              ? { op: 'insert', after: `## Agent ${n}\n\n`, markdown: `${token}\n` }
              : { op: 'replace', find: replaced, with: token },
            ...(replaced === undefined
              ? []
              : [{ op: 'insert', after: `## Agent ${n}\n\n`, markdown: `${ledger.make(`a${n}`)}\n` } as const]),
            ...(deleted === undefined ? [] : [{ op: 'delete', find: `${deleted}\n` } as const])
          ]
          const refusal = await door(target, operations, version, `agent ${n}`)
          if (refusal !== undefined) refusals.push(`agent ${n}: ${refusal}`)
          edits.made += operations.length
          for (const former of [replaced, deleted]) if (former !== undefined) gone.add(former)
          await pause(random(30))
        }
      }
    }

    await Promise.all([...typists.map(person), ...Array.from({ length: agentCount }, (_, n) => program(n))])
    for (const typist of typists) await typist.whenSettled(30)
    const { content } = await readMarkdown(target)
    for (const typist of typists) await typist.until(() => typist.text.toString() === content, 'the common text')
    expect(refusals.join('; ')).toBe('')
    const counts = countTokens(content)
    expect([...ledger.made].filter((token) => counts.get(token) !== (gone.has(token) ? undefined : 1))).toEqual([])
    // Without the tokens, the text is unchanged.
    expect(content.replace(/⟦[a-z]+\d+-\d{6}⟧\n/g, '')).toBe(text)
    // Each token is in the section of its writer.
    for (const [n, title] of titles.entries()) {
      const body = content.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? ''
      const own = n < agentCount ? `⟦a${n}-` : `⟦p${n - agentCount}-`
      expect([...countTokens(body).keys()].filter((token) => !token.startsWith(own))).toEqual([])
    }
    expect(edits.made).toBeGreaterThan(agentCount * 3)
    console.log(`${edits.made} edits by programs and ${ledger.made.size} marks in ${seconds} s`)
    for (const typist of typists) typist.destroy()
    await world.stop()
  }
)
