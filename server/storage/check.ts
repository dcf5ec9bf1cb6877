/**
 * Checks a store before the server uses it. The check runs in a child process, `node check.ts <folder> [--full]`, because reading a truncated or
 * overwritten LMDB file ends the process with SIGBUS or SIGSEGV. The child prints one line of JSON (`Finding`) and exits with 0.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

import { ServiceError } from '../../shared/errors.ts'
import { DataFolderError, readInstance, refuseLostStore, refuseMovedStore, storeBytes } from './data-folder.ts'
import type { Instance } from './data-folder.ts'
import { decodeKey } from './keys.ts'
import { decodeEntry, openDatabase, readIdentity, refuseOtherStore } from './lmdb.ts'

/**
 * The time for reading entries before the server starts, in milliseconds. Half of it is for reading upwards from the first key, and half for reading
 * downwards from the last key.
 */
export const checkMsMax = 2_000

/** The maximum time for the child process of a bounded check, in milliseconds. A disk that does not answer must not prevent the start. */
const childMsMax = 30_000

type Finding =
  | { readonly ok: true; readonly entries: number; readonly complete: boolean }
  | { readonly ok: false; readonly exitCode: 1 | 3 | 4; readonly problem: string }

/**
 * Checks that the store of a data folder exists and belongs to the folder, and that its entries can be read and match their checksums. With `full`,
 * checks all entries; otherwise, as many as `checkMsMax` allows. Throws `DataFolderError`, with exit code 3 for damage.
 */
export async function checkStore(folder: string, { full = false } = {}): Promise<void> {
  const instance = await readInstance(folder)
  if (!instance) return
  refuseMovedStore(folder, instance)
  await refuseLostStore(folder, instance)
  if ((await storeBytes(folder)) === 0) return
  const finding = await runChild(folder, full)
  if (!finding.ok) throw new DataFolderError(finding.exitCode, finding.problem)
}

function runChild(folder: string, full: boolean): Promise<Finding> {
  const { promise, resolve } = Promise.withResolvers<Finding>()
  const argv = [fileURLToPath(import.meta.url), folder, ...(full ? ['--full'] : [])]
  execFile(process.execPath, argv, { timeout: full ? 0 : childMsMax, killSignal: 'SIGKILL' }, (error, stdout) =>
    resolve(judge(folder, error, stdout))
  )
  return promise
}

/** Returns the finding of a child process. If the process printed none, derives the finding from how the process ended. */
function judge(folder: string, error: (Error & { signal?: unknown; code?: unknown }) | null, stdout: string): Finding {
  const finding = error ? undefined : parseFinding(stdout)
  if (finding) return finding
  const reason = error ? `ended with ${String(error.signal ?? error.code)}` : 'gave no answer'
  return { ok: false, exitCode: 3, problem: `The store in ${join(folder, 'store')} is damaged: its check ${reason}.` }
}

function parseFinding(stdout: string): Finding | undefined {
  try {
    const finding = JSON.parse(stdout) as Finding
    return typeof finding.ok === 'boolean' ? finding : undefined
  } catch {
    return undefined
  }
}

/** Opens the store and reads it. Runs in the child process. */
async function inspect(folder: string, full: boolean): Promise<Finding> {
  try {
    const instance = await readInstance(folder)
    return instance ? readStore(folder, instance, full) : { ok: true, entries: 0, complete: true }
  } catch (error) {
    return { ok: false, exitCode: error instanceof DataFolderError ? error.exitCode : 3, problem: describe(folder, error) }
  }
}

function describe(folder: string, error: unknown): string {
  if (error instanceof ServiceError)
    return `The store in ${join(folder, 'store')} is damaged at key ${JSON.stringify(error.details['key'])}.`
  if (error instanceof DataFolderError) return error.message
  return `The store in ${join(folder, 'store')} is damaged: ${error instanceof Error ? error.message : String(error)}.`
}

function readStore(folder: string, instance: Instance, full: boolean): Finding {
  const database = openDatabase(join(folder, 'store'), true)
  refuseOtherStore(folder, readIdentity(database), instance)
  const upwards = readEntries(database, false, full)
  if (upwards.complete) return { ok: true, ...upwards }
  const downwards = readEntries(database, true, full)
  return { ok: true, entries: upwards.entries + downwards.entries, complete: false }
}

function readEntries(database: ReturnType<typeof openDatabase>, reverse: boolean, full: boolean): { entries: number; complete: boolean } {
  const until = full ? Infinity : performance.now() + checkMsMax / 2
  const lowest = Buffer.from([0x01])
  const highest = Buffer.from([0xff])
  let entries = 0
  for (const { key, value } of database.getRange(reverse ? { start: highest, end: lowest, reverse } : { start: lowest, end: highest })) {
    decodeEntry(decodeKey(key), value)
    entries++
    if (performance.now() > until) return { entries, complete: false }
  }
  return { entries, complete: true }
}

if (import.meta.main) {
  const [folder = '', mode] = process.argv.slice(2)
  process.stdout.write(`${JSON.stringify(await inspect(folder, mode === '--full'))}\n`)
}
