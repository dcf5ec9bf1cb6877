/**
 * Chooses the link that opens a document: the one in the address, or the one stored on this device. A weaker or invalid link never replaces a good
 * one.
 */
import { roles, type Role } from '../../shared/roles.ts'
import { findRecent, remember } from '../device/recent.ts'

export interface Access {
  /** Share key, or '' for none. */
  readonly key: string
  /** The link stored on this device, if the address had another one. */
  readonly kept: { readonly key: string; readonly role: Role | null } | undefined
}

/** Removes the key from the address: it must not remain in the history, in screenshots or in text copied from the address bar. */
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
  // Only the server knows whether the new link is valid.
  if (!other) remember(id, known?.key === key ? { openedAt: Date.now() } : { key, role: null, openedAt: Date.now() })
  return { key, kept: other ? { key: known.key, role: known.role } : undefined }
}

const rank = (role: Role | null): number => (role === null ? -1 : roles.indexOf(role))

/** Whether the link stored on this device has more rights than the one in the address. */
export const keepsMore = ({ kept }: Access, role: Role | null): boolean => kept !== undefined && rank(kept.role) > rank(role)

/** Whether that is possible, as long as the rights of the address's link are unknown. */
export const mayKeepMore = ({ kept }: Access): boolean => kept !== undefined && rank(kept.role) > rank('view')

/**
 * Whether this device continues with the link of the address. Having no key, as with links from the account page, replaces a link with fewer rights.
 * It does not replace an equal one, because that one also works when nobody is signed in.
 */
export const takesOver = (access: Access, role: Role | null): boolean =>
  access.kept === undefined || (access.key === '' ? rank(role) > rank(access.kept.role) : !keepsMore(access, role))
