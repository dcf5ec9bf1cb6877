/** `npm start -- admin migrate`: its arguments, progress and output. `server/storage/migrate.ts` does the work. */
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { migrate, type Progress } from '../storage/migrate.ts'
import { addressAllowed, isPostgresAddress } from '../storage/postgres/address.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'

const help = `usage: npm start -- admin migrate --from STORE --to STORE [--json]

Moves all documents and accounts between the LMDB store of a data folder and PostgreSQL. Stop the server first. The secret and the assets stay in the
data folder. If you interrupt the command, run it again to continue. At the end, the command compares both stores record by record.

  STORE   a data folder; or postgres, for the address in AGMD_STORAGE or in the file AGMD_STORAGE_FILE; or ${addressAllowed}
  --json  print the result as JSON, and the progress as lines of JSON on standard error

Examples:
  npm start -- admin migrate --from ./data --to postgres
  npm start -- admin migrate --from postgres --to ./data

Then set or remove AGMD_STORAGE and start the server. The command does not delete the old store. Delete it when everything works.`

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

const run: Command['run'] = async (words, { settings, version, progress }) => {
  const { values } = parseWords(help, words, { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } })
  const { from, to, json = false } = values
  if (from === undefined || to === undefined) throw new AdminError(help)
  const config = settings()
  const ends = endsOf(from, to, config)
  const secret = config.secret === null ? undefined : Buffer.from(config.secret)
  const show = progress(json)
  const onProgress = ({ phase, records, total }: Progress): void => show({ phase, done: records, total, unit: 'records' })
  const result = await migrate({ ...ends, secret, version, onProgress })
  if (json) return { output: JSON.stringify({ ok: true, to: ends.to, ...result }) }
  const next =
    ends.to === 'postgres'
      ? 'Set AGMD_STORAGE to the address of PostgreSQL and start the server.'
      : 'Remove AGMD_STORAGE and start the server.'
  return { output: `Moved and compared ${result.records} records (${result.bytes} bytes of values). ${next}` }
}

export const migrateCommand: Command = {
  usage: '--from STORE --to STORE',
  summary: 'move all documents between LMDB and PostgreSQL; stop the server first',
  help,
  run
}
