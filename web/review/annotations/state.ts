/** The state that the review modules share: the annotations on the page, the active one, and the comment that is being written. */
import { plainNameOf } from '../../presence/people.ts'
import { keepNumber } from '../../presence/signature.ts'
import { computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals'
import type { EditorView } from '@codemirror/view'
import { mentionOf } from '../../../shared/mentions.ts'
import type { Range as Span } from '../../../shared/text/targets.ts'
import type { View } from '../../view/view.ts'
import type { Editor } from '../../editor/setup/editor.ts'
import { namesAround } from '../../presence/mention-names.ts'
import { personName } from '../../presence/person.ts'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import { newTargetOf } from '../suggestions/new-target.ts'
import { openRestoredSteps } from '../../editor/restored-steps.ts'
import { textMap, textSteps } from '../../editor/binding.ts'
import { openUndoOrder, type UndoOrder } from '../../editor/undo-order.ts'
import { openDecisions, type Decisions } from './decisions.ts'
import { type Effects, openEffects } from './effects.ts'
import { itemsOf, type Composer, type Item } from './items.ts'
import { openMissing } from './missing.ts'
import { openPositions, type Positions } from './positions.ts'
import { restOf } from '../suggestions/rest-of.ts'
import { openHalfWritten, type HalfWritten } from './half-written.ts'
import { openRejecting, type Rejecting } from './reason.ts'
import { openResolving, type Resolving } from './resolving.ts'
import type { Suggestion } from '../outbox/records.ts'
import type { Proposal, Thread } from '../outbox/shown-records.ts'
import { openStore, type Store } from '../outbox/store.ts'
import { storedText } from '../suggestions/draft-field.ts'

export type Filter = 'open' | 'resolved' | 'mine'

export interface State extends Effects, Resolving {
  readonly page: View
  readonly editor: Editor
  readonly store: Store
  readonly positions: Positions
  readonly decisions: Decisions
  readonly undoOrder: UndoOrder
  /** All items in text order. Items without a place come last. */
  readonly items: ReadonlySignal<readonly Item[]>
  readonly filter: Signal<Filter>
  /** Called when others have rejected a suggestion of this person. `typed` is its newest text. */
  onRejected(typed: string, suggestion: Suggestion): void
  /** Id of the active annotation. */
  readonly active: Signal<string | undefined>
  /** Id of the annotation whose card takes the focus once it is drawn. */
  readonly focused: Signal<string | undefined>
  readonly composer: Signal<Composer | undefined>
  /** The suggestion that is being rejected, and the reason typed so far. */
  readonly rejecting: Signal<Rejecting | undefined>
  /** Half-written replies and edits. */
  readonly halfWritten: HalfWritten
  /** Id of the item that has the focus in one of its text fields. */
  readonly typing: Signal<string | undefined>
  /** Ids of the items that this person types in, or that have half-written text. Nobody else can remove their cards. */
  readonly inUse: ReadonlySignal<ReadonlySet<string>>
  /** Ids of the closed items whose cards stay for now: those that were decided here a moment ago, and those with half-written text. */
  readonly staying: ReadonlySignal<ReadonlySet<string>>
  /** The last selection in the reading view, as a range of the document's text. */
  readonly picked: Signal<Span | undefined>
  /** This person's name in mentions, or '' for a guest without a name. */
  readonly me: ReadonlySignal<string>
  /** Returns the name of a mentioned person as that person writes it. Undefined if the page does not know the person. */
  nameOf(mention: string): string | undefined
  /** Returns the people who can be mentioned. */
  names(): readonly string[]
  /** Whether cards appear next to the text. */
  readonly hasMargin: ReadonlySignal<boolean>
  close(): void
}

/** Moves the caret to an offset of the document's text. */
const goTo = (view: EditorView, at: number): void =>
  view.dispatch({ selection: { anchor: view.state.facet(textMap).shown(at) }, scrollIntoView: true, userEvent: 'select' })

/** How long a notice offers to reopen a suggestion that somebody else decided first, in milliseconds. */
const undecidedMs = 15_000

const wide = matchMedia('(min-width: 1240px)')

export function openState(page: View, editor: Editor): State {
  const { view } = editor
  const active = signal<string | undefined>(undefined)
  /** Whether a decision of this page is on its way to the service. */
  const isDeciding = computed(() => store.isConnected.value && store.proposals.value.some(({ deciding }) => deciding !== undefined))
  const steps = view.state.facet(textSteps)
  const undoOrder = openUndoOrder({
    view,
    canEdit: () => page.session.canEdit.peek(),
    restored:
      steps &&
      openRestoredSteps(
        steps,
        page.session.text,
        () => storedText(view.state),
        (at) => goTo(view, at)
      ),
    isDeciding: () => isDeciding.peek()
  })
  const decisions = openDecisions({
    order: undoOrder,
    decide(action, ids) {
      store.decide(action, ids)
      if (action === 'reopen') active.value = ids[0]
    },
    isOpen: (id) =>
      store.proposals
        .peek()
        .some(({ suggestion, deciding }) => suggestion.id === id && (suggestion.status === 'pending' || deciding === 'reopen')),
    decisionOn(id) {
      const status = store.proposals.peek().find(({ suggestion }) => suggestion.id === id)?.suggestion.status
      return status === 'accepted' ? 'accept' : status === 'rejected' ? 'reject' : undefined
    }
  })
  const filter = signal<Filter>('open')
  const onRejected: State['onRejected'] = (typed, suggestion) => {
    if (decisions.isHere(suggestion.id)) return
    const show = (): void => {
      filter.value = 'resolved'
      active.value = suggestion.id
      page.panel.value = 'annotations'
    }
    // Rejections while a person types are rare.
    import('./rejected.ts').then(
      ({ tellRejected }) => tellRejected(typed, suggestion, show),
      () => undefined
    )
  }
  const store = openStore({
    session: page.session,
    newTargetOf: (item) => newTargetOf(view, item),
    onRejected: (action, suggestion, isLeft) => onRejected(isLeft ? '' : action.text, suggestion),
    restOf: (action, decided) => restOf(storedText(view.state).toString(), action, decided),
    onDeciding(action, ids) {
      for (const id of ids) positions.keep(id)
      decisions.asked(action, ids)
    },
    onDecided: decisions.done,
    onUndecided(ids, words, canReopen = false) {
      decisions.refused(ids)
      const reopen = { name: t('Reopen'), run: () => store.decide('reopen', ids), milliseconds: undecidedMs }
      if (words !== undefined) toast(words, canReopen ? reopen : undefined)
    }
  })
  const { rejecting, close: closeRejecting } = openRejecting(page.session.id)
  const stopNumber = keepNumber(page.session.id)
  const composer = signal<Composer | undefined>(undefined)
  const isWide = signal(wide.matches)
  const halfWritten = openHalfWritten(page.session.id)
  const typing = signal<string | undefined>(undefined)
  const inUse = computed(
    () => new Set([...halfWritten.ids.value, ...[typing.value, rejecting.value?.id].filter((each) => each !== undefined)])
  )
  const staying = computed(() => new Set([...decisions.recent.value, ...inUse.value]))
  const missingThreads = openMissing<Thread>(({ comment }) => comment.id)
  const missingProposals = openMissing<Proposal>(({ suggestion }) => suggestion.id)
  const positions = openPositions(
    view,
    page.session.text,
    store,
    staying,
    () => items.peek(),
    () => page.session.unsent.peek() === 0
  )
  const items = computed(() => {
    const ids = inUse.value
    const threads = missingThreads(store.threads.value, ids).map((thread): Thread => ({ ...thread, waiting: [], isDeleted: true }))
    const proposals = missingProposals(store.proposals.value, ids)
    return itemsOf(store, composer.value, positions.spans.value, { ids, threads, proposals })
  })
  const me = computed(() => {
    const own = page.here.value.find(({ self }) => self)
    return own?.nameless === true ? '' : mentionOf(own?.name ?? personName.value)
  })
  const people = computed(() => {
    const authors = items.value.flatMap((item) => {
      const { author, replies = [] } =
        item.kind === 'comment' ? item.thread.comment : item.kind === 'proposal' ? item.proposal.suggestion : { author: '' }
      return [author, ...replies.map((reply) => reply.author)]
    })
    const all = [...authors, ...page.here.value.map(plainNameOf)]
    return new Map(all.map((name) => [mentionOf(name).toLowerCase(), name]))
  })
  const stopWaiting = effect(() => {
    if (!isDeciding.value) untracked(undoOrder.settled)
  })
  const onWidth = (): void => {
    isWide.value = wide.matches
  }
  wide.addEventListener('change', onWidth)
  return {
    page,
    editor,
    store,
    positions,
    decisions,
    undoOrder,
    items,
    filter,
    onRejected,
    active,
    focused: signal<string | undefined>(undefined),
    composer,
    rejecting,
    halfWritten,
    typing,
    inUse,
    staying,
    picked: signal<Span | undefined>(undefined),
    ...openEffects(view, store, positions.storedSpanOf),
    ...openResolving({ page, store, order: undoOrder, onChanged: (id) => (active.value = id) }),
    me,
    nameOf: (mention) => people.value.get(mention.toLowerCase()),
    names: () => namesAround(page, []).filter((name) => name !== me.peek()),
    hasMargin: computed(() => isWide.value && page.panel.value === undefined && page.mode.value !== 'read'),
    close() {
      stopNumber()
      closeRejecting()
      positions.close()
      decisions.close()
      stopWaiting()
      undoOrder.close()
      wide.removeEventListener('change', onWidth)
    }
  }
}
