/** Deletes and restores documents. It has no user interface code, but shows messages. */
import { findUser, readDocument } from '../client/documents.ts'
import { operation } from '../client/operation.ts'
import { removeFromDevice } from '../device/remove.ts'
import { findRecent, forget, remember } from '../device/recent.ts'
import { failureWords } from '../client/failure.ts'
import { isOwnLink } from '../sharing/links.ts'
import { listShares } from '../sharing/requests.ts'
import { t } from '../text/t.ts'
import { dropToast, toast } from '../ui/toast.tsx'
import { asked, type Deletable, type Others } from './asked.ts'

const deleteDocument = operation<'deleteDocument'>('DELETE /api/docs/{id}')
const undeleteDocument = operation<'undeleteDocument'>('POST /api/docs/{id}/undelete')

/** How long the message offers Undo, in milliseconds. After that, the person can use the trash. */
const undoMs = 10_000

async function findOthers({ id, key }: Deletable): Promise<Others> {
  const [shares, { published, owner }, user] = await Promise.all([listShares({ id, key }), readDocument({ id, key }), findUser()])
  const now = Date.now()
  const isInAccount = owner.kind !== 'anonymous' && owner.id === user?.id
  const ownKey = key || (findRecent(id)?.key ?? '')
  const isInUse = (share: (typeof shares)[number]): boolean =>
    share.lastUsedAt !== null && !isOwnLink(share, ownKey, isInAccount) && (share.expiresAt === null || Date.parse(share.expiresAt) > now)
  return {
    links: shares.filter(isInUse).length,
    account: owner.kind === 'anonymous' || isInAccount ? undefined : (owner.name ?? ''),
    published
  }
}

/** Stores on this device the time until which a document can be restored. The value is 0 if the document is not in the trash. */
const note = (id: string, trashedUntil: number): void => {
  if (findRecent(id) !== undefined) remember(id, { trashedUntil })
}

/** Restores a document from the trash. Throws `RequestError`. */
export async function restore({ id, key }: Deletable): Promise<void> {
  await undeleteDocument({ id, key })
  note(id, 0)
}

/** Deletes a document permanently. Throws `RequestError`. */
export async function erase({ id, key }: Deletable): Promise<void> {
  await deleteDocument({ id, key }, { permanent: true })
  forget(id)
  await removeFromDevice(id)
}

const tellFailure = (error: unknown): void => toast(failureWords(error))

async function move(document: Deletable, changed: () => void, restored: () => void): Promise<void> {
  const { id, key, title } = document
  const { restorableUntil } = await deleteDocument({ id, key, keepalive: true })
  note(id, Date.parse(restorableUntil ?? ''))
  changed()
  const undo = (): void => {
    dropToast()
    void restore(document).then(restored, tellFailure)
  }
  toast(t('“{title}” moved to trash.', { title }), { name: t('Undo'), run: undo, milliseconds: undoMs })
}

/**
 * Moves a document to the trash and offers Undo. Asks for confirmation first if others have access. `changed` is called when the document is in the
 * trash, and `restored` when it is back.
 */
export async function moveToTrash(document: Deletable, changed: () => void, restored: () => void): Promise<void> {
  try {
    const others = await findOthers(document)
    if (others.links === 0 && others.account === undefined && !others.published) return await move(document, changed, restored)
    asked.value = { document, others, run: () => void move(document, changed, restored).catch(tellFailure) }
  } catch (error) {
    toast(t('“{title}” was not deleted. {why}', { title: document.title, why: failureWords(error) }))
  }
}
