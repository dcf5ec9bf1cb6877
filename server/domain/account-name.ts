/** The name of an account: what others see at a cursor, a comment or a document of its owner. */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Output } from '../../shared/operations/index.ts'
import { term } from '../../shared/words.ts'
import type { Account } from './accounts.ts'
import { requireRightNow } from './authority.ts'
import { accountOf, type Caller } from './caller.ts'
import { decodeRecord, encodeRecord, keys, type Owned } from './keys.ts'
import type { Service } from './service.ts'

/** Writes the name into the documents of an account, whose heads keep it. */
const renameOwner = async (service: Service, account: string, name: string): Promise<void> => {
  let after: string | number | undefined
  for (;;) {
    const page = { limit: limits.pageDefault, ...(after === undefined ? {} : { after }) }
    const entries = await service.storage.list(keys.ownedBy('account', account), page)
    for (const { value } of entries) {
      const rename = service.ledger.write(decodeRecord<Owned>(value).doc, 'system', (draft) => {
        const { owner } = draft.head
        if (owner.id === account && owner.name !== name) draft.head = { ...draft.head, owner: { ...owner, name } }
      })
      await rename.catch((error: unknown) => {
        // Deleted at this very moment.
        if (!(error instanceof ServiceError) || (error.code !== 'document_deleted' && error.code !== 'not_found')) throw error
      })
    }
    after = entries.at(-1)?.key.at(-1)
    if (entries.length < limits.pageDefault) return
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
