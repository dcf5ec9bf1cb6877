/** The versions of a document, the two versions that are compared, and the actions on them, as signals. This module has no user interface code. */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import {
  type AttributedLines,
  labelRevision,
  listRevisions,
  nameNow,
  readAttribution,
  readVersion,
  restoreRevision,
  type Revision
} from './api.ts'
import type { Session } from '../session/session.ts'
import { signature } from '../presence/person.ts'
import { compareTexts } from './compare.ts'
import { fitsPage } from './rendered.ts'
import type { Comparison } from './rows.ts'

/** A saved revision, or the current text if no revision contains it yet. */
export type Entry = Revision | { readonly id: 'now'; readonly version: string; readonly label: null; readonly createdAt: undefined }

/** The version that the selected one is compared with: its predecessor, or a version that the person chose. */
export type Base = 'previous' | Revision['id']

export type Shown =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'page'; readonly before: string; readonly after: string }
  | { readonly kind: 'changes'; readonly comparison: Comparison; readonly base: Entry | undefined }
  | { readonly kind: 'authors'; readonly lines: readonly AttributedLines[]; readonly text: readonly string[] }

interface Restored {
  /** The version that the revision replaced. */
  readonly base: string
  /** Brings back the previous text. `merged` is true if the text contains later edits by others. Rejects with a `RequestError`. */
  undo(): Promise<{ readonly merged?: true }>
}

export interface History {
  /** The document's id. */
  readonly doc: string
  /** The versions, newest first. Undefined until loaded. */
  readonly entries: ReadonlySignal<readonly Entry[] | undefined>
  readonly hasOlder: ReadonlySignal<boolean>
  readonly failure: ReadonlySignal<unknown>
  readonly selected: Signal<Entry['id'] | undefined>
  readonly base: Signal<Base>
  /** The current view: the rendered text, the changed lines, or the authors. */
  readonly view: ReadonlySignal<'changes' | 'page' | 'authors'>
  /** Switches the view. If the version cannot be shown that way, a message explains why. */
  setView(name: 'changes' | 'page' | 'authors'): void
  /** The revision that the current text has just become because the person named it. */
  readonly named: Signal<Revision['id'] | undefined>
  readonly shown: ReadonlySignal<Shown>
  load(): Promise<void>
  loadOlder(): Promise<void>
  /** Names a version. Naming the current text saves it as a revision. Rejects with a `RequestError`. */
  label(id: Entry['id'], label: string): Promise<void>
  /**
   * Restores a revision in place of the version `base`, by default the newest one in the list. Later edits by others are kept. Resolves with undefined
   * if the text did not change. Rejects with a `RequestError`.
   */
  restore(id: number, base?: string): Promise<Restored | undefined>
  close(): void
}

/** Number of revisions in one request. */
const revisionsAtOnce = 100

export function createHistory(session: Session, firstLook: 'changes' | 'page'): History {
  const entries = signal<readonly Entry[] | undefined>(undefined)
  const older = signal<number | null>(null)
  const failure = signal<unknown>(undefined)
  const selected = signal<Entry['id'] | undefined>(undefined)
  const base = signal<Base>('previous')
  const look = signal<'changes' | 'page' | 'authors'>(firstLook)
  const named = signal<Revision['id'] | undefined>(undefined)
  const shown = signal<Shown>({ kind: 'loading' })
  const tries = signal(0)
  // If text is too long to render, a person who chooses the rendered view gets a message. A person who only opens the history sees the changed
  // lines.
  let isAsked = false
  const texts = new Map<string, Promise<string>>()

  const textOf = (version: string): Promise<string> => {
    const known = texts.get(version)
    if (known !== undefined) return known
    const reading = readVersion(session, { version }).then(({ content }) => content)
    reading.catch(() => texts.delete(version))
    texts.set(version, reading)
    return reading
  }

  const entry = computed(() => entries.value?.find((each) => each.id === selected.value))
  const compared = computed<Entry | undefined>(() => {
    const list = entries.value ?? []
    if (base.value !== 'previous') return list.find((each) => each.id === base.value)
    return list[list.findIndex((each) => each.id === selected.value) + 1]
  })

  let reading: Promise<void> | undefined
  /** Loads the next older revisions. Rejects with a `RequestError`. */
  const readOlder = (): Promise<void> => {
    const before = older.peek()
    if (before === null) return Promise.resolve()
    const read = async (): Promise<void> => {
      const { revisions, nextBefore } = await listRevisions(session, { limit: revisionsAtOnce, before })
      batch(() => {
        entries.value = [...(entries.value ?? []), ...revisions]
        older.value = nextBefore
      })
    }
    reading ??= read().finally(() => (reading = undefined))
    return reading
  }

  const show = async (current: Entry, aborted: AbortSignal): Promise<Shown> => {
    // The predecessor of the last loaded version has not been loaded. Once it is, this function runs again.
    if (look.peek() !== 'authors' && base.peek() === 'previous' && compared.peek() === undefined) await readOlder()
    aborted.throwIfAborted()
    const text = await textOf(current.version)
    if (look.peek() === 'authors') {
      const { lines } = await readAttribution(session, current.version)
      return { kind: 'authors', lines, text: text.split('\n') }
    }
    const before = compared.peek()
    const old = before === undefined ? '' : await textOf(before.version)
    if (look.peek() === 'page' && (isAsked || fitsPage(old, text))) return { kind: 'page', before: old, after: text }
    const comparison = await compareTexts(old, text, aborted)
    return { kind: 'changes', comparison, base: before }
  }

  const stop = effect(() => {
    void [look.value, compared.value?.version, tries.value]
    const current = entry.value
    if (current === undefined) return undefined
    const controller = new AbortController()
    shown.value = { kind: 'loading' }
    const put = (value: Shown): void => {
      if (!controller.signal.aborted) shown.value = value
    }
    show(current, controller.signal).then(put, (error: unknown) => put({ kind: 'failed', error }))
    return () => controller.abort()
  })

  const load = async (): Promise<void> => {
    failure.value = undefined
    try {
      const [{ revisions, nextBefore }, now] = await Promise.all([listRevisions(session, { limit: revisionsAtOnce }), readVersion(session)])
      texts.set(now.version, Promise.resolve(now.content))
      const unsaved: Entry[] =
        now.version === revisions[0]?.version ? [] : [{ id: 'now', version: now.version, label: null, createdAt: undefined }]
      entries.value = [...unsaved, ...revisions]
      older.value = nextBefore
      tries.value += 1
      if (entry.peek() === undefined) selected.value = entries.value[0]?.id
    } catch (error) {
      failure.value = error
    }
  }

  return {
    doc: session.id,
    entries,
    hasOlder: computed(() => older.value !== null),
    failure,
    selected,
    base,
    view: computed(() => (shown.value.kind === 'changes' ? 'changes' : look.value)),
    setView(name) {
      isAsked = true
      batch(() => {
        look.value = name
        tries.value += 1
      })
    },
    named,
    shown,
    load,
    async loadOlder() {
      failure.value = undefined
      try {
        await readOlder()
      } catch (error) {
        failure.value = error
      }
    },
    async label(revision, label) {
      const name = label.trim()
      if (revision === 'now') {
        const now = entries.value?.find((each) => each.id === 'now')
        if (now === undefined || name === '') return
        const saved = await nameNow(session, await textOf(now.version), now.version, name)
        named.value = saved.id
        await load()
        selected.value = saved.id
        return
      }
      const labelled = await labelRevision(session, { revisionId: revision, label: name === '' ? null : name })
      entries.value = entries.value?.map((each) => (each.id === revision ? labelled : each))
    },
    async restore(revision, base = entries.value?.[0]?.version ?? '') {
      const { revisionId, changed, version } = await restoreRevision(session, revision, base, signature.value)
      // The previous text is in the previous revision, because the service saves unsaved text first.
      if (!changed || revisionId === null) return undefined
      return { base, undo: () => restoreRevision(session, revisionId - 1, version, signature.value) }
    },
    close: stop
  }
}
