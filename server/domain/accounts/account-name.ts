/** Account names, which other people see on cursors, comments and documents. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { term } from '../../../shared/words.ts'
import type { Account } from './accounts.ts'
import { requireRightNow } from '../rights/authority.ts'
import { accountOf, type Caller } from '../rights/caller.ts'
import { isStored } from '../documents/deleted.ts'
import { decodeRecord, encodeRecord, keys, type Owned } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Service } from '../service.ts'
import type { Storage } from '../ports.ts'

/** Writes an account's current name into the head of a document. Documents in the trash are included, so that a restored document shows its owner. */
const renameIn = async (service: Service, doc: string, account: string): Promise<void> => {
  const key = keys.account(account)
  const rename = (tx: Transaction): void => {
    const { owner } = tx.head
    const name = tx.read<Account>(key)?.name
    // An erased document keeps its head, but the head contains no name.
    if (name === undefined || !isStored(tx.head)) return
    if (owner.id === account && owner.name !== name) tx.head = { ...tx.head, owner: { ...owner, name } }
  }
  await service.ledger.write(doc, 'system', rename, { afterDeletion: true, reads: [key] }).catch((error: unknown) => {
    // The document is being erased at this moment.
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
  })
}

/** The queue of an account's renames, which run one after another. */
interface Line {
  waiting: number
  last: Promise<unknown>
  /** Whether documents may still contain an earlier name of the account. */
  stale: boolean
}

const lines = new WeakMap<Storage, Map<string, Line>>()

/** Runs `work` after the account's earlier renames. Throws `rate_limited` if too many are waiting. */
const inTurn = async <T>({ storage }: Service, account: string, work: (line: Line) => Promise<T>): Promise<T> => {
  const all = lines.get(storage) ?? new Map<string, Line>()
  lines.set(storage, all)
  const line: Line = all.get(account) ?? { waiting: 0, last: Promise.resolve(), stale: false }
  if (line.waiting >= limits.renamesWaitingMax) throw new ServiceError('rate_limited', { retryAfterSeconds: 5 })
  all.set(account, line)
  line.waiting += 1
  const turn = line.last.then(() => {
    line.waiting -= 1
    return work(line)
  })
  const over = turn.catch(() => undefined)
  line.last = over
  void over.then(() => line.last === over && all.delete(account))
  return turn
}

/** Writes the name into the heads of an account's documents. Stops when another rename waits, because that rename also updates all of them. */
const renameOwner = async (service: Service, account: string, line: Line): Promise<void> => {
  for (const prefix of [keys.ownedBy('account', account), keys.trashedBy('account', account)])
    for (let after: string | number | undefined; ;) {
      if (line.waiting > 0) return
      const page = { limit: limits.pageDefault, ...(after === undefined ? {} : { after }) }
      const entries = await service.storage.list(prefix, page)
      for (const { value } of entries) await renameIn(service, decodeRecord<Owned>(value).doc, account)
      after = entries.at(-1)?.key.at(-1)
      if (entries.length < limits.pageDefault) break
    }
  line.stale = false
}

/** Returns the earlier names of an account that gets the name `next`, the latest first. */
const formerNamesOf = ({ name, formerNames = [] }: Account, next: string): readonly string[] =>
  [...new Set([name, ...formerNames])].filter((each) => each !== next).slice(0, limits.formerNamesMax)

/** Stores the name in the account record. */
const putName = async (service: Service, caller: Caller, id: string, name: string): Promise<Account> => {
  const key = keys.account(id)
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const checks = await requireRightNow(service, '', caller)
    const entry = await service.storage.get(key)
    if (entry === undefined) throw new ServiceError('credential_invalid')
    const before = decodeRecord<Account>(entry.value)
    const account: Account = { ...before, name, nameChosen: true, formerNames: formerNamesOf(before, name) }
    const puts = [{ key, value: encodeRecord(account) }]
    if (await service.storage.commit({ checks: [...checks, { key, version: entry.version }], puts })) return account
  }
  throw new ServiceError('storage_unavailable')
}

/** Changes the name of the caller's account. Throws `invalid_request` if the cleaned name is empty, and `rate_limited` if too many renames wait. */
export const renameAccount = async (service: Service, caller: Caller, given: string): Promise<Output<'updateMe'>> => {
  const id = accountOf(caller)
  const name = plainName(given, limits.authorUnitsMax)
  if (name === '') throw new ServiceError('invalid_request', { message: term('Enter a name.') })
  return inTurn(service, id, async (line) => {
    try {
      const { email } = await putName(service, caller, id, name)
      line.stale = true
      return { ok: true, user: { id, name, email } }
    } finally {
      // The documents are updated even after a refusal, because the previous rename may have stopped and relied on this one to update them.
      if (line.stale) await renameOwner(service, id, line)
    }
  })
}
