/** The documents of an account that stay on this device after signing out. No user interface. */
import { removeFromDevice } from '../device/remove.ts'
import { forget, type RecentDocument, remember } from '../device/recent.ts'
import { hasUnsent } from '../device/unsent.ts'

/**
 * The documents of this device that an account owns: nothing is lost when they are removed here. Without a key, only an account makes somebody an
 * owner. The keys of all other documents may exist only on this device.
 */
export const ofAccount = (recent: readonly RecentDocument[]): readonly RecentDocument[] =>
  recent.filter(({ inAccount, key, role }) => inAccount ?? (key === '' && role === 'owner'))

/** Removes documents from this device, and returns those that stay because they have something to send. */
export async function removeAll(
  documents: readonly RecentDocument[],
  has: typeof hasUnsent = hasUnsent
): Promise<readonly RecentDocument[]> {
  const kept: RecentDocument[] = []
  for (const each of documents) {
    if (await has(each.id)) {
      kept.push(each)
      continue
    }
    forget(each.id)
    await removeFromDevice(each.id)
  }
  return kept
}

/** The person keeps them here: they are not asked about again, until somebody signs in. */
export function keepAll(documents: readonly RecentDocument[]): void {
  for (const { id } of documents) remember(id, { inAccount: false })
}

/** Records which documents of this device the account that is signed in owns. */
export function noteOwned(recent: readonly RecentDocument[], owned: ReadonlySet<string>): void {
  for (const { id, inAccount } of recent) if (owned.has(id) && inAccount !== true) remember(id, { inAccount: true })
}
