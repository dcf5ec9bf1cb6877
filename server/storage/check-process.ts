/**
 * Reads a store in a separate process: `node check-process.ts <folder> [--full | --begin]`. Prints one line of JSON (`Finding`) and exits with 0.
 * With `--begin`, the process first prints the line `{}` when it has opened the store and read a few entries at both ends.
 */
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'

import { ServiceError } from '../../shared/errors.ts'
import type { Finding } from './check.ts'
import { DataFolderError, readInstance } from './data-folder.ts'
import type { Instance } from './data-folder.ts'
import { decodeKey } from './keys.ts'
import { openDatabase, readIdentity, refuseOtherStore } from './lmdb-database.ts'
import { decodeEntry } from './lmdb-envelope.ts'

/**
 * Maximum time for reading entries, unless all of them are to be read, in milliseconds. One half is for reading up from the first key, the other for
 * reading down from the last key.
 */
const checkMsMax = 2_000

/** How many entries are read at each end before the server may open the store. */
const beginEntries = 200

type Mode = '--full' | '--begin' | undefined

/** Opens the store and reads it. */
async function inspect(folder: string, mode: Mode): Promise<Finding> {
  try {
    const instance = await readInstance(folder)
    return instance ? readStore(folder, instance, mode) : { ok: true, entries: 0, complete: true }
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

function readStore(folder: string, instance: Instance, mode: Mode): Finding {
  const database = openDatabase(join(folder, 'store'), true)
  refuseOtherStore(folder, readIdentity(database), instance)
  if (mode === '--begin') {
    readEnds(database, checkMsMax, beginEntries)
    process.stdout.write('{}\n')
    // From now on, the server is running and needs the processor more.
    setPriority(constants.priority.PRIORITY_LOW)
  }
  return { ok: true, ...readEnds(database, mode === '--full' ? Infinity : checkMsMax) }
}

type Database = ReturnType<typeof openDatabase>
type Read = { readonly entries: number; readonly complete: boolean }

/** Reads entries upwards from the first key, and then, if entries remain, downwards from the last key. */
function readEnds(database: Database, milliseconds: number, most = Infinity): Read {
  const upwards = readEntries(database, false, milliseconds / 2, most)
  if (upwards.complete) return upwards
  const downwards = readEntries(database, true, milliseconds / 2, most)
  return { entries: upwards.entries + downwards.entries, complete: false }
}

function readEntries(database: Database, reverse: boolean, milliseconds: number, most: number): Read {
  const until = performance.now() + milliseconds
  const lowest = Buffer.from([0x01])
  const highest = Buffer.from([0xff])
  let entries = 0
  for (const { key, value } of database.getRange(reverse ? { start: highest, end: lowest, reverse } : { start: lowest, end: highest })) {
    decodeEntry(decodeKey(key), value)
    entries++
    if (entries >= most || performance.now() > until) return { entries, complete: false }
  }
  return { entries, complete: true }
}

const [folder = '', mode] = process.argv.slice(2)
process.stdout.write(`${JSON.stringify(await inspect(folder, mode as Mode))}\n`)
