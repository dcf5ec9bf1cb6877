/**
 * Overwrites the remains of deletions in the store's file. LMDB never overwrites a page that is in use. Deleted and replaced bytes therefore stay
 * on pages that became free, and in the free space of pages that no later transaction has copied yet.
 *
 *     erasing due   key: 0x00 'erase'               value: float64, big-endian: the number of commits that requested it
 *     filler        key: 0x00 'fill' + uint32       value: zeros that fill one page
 *
 * Only LMDB writes to the file. A run finds the pages whose free space is not empty. It makes LMDB copy each of these pages by rewriting one of its
 * records. Then the run writes fillers until LMDB has no free page left, and removes the fillers. Each step is a separate transaction, small enough
 * that nobody waits for it. A crash leaves fillers behind, which the next start removes. It also leaves the mark that erasing is due.
 */
import { open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { limits } from '../../shared/limits.ts'
import type { Database } from './lmdb-database.ts'
import { keysOfStalePages, pageHeaderBytes } from './lmdb-pages.ts'

const dueKey = Buffer.from('\0erase')
const fillerPrefix = Buffer.from('\0fill')

/** All keys of fillers are below this key. */
const fillerEnd = Buffer.from('\0film')

export interface ErasingOptions {
  readonly database: Database
  /** The file of the store. */
  readonly file: string
  /** Runs `work` in a write transaction, and resolves when it is on disk. Throws `storage_full` or `storage_unavailable`. */
  readonly transact: (work: () => void) => Promise<void>
  /** Whether the run must end before its next step. */
  readonly stopped: () => boolean
}

/** The space of the store's file, in pages. */
interface Space {
  readonly pageBytes: number
  /** The number of pages that LMDB counts as part of the file. */
  readonly pages: number
  /** The number of free pages among `pages`. */
  readonly free: number
}

/** Marks that erasing is due. Called in a transaction that deletes or replaces bytes that must not stay in the file. */
export function markDue(database: Database): void {
  const mark = Buffer.alloc(8)
  mark.writeDoubleBE(readDue(database) + 1)
  database.putSync(dueKey, mark)
}

/** Returns the number of commits whose erasing is unfinished; 0 if there are none. */
export function readDue(database: Database): number {
  return database.getBinary(dueKey)?.readDoubleBE(0) ?? 0
}

function fillerKey(number: number): Buffer {
  const key = Buffer.concat([fillerPrefix, Buffer.alloc(4)])
  key.writeUInt32BE(number, fillerPrefix.length)
  return key
}

/** The page counts that LMDB keeps for a tree. */
interface TreeStats {
  readonly treeBranchPageCount: number
  readonly treeLeafPageCount: number
  readonly overflowPages: number
}

const pagesOf = ({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number =>
  treeBranchPageCount + treeLeafPageCount + overflowPages

/** The number of pages that describe the file itself. */
const metaPages = 2

function readSpace(database: Database): Space {
  // lmdb does not declare this type. It is taken from the code of lmdb (read.js, getStats).
  const stats = database.getStats() as TreeStats & { pageSize: number; lastPageNumber: number; free: TreeStats }
  const pages = stats.lastPageNumber + 1
  return { pageBytes: stats.pageSize, pages, free: pages - metaPages - pagesOf(stats) - pagesOf(stats.free) }
}

/** Copies the pages whose free space contains old bytes. LMDB then frees the old pages, and fillers can overwrite them. */
async function copyStalePages({ database, file, transact, stopped }: ErasingOptions): Promise<void> {
  const { pageBytes } = readSpace(database)
  const handle = await open(file, 'r')
  try {
    const piece = Buffer.alloc(limits.eraseStepBytes)
    for (let at = 0; !stopped(); at += piece.length) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, at)
      if (bytesRead === 0) return
      const keys = keysOfStalePages(piece.subarray(0, bytesRead), at / pageBytes, pageBytes)
      if (keys.length > 0) await transact(() => keys.forEach((key) => rewrite(database, key)))
      await pause(limits.erasePauseMs)
    }
  } finally {
    await handle.close()
  }
}

/** Writes the same bytes with the same key. The value keeps its offset, but moves to a new page. */
function rewrite(database: Database, key: Buffer): void {
  const value = database.getBinary(key)
  if (value !== undefined) database.putSync(key, value)
}

/**
 * If this many consecutive commits found no free page, all free pages count as filled. LMDB holds back the pages that the last two transactions
 * freed.
 */
const emptyCommits = 3

/** The number of free pages that are filled one by one. The last transactions hold back about as many pages. */
const lastPages = 24

/** Returns the number of fillers to write in the next step. The file never grows by more than a few pages. */
const fillersFor = ({ free, pageBytes }: Space): number =>
  Math.max(1, Math.min(Math.floor(limits.eraseStepBytes / pageBytes), Math.floor((free - lastPages) / 2)))

/** Writes fillers until the file grows because no page is free. Also fills the space after LMDB's last page, up to `filePages`. */
async function takeFreePages({ database, transact, stopped }: ErasingOptions, filePages: number): Promise<number> {
  const zeros = Buffer.alloc(readSpace(database).pageBytes - pageHeaderBytes)
  let fillers = 0
  // The first commits are small. They release the pages that the last transactions hold back.
  for (let empty = 0, commits = 0; empty < emptyCommits && !stopped(); commits++) {
    const before = readSpace(database)
    const count = commits < emptyCommits ? 1 : fillersFor(before)
    await transact(() => {
      for (let made = 0; made < count; made++) database.putSync(fillerKey(fillers++), zeros)
    })
    await pause(limits.erasePauseMs)
    const { pages } = readSpace(database)
    if (pages > before.pages && pages >= filePages && commits >= emptyCommits) empty++
  }
  return fillers
}

/** Removes the fillers of all runs. */
export async function removeFillers({ database, transact, stopped }: ErasingOptions): Promise<void> {
  while (!stopped()) {
    const keys = [...database.getKeys({ start: fillerPrefix, end: fillerEnd, limit: limits.eraseStepFillers })]
    if (keys.length === 0) return
    await transact(() => keys.forEach((key) => void database.removeSync(key)))
    await pause(limits.erasePauseMs)
  }
}

/**
 * Whether another process, such as a backup, reads a state of the store that is older than a transaction. LMDB does not reuse the pages that were
 * freed since then, so fillers cannot overwrite them. This process has no long read transactions.
 */
function isHeldBack(database: Database, transaction: number): boolean {
  // A process that was killed cannot end its transaction.
  database.readerCheck()
  // Each line has a process id, a thread and a transaction, which is "-" if there is none.
  const readers = database
    .readerList()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
  return readers.some(([pid, , reads]) => Number(pid) !== process.pid && Number(reads) < transaction)
}

const lastTransaction = (database: Database): number => (database.getStats() as { readonly lastTxnId: number }).lastTxnId

/** Performs one run. Resolves to the number of overwritten bytes. Bytes that are deleted during the run are overwritten by the next run. */
export async function eraseDeleted(options: ErasingOptions): Promise<number> {
  const { database, file, transact, stopped } = options
  const due = readDue(database)
  await removeFillers(options)
  await copyStalePages(options)
  const isPartial = isHeldBack(database, lastTransaction(database))
  const { pageBytes } = readSpace(database)
  const fillers = await takeFreePages(options, Math.floor((await sizeOf(file)) / pageBytes))
  await removeFillers(options)
  // If the run could not reach all pages, the mark stays, and the next run tries again.
  if (!stopped() && due > 0 && !isPartial)
    await transact(() => {
      if (readDue(database) === due) database.removeSync(dueKey)
    })
  return fillers * pageBytes
}

async function sizeOf(file: string): Promise<number> {
  const handle = await open(file, 'r')
  try {
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}
