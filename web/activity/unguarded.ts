/** Warns about a replacement by somebody who had not read the previous text. The page names that person and offers to undo the replacement. */
import { RequestError } from '../client/api.ts'
import type { Session } from '../session/session.ts'
import { restoreRevision } from '../history/api.ts'
import { signature } from '../presence/person.ts'
import { failureWords } from '../client/failure.ts'
import { t } from '../text/t.ts'
import { offer, toast } from '../ui/toast.tsx'
import type { FeedEvent } from './event.ts'

/** Offers to undo a replacement that named no version. Undoing it keeps later changes by others. */
export function offerUndo(session: Session, { kind, actor, payload }: FeedEvent): void {
  if ((kind !== 'content.replaced' && kind !== 'content.restored') || !payload.unguarded || !session.canEdit.value) return
  const { replacedRevision, toVersion } = payload
  if (replacedRevision === undefined || toVersion === undefined) return
  const name = actor === null || actor === 'guest' ? t('Guest') : actor
  const said =
    kind === 'content.restored'
      ? t('{name} restored an earlier version.', { name })
      : payload.partial
        ? t('{name} replaced a section.', { name })
        : t('{name} replaced the whole text.', { name })
  offer(said, t('Undo'), () => {
    restoreRevision(session, replacedRevision, toVersion, signature.value).then(
      () => toast(t('Earlier text restored.')),
      (error: unknown) =>
        toast(
          error instanceof RequestError && error.status === 409
            ? t('These lines have been changed since. The earlier text is in the history.')
            : failureWords(error)
        )
    )
  })
}
