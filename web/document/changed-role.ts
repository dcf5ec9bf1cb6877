/** Tells a person once that their role was lowered or raised. If the server refused changes, a notice says so instead (held-notice.tsx). */
import { effect } from '@preact/signals'
import { includesRole, type Role } from '../../shared/roles.ts'
import type { Session } from '../session/session.ts'
import { t, term } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'

const loweredWords: Readonly<Partial<Record<Role, string>>> = {
  view: term('Your access changed. You can now only read this document.'),
  comment: term('Your access changed. You can now only comment on this document.'),
  suggest: term('Your access changed. You can now only suggest changes to this document.')
}

const raisedWords: typeof loweredWords = {
  comment: term('You can now comment on this document.'),
  suggest: term('You can now suggest changes to this document.'),
  edit: term('You can now edit this document.')
}

/** Follows the role. Returns a function that stops it. */
export function followRole({ role, declined, unsent }: Session): () => void {
  let before = role.peek()
  let words: string | undefined
  return effect(() => {
    const now = role.value
    if (now !== before) words = now === null || before === null ? undefined : (includesRole(now, before) ? raisedWords : loweredWords)[now]
    before = now
    // Until the server has confirmed or refused every change, it is not known whether there will be a notice.
    if (words === undefined || (unsent.value > 0 && !declined.value)) return
    if (!declined.value) toast(t(words))
    words = undefined
  })
}
