/** Which link opens a document: the one in the address, or the one that this device keeps. A weaker or a bad one never replaces a good one. */
import { roles, type Role } from '../../shared/roles.ts'
import { findRecent, remember } from '../device/recent.ts'

export interface Access {
  /** Share key, or '' for none. */
  readonly key: string
  /** The link that this device keeps, when the address brought another one. */
  readonly kept: { readonly key: string; readonly role: Role | null } | undefined
}

/** Takes the key out of the address: it must not stay in the history, in screenshots or in what is copied from the bar. */
export function takeKey(id: string): Access {
  const address = new URL(location.href)
  const key = address.searchParams.get('key')
  const known = findRecent(id)
  if (key === null) {
    if (known !== undefined) remember(id, { openedAt: Date.now() })
    return { key: known?.key ?? '', kept: undefined }
  }
  address.searchParams.delete('key')
  history.replaceState(history.state, '', address)
  const other = known !== undefined && known.key !== '' && known.key !== key
  // Whether the new one is any good, the server tells first.
  if (!other) remember(id, known?.key === key ? { openedAt: Date.now() } : { key, role: null, openedAt: Date.now() })
  return { key, kept: other ? { key: known.key, role: known.role } : undefined }
}

const rank = (role: Role | null): number => (role === null ? -1 : roles.indexOf(role))

/** Whether the link that this device keeps may do more than the one that the address brought. */
export const keepsMore = ({ kept }: Access, role: Role | null): boolean => kept !== undefined && rank(kept.role) > rank(role)

/** Whether that can be, as long as nobody has said what the link of the address may do. */
export const mayKeepMore = ({ kept }: Access): boolean => kept !== undefined && rank(kept.role) > rank('view')

/**
 * Whether this device goes on with what the address brought. No key at all, as the account page sends people, takes the place of a link
 * that may do less, not of an equal one: that one opens the document also when nobody is signed in.
 */
export const takesOver = (access: Access, role: Role | null): boolean =>
  access.kept === undefined || (access.key === '' ? rank(role) > rank(access.kept.role) : !keepsMore(access, role))
