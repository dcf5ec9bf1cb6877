/** Describes the effect of a suggestion on a component. The module that knows all components loads with the first suggestion. */
import { signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import { isOpen, type Item } from './items.ts'
import type { wordsOfEdit } from '../suggestions/change-words.ts'

/** Returns the original and the suggested text of an item. Undefined if it is not a suggestion. */
export const proposalOf = (item: Item): { readonly original: string; readonly text: string } | undefined => {
  if (item.kind === 'proposal') return item.proposal.suggestion
  return item.kind === 'new' && item.entry.action.kind === 'suggest' ? item.entry.action : undefined
}

/** Returns a function that describes the effect of an annotation; undefined if it affects no component or cannot be described yet. */
export function openEffects(view: EditorView): (item: Item) => string | undefined {
  const told = signal<typeof wordsOfEdit | undefined>(undefined)
  let isAsked = false
  return (item) => {
    const proposed = proposalOf(item)
    if (proposed !== undefined && !isAsked) {
      isAsked = true
      // Until the module has loaded, the card shows the changed words.
      import('../suggestions/change-words.ts').then(
        (found) => (told.value = found.wordsOfEdit),
        () => undefined
      )
    }
    if (told.value === undefined || proposed === undefined || item.span === undefined || !isOpen(item)) return undefined
    const { doc } = view.state
    const { from, to } = item.span
    return doc.sliceString(from, to) === proposed.original ? told.value(doc, { from, to, insert: proposed.text }) : undefined
  }
}
