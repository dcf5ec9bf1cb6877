/** The permissions of a person in an open document. */
import { computed, type ReadonlySignal } from '@preact/signals'
import { includesRole, type Role } from '../../shared/roles.ts'
import type { Link } from '../connection/link.ts'
import { keepsWriting } from '../connection/retry.ts'
import { findRecent } from '../device/recent.ts'
import type { Answer } from './answer.ts'
import type { Access } from './keys.ts'

interface Permission {
  readonly role: ReadonlySignal<Role | null>
  readonly canEdit: ReadonlySignal<boolean>
}

/** Returns the person's rights. While the page is offline, the last known rights apply. The server always has the final decision. */
export function openPermission(id: string, access: Access, link: Link, answered: Answer['answered']): Permission {
  const role = computed<Role | null>(
    () => link.role.value ?? answered.value.role ?? (access.kept === undefined ? findRecent(id)?.role : undefined) ?? null
  )
  // If the text is too large, a person may delete part of it. The page then sends the text again.
  const mayWrite = computed(() => link.ended.value === undefined || keepsWriting(link.ended.value))
  const canEdit = computed(() => mayWrite.value && (link.canWrite.value ?? includesRole(role.value, 'edit')))
  return { role, canEdit }
}
