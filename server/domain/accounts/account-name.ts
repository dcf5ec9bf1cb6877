/** The name of an account: what others see at a cursor, a comment or a document of its owner. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { term } from '../../../shared/words.ts'
import type { Account } from './accounts.ts'
import { requireRightNow } from '../rights/authority.ts'
import { accountOf, type Caller } from '../rights/caller.ts'
import { isInTrash } from '../documents/deleted.ts'
import { decodeRecord, encodeRecord, keys, type Owned } from '../records/keys.ts'
import type { Draft } from '../records/draft.ts'
import type { Service } from '../service.ts'

/** Writes the present name of an account into the head of a document, in the trash too: restored, it shows its owner. */
const renameIn = async (service: Service, doc: string, account: string): Promise<void> => {
  const key = keys.account(account)
  const rename = (draft: Draft): void => {
    const { owner } = draft.head
    const name = draft.read<Account>(key)?.name
    // The head that stays of an erased document has no name.
    if (name === undefined || (draft.head.deletedAt !== null && !isInTrash(draft.head))) return
    if (owner.id === account && owner.name !== name) draft.head = { ...draft.head, owner: { ...owner, name } }
  }
  await service.ledger.write(doc, 'system', rename, { afterDeletion: true, reads: [key] }).catch((error: unknown) => {
    // Scrubbed at this very moment.
    if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
  })
}

/** Writes the name into the documents of an account, whose heads keep it. A later name ends it: that one comes to all of them, too. */
const renameOwner = async (service: Service, account: string, name: string): Promise<void> => {
  const isCurrent = async (): Promise<boolean> => {
    const entry = await service.storage.get(keys.account(account))
    return entry !== undefined && decodeRecord<Account>(entry.value).name === name
  }
  for (const prefix of [keys.ownedBy('account', account), keys.trashedBy('account', account)])
    for (let after: string | number | undefined; ;) {
      if (!(await isCurrent())) return
      const page = { limit: limits.pageDefault, ...(after === undefined ? {} : { after }) }
      const entries = await service.storage.list(prefix, page)
      for (const { value } of entries) await renameIn(service, decodeRecord<Owned>(value).doc, account)
      after = entries.at(-1)?.key.at(-1)
      if (entries.length < limits.pageDefault) break
    }
}

/** Changes the name of the caller's account. Errors: `invalid_request` when nothing is left of the name. */
export const renameAccount = async (service: Service, caller: Caller, given: string): Promise<Output<'updateMe'>> => {
  const id = accountOf(caller)
  const key = keys.account(id)
  const name = plainName(given, limits.authorCharsMax)
  if (name === '') throw new ServiceError('invalid_request', { message: term('Enter a name.') })
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const checks = await requireRightNow(service, '', caller)
    const entry = await service.storage.get(key)
    if (entry === undefined) throw new ServiceError('credential_invalid')
    const account: Account = { ...decodeRecord<Account>(entry.value), name, nameChosen: true }
    const puts = [{ key, value: encodeRecord(account) }]
    if (!(await service.storage.commit({ checks: [...checks, { key, version: entry.version }], puts }))) continue
    await renameOwner(service, id, name)
    return { ok: true, user: { id, name, email: account.email } }
  }
  throw new ServiceError('storage_unavailable')
}
