/** The dialog with the history of a document: every version, the changes between any two versions, the authors, and restoring. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { RequestError } from '../client/api.ts'
import type { View } from '../view/view.ts'
import { t, tn } from '../text/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Icon, type IconName } from '../ui/icons.tsx'
import { useModal } from '../ui/modal.ts'
import { dropToast, toast } from '../ui/toast.tsx'
import type { Revision } from './api.ts'
import { Authors } from './authors.tsx'
import { Changes } from './changes.tsx'
import { createHistory, type Base, type Entry, type History, type Shown } from './history.ts'
import { RenderedChanges } from './rendered-changes.tsx'
import { showChange } from './show-change.ts'
import { ownUndo } from '../editor/binding.ts'
import { type RestoreStep, restoreStepsOf } from './restore-steps.ts'
import { nameOf, namesOf, Timeline, whenOf } from './timeline.tsx'

const words = (error: unknown): string => {
  if (!(error instanceof RequestError)) return t('That did not work.')
  if (error.status === 0) return t('The server cannot be reached. The history loads when you are back online.')
  return error.status === 403 ? t('Your link does not allow this.') : `${error.message} ${error.hint}`
}

/** Time for which the notice about a restore offers Undo, in milliseconds. The keyboard shortcut works for longer. */
const offerMs = 15_000

const restoredWords = (revision: Revision): string =>
  revision.label === null
    ? t('Restored the version from {when}.', { when: whenOf(revision) })
    : t('Restored the version “{name}”.', { name: revision.label })

/** Lets the person step through the changes that are shown. */
function useSteps(container: { current: HTMLElement | null }, shown: Shown) {
  const current = useSignal(-1)
  useEffect(() => {
    current.value = -1
  }, [shown])
  // The rendered version is in its own shadow root.
  const all = (): HTMLElement[] => {
    const outer = container.current
    const root = outer?.querySelector('.history-page')?.shadowRoot ?? outer
    return [...(root?.querySelectorAll<HTMLElement>('[data-change]') ?? [])]
  }
  return {
    current,
    /** Scrolls to the first change if it is below the visible part of the text. */
    reveal(): void {
      const [first] = all()
      const outer = container.current
      if (first === undefined || outer === null) return
      if (first.getBoundingClientRect().top > outer.getBoundingClientRect().bottom - 24) first.scrollIntoView({ block: 'center' })
    },
    step(by: 1 | -1): void {
      const list = all()
      if (list.length === 0) return
      current.value = (Math.max(current.value, by === 1 ? -1 : 0) + by + list.length) % list.length
      const target = list[current.value]
      target?.scrollIntoView({ block: 'center' })
      target?.focus({ preventScroll: true })
    }
  }
}

interface NameInput {
  readonly entry: Entry
  readonly history: History
  readonly onBegin: () => void
  readonly onFail: (error: unknown) => void
}

function Name({ entry, history, onBegin, onFail }: NameInput): JSX.Element {
  const open = useSignal(false)
  const input = useRef<HTMLInputElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  // Moves the focus into the field immediately, so that typing enters the name, and back to the button when the field closes.
  useLayoutEffect(() => {
    if (open.value) input.current?.focus()
    else if (wasOpen.current) button.current?.focus()
    wasOpen.current = open.value
  }, [open.value])
  // With a name, the current text becomes another entry, which has its own button.
  useLayoutEffect(() => {
    if (history.named.peek() !== entry.id) return
    history.named.value = undefined
    button.current?.focus()
  }, [])
  const save = async (): Promise<void> => {
    onBegin()
    try {
      await history.label(entry.id, input.current?.value ?? '')
      open.value = false
    } catch (error) {
      onFail(error)
    }
  }
  if (!open.value)
    return (
      <button ref={button} type='button' class='button quiet' onClick={() => (open.value = true)}>
        <Icon name='pen' size={18} />
        {entry.label === null ? t('Name this version') : t('Rename')}
      </button>
    )
  return (
    <form
      class='history-name'
      onSubmit={(event: Event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        open.value = false
      }}
    >
      <input ref={input} type='text' maxLength={200} aria-label={t('Name of this version')} defaultValue={entry.label ?? ''} />
      <button class='button primary'>{t('Save')}</button>
    </form>
  )
}

interface StepInput {
  readonly icon: IconName
  readonly label: string
  /** The key for the same step. */
  readonly letter: string
  /** Number of changes. */
  readonly count: number
  readonly onClick: () => void
}

const StepButton = ({ icon, label, letter, count, onClick }: StepInput): JSX.Element => (
  <IconButton icon={icon} label={label} title={`${label} (${letter})`} disabled={count === 0} onClick={onClick} />
)

function Compared({ history, entries }: { history: History; entries: readonly Entry[] }): JSX.Element {
  const others = entries.filter((entry): entry is Revision => entry.id !== 'now' && entry.id !== history.selected.value)
  return (
    <label class='history-base'>
      <span>{t('Compared with')}</span>
      <select
        value={String(history.base.value)}
        onChange={(event: Event) => {
          const { value } = event.target as HTMLSelectElement
          history.base.value = value === 'previous' ? 'previous' : (Number(value) satisfies Base)
        }}
      >
        <option value='previous'>{t('the previous version')}</option>
        {[...namesOf(history.doc, others)].map(([id, name]) => (
          <option key={id} value={String(id)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

function Text({ shown, retry, onPage }: { shown: Shown; retry: () => void; onPage: (changes: number) => void }): JSX.Element {
  if (shown.kind === 'loading') return <p class='history-state muted'>{t('Loading versions…')}</p>
  if (shown.kind === 'failed')
    return (
      <div class='history-state' role='alert'>
        <p>{words(shown.error)}</p>
        <button type='button' class='button' onClick={retry}>
          {t('Try again')}
        </button>
      </div>
    )
  if (shown.kind === 'authors') return <Authors lines={shown.lines} text={shown.text} />
  if (shown.kind === 'page') return <RenderedChanges {...shown} onShown={onPage} />
  const { comparison } = shown
  if (comparison.added === 0 && comparison.removed === 0) return <p class='history-state muted'>{t('These versions are the same.')}</p>
  return <Changes comparison={comparison} />
}

function ViewChoice({ history }: { history: History }): JSX.Element {
  const look = (name: History['view']['value'], label: string): JSX.Element => (
    <button
      type='button'
      class='button quiet history-look'
      aria-pressed={history.view.value === name}
      onClick={() => history.setView(name)}
    >
      {label}
    </button>
  )
  return (
    <div class='history-looks' role='group' aria-label={t('Version view')}>
      {look('page', t('Page'))}
      {look('changes', t('Source'))}
      {look('authors', t('Authors'))}
    </div>
  )
}

/** Number of times that a version is restored while others keep writing in its lines. Each attempt takes a fraction of a second. */
const attemptsMax = 10

const isConflict = (error: unknown): boolean => error instanceof RequestError && error.status === 409

export function HistoryDialog({ view }: { view: View }): JSX.Element {
  const { session } = view
  const { ref, close, ends } = useModal(() => {
    view.dialog.value = undefined
  })
  const text = useRef<HTMLElement>(null)
  const history = useMemo(() => createHistory(session, view.mode.peek() === 'source' ? 'changes' : 'page'), [session])
  const busy = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  /** Whether others changed the lines of the restored version after this page had loaded the list. */
  const isOvertaken = useSignal(false)
  const shown = history.shown.value
  const steps = useSteps(text, shown)
  useEffect(() => {
    void history.load()
    return history.close
  }, [])
  useEffect(() => {
    text.current?.scrollTo(0, 0)
    if (shown.kind === 'changes') steps.reveal()
  }, [shown])
  /** Called when the rendered version has loaded, with the number of its changes. */
  const pageShown = (count: number): void => {
    onPage.value = count
    steps.reveal()
  }
  // An earlier error stays visible until the next action.
  const settled = (): void => {
    problem.value = undefined
    isOvertaken.value = false
  }
  useEffect(settled, [history.selected.value, history.base.value, history.view.value])

  const entries = history.entries.value ?? []
  const entry = entries.find(({ id }) => id === history.selected.value)
  const onPage = useSignal(0)
  const changes = shown.kind === 'changes' ? shown.comparison.changes : shown.kind === 'page' ? onPage.value : 0

  type Restored = NonNullable<Awaited<ReturnType<typeof history.restore>>>
  const changedSince = (error: unknown): void => {
    if (!isConflict(error)) return toast(words(error))
    const run = (): void => void (view.dialog.value = 'history')
    toast(t('These lines have been changed since. The earlier text is in the history.'), { name: t('History'), run, milliseconds: offerMs })
  }
  /** Shows a notice that offers to undo a restore. The undo key does it too, and the redo key then restores the version again. */
  const offerUndo = (revision: Revision, first: Restored): void => {
    const order = view.editor.value?.view.state.facet(ownUndo)
    const steps = order && restoreStepsOf(order)
    const words = restoredWords(revision)
    let { undo } = first
    const refused = (error: unknown): never => {
      changedSince(error)
      throw error
    }
    const step: RestoreStep = {
      async back() {
        dropToast(words)
        const { merged } = await undo().catch(refused)
        toast(merged === true ? t('Restore undone. Later edits are kept.') : t('Restore undone.'))
      },
      async again() {
        // Relative to the version that was replaced at first, everything that others have written since is a later edit.
        const again = await history.restore(revision.id, first.base).catch(refused)
        if (again === undefined) return
        undo = again.undo
        tell()
      }
    }
    // A refusal has already been told.
    const run = (): void => (steps === undefined ? void step.back().catch(() => undefined) : steps.takeBack(step))
    const tell = (): void => toast(words, { name: t('Undo'), run, milliseconds: offerMs })
    steps?.add(step)
    tell()
  }
  /** Restores a version. While somebody keeps writing in its lines, tries `attempts` times, each time with the newest version. */
  const restoredIn = async (revision: Revision, attempts: number): ReturnType<typeof history.restore> => {
    try {
      return await history.restore(revision.id)
    } catch (error) {
      if (!isConflict(error)) throw error
      await history.load()
      if (attempts > 1) return restoredIn(revision, attempts - 1)
      throw error
    }
  }
  const restore = async (restored: Revision, attempts = 1): Promise<void> => {
    busy.value = true
    settled()
    try {
      const before = session.text.toString()
      const done = await restoredIn(restored, attempts)
      close()
      if (done !== undefined) showChange(view, before)
      if (done === undefined) toast(t('The document already matches this version.'))
      else offerUndo(restored, done)
    } catch (error) {
      isOvertaken.value = isConflict(error)
      problem.value = isOvertaken.value
        ? t('Others have just changed these lines. Look at their changes, or restore this version anyway. Their text stays in the history.')
        : words(error)
    }
    busy.value = false
  }
  const key = (event: KeyboardEvent): void => {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'n' || event.key === 'j') steps.step(1)
    else if (event.key === 'p' || event.key === 'k') steps.step(-1)
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={ref} class='history' aria-labelledby='history-title' {...ends} onKeyDown={key}>
      <header class='history-head'>
        <h2 id='history-title'>{t('History')}</h2>
        <ViewChoice history={history} />
        <span class='spread' />
        <IconButton icon='x' label={t('Close')} onClick={close} />
      </header>
      <div role='alert'>
        {problem.value !== undefined && (
          <p class='notice danger'>
            {problem.value}{' '}
            {isOvertaken.value && entry !== undefined && entry.id !== 'now' && (
              <button type='button' class='link' onClick={() => void restore(entry, attemptsMax)}>
                {t('Restore anyway')}
              </button>
            )}
          </p>
        )}
      </div>
      {history.failure.value !== undefined && (
        <div class='history-state' role='alert'>
          <p>{words(history.failure.value)}</p>
          <button type='button' class='button' onClick={() => void history.load()}>
            {t('Try again')}
          </button>
        </div>
      )}
      {entry !== undefined && (
        <>
          <div class='history-bar'>
            <strong class='history-version'>{nameOf(entry)}</strong>
            {history.view.value !== 'authors' && (
              <>
                <Compared history={history} entries={entries} />
                <span class='history-steps'>
                  <StepButton icon='chevron-up' label={t('Previous change')} letter='p' count={changes} onClick={() => steps.step(-1)} />
                  <StepButton icon='chevron-down' label={t('Next change')} letter='n' count={changes} onClick={() => steps.step(1)} />
                  <span class='muted' role='status'>
                    {steps.current.value < 0
                      ? tn(changes, '1 change', '{count} changes')
                      : t('{number} of {count}', { number: steps.current.value + 1, count: changes })}
                  </span>
                </span>
              </>
            )}
            <span class='spread' />
            {session.canEdit.value && (
              <>
                <Name key={entry.id} entry={entry} history={history} onBegin={settled} onFail={(error) => (problem.value = words(error))} />
                {entry.id !== 'now' && (
                  <button type='button' class='button' aria-disabled={busy.value} onClick={() => !busy.value && void restore(entry)}>
                    {t('Restore')}
                  </button>
                )}
              </>
            )}
          </div>
          <div class='history-body'>
            <section class='history-text' ref={text} tabIndex={0} aria-label={t('Version text')} aria-busy={shown.kind === 'loading'}>
              <Text shown={shown} retry={() => void history.load()} onPage={pageShown} />
            </section>
            <Timeline history={history} />
          </div>
        </>
      )}
    </dialog>
  )
}
