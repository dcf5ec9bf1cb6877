/** The storage that owners use, for administrators. */
import { limits } from '../../../shared/limits.ts'
import { findAccount } from '../accounts/accounts.ts'
import { readSum } from '../documents/quotas.ts'
import type { Payer } from '../documents/usage.ts'
import { keys } from '../records/keys.ts'
import type { KeyPart } from '../ports.ts'
import type { Service } from '../service.ts'

/** The documents of one owner, and their bytes without assets. */
export interface UsageOf {
  readonly kind: Payer[0]
  /** Id of the account or agent. For documents without an owner: a keyed hash of the address from which they were created. */
  readonly id: string
  /** Email address of the account; null if there is none. */
  readonly email: string | null
  readonly documents: number
  readonly bytes: number
}

export interface Usage {
  readonly documents: number
  readonly bytes: number
  /** The owners that use the most storage, largest first. */
  readonly owners: readonly UsageOf[]
  /** The limits on old versions: their age in days, and the number of revisions without a name in a document. 0: no limit. */
  readonly retention: { readonly days: number; readonly revisions: number }
}

/** Reads each owner's sum. Other work gets a turn after each owner. */
async function* sums(service: Service, kind: Payer[0]): AsyncGenerator<UsageOf> {
  for (let after: KeyPart | undefined; ;) {
    const [entry] = await service.storage.list(keys.usagesOf(kind), { limit: 1, ...(after !== undefined && { after }) })
    const id = entry?.key[2]
    if (id === undefined) return
    after = id
    const { documents, total } = await readSum(service.storage, [kind, String(id)])
    yield { kind, id: String(id), email: null, documents: documents.size, bytes: total }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Returns the total storage of all documents, and the owners that use the most storage. */
export const readUsage = async (service: Service, limit: number = limits.adminPageDefault): Promise<Usage> => {
  let [documents, bytes] = [0, 0]
  let owners: UsageOf[] = []
  for (const kind of ['account', 'agent', 'address'] as const)
    for await (const sum of sums(service, kind)) {
      documents += sum.documents
      bytes += sum.bytes
      owners.push(sum)
      if (owners.length >= 2 * limits.adminPageMax) owners = largest(owners, limit)
    }
  const named = largest(owners, limit).map(async (owner) =>
    owner.kind === 'account' ? { ...owner, email: (await findAccount(service, owner.id))?.email ?? null } : owner
  )
  const { historyDays: days, historyRevisions: revisions } = service
  return { documents, bytes, owners: await Promise.all(named), retention: { days, revisions } }
}

const largest = (owners: readonly UsageOf[], limit: number): UsageOf[] =>
  owners.toSorted((one, other) => other.bytes - one.bytes).slice(0, limit)
