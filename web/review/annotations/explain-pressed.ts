/** The notice after a key was pressed in text that a suggestion adds. The code loads with the first such key. */
import { displayName } from '../../presence/people.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import type { Store } from '../outbox/store.ts'

/** How long the notice stays, in milliseconds. */
const pressedMs = 8000

/** Explains why a key did nothing in text that a suggestion adds. */
export function explainPressed(store: Store, id: string): void {
  const suggestion = store.proposals.peek().find((each) => each.suggestion.id === id)?.suggestion
  if (suggestion === undefined) return
  const name = displayName(suggestion.author)
  const isOwn = store.isOwn(suggestion)
  if (!store.canDecide.peek()) {
    const why = isOwn
      ? t('This suggestion has been answered, so it can no longer be changed.')
      : t('{name} suggested this text. Only they can change it.', { name })
    return toast(why)
  }
  const accept = (): void => store.decide('accept', [id])
  const words = isOwn
    ? t('You suggested this text. Accept it to change it.')
    : t('{name} suggested this text. Accept it to change it.', { name })
  toast(words, { name: t('Accept'), run: accept, milliseconds: pressedMs })
}
