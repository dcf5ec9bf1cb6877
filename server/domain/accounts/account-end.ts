/**
 * Deletes an account. One commit removes the account and its index entries, and records the remaining work. From then on nobody can act as that
 * account. The rest (sessions, passkeys, node tokens, documents) is removed afterward. If the process dies in between, `finishAccountEnds` removes
 * it at the next start.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { type Account, emailKey } from './accounts.ts'
import { requireRightNow } from '../rights/authority.ts'
import { accountOf, type Caller } from '../rights/caller.ts'
import { auditActor, type Audited, auditPut } from '../records/audit.ts'
import { decodeRecord, encodeRecord, keys, type Owned } from '../records/keys.ts'
import { removeInbox } from '../events/notices.ts'
import { removePasskeysOf } from './passkeys.ts'
import type { Check, Key } from '../ports.ts'
import type { Service } from '../service.ts'
import { removeAccess } from './sessions.ts'
import { isGone } from '../documents/deleted.ts'
import { releaseDocument } from '../documents/trash.ts'

/** Decides whether links still open the account's documents, or the documents move to the trash. */
export type DocumentsAfter = 'keep' | 'trash'

interface AccountEnd {
  readonly account: string
  readonly documents: DocumentsAfter
}

const giveUp = async (service: Service, key: Key, doc: string, documents: DocumentsAfter): Promise<void> => {
  try {
    // A document that has neither a link nor a published page goes to the trash, because nobody could open it.
    await releaseDocument(
      service,
      doc,
      ({ shares, taskShares = 0, publishedAt }) => documents === 'trash' || (shares + taskShares === 0 && publishedAt === null)
    )
  } catch (error) {
    if (!isGone(error)) throw error
    await service.storage.commit({ deletes: [key] })
  }
}

/** Runs all tasks, even if some fail. Throws an error whose cause is the first failure. */
const all = async (works: readonly (() => Promise<void>)[]): Promise<void> => {
  const failures: unknown[] = []
  for (const work of works) await Promise.try(work).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw new Error(`${failures.length} of ${works.length} steps failed`, { cause: failures[0] })
}

/** Releases the documents in one list of the account, page by page. Throws an error whose cause is the first failure. */
const giveUpDocuments = async (service: Service, prefix: Key, documents: DocumentsAfter): Promise<void> => {
  const failures: unknown[] = []
  for (let after: Key[number] | undefined; ;) {
    const entries = await service.storage.list(prefix, { limit: limits.pageDefault, ...(after !== undefined && { after }) })
    if (entries.length === 0) break
    const works = entries.map(
      ({ key, value }) =>
        () =>
          giveUp(service, key, decodeRecord<Owned>(value).doc, documents)
    )
    await all(works).catch((error: unknown) => failures.push(error))
    after = entries.at(-1)?.key.at(-1)
  }
  if (failures.length > 0) throw failures[0]
}

/** Finishes the deletion of an account. The deletion record stays until all steps are done. Throws the error of the first step that failed. */
const finish = async (service: Service, { account, documents }: AccountEnd): Promise<void> => {
  await all([
    () => removeAccess(service, account).then(() => undefined),
    () => removePasskeysOf(service, account),
    () => giveUpDocuments(service, keys.ownedBy('account', account), documents),
    () => giveUpDocuments(service, keys.trashedBy('account', account), documents),
    () => removeInbox(service.storage, 'account', account)
  ])
  await service.storage.commit({ deletes: [keys.accountEnd(account), keys.accountSeen(account)] })
}

/** Finishes account deletions that a crash interrupted. A failed deletion does not block other deletions. Called at startup, and periodically. */
export const finishAccountEnds = async (service: Service, onFailure: (account: string, error: unknown) => void): Promise<void> => {
  for (const { key, value } of await service.storage.list(keys.accountEnds())) {
    const fail = (error: unknown): void => onFailure(String(key.at(-1)), error)
    await Promise.try(() => finish(service, decodeRecord<AccountEnd>(value))).catch(fail)
  }
}

/**
 * Deletes an account. `checksNow` returns the checks for the person who deletes it, and `told` is the audit record. Returns false if there is no such
 * account.
 */
export const endAccount = async (
  service: Service,
  end: AccountEnd,
  checksNow: () => Promise<readonly Check[]>,
  told: Audited
): Promise<boolean> => {
  const { storage } = service
  const id = end.account
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const checks = await checksNow()
    const entry = await storage.get(keys.account(id))
    if (entry === undefined) return false
    const { email, identity } = decodeRecord<Account>(entry.value)
    const index = email === null ? undefined : emailKey(email)
    const named = index && (await storage.get(index))
    const isOurs = named !== undefined && decodeRecord<string>(named.value) === id
    const deletes = [
      keys.account(id),
      ...(index !== undefined && isOurs ? [index] : []),
      ...(identity === undefined ? [] : [keys.identity(identity)])
    ]
    const written = await storage.commit({
      checks: [...checks, { key: keys.account(id), version: entry.version }],
      puts: [{ key: keys.accountEnd(id), value: encodeRecord(end) }, auditPut(service.clock.now(), told)],
      deletes
    })
    if (!written) continue
    await finish(service, end)
    return true
  }
  throw new ServiceError('storage_unavailable')
}

/** Deletes the caller's account. Throws `credential_invalid` if the caller's access has ended. */
export const deleteAccount = async (service: Service, caller: Caller, documents: DocumentsAfter): Promise<void> => {
  const account = accountOf(caller)
  const told = { kind: 'account.deleted', by: auditActor(caller), account } as const
  if (!(await endAccount(service, { account, documents }, () => requireRightNow(service, '', caller), told)))
    throw new ServiceError('credential_invalid')
}
