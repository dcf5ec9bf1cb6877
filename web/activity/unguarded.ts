/** A replacement by somebody who had not read what stood there: those who see it hear who it was, and can take it back. */
import { RequestError } from '../api.ts'
import type { Session } from '../document/session.ts'
import { takeBack } from '../history/api.ts'
import { personName } from '../person.ts'
import { failureWords } from '../refused/failure.ts'
import { t } from '../text/t.ts'
import { offer, toast } from '../ui/toast.tsx'
import { isolated } from './event-words.ts'
import type { FeedEvent } from './feed.ts'

/** Offers to take a replacement back that named no version. What others have written since stays. */
export function offerUndo({ id, key, canEdit }: Session, { type, actor, payload }: FeedEvent): void {
  const { unguarded, replacedRevision, toVersion } = payload
  if (type !== 'content.replaced' || unguarded !== true || !canEdit.value) return
  if (typeof replacedRevision !== 'number' || typeof toVersion !== 'string') return
  offer(
    t('{name} replaced the whole text.', { name: isolated(actor === null || actor === 'guest' ? t('Guest') : actor) }),
    t('Undo'),
    () => {
      takeBack(id, key, replacedRevision, toVersion, personName.value).then(
        () => toast(t('The earlier text is back.')),
        (error: unknown) =>
          toast(
            error instanceof RequestError && error.status === 409
              ? t('Others have changed these lines since. The earlier text is in the history.')
              : failureWords(error)
          )
      )
    }
  )
}
