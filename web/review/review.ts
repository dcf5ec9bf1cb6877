/**
 * Comments, suggestions and assignments on the page of a document: what its other parts know of them. Fetched after the editor; no markup
 * here. What is shown `state.ts`, where it is `placing.ts`, looking at one `looking.ts`, writing one `writing.ts`, typing that only proposes
 * `proposing.ts`, addresses `address.ts`.
 */
import { computed, effect, signal, untracked, type ReadonlySignal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import { writeDevice } from '../device.ts'
import type { View } from '../document/page.tsx'
import type { Editor } from '../editor/editor.ts'
import type { Decisions } from './decisions.ts'
import { openAddress, type Address } from './address.ts'
import { composerId, isOpen } from './items.ts'
import { openKeeping } from './keeping.ts'
import { Layer } from './layer.tsx'
import { openLooking, type Looking } from './looking.ts'
import { activate, remarkPlaces } from './places.ts'
import type { Placing, RemarkPlace } from './placing.ts'
import { openProposing, type Proposing } from './proposing.ts'
import { openState, type State } from './state.ts'
import { openWriting, type Writing } from './writing.ts'
import '../ui/more-icons.ts'

export type { RemarkPlace }

export interface Review
  extends
    Omit<State, 'page' | 'editor' | 'placing' | 'decisions'>,
    Looking,
    Writing,
    Omit<Proposing, 'close'>,
    Pick<Placing, 'moved' | 'places'>,
    Pick<Address, 'addressOf'> {
  /** Suggestions that were decided here a moment ago. */
  readonly recent: Decisions['recent']
  readonly isDecidedHere: Decisions['isHere']
  /** Takes the newest decision of this page back; false: there is none, or something was typed since. */
  undoDecision(): boolean
  /** Which document, and the key to it. */
  readonly doc: { readonly id: string; readonly key: string }
  /** How many are still to be dealt with. */
  readonly open: ReadonlySignal<number>
  /** Whether the text makes room for cards; undefined until it is known. */
  readonly wantsMargin: ReadonlySignal<boolean | undefined>
  readonly editor: EditorView
  /** A remark was clicked; undefined: beside all. */
  pick(id: string | undefined): void
  readonly Layer: typeof Layer
}

export function openReview(page: View, editor: Editor): Review {
  const { session } = page
  const { view } = editor
  const state = openState(page, editor)
  const { store, placing, decisions, items, active, hasMargin } = state
  const looking = openLooking(state)
  const writing = openWriting(state)
  const wantsMargin = signal<boolean | undefined>(undefined)

  const pick = (id: string | undefined): void => {
    if (id === undefined) {
      if (active.value !== composerId) active.value = undefined
      return
    }
    active.value = id
    if (!hasMargin.value) page.panel.value = 'remarks'
  }

  editor.setReview([remarkPlaces(pick), placing.extension])
  const stopStore = store.start()
  const stopKeeping = openKeeping(state)
  const marginKey = `agmd.margin.${session.id}`
  const stops = [
    effect(() => {
      const all = items.value
      void decisions.recent.value
      untracked(() => placing.place(all))
    }),
    effect(() => {
      const id = active.value
      untracked(() => view.dispatch({ effects: activate.of(id) }))
    }),
    effect(() => {
      const id = active.value
      const successor = id === undefined ? undefined : store.successors.value.get(id)
      if (successor !== undefined) active.value = successor
    }),
    effect(() => {
      const recent = decisions.recent.value
      const has = items.value.some((item) => (isOpen(item) || recent.has(item.id)) && item.span !== undefined)
      if (store.state.value === 'ready') writeDevice(marginKey, has ? '1' : null)
      if (!has && store.state.value === 'reading') return
      // The text takes its column back when the last remark is gone.
      wantsMargin.value = has
    })
  ]
  const proposing = openProposing(state)
  const address = openAddress(state, looking)

  return {
    ...state,
    ...looking,
    ...writing,
    ...proposing,
    doc: session,
    open: computed(() => items.value.filter((item) => isOpen(item) && item.kind !== 'composer').length),
    moved: placing.moved,
    places: placing.places,
    pick,
    wantsMargin,
    editor: view,
    addressOf: address.addressOf,
    recent: decisions.recent,
    isDecidedHere: (id) => decisions.isHere(id),
    undoDecision: decisions.undo,
    Layer,
    close() {
      proposing.close()
      address.close()
      for (const stop of stops) stop()
      stopKeeping()
      stopStore()
      state.close()
    }
  }
}
