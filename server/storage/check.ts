/**
 * Checks a store. The check runs in a child process (check-process.ts), because reading a truncated or overwritten LMDB file ends the process with
 * SIGBUS or SIGSEGV.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

import { DataFolderError, readInstance, refuseLostStore, refuseMovedStore, storeBytes } from './data-folder.ts'

/** The maximum time for the child process of a bounded check, in milliseconds. A disk that does not answer must not prevent the start. */
const childMsMax = 30_000

export type Finding =
  | { readonly ok: true; readonly entries: number; readonly complete: boolean }
  | { readonly ok: false; readonly exitCode: 1 | 3 | 4; readonly problem: string }

/** A running check that has found nothing wrong at either end of a store. */
export interface Begun {
  /** Resolves when the check has ended. Throws `DataFolderError`, with exit code 3 for damage. */
  readonly ended: Promise<void>
}

/**
 * Checks that a data folder's store exists and belongs to the folder, and that its entries can be read and match their checksums. With `full`, checks
 * all entries; otherwise, as many as the child process can read in two seconds. Throws `DataFolderError`, with exit code 3 for damage.
 */
export async function checkStore(folder: string, { full = false } = {}): Promise<void> {
  if (!(await isThere(folder))) return
  await runChild(folder, full ? ['--full'] : [], () => {})
}

/**
 * Begins the check of a store that the server is about to open. Resolves once the store has been opened and the entries at both ends have been read.
 * The server can then serve while the rest is checked. Throws like `checkStore`.
 */
export async function beginCheck(folder: string): Promise<Begun> {
  if (!(await isThere(folder))) return { ended: Promise.resolve() }
  const { promise: looked, resolve } = Promise.withResolvers<void>()
  const ended = runChild(folder, ['--begin'], resolve)
  await Promise.race([looked, ended])
  return { ended }
}

/** Whether the folder has a store to check. Throws if the store is lost or in use elsewhere. */
async function isThere(folder: string): Promise<boolean> {
  const instance = await readInstance(folder)
  if (!instance) return false
  refuseMovedStore(folder, instance)
  await refuseLostStore(folder, instance)
  return (await storeBytes(folder)) > 0
}

/** Runs the child process to its end. Calls `onLine` when the child process has printed its first line. */
function runChild(folder: string, options: readonly string[], onLine: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Finding>()
  const argv = [fileURLToPath(new URL('check-process.ts', import.meta.url)), folder, ...options]
  const timeout = options.includes('--full') ? 0 : childMsMax
  const child = execFile(process.execPath, argv, { timeout, killSignal: 'SIGKILL' }, (error, stdout) =>
    resolve(judge(folder, error, stdout))
  )
  child.stdout?.once('data', onLine)
  return promise.then((finding) => {
    if (!finding.ok) throw new DataFolderError(finding.exitCode, finding.problem)
  })
}

/** Returns the finding of a child process. If the process printed none, derives the finding from how the process ended. */
function judge(folder: string, error: (Error & { signal?: unknown; code?: unknown }) | null, stdout: string): Finding {
  const finding = error ? undefined : parseFinding(stdout)
  if (finding) return finding
  const reason = error ? `ended with ${String(error.signal ?? error.code)}` : 'gave no answer'
  return { ok: false, exitCode: 3, problem: `The store in ${join(folder, 'store')} is damaged: its check ${reason}.` }
}

/** Parses the last line, which contains the finding. */
function parseFinding(stdout: string): Finding | undefined {
  try {
    const finding = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Finding
    return typeof finding.ok === 'boolean' ? finding : undefined
  } catch {
    return undefined
  }
}
