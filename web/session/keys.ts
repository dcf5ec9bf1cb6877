/**
 * Chooses the link with which to open a document: the one in the address, or the one stored on this device. A weaker or invalid link never replaces a
 * better one.
 */
import { roles, type Role } from '../../shared/roles.ts'
import { findRecent, remember } from '../device/recent.ts'

export interface Access {
  /** The share key, or '' if there is none. */
  readonly key: string
  /** The link stored on this device, if the address contains a different one. */
  readonly kept: { readonly key: string; readonly role: Role | null } | undefined
}

/** Takes the key out of the address, so that it does not end up in the browser history, in screenshots or in text copied from the address bar. */
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

/** Whether the link stored on this device grants more rights than the one in the address. */
export const keepsMore = ({ kept }: Access, role: Role | null): boolean => kept !== undefined && rank(kept.role) > rank(role)

/** Whether the stored link may grant more rights, while the rights of the link in the address are unknown. */
export const mayKeepMore = ({ kept }: Access): boolean => kept !== undefined && rank(kept.role) > rank('view')

/**
 * Whether the device stores the link in the address instead of the earlier one. An address without a key, such as a link on the account page,
 * replaces a link with fewer rights. It does not replace an equal link, because that also works when nobody is signed in.
 */
export const takesOver = (access: Access, role: Role | null): boolean =>
  access.kept === undefined || (access.key === '' ? rank(role) > rank(access.kept.role) : !keepsMore(access, role))
