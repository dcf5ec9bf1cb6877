/** The states in which nobody may use a document, and their errors. All of this follows from the document's head alone. */
import { ServiceError } from '../../../shared/errors.ts'
import type { Role } from '../../../shared/roles.ts'
import type { Head } from '../records/keys.ts'

type Deleted = Pick<Head, 'deletedAt' | 'trashedUntil' | 'trashedTitle' | 'takenDownAt'>

const instant = (ms: number): string => new Date(ms).toISOString()

/** Whether a document is in its owner's trash: deleted, with all its contents still stored. */
export const isInTrash = ({ deletedAt, trashedUntil, takenDownAt }: Deleted): boolean =>
  deletedAt !== null && trashedUntil !== undefined && takenDownAt === undefined

/** Whether a document's contents are stored. They are stored until the document is erased. */
export const isStored = ({ deletedAt, trashedUntil, takenDownAt }: Deleted): boolean =>
  deletedAt === null || trashedUntil !== undefined || takenDownAt !== undefined

/** Returns the reason why connections to a deleted document end. */
export const reasonOfEnd = ({ takenDownAt }: Deleted): 'document_deleted' | 'taken_down' =>
  takenDownAt === undefined ? 'document_deleted' : 'taken_down'

/** Whether an error means that there is no such document, or that nobody may use it at the moment. */
export const isGone = (error: unknown): boolean =>
  error instanceof ServiceError && ['not_found', 'document_deleted', 'taken_down'].includes(error.code)

/**
 * Returns the error for a document that was deleted or taken down. Its `restorableUntil` is null once the document can no longer be restored. If
 * `role` (the caller's role) is given, the error contains it, so that a page knows whether this person may restore the document. For an owner, the
 * error contains the title.
 */
export const documentDeleted = ({ deletedAt, trashedUntil, trashedTitle, takenDownAt }: Deleted, role?: Role): ServiceError => {
  if (takenDownAt !== undefined) return new ServiceError('taken_down')
  const until = trashedUntil === undefined ? null : instant(trashedUntil)
  return new ServiceError('document_deleted', {
    ...(until !== null && {
      message: 'This document is in the trash.',
      hint: `An owner can restore the document until ${until}: POST /api/docs/{id}/undelete.`
    }),
    deletedAt: deletedAt === null ? null : instant(deletedAt),
    restorableUntil: until,
    ...(role !== undefined && { role }),
    ...(role === 'owner' && trashedTitle !== undefined && { documentTitle: trashedTitle })
  })
}
