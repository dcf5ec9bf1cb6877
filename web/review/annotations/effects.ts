/** Describes the effects of suggestions on components. The module that knows all components loads with the first suggestion. */
import { signal } from '@preact/signals'
import type { Text } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { DescribedChange } from '../../../shared/fences/described-change.ts'
import type { Fence } from '../../../shared/fences/fences.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import type { Range } from '../../../shared/text/targets.ts'
import type { Store } from '../outbox/store.ts'
import { storedText } from '../suggestions/draft-field.ts'
import { isOpen, type Item, lacksText } from './items.ts'
import type { Positions } from './positions.ts'
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

interface Description extends Proposed {
  /** The effect of the suggestion in words. */
  readonly effect: string
  /** Whether the words say everything that the suggestion changes, so that nobody has to read its source. */
  readonly saysAll: boolean
}

export interface Effects {
  /** Describes a suggestion. Undefined if it affects no component or format, or cannot be described yet. */
  described(item: Item): Description | undefined
  /** Returns only the words of the description. */
  effectOf(item: Item): string | undefined
  /** Returns the change that an open suggestion makes to a component. Undefined if it makes none, or cannot be described yet. */
  changeOf(item: Item): DescribedChange | undefined
  /** Returns the component that an open suggestion changes, before and after the change. Undefined if it changes none, or is not known yet. */
  fencesOf(item: Item): readonly [before: Fence, after: Fence] | undefined
  /** Whether an open suggestion cannot be accepted, because its text has changed or is gone. */
  isMisfit(item: Item): boolean
  /** Returns the change that an edit of the text makes to a component. Undefined if it makes none, or cannot be described yet. */
  changeOfEdit(edit: Edit): DescribedChange | undefined
}

export function openEffects(view: EditorView, store: Pick<Store, 'edited'>, storedSpanOf: Positions['storedSpanOf']): Effects {
  const words = signal<typeof ChangeWords | undefined>(undefined)
  let isAsked = false
  /** The last descriptions, by suggestion. Once a suggestion is decided, the text no longer shows what it changed. */
  const known = new Map<string, Description>()
  /** Returns a suggestion as an edit of the given text. Undefined if the text has changed so that the suggestion does not fit. */
  const editIn = (doc: Text, range: Range, { original, text }: Proposed): Edit | undefined =>
    doc.sliceString(range.from, range.to) === original ? { ...range, insert: text } : words.value?.movedEdit(doc, { range, original, text })
  const editOf = (item: Item, proposed: Proposed): Edit | undefined =>
    item.span === undefined || !isOpen(item) ? undefined : editIn(view.state.doc, item.span, proposed)
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
  /** Returns an open suggestion as an edit, and loads the module for it. */
  const openEditOf = (item: Item): Edit | undefined => {
    const proposed = proposalOf(item)
    const edit = proposed && editOf(item, proposed)
    if (edit !== undefined) load()
    return edit
  }
  const described = (item: Item): Description | undefined => {
    const proposed = proposalOf(item)
    if (proposed === undefined) return undefined
    load()
    const now = words.value
    if (now === undefined) return undefined
    const { original, text } = proposed
    const edit = editOf(item, proposed)
    const last = known.get(item.id)
    if (edit === undefined && last?.original === original && last.text === text) return last
    const service = item.kind === 'proposal' ? item.proposal.suggestion.change : undefined
    // The service made the description from a described change.
    const change = edit === undefined ? (service as DescribedChange | undefined) : changeOfEdit(edit)
    const effect = edit === undefined ? now.wordsOfDecided(original, text, change) : now.wordsOfEdit(view.state.doc, edit)
    if (effect === undefined) return undefined
    const found = { original, text, effect, saysAll: now.saysAll(effect, original, text, change) }
    if (edit !== undefined) known.set(item.id, found)
    return found
  }
  return {
    described,
    effectOf: (item) => described(item)?.effect,
    changeOf(item) {
      const edit = openEditOf(item)
      return edit && changeOfEdit(edit)
    },
    fencesOf(item) {
      const edit = openEditOf(item)
      return edit && words.value?.fencesOfEdit(view.state.doc, edit)
    },
    isMisfit(item) {
      if (item.kind !== 'proposal' || !isOpen(item) || item.span === undefined) return lacksText(item)
      const { suggestion, deciding } = item.proposal
      const span = storedSpanOf(item.id)
      // The text may have changed because of the decision, or because the person changes this suggestion.
      if (deciding !== undefined || suggestion.original === '' || store.edited.value.has(suggestion.draftId ?? '')) return false
      load()
      return words.value !== undefined && span !== undefined && editIn(storedText(view.state), span, suggestion) === undefined
    },
    changeOfEdit
  }
}
