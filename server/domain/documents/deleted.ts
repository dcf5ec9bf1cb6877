/** The error for a deleted document. It is created from the document's head alone. */
import { ServiceError } from '../../../shared/errors.ts'
import type { Role } from '../../../shared/roles.ts'
import type { Head } from '../records/keys.ts'

type Deleted = Pick<Head, 'deletedAt' | 'trashedUntil'>

const instant = (ms: number): string => new Date(ms).toISOString()

/** Whether a document is in the trash: deleted, with all its contents still stored. */
export const isInTrash = ({ deletedAt, trashedUntil }: Deleted): boolean => deletedAt !== null && trashedUntil !== undefined

/**
 * Returns the error for a deleted document. `restorableUntil` is null once the document can no longer be restored. The error also contains `role`,
 * the caller's role, if it is given. The role shows a page whether this person may restore the document.
 */
export const documentDeleted = ({ deletedAt, trashedUntil }: Deleted, role?: Role): ServiceError => {
  const until = trashedUntil === undefined ? null : instant(trashedUntil)
  return new ServiceError('document_deleted', {
    ...(until !== null && {
      message: 'This document is in the trash.',
      hint: `An owner can restore the document until ${until}: POST /api/docs/{id}/undelete.`
    }),
    deletedAt: deletedAt === null ? null : instant(deletedAt),
    restorableUntil: until,
    ...(role !== undefined && { role })
  })
}
