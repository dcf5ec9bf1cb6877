/** The state that the review modules share: the annotations on the page, the active one, and the comment that is being written. */
import { plainNameOf } from '../../presence/people.ts'
import { keepNumber } from '../../presence/signature.ts'
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { mentionOf } from '../../../shared/mentions.ts'
import type { Range as Span } from '../../../shared/text/targets.ts'
import type { View } from '../../view/view.ts'
import type { Editor } from '../../editor/setup/editor.ts'
import { namesAround } from '../../presence/mention-names.ts'
import { personName } from '../../presence/person.ts'
import { toast } from '../../ui/toast.tsx'
import { newTargetOf } from '../suggestions/new-target.ts'
import { openDecisions, type Decisions } from './decisions.ts'
import { type Effects, openEffects } from './effects.ts'
import { itemsOf, type Composer, type Item } from './items.ts'
import { openPositions, type Positions } from './positions.ts'
import { restOf } from '../suggestions/rest-of.ts'
import { openHalfWritten, type HalfWritten } from './half-written.ts'
import { openRejecting, type Rejecting } from './reason.ts'
import { openStore, type Store } from '../outbox/store.ts'
import { storedText } from '../suggestions/suggesting.ts'

export type Filter = 'open' | 'resolved' | 'mine'

export interface State extends Effects {
  readonly page: View
  readonly editor: Editor
  readonly store: Store
  readonly positions: Positions
  readonly decisions: Decisions
  /** All items in text order. Items without a place come last. */
  readonly items: ReadonlySignal<readonly Item[]>
  readonly filter: Signal<Filter>
  /** Id of the active annotation. */
  readonly active: Signal<string | undefined>
  /** Id of the annotation whose card takes the focus once it is drawn. */
  readonly focused: Signal<string | undefined>
  readonly composer: Signal<Composer | undefined>
  /** The suggestion that is being rejected, and the reason typed so far. */
  readonly rejecting: Signal<Rejecting | undefined>
  /** Half-written replies and edits. */
  readonly halfWritten: HalfWritten
  /** Ids of the closed items whose cards stay for now: those that were decided here a moment ago, and those with half-written text. */
  readonly staying: ReadonlySignal<ReadonlySet<string>>
  /** The last selection in the reading view, as a range of the document's text. */
  readonly picked: Signal<Span | undefined>
  /** This person's name in mentions, or '' for a guest without a name. */
  readonly me: ReadonlySignal<string>
  /** Returns the name of a mentioned person as that person writes it. If the person is unknown, returns the name as written in the text. */
  nameOf(mention: string): string
  /** Returns the people who can be mentioned. */
  names(): readonly string[]
  /** Whether cards appear next to the text. */
  readonly hasMargin: ReadonlySignal<boolean>
  close(): void
}

const wide = matchMedia('(min-width: 1240px)')

export function openState(page: View, editor: Editor): State {
  const { view } = editor
  const active = signal<string | undefined>(undefined)
  const decisions = openDecisions({
    view,
    decide(action, ids) {
      store.decide(action, ids)
      if (action === 'reopen') active.value = ids[0]
    },
    isOpen: (id) =>
      store.proposals
        .peek()
        .some(({ suggestion, deciding }) => suggestion.id === id && (suggestion.status === 'pending' || deciding === 'reopen'))
  })
  const store = openStore({
    session: page.session,
    newTargetOf: (item) => newTargetOf(view, item),
    restOf: (action, decided) => restOf(storedText(view.state).toString(), action, decided),
    onDeciding(action, ids) {
      for (const id of ids) positions.keep(id)
      decisions.asked(action, ids)
    },
    onDecided: decisions.done,
    onUndecided(ids, words) {
      decisions.refused(ids)
      if (words !== undefined) toast(words)
    }
  })
  const { rejecting, close: closeRejecting } = openRejecting(page.session.id)
  const stopNumber = keepNumber(page.session.id)
  const composer = signal<Composer | undefined>(undefined)
  const isWide = signal(wide.matches)
  const halfWritten = openHalfWritten(page.session.id)
  const staying = computed(() => new Set([...decisions.recent.value, ...halfWritten.ids.value]))
  const positions = openPositions(
    view,
    store,
    staying,
    () => items.peek(),
    () => page.session.unsent.peek() === 0
  )
  const items = computed(() => itemsOf(store, composer.value, positions.spans.value))
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
    items,
    filter: signal<Filter>('open'),
    active,
    focused: signal<string | undefined>(undefined),
    composer,
    rejecting,
    halfWritten,
    staying,
    picked: signal<Span | undefined>(undefined),
    ...openEffects(view),
    me,
    nameOf: (mention) => people.value.get(mention.toLowerCase()) ?? mention,
    names: () => namesAround(page, []).filter((name) => name !== me.peek()),
    hasMargin: computed(() => isWide.value && page.panel.value === undefined && page.mode.value !== 'read'),
    close() {
      stopNumber()
      closeRejecting()
      positions.close()
      decisions.close()
      wide.removeEventListener('change', onWidth)
    }
  }
}
