/** Tests each mistake in the table of slips. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Slip, slips, slipText } from '../support/slips.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const specPath = join(import.meta.dirname, '..', 'SPEC.md')
const [begin, end] = ['<!-- slips -->\n', '<!-- /slips -->']

const outcome = ({ status, becomes, makes, tells = '' }: Slip): string =>
  `${status}${tells === '' ? '' : `, with \`${tells.replaceAll('\\', '').replaceAll('`', '')}\``}${becomes !== undefined || makes === true ? '; understood' : ''}`

const table = [
  '| mistake | request | response |',
  '|---|---|---|',
  ...slips.map((slip) => `| ${slip.slip} | \`${slip.method} ${slip.path.replace('/api/docs/{id}', '…')}\` | ${outcome(slip)} |`),
  ''
].join('\n')

test('[SLIP-10] the table has at least sixty slips, and is the tested one', async () => {
  const spec = await readFile(specPath, 'utf8')
  const [from, to] = [spec.indexOf(begin) + begin.length, spec.indexOf(end)]
  if (process.env['AGMD_UPDATE_SNAPSHOTS'] === '1') await writeFile(specPath, `${spec.slice(0, from)}\n${table}\n${spec.slice(to)}`)
  else expect(spec.slice(from, to).trim()).toBe(table.trim())
  expect(slips.length).toBeGreaterThanOrEqual(60)
})

test.each(slips.map((slip) => [slip.slip, slip] as const))(
  '[SLIP-10] %s',
  async (_name, { method, path, what = {}, withKey = true, ...slip }) => {
    const owner = await world.create(slipText)
    const fill = (text: string): string => text.replaceAll('{id}', owner.doc).replaceAll('{key}', owner.key)
    const headers = Object.fromEntries(Object.entries(what.headers ?? {}).map(([name, value]) => [name, fill(value)]))
    const before = await owner.events()
    const answer = await world.ask(method, fill(path), { ...what, headers, ...(withKey && { key: owner.key }) })
    expect(answer.status, answer.text).toBe(slip.status)
    expect(answer.text.replaceAll(owner.doc, '{id}')).toContain(slip.tells ?? '')
    expect((await owner.read()).content).toBe(slip.becomes ?? slipText)
    if (slip.becomes === undefined && slip.makes !== true) expect((await owner.events()).latest).toBe(before.latest)
    if (slip.status < 400) return
    // Every refusal names the next step.
    expect(answer.json).toMatchObject({ code: expect.any(String), hint: expect.stringMatching(/\w{3}/) })
  }
)
