/** Descriptions of the rights of each role, for translation. */
import type { Role } from '../../shared/roles.ts'
import { term } from '../text/t.ts'

export const roleWords: Readonly<Record<Role, string>> = {
  view: term('Can read'),
  comment: term('Can comment'),
  suggest: term('Can suggest'),
  edit: term('Can edit'),
  owner: term('Owner')
}
