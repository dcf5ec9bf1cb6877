/** Tells a person about text that cannot be sent, or that the service refused. */
import { effect, untracked } from '@preact/signals'
import { t } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { offer } from '../../ui/toast.tsx'
import type { Item } from './items.ts'
import type { State } from './state.ts'

/** Whether the cards of all annotations are visible. */
const hasCards = ({ page, hasMargin }: State): boolean => hasMargin.value || page.panel.value === 'annotations'

/** Offers half-written texts for copying once their cards are gone. Returns a function that stops this. */
function offerHalfWritten(state: State): () => void {
  const { store, items, halfWritten } = state
  let offered: ReadonlySet<string> = new Set()
  return effect(() => {
    if (store.state.value !== 'ready') return
    // The card of a deleted comment shows the text itself.
    const hasAll = hasCards(state)
    const isShown = (item: Item): boolean => hasAll || item.kind !== 'comment' || item.thread.isDeleted !== true
    const there = new Set(items.value.filter(isShown).map(({ id }) => id))
    const gone = [...halfWritten.ids.value].filter((id) => !there.has(id) && !store.recordIds.value.has(id))
    if (gone.every((id) => offered.has(id))) return
    offered = new Set(gone)
    const copy = (): void => void copyText(gone.flatMap(halfWritten.take).join('\n\n'), t('Text'))
    untracked(() => offer(t('Your half-written text can no longer be sent.'), t('Copy text'), copy))
  })
}

/** Returns the words of a notice about refused text. Undefined if its card is enough. */
function wordsOf(item: Item, hasAll: boolean): string | undefined {
  if (item.kind !== 'new') return undefined
  const { action, refusal, isForbidden, isLost } = item.entry
  if (isForbidden === true && refusal !== undefined && !hasAll) return t('Not saved: {why}', { why: refusal })
  if (item.span !== undefined || action.kind === 'comment') return undefined
  if (action.kind !== 'suggest') return t('The comment is gone, so your text could not be saved. It is kept.')
  return isLost === true ? t('The original text is gone, so your suggestion could not be added. It is kept.') : undefined
}

/** Tells a person about refused text of which only the panel shows the card. Returns a function that stops this. */
function tellRefused(state: State): () => void {
  const { page, items, active } = state
  /** The functions that remove the notices, by the ids of their items. */
  const told = new Map<string, () => void>()
  return effect(() => {
    const hasAll = hasCards(state)
    const refused = new Set(items.value.flatMap((item) => (item.kind === 'new' && item.entry.refusal !== undefined ? item.id : [])))
    // A later attempt may save the text, or the person discards it.
    for (const [id, drop] of told) {
      if (refused.has(id)) continue
      told.delete(id)
      untracked(drop)
    }
    for (const item of items.value) {
      const words = told.has(item.id) ? undefined : wordsOf(item, hasAll)
      if (words === undefined) continue
      const show = (): void => {
        active.value = item.id
        page.panel.value = 'annotations'
      }
      told.set(
        item.id,
        untracked(() => offer(words, t('Show'), show))
      )
    }
  })
}

/** Returns functions that stop this. */
export const tellLost = (state: State): readonly (() => void)[] => [offerHalfWritten(state), tellRefused(state)]
