/** The documents of an account that stay on this device after signing out. This module has no user interface code. */
import { removeFromDevice } from '../device/remove.ts'
import { forget, type RecentDocument, remember } from '../device/recent.ts'
import { hasUnsent } from '../device/unsent.ts'

/**
 * Returns the documents on this device that an account owns. Nothing is lost if they are removed here. Without a share key, a person can be an owner
 * only through an account. The keys of all other documents may exist only on this device.
 */
export const ofAccount = (recent: readonly RecentDocument[]): readonly RecentDocument[] =>
  recent.filter(({ inAccount, key, role }) => inAccount ?? (key === '' && role === 'owner'))

/** Removes documents from this device. Returns those that stay because they have unsent changes. */
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

/** Records that the person wants to keep these documents on this device. The page does not ask about them again until somebody signs in. */
export function keepAll(documents: readonly RecentDocument[]): void {
  for (const { id } of documents) remember(id, { inAccount: false })
}

/** Records which documents on this device the signed-in account owns. */
export function noteOwned(recent: readonly RecentDocument[], owned: ReadonlySet<string>): void {
  for (const { id, inAccount } of recent) if (owned.has(id) && inAccount !== true) remember(id, { inAccount: true })
}
