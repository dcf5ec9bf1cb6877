/** Makes backups under load. `npm run soak backups` does this for longer. */
import { expect, test } from 'vitest'
import { repeats } from '../support/repeats.ts'
import { backUpUnderLoad } from './backing-up.ts'

test('[BACKUP-16] each of several backups under load, restored alone, contains everything acknowledged before it began', async () => {
  const backups = repeats(2, 6)
  const rounds = await backUpUnderLoad({ typists: 8, programs: 2, backups, everySeconds: 0 })
  expect(rounds).toHaveLength(backups)
  for (const { lost, twice, problems } of rounds) expect({ lost, twice, problems }).toEqual({ lost: [], twice: [], problems: 0 })
  expect(rounds.every(({ acknowledged, found }) => acknowledged > 20 && found >= acknowledged)).toBe(true)
  expect(rounds.at(-1)?.acknowledged).toBeGreaterThan(rounds[0]?.found ?? 0)
})
