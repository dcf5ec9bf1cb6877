/** `npm start -- admin migrate`: its arguments, progress and output. `server/storage/migrate.ts` does the work. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { AdminError } from './admin-error.ts'
import type { Config } from './config.ts'
import { migrate, type Progress } from './storage/migrate.ts'
import { addressAllowed, isPostgresAddress } from './storage/postgres/address.ts'

const help = `usage: npm start -- admin migrate --from STORE --to STORE [--json]

Moves all documents and accounts between the LMDB store of a data folder and PostgreSQL. Stop the server first. The secret and the assets stay in the
data folder. You can interrupt the command, and run it again to continue. At the end it compares both stores record by record.

  STORE   a data folder; or postgres, for the address in AGMD_STORAGE or in the file AGMD_STORAGE_FILE; or ${addressAllowed}
  --json  print the result as JSON, and the progress as lines of JSON on standard error, as without a terminal

Examples:
  npm start -- admin migrate --from ./data --to postgres
  npm start -- admin migrate --from postgres --to ./data

Then set or remove AGMD_STORAGE and start the server. The command does not delete the old store; remove it when everything works.`

interface Ends {
  readonly folder: string
  readonly url: string
  readonly to: 'lmdb' | 'postgres'
}

const endsOf = (from: string, to: string, config: Config): Ends => {
  const urlOf = (word: string): string | undefined => {
    if (word === 'postgres' && config.storage === null) throw new AdminError('Set AGMD_STORAGE to the address of PostgreSQL.')
    if (word === 'postgres') return config.storage ?? undefined
    if (/^postgres(ql)?:/.test(word) && !isPostgresAddress(word)) throw new AdminError(`PostgreSQL needs ${addressAllowed}.`)
    return isPostgresAddress(word) ? word : undefined
  }
  const [source, target] = [urlOf(from), urlOf(to)]
  if (source === undefined && target !== undefined) return { folder: resolve(from), url: target, to: 'postgres' }
  if (source !== undefined && target === undefined) return { folder: resolve(to), url: source, to: 'lmdb' }
  throw new AdminError('Either --from or --to must be a data folder, and the other one must be PostgreSQL.')
}

const barWidth = 30

/** Returns a function that shows progress: as a bar on a terminal, and otherwise as a line of JSON each second and at the end of each phase. */
const shower = (write: (text: string) => void, isTerminal: boolean): ((progress: Progress) => void) => {
  let nextAt = 0
  return ({ phase, records, total }) => {
    const complete = records >= total
    if (performance.now() < nextAt && !complete) return
    nextAt = performance.now() + (isTerminal ? 100 : 1_000)
    const share = total === 0 ? 1 : Math.min(1, records / total)
    const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '.')
    if (isTerminal)
      write(`\r${phase.padEnd(9)} [${bar}] ${Math.floor(share * 100)} %  ${records} of ${total} records${complete ? '\n' : ''}`)
    else write(`${JSON.stringify({ phase, records, total })}\n`)
  }
}

const parse = (words: readonly string[]) => {
  try {
    const options = { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } } as const
    return parseArgs({ args: [...words], options }).values
  } catch (error) {
    throw new AdminError(`${error instanceof Error ? error.message : String(error)}\n\n${help}`, { cause: error })
  }
}

/** Runs the command and returns its output. Throws `AdminError`, `DataFolderError`, `PostgresError`, and the errors of `Storage`. */
export const runMigrate = async (words: readonly string[], config: Config, version: string): Promise<string> => {
  const { from, to, json = false, help: asked = false } = parse(words)
  if (asked) return help
  if (from === undefined || to === undefined) throw new AdminError(help)
  const ends = endsOf(from, to, config)
  const secret = config.secret === null ? undefined : Buffer.from(config.secret)
  const onProgress = shower((text) => process.stderr.write(text), process.stderr.isTTY && !json)
  const result = await migrate({ ...ends, secret, version, onProgress })
  if (json) return JSON.stringify({ ok: true, to: ends.to, ...result })
  const next =
    ends.to === 'postgres'
      ? 'Set AGMD_STORAGE to the address of PostgreSQL and start the server.'
      : 'Remove AGMD_STORAGE and start the server.'
  return `Moved and compared ${result.records} records (${result.bytes} bytes of values). ${next}`
}
