/**
 * The entry point for comments, suggestions and assignments on the page of a document. It loads after the editor and contains no markup. In
 * `annotations/`, `state.ts` holds the shared state, `positions.ts` tracks the positions of annotations, `navigation.ts` handles the active
 * annotation, `writing.ts` handles new comments, `suggesting-mode.ts` handles suggesting mode, and `address.ts` opens links to an annotation.
 */
import { computed, effect, untracked } from '@preact/signals'
import type { View } from '../view/view.ts'
import { ownUndo } from '../editor/binding.ts'
import type { Editor } from '../editor/setup/editor.ts'
import { openAddress } from './annotations/address.ts'
import { composerId, isOpen } from './annotations/items.ts'
import { storeAnnotations } from './annotations/stored-annotations.ts'
import { showInvitation } from './cards/invitation.ts'
import { Layer } from './cards/layer.tsx'
import { tasksCommands } from './cards/tasks-command.ts'
import { aboveSheet, touchSheets, keepAboveSheet } from './annotations/above-sheet.ts'
import { openMarginRoom } from './annotations/margin-room.ts'
import { openNavigation } from './annotations/navigation.ts'
import { explainReadOnly } from './annotations/read-only.ts'
import { activate, annotationRanges } from './suggestions/annotation-ranges.ts'
import { protectPressed } from './suggestions/pressed.ts'
import { openSuggestingMode } from './annotations/suggesting-mode.ts'
import type { Review } from './annotations/review.ts'
import { openState } from './annotations/state.ts'
import { openWriting } from './annotations/writing.ts'
import { keepClearOfFields } from '../ui/clear-of-fields.ts'
import '../ui/more-icons.ts'

/** The review together with its Preact components. */
export interface OpenReview extends Review {
  readonly Layer: typeof Layer
}

export function openReview(page: View, editor: Editor): OpenReview {
  const { session } = page
  const { view } = editor
  const state = openState(page, editor)
  const { store, positions, decisions, undoOrder, items, active, hasMargin, staying, halfWritten } = state
  const looking = openNavigation(state)
  const writing = openWriting(state)
  const entryOf = computed(() => new Map([...store.recordIds.value].map(([entry, record]) => [record, entry])))
  // A button of the mouse may already be down when this code loads, so a listener alone would not know of it.
  const room = openMarginRoom(session.id, { ...state, isPressed: () => document.body.matches(':active') })
  addEventListener('pointerup', room.used, true)

  const pick = (id: string | undefined): void => {
    if (id === undefined) {
      if (active.value !== composerId) active.value = undefined
      return
    }
    active.value = id
    if (!hasMargin.value) page.panel.value = 'annotations'
  }

  const pickInText = (id: string | undefined): void => {
    const edited = suggestingMode.editedAtCaret()
    // The panel would move the text while the person edits it.
    if (id === undefined && edited !== undefined) {
      active.value = edited
      return
    }
    // On a phone the panel would cover the text, so the first tap of a person who can write only places the caret. The suggestion of somebody else has
    // no place for the caret, and the keyboard would cover its card.
    const isOthers = store.proposals.peek().some(({ suggestion }) => suggestion.id === id && !store.isOwn(suggestion))
    const placesCaret = touchSheets.matches && page.canType.peek() && page.panel.value === undefined
    if (id === undefined || id === active.value || !placesCaret || isOthers) pick(id)
    else active.value = id
    if (placesCaret && isOthers) view.contentDOM.blur()
  }

  // Few visits press a key there.
  const explainPressed = (id: string): void =>
    void import('./annotations/explain-pressed.ts').then(
      (loaded) => loaded.explainPressed(store, id),
      () => undefined
    )

  editor.setReview([
    annotationRanges(pickInText),
    protectPressed({ onBlocked: explainPressed }),
    positions.extension,
    ownUndo.of(undoOrder),
    explainReadOnly(session),
    aboveSheet,
    room.extension
  ])
  const stopStore = store.start()
  const stopStoring = storeAnnotations(state)
  const stops = [
    keepClearOfFields(),
    effect(() => {
      const all = items.value
      void staying.value
      untracked(() => positions.update(all))
    }),
    effect(() => {
      const id = active.value
      untracked(() => view.dispatch({ effects: activate.of(id) }))
    }),
    effect(() => {
      const id = active.value
      const successor = id === undefined ? undefined : store.recordIds.value.get(id)
      if (successor !== undefined) active.value = successor
    }),
    effect(() => {
      for (const id of halfWritten.ids.value) {
        const successor = store.recordIds.value.get(id)
        if (successor !== undefined) untracked(() => halfWritten.renamed(id, successor))
      }
    }),
    keepAboveSheet(state)
  ]
  let isClosed = false
  // Few visits lose text.
  import('./annotations/lost-text.ts').then(
    ({ tellLost }) => isClosed || stops.push(...tellLost(state)),
    () => undefined
  )
  const stopInvitation = showInvitation(page, store)
  const suggestingMode = openSuggestingMode(state)
  const address = openAddress(state, looking)

  return {
    ...state,
    ...looking,
    ...writing,
    ...suggestingMode,
    doc: session,
    panel: page.panel,
    commands: computed(() => tasksCommands(page, store)),
    open: computed(() => items.value.filter((item) => isOpen(item) && item.kind !== 'composer').length),
    cardKeyOf: ({ id }) => entryOf.value.get(id) ?? id,
    moved: positions.moved,
    ranges: positions.ranges,
    spanOf: positions.spanOf,
    pick,
    wantsMargin: room.wantsMargin,
    editor: view,
    addressOf: address.addressOf,
    recent: decisions.recent,
    isDecidedHere: (id) => decisions.isHere(id),
    Layer,
    close() {
      isClosed = true
      suggestingMode.close()
      address.close()
      for (const stop of stops) stop()
      removeEventListener('pointerup', room.used, true)
      room.close()
      stopInvitation()
      stopStoring()
      stopStore()
      state.close()
    }
  }
}
