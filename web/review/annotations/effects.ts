/** Describes the effects of suggestions on components. The module that knows all components loads with the first suggestion. */
import { signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import type { DescribedChange } from '../../../shared/fences/described-change.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import { isOpen, type Item } from './items.ts'
import type * as ChangeWords from '../suggestions/change-words.ts'

interface Proposed {
  readonly original: string
  readonly text: string
}

/** Returns the original and the suggested text of an item. Undefined if it is not a suggestion. */
export const proposalOf = (item: Item): Proposed | undefined => {
  if (item.kind === 'proposal') return item.proposal.suggestion
  return item.kind === 'new' && item.entry.action.kind === 'suggest' ? item.entry.action : undefined
}

export interface Effects {
  /** Describes the effect of a suggestion in words. Undefined if it affects no component or format, or cannot be described yet. */
  effectOf(item: Item): string | undefined
  /** Returns the change that an open suggestion makes to a component. Undefined if it makes none, or cannot be described yet. */
  changeOf(item: Item): DescribedChange | undefined
  /** Returns the change that an edit of the text makes to a component. Undefined if it makes none, or cannot be described yet. */
  changeOfEdit(edit: Edit): DescribedChange | undefined
}

export function openEffects(view: EditorView): Effects {
  const words = signal<typeof ChangeWords | undefined>(undefined)
  let isAsked = false
  /** The last descriptions, by suggestion. Once a suggestion is decided, the text no longer shows what it changed. */
  const known = new Map<string, Proposed & { readonly effect: string }>()
  /** Returns a suggestion as an edit of the current text. Undefined if the text has changed. */
  const editOf = (item: Item, { original, text }: Proposed): Edit | undefined => {
    if (item.span === undefined || !isOpen(item)) return undefined
    const { from, to } = item.span
    return view.state.doc.sliceString(from, to) === original ? { from, to, insert: text } : undefined
  }
  const load = (): void => {
    if (isAsked) return
    isAsked = true
    // Until the module has loaded, the card shows the changed words.
    import('../suggestions/change-words.ts').then(
      (found) => (words.value = found),
      () => undefined
    )
  }
  const changeOfEdit = (edit: Edit): DescribedChange | undefined => words.value?.changeOfEdit(view.state.doc, edit)
  return {
    effectOf(item) {
      const proposed = proposalOf(item)
      if (proposed === undefined) return undefined
      load()
      if (words.value === undefined) return undefined
      const { original, text } = proposed
      const edit = editOf(item, proposed)
      if (edit === undefined) {
        const last = known.get(item.id)
        return last?.original === original && last.text === text ? last.effect : words.value.wordsOfFormat(original, text)
      }
      const effect = words.value.wordsOfEdit(view.state.doc, edit)
      if (effect !== undefined) known.set(item.id, { original, text, effect })
      return effect
    },
    changeOf(item) {
      const proposed = proposalOf(item)
      const edit = proposed && editOf(item, proposed)
      if (edit === undefined) return undefined
      load()
      return changeOfEdit(edit)
    },
    changeOfEdit
  }
}
