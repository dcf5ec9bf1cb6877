/**
 * Comments, suggestions and assignments on the page of a document: what is shown of them, where they are in the text, which one a person
 * looks at, and whether typing proposes. Fetched after the editor; no markup here.
 */
import { batch, computed, effect, signal, untracked, type ReadonlySignal, type Signal } from '@preact/signals'
import { EditorView, type ViewUpdate } from '@codemirror/view'
import type { Range as Span } from '../../shared/text/anchors.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { readDevice, writeDevice } from '../device.ts'
import type { View } from '../document/page.tsx'
import { textMap } from '../editor/binding.ts'
import type { Editor } from '../editor/editor.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { aim } from './aim.ts'
import { Layer } from './layer.tsx'
import { operationOf, trimmed, type Hunk } from './hunks.ts'
import { composerId, isOpen, quoteOf, remarkOf, type Composer, type Item } from './items.ts'
import { activate, dropRemarks, placeRemarks, placesIn, remarkPlaces, type Remark } from './places.ts'
import { excerpt } from './records.ts'
import { openStore, type Store } from './store.ts'
import { suggestingKey } from './suggesting-key.ts'
import { storedText, suggesting as suggestingIn, takeHunks } from './suggesting.ts'
import type { wordsOfEdit } from './told-words.ts'
import { findTarget, near, targetOf } from './targets.ts'

export type Filter = 'open' | 'resolved' | 'mine'

export interface Review {
  /** Which document, and the key to it. */
  readonly doc: { readonly id: string; readonly key: string }
  readonly store: Store
  /** In the order of the text; what has no place comes last. */
  readonly items: ReadonlySignal<readonly Item[]>
  /** How many are still to be dealt with. */
  readonly open: ReadonlySignal<number>
  readonly filter: Signal<Filter>
  /** The one that is looked at. */
  readonly active: Signal<string | undefined>
  /** The one whose card is to take the focus, once it is there. */
  readonly focused: Signal<string | undefined>
  readonly composer: Signal<Composer | undefined>
  /** Typing proposes. */
  readonly suggesting: ReadonlySignal<boolean>
  /** Goes with what is proposed from now on. */
  readonly reason: Signal<string>
  /** Whether this person may choose between the two. */
  readonly canChoose: ReadonlySignal<boolean>
  /** Cards stand beside the text. */
  readonly hasMargin: ReadonlySignal<boolean>
  /** Whether the text makes room for cards; undefined until it is known. */
  readonly wantsMargin: ReadonlySignal<boolean | undefined>
  /** Grows with whatever moves the text on the screen. */
  readonly moved: Signal<number>
  readonly editor: EditorView
  /** Begins a comment on the selection, else on the line of the cursor, else on the document. */
  comment(): void
  send(): void
  /** Proposes what was typed, at once. */
  settle(): void
  /** Proposes a change of the text, and answers how to take it back. Undefined: it changes nothing, or this person has proposed it already. */
  suggest(edit: Edit): (() => void) | undefined
  /** What a suggestion does to a component, in words; undefined: it is about none. */
  deedOf(item: Item): string | undefined
  toggleSuggesting(): void
  /** Looks at a remark, and shows its text. */
  show(id: string, focus?: 'card' | 'text'): void
  /** The next or previous one of the text. */
  go(step: 1 | -1): void
  /** Decides the suggestion that is looked at. */
  decide(action: 'accept' | 'reject'): void
  /** Resolves the comment that is looked at. */
  resolve(): void
  /** The address of a remark, without the key. */
  addressOf(item: Item): string
  readonly Layer: typeof Layer
  close(): void
}

/** Places are read anew at most so often while somebody types, in milliseconds. */
const placeMs = 120
const lookAgainMs = 1500
/** Looks at text that came, each after twice the time of the one before: the service may learn later than this page. */
const looksMax = 5
/** How long a comment that the address names may take to come. */
const missingMs = 4000
/** Gone texts that are looked for when something is typed. */
const goneMax = 50

/** So long what was proposed twice can be taken back from its notice, in milliseconds. */
const sameMs = 10_000

/** What is proposed with an item. */
const proposalOf = (item: Item): { readonly original: string; readonly text: string } | undefined => {
  if (item.kind === 'proposal') return item.proposal.suggestion
  return item.kind === 'new' && item.waiting.deed.kind === 'suggest' ? item.waiting.deed : undefined
}

const wide = matchMedia('(min-width: 1240px)')

export function openReview(page: View, editor: Editor): Review {
  const { session } = page
  const { view } = editor
  const store = openStore(session, (item) => aim(view, item))
  const filter = signal<Filter>('open')
  const active = signal<string | undefined>(undefined)
  const composer = signal<Composer | undefined>(undefined)
  const focused = signal<string | undefined>(undefined)
  const moved = signal(0)
  const wantsMargin = signal<boolean | undefined>(undefined)
  const spans = signal<ReadonlyMap<string, Span>>(new Map())
  const isWide = signal(wide.matches)
  const hasMargin = computed(() => isWide.value && page.panel.value === undefined && page.mode.value !== 'read')

  const items = computed(() => {
    const at = spans.value
    const there = new Set(store.threads.value.map(({ comment: { id } }) => id))
    // Words for a comment that is gone stand alone, so that they can be copied.
    const waiting = store.outbox.list.value.filter(
      ({ deed, refusal }) =>
        deed.kind === 'comment' ||
        deed.kind === 'suggest' ||
        ((deed.kind === 'reply' || deed.kind === 'edit') && refusal !== undefined && !there.has(deed.comment))
    )
    const all: Item[] = [
      ...store.threads.value.map((thread): Item => ({ kind: 'comment', id: thread.comment.id, thread, span: at.get(thread.comment.id) })),
      ...store.proposals.value.map((proposal): Item => ({
        kind: 'proposal',
        id: proposal.suggestion.id,
        proposal,
        span: at.get(proposal.suggestion.id)
      })),
      ...waiting.map((each): Item => ({ kind: 'new', id: each.id, waiting: each, span: at.get(each.id) }))
    ]
    if (composer.value !== undefined) all.push({ kind: 'composer', id: composerId, composer: composer.value, span: at.get(composerId) })
    const place = ({ span }: Item): number => span?.from ?? Number.MAX_SAFE_INTEGER
    return all.toSorted((one, other) => place(one) - place(other))
  })

  // ——— places ———

  /** Where remarks of this page were made, until the service says where they are. */
  const made = new Map<string, Span>()
  let known = new Map<string, unknown>()

  /** The place of an item as the service, or this page, says; `same` when what the editor knows is better. */
  const placeOf = (item: Item, stored: () => string): Span | undefined | 'same' => {
    const { state } = view
    const { shown } = state.facet(textMap)
    const base = storedText(state)
    const onScreen = ({ from, to }: Span): Span => ({ from: shown(from), to: Math.max(shown(from), shown(to)) })
    const own = made.get(item.id)
    if (own !== undefined) {
      made.delete(item.id)
      return own
    }
    if (item.kind === 'new') {
      const { deed } = item.waiting
      const target = deed.kind === 'comment' || deed.kind === 'suggest' ? deed.target : null
      const found = target === null ? undefined : findTarget(stored(), target)
      return found && onScreen(found)
    }
    if (item.kind === 'composer') return undefined
    const { from, to } = item.kind === 'comment' ? (item.thread.comment.anchor ?? { from: null, to: null }) : item.proposal.suggestion
    if (from === null || to === null) return undefined
    const words = quoteOf(item)
    const found = near(base, { from, to }, words)
    const isExact = words !== '' && base.sliceString(found.from, found.to) === words
    return !isExact && placesIn(state).has(item.id) ? 'same' : onScreen(found)
  }

  const readPlaces = (): void => {
    batch(() => {
      spans.value = placesIn(view.state)
      moved.value += 1
    })
  }

  /** Brings what the lists say into the editor. */
  const place = (all: readonly Item[]): void => {
    let whole: string | undefined
    const stored = (): string => (whole ??= storedText(view.state).toString())
    const next = new Map<string, unknown>()
    const put: { remark: Remark; span: Span | undefined }[] = []
    for (const item of all) {
      const wanted = remarkOf(item)
      if (wanted === undefined) continue
      next.set(item.id, wanted.key)
      if (known.has(item.id) && known.get(item.id) === wanted.key) continue
      const span = placeOf(item, stored)
      if (span !== 'same') put.push({ remark: wanted.remark, span })
    }
    const gone = new Set([...known.keys()].filter((id) => !next.has(id)))
    known = next
    if (put.length === 0 && gone.size === 0) return
    view.dispatch({ effects: [dropRemarks.of(gone), placeRemarks.of(put)] })
    readPlaces()
  }

  let placing: ReturnType<typeof setTimeout> | undefined
  let looking: ReturnType<typeof setTimeout> | undefined
  let looks = 0

  /** Text that was gone may be there again: the service knows. */
  const lookForGone = (): void => {
    looking = undefined
    const gone = items.peek().filter((item) => item.span === undefined && isOpen(item) && quoteOf(item) !== '')
    const text = gone.length === 0 ? '' : storedText(view.state).toString()
    if (!gone.slice(0, goneMax).some((item) => text.includes(quoteOf(item)))) return
    store.read()
    looks += 1
    if (looks < looksMax) looking = setTimeout(lookForGone, lookAgainMs * 2 ** looks)
  }

  const follow = EditorView.updateListener.of(({ docChanged, geometryChanged, viewportChanged, changes }: ViewUpdate) => {
    if (!docChanged && !geometryChanged && !viewportChanged) return
    placing ??= setTimeout(() => {
      placing = undefined
      readPlaces()
      store.outbox.aimAgain()
    }, placeMs)
    if (!docChanged || changes.newLength <= changes.length) return
    looks = 0
    looking ??= setTimeout(lookForGone, lookAgainMs)
  })

  // ——— looking at one ———

  const spanOf = (id: string): Span | undefined => placesIn(view.state).get(id)

  const show = (id: string, focus?: 'card' | 'text'): void => {
    const item = items.peek().find((each) => each.id === id)
    if (item === undefined) return
    active.value = id
    if (!isOpen(item)) filter.value = 'resolved'
    const span = spanOf(id)
    if ((span === undefined || !hasMargin.value) && page.panel.value !== 'remarks') page.panel.value = 'remarks'
    if (span !== undefined && page.mode.value !== 'read')
      view.dispatch({
        ...(focus === 'text' ? { selection: { anchor: span.from } } : {}),
        effects: EditorView.scrollIntoView(span.from, { y: 'center' })
      })
    if (focus === 'text') view.focus()
    if (focus === 'card') focused.value = id
  }

  const wordsFor = (item: Item): string => {
    if (item.kind === 'comment') {
      const { author, body } = item.thread.comment
      return t('Comment by {name}: {text}', { name: author, text: excerpt(body, 200) })
    }
    if (item.kind === 'proposal') {
      const { author, original, text } = item.proposal.suggestion
      const deed = deedOf(item)
      if (deed !== undefined) return t('{name} suggests: {what}', { name: author, what: deed })
      if (original === '') return t('{name} suggests to insert: {text}', { name: author, text: excerpt(text, 200) })
      if (text === '') return t('{name} suggests to delete: {text}', { name: author, text: excerpt(original, 200) })
      return t('{name} suggests {text} instead of {original}', { name: author, text: excerpt(text, 120), original: excerpt(original, 120) })
    }
    return t('Not sent yet')
  }

  const go = (step: 1 | -1): void => {
    const all = items.peek().filter((item) => item.span !== undefined && isOpen(item) && item.kind !== 'composer')
    if (all.length === 0) {
      toast(t('There are no comments or suggestions in the text.'))
      return
    }
    const { head } = view.state.selection.main
    const current = all.findIndex(({ id, span }) => id === active.peek() && span !== undefined && span.from <= head && head <= span.to)
    const beside =
      step === 1 ? all.findIndex(({ span }) => (span?.from ?? 0) >= head) : all.findLastIndex(({ span }) => (span?.from ?? 0) < head)
    const next = current === -1 ? beside : current + step
    const index = next < 0 ? (step === 1 ? 0 : all.length - 1) : next % all.length
    const item = all[index]
    if (item === undefined) return
    show(item.id, 'text')
    store.said.value = t('{at} of {count}. {what}', { at: index + 1, count: all.length, what: wordsFor(item) })
  }

  const looked = (): Item | undefined => items.peek().find(({ id }) => id === active.peek())

  const decide = (action: 'accept' | 'reject'): void => {
    const item = looked()
    if (item?.kind !== 'proposal' || !isOpen(item)) return toast(t('Go to a suggestion first.'))
    store.decide(action, [item.id])
    store.said.value = action === 'accept' ? t('Accepting…') : t('Rejecting…')
  }
  const resolve = (): void => {
    const item = looked()
    if (item?.kind !== 'comment' || !isOpen(item)) return toast(t('Go to a comment first.'))
    store.act({ kind: 'resolve', comment: item.id, resolved: true })
    store.said.value = t('Comment resolved')
  }

  // ——— writing ———

  const comment = (): void => {
    if (!store.canComment.value) {
      toast(t('Your link does not allow comments.'))
      return
    }
    if (composer.value === undefined) {
      const { main, doc } = { main: view.state.selection.main, doc: view.state.doc }
      const line = doc.lineAt(main.head)
      const picked = main.empty ? { from: line.from, to: line.to } : { from: main.from, to: main.to }
      const quote = page.mode.value === 'read' ? '' : view.state.sliceDoc(picked.from, picked.to)
      if (quote.trim() !== '') made.set(composerId, picked)
      composer.value = { quote: quote.trim() === '' ? '' : quote, body: signal('') }
    }
    active.value = composerId
    if (!hasMargin.value) page.panel.value = 'remarks'
    focused.value = composerId
  }

  const send = (): void => {
    const written = composer.value
    const body = written?.body.value.trim() ?? ''
    if (written === undefined || body === '') return
    const span = spanOf(composerId)
    const { stored } = view.state.facet(textMap)
    const text = storedText(view.state).toString()
    // Its text went while the comment was written: the words alone tell what it was on.
    const lost = written.quote === '' ? null : { find: written.quote, prefix: '', suffix: '' }
    const range = span && { from: stored(span.from), to: stored(span.to) }
    const target = range === undefined || range.from >= range.to ? lost : targetOf(text, range)
    batch(() => {
      const sent = store.act({ kind: 'comment', body, target })
      if (span !== undefined) made.set(sent.id, span)
      composer.value = undefined
      active.value = sent.id
    })
    store.said.value = t('Comment added')
  }

  const propose = (_view: EditorView, hunks: readonly Hunk[]): string[] => {
    const ids: string[] = []
    const text = storedText(view.state).toString()
    const { shown } = view.state.facet(textMap)
    batch(() => {
      for (const { from, to, original, text: proposed } of hunks) {
        const operation = operationOf({ original, text: proposed })
        const sent = store.act({
          kind: 'suggest',
          operation,
          original,
          text: proposed,
          target: targetOf(text, { from, to }),
          note: reason.value.trim()
        })
        made.set(sent.id, { from: shown(from), to: Math.max(shown(from), shown(to)) })
        ids.push(sent.id)
      }
    })
    return ids
  }

  const takeBack = (id: string): void => {
    const now = store.successors.peek().get(id) ?? id
    const isThere = store.proposals.peek().some(({ suggestion }) => suggestion.id === now)
    if (isThere) store.act({ kind: 'withdraw', suggestion: now })
    else store.outbox.drop(now)
    toast(t('Taken back'))
  }
  /** What says what suggestions do: it comes with the first, and knows all components. */
  const told = signal<typeof wordsOfEdit | undefined>(undefined)
  let isAsked = false
  const deedOf = (item: Item): string | undefined => {
    const proposed = proposalOf(item)
    if (proposed !== undefined && !isAsked) {
      isAsked = true
      // Without it the card shows the words that change.
      import('./told-words.ts').then(
        (found) => (told.value = found.wordsOfEdit),
        () => undefined
      )
    }
    if (told.value === undefined || proposed === undefined || item.span === undefined || !isOpen(item)) return undefined
    const { doc } = view.state
    const { from, to } = item.span
    return doc.sliceString(from, to) === proposed.original ? told.value(doc, { from, to, insert: proposed.text }) : undefined
  }
  const settle = (): void => {
    if (suggesting.peek()) takeHunks(view, () => true, propose)
  }
  const suggest = ({ from, to, insert }: Edit): (() => void) | undefined => {
    const original = storedText(view.state).sliceString(from, to)
    const hunk = trimmed({ from, to, fromShown: from, toShown: to, original, text: insert })
    if (hunk === undefined) return undefined
    const same = items.peek().find((item) => {
      const isOwn = item.kind === 'new' || (item.kind === 'proposal' && store.isOwn(item.proposal.suggestion))
      const proposed = isOpen(item) && isOwn ? proposalOf(item) : undefined
      const isThere = item.span?.from === hunk.from && item.span.to === hunk.to
      return isThere && proposed?.original === hunk.original && proposed.text === hunk.text
    })
    if (same !== undefined) {
      toast(t('You have suggested this already.'), { name: t('Take back'), run: () => takeBack(same.id), milliseconds: sameMs })
      return undefined
    }
    const [id = ''] = propose(view, [hunk])
    return () => takeBack(id)
  }

  const askedKey = suggestingKey(session.id)
  const asked = signal(readDevice(askedKey) === '1')
  const suggesting = signal(false)
  const reason = signal('')
  const canChoose = computed(() => store.canDecide.value && session.canEdit.value)
  const wanted = computed(() => store.canSuggest.value && (!store.canDecide.value || asked.value))

  const toggleSuggesting = (): void => {
    if (!canChoose.value) {
      toast(store.canSuggest.value ? t('Your link allows suggesting only.') : t('Your link does not allow suggesting.'))
      return
    }
    asked.value = !asked.value
    writeDevice(askedKey, asked.value ? '1' : null)
    const words = asked.value ? t('Suggesting: what you type is proposed') : t('Editing: what you type changes the text')
    store.said.value = words
    toast(words)
    view.focus()
  }

  const setSuggesting = (isOn: boolean): void => {
    if (isOn === suggesting.value) return
    if (isOn) editor.setBinding(suggestingIn(session.text, propose))
    else {
      takeHunks(view, () => true, propose)
      editor.setBinding(undefined)
    }
    suggesting.value = isOn
  }

  // ——— the address ———

  const shareable = (item: Item): string => (item.kind === 'proposal' ? 'suggestion' : 'comment')
  const addressOf = (item: Item): string => `${location.origin}/d/${session.id}#${shareable(item)}-${item.id}`
  const fromAddress = (): string | undefined =>
    /^#(?:comment|suggestion)-([\w-]+)$/.exec(location.hash)?.[1] ?? new URL(location.href).searchParams.get('comment') ?? undefined
  /** What the address asks for, as long as it is not there. */
  const asks = signal<string | undefined>(undefined)
  let missing: ReturnType<typeof setTimeout> | undefined
  const openAddress = (): void => {
    asks.value = fromAddress()
    clearTimeout(missing)
    if (asks.value === undefined || store.state.peek() === 'reading') return
    // It may have been made just now.
    store.read()
    missing = setTimeout(() => {
      if (asks.value !== undefined) toast(t('This comment is no longer there.'))
      asks.value = undefined
    }, missingMs)
  }

  const onPick = (id: string | undefined): void => {
    if (id === undefined) {
      if (active.value !== composerId) active.value = undefined
      return
    }
    active.value = id
    if (!hasMargin.value) page.panel.value = 'remarks'
  }

  const onWidth = (): void => {
    isWide.value = wide.matches
  }
  wide.addEventListener('change', onWidth)
  addEventListener('hashchange', openAddress)
  editor.setReview([remarkPlaces(onPick), follow])
  const stopStore = store.start()
  const marginKey = `agmd.margin.${session.id}`
  const stops = [
    effect(() => {
      const all = items.value
      untracked(() => place(all))
    }),
    effect(() => {
      const id = active.value
      untracked(() => view.dispatch({ effects: activate.of(id) }))
    }),
    effect(() => {
      const isOn = wanted.value
      untracked(() => setSuggesting(isOn))
    }),
    effect(() => {
      const id = active.value
      const successor = id === undefined ? undefined : store.successors.value.get(id)
      if (successor !== undefined) active.value = successor
    }),
    effect(() => {
      const has = items.value.some((item) => isOpen(item) && item.span !== undefined)
      if (store.state.value === 'ready') writeDevice(marginKey, has ? '1' : null)
      if (!has && store.state.value === 'reading') return
      // The text does not move back while somebody looks at it.
      if (has) wantsMargin.value = true
      else wantsMargin.value ??= false
    })
  ]
  stops.push(
    effect(() => {
      if (store.state.value === 'ready') queueMicrotask(openAddress)
    }),
    effect(() => {
      const id = asks.value
      if (id === undefined || !items.value.some((item) => item.id === id)) return
      untracked(() => {
        asks.value = undefined
        show(id, 'card')
      })
    })
  )

  return {
    doc: session,
    store,
    items,
    open: computed(() => items.value.filter((item) => isOpen(item) && item.kind !== 'composer').length),
    filter,
    active,
    focused,
    composer,
    suggesting,
    reason,
    canChoose,
    hasMargin,
    wantsMargin,
    moved,
    editor: view,
    comment,
    send,
    settle,
    suggest,
    deedOf,
    toggleSuggesting,
    show,
    go,
    decide,
    resolve,
    addressOf,
    Layer,
    close() {
      settle()
      for (const stop of stops) stop()
      clearTimeout(missing)
      stopStore()
      clearTimeout(placing)
      clearTimeout(looking)
      wide.removeEventListener('change', onWidth)
      removeEventListener('hashchange', openAddress)
    }
  }
}
