/** Tells a person that others have rejected a suggestion that the person was typing. */
import { displayName } from '../../presence/people.ts'
import { t } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { offer, toast } from '../../ui/toast.tsx'
import { excerpt, type Suggestion } from '../outbox/records.ts'

/** How long a notice shows the reason for a rejection, in milliseconds, and how much of it, in UTF-16 units. The card shows all of it. */
const rejectedMs = 15_000
const reasonUnits = 200

function wordsOf({ decidedBy, reason }: Suggestion): string {
  const name = decidedBy == null ? '' : displayName(decidedBy)
  if (reason === undefined) return name === '' ? t('Your suggestion was rejected.') : t('{name} rejected your suggestion.', { name })
  const why = excerpt(reason, reasonUnits)
  return name === '' ? t('Your suggestion was rejected: {why}', { why }) : t('{name} rejected your suggestion: {why}', { name, why })
}

/** `typed` is the newest text of the suggestion. If the person who rejected it has not seen all of it, the notice offers to copy it. */
export function tellRejected(typed: string, suggestion: Suggestion, show: () => void): void {
  const words = wordsOf(suggestion)
  if (!suggestion.text.includes(typed)) offer(words, t('Copy text'), () => void copyText(typed, t('Text')))
  else if (suggestion.reason === undefined) toast(words)
  else toast(words, { name: t('Show'), run: show, milliseconds: rejectedMs })
}
