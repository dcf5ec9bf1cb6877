/** The refused decisions on suggestions. A card shows the refusal until the person decides again. */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Output } from '../../../shared/operations/index.ts'
import { t } from '../../text/t.ts'
import type { Action, Decision } from './entry.ts'
import { isUndecided, type Suggestion } from './records.ts'
import { decisionRefusalOf, firstWords, leftWords } from './refusals.ts'

type ById = ReadonlyMap<string, string>

export interface RefusedDecisions {
  /** The reasons for the refusals, by suggestion. */
  readonly refusals: ReadonlySignal<ById>
  /** The reasons in refused rejections. Their text stays on the cards. */
  readonly reasons: ReadonlySignal<ById>
  refuse(suggestion: string, words: string, reason?: string): void
  /** Takes the results of decisions. The cards show why some were refused. */
  take(action: Action & { readonly kind: 'decide' }, answer: Output<'decideSuggestions'>): void
  /** Removes everything about suggestions that are decided again, and notes their texts. */
  clear(suggestions: readonly string[]): void
}

/** How often a rejection is sent again because its author typed on. Each time takes a response, and authors send fewer versions. */
const repeatsMax = 5

interface RefusedDecisionsInput {
  readonly suggestions: ReadonlySignal<ReadonlyMap<string, Suggestion>>
  /** Called with each suggestion that a response contains. */
  readonly onSuggestion: (suggestion: Suggestion | undefined) => void
  readonly onDecided: (action: Decision, suggestions: readonly string[], left: string | undefined) => void
  readonly onUndecided: (suggestions: readonly string[], words: string | undefined, canReopen?: boolean) => void
  /** Sends rejections again, on the versions that the service has now. */
  readonly rejectAgain: (suggestions: readonly string[], reason: string | undefined) => void
}

const without = (all: ById, ids: readonly string[]): ById => new Map([...all].filter(([each]) => !ids.includes(each)))

export function openRefusedDecisions({
  suggestions,
  onSuggestion,
  onDecided,
  onUndecided,
  rejectAgain
}: RefusedDecisionsInput): RefusedDecisions {
  const refusals = signal<ById>(new Map())
  const reasons = signal<ById>(new Map())
  /** The texts that the person saw when deciding, and how often a rejection of each may be sent again. */
  const seen = new Map<string, { readonly text: string; left: number }>()
  /** Whether the author only typed on since the person rejected a suggestion. The person rejected what is typed there, not one version of it. */
  const isSameTyping = ({ id, text }: Suggestion): boolean => {
    const then = seen.get(id)
    return then !== undefined && text.startsWith(then.text) && then.left-- > 0
  }

  const refuse: RefusedDecisions['refuse'] = (suggestion, words, reason) => {
    refusals.value = new Map(refusals.value).set(suggestion, words)
    if (reason !== undefined) reasons.value = new Map(reasons.value).set(suggestion, reason)
  }

  return {
    refusals,
    reasons,
    refuse,
    take({ action, steps, reason }, { results }) {
      const changed = t('The text has changed since, so this cannot be undone.')
      const otherWords = t('The suggestion has changed. Check it again.')
      const left: { readonly id: string; readonly code: string; readonly message: string }[] = []
      const again: string[] = []
      for (const { suggestionId, ok, code = '', message = t('That did not work.'), suggestion } of results) {
        onSuggestion(suggestion)
        if (ok) continue
        const isOther = suggestion !== undefined && isUndecided(suggestion) && suggestion.step !== steps?.[suggestionId]
        if (isOther && action === 'reject' && isSameTyping(suggestion)) {
          again.push(suggestionId)
          continue
        }
        const why = isOther ? otherWords : decisionRefusalOf(code, message)
        refuse(suggestionId, action === 'reopen' ? changed : why, reason)
        left.push({ id: suggestionId, code: isOther ? 'suggestion_changed' : code, message })
      }
      const done = results.filter(({ ok }) => ok).map(({ suggestionId }) => suggestionId)
      const words = left.length === 0 ? undefined : leftWords(action, left)
      const first = results.length === 1 && left[0]?.code === 'already_decided' ? results[0]?.suggestion : undefined
      const isTyped = results.length === 1 && left[0]?.code === 'suggestion_changed'
      const alone = action === 'reopen' ? changed : isTyped ? otherWords : first && firstWords(first)
      const ids = left.map(({ id }) => id)
      if (left.length > 0)
        onUndecided(ids, done.length > 0 ? undefined : left.length === 1 ? alone : words, first && first.withdrawn !== true)
      if (done.length > 0) onDecided(action, done, words)
      if (again.length > 0) rejectAgain(again, reason)
    },
    clear(ids) {
      for (const id of ids) {
        const known = suggestions.peek().get(id)
        if (known !== undefined) seen.set(id, { text: known.text, left: repeatsMax })
      }
      refusals.value = without(refusals.value, ids)
      reasons.value = without(reasons.value, ids)
    }
  }
}
