/** Decides which links of an open document are the person's own. */
import { findRecent } from '../device/recent.ts'
import type { Session } from '../session/session.ts'
import { isOwnLink } from './links.ts'
import type { Share } from './requests.ts'

/** Whether a link is the one with which the person opened a document. Without a key, only the account that owns the document sees links. */
export const isOwnIn = ({ id, key }: Pick<Session, 'id' | 'key'>, share: Share): boolean =>
  isOwnLink(share, key || (findRecent(id)?.key ?? ''), key === '')
