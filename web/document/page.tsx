/** The page of a document. The text fills the page, and everything else is at the edges. */
import { computed, effect, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { EditorState } from '@codemirror/state'
import { commands } from '../commands/all.ts'
import type { Page } from '../commands/page.ts'
import type { DialogName, Mode, PanelName } from '../view/view.ts'
import { keyBindings, runPageKeys, withoutCapsLock } from '../commands/keys.ts'
import { deviceValue, documentValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import { countDocument } from '../editor/count.ts'
import { createEditor, type Editor, type WritingMode } from '../editor/setup/editor.ts'
import { codeAround, type CodeAround } from '../editor/in-code.ts'
import { rest } from '../editor/resting.ts'
import { isInTable } from '../editor/tables.ts'
import { handlePrinting } from '../export/printing.ts'
import { deviceId, followName, personName } from '../presence/person.ts'
import { includesRole } from '../../shared/roles.ts'
import { startFollowing } from '../view/follow.ts'
import { noteColours } from '../presence/colours.ts'
import { people, type Person } from '../presence/people.ts'
import { isCovered, takeOver } from '../first/take-over.ts'
import { atOnce, inTurns, type Steps } from '../base/steps.ts'
import type { Refused } from './refused.tsx'
import type { Refusal } from '../client/refusals.ts'
import { Announcer } from './announcer.tsx'
import { Notices } from './notices.tsx'
import { limits } from '../../shared/limits.ts'
import { shortNumber, t, tn } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { whenIdle } from '../base/idle.ts'
import { FollowingNotice } from './following-notice.tsx'
import { Later } from '../view/later.tsx'
import { dialogs, fetchOutline, loadAsk, loadOutline, panels } from './later-parts.ts'
import { prepareReading, ReadingPane } from './reading-pane.tsx'
import { createParts } from './parts.ts'
import { openSession, type Session } from '../session/session.ts'
import { StatusLine } from './status-line.tsx'
import { offersComments, Toolbar } from './toolbar.tsx'
import { TopBar } from './top-bar.tsx'
import { asked } from '../trash/asked.ts'

const outlineKey = deviceValue('outline')
const modes: readonly Mode[] = ['live', 'source', 'read']
/** How long a person must type before the controls fade, in milliseconds. */
const quietAfterMs = 2000
const countMs = 400
/** How long the page waits for a heading that the address names, in milliseconds. */
const arriveMsMax = 10_000
/** How long after the text has appeared the layout counts as settled, in milliseconds. */
const settleMs = 600

/** Refuses a file that is dropped next to the text. By default, a browser would open it instead of the page. */
function refuseDrop(event: DragEvent): void {
  const { target, dataTransfer } = event
  if (dataTransfer?.types.includes('Files') !== true || (target instanceof Element && target.closest('.cm-content') !== null)) return
  event.preventDefault()
  dataTransfer.dropEffect = 'none'
}

/**
 * Whether the text takes the focus as soon as the person can type. It does not if another element has the focus or text is selected. On a touch
 * screen, only an empty document takes the focus, because that opens the keyboard.
 */
const takesFocus = (isEmpty: boolean): boolean =>
  (isEmpty || matchMedia('(pointer: fine)').matches) &&
  (document.activeElement === null || document.activeElement === document.body) &&
  document.getSelection()?.isCollapsed !== false &&
  document.querySelector('dialog[open]') === null

/** Returns the number of words. The reading view ignores the selection, because it is not a selection in the editor. */
function wordsOf(state: EditorState, mode: Mode): string {
  const { main } = state.selection
  const all = countDocument(state.doc)
  if (main.empty || mode === 'read') return tn(all, '1 word', '{count} words')
  return tn(all, '{some} of 1 word', '{some} of {count} words', { some: countDocument(state.doc.slice(main.from, main.to)) })
}

/** Whether a person who may only suggest cannot type yet, but will be able to once the code for suggestions has loaded. */
const willType = ({ review, session }: Page): boolean =>
  review.value === undefined && session.link.ended.value === undefined && includesRole(session.role.value, 'suggest')

function createView(session: Session): Page & { start(parent: HTMLElement): Steps<() => void> } {
  // A person who may only view gets the reading view. Choosing another view is possible, but that choice is not stored. A person who has lost the
  // right to write still sees the view with their own changes.
  const wrote = signal(false)
  const writes = computed(() => session.canEdit.value || wrote.value || includesRole(session.role.value, 'comment'))
  const modeKey = documentValue('mode', session.id)
  const stored = signal(modes.find((name) => name === readDevice(modeKey)) ?? 'live')
  const asked = signal<Mode | undefined>(undefined)
  const mode = computed<Mode>(() => (writes.value ? stored.value : (asked.value ?? 'read')))
  const writing = computed<WritingMode>(() => (mode.value === 'source' ? 'source' : 'live'))
  const editor = signal<Editor | undefined>(undefined)
  const dialog = signal<DialogName | undefined>(undefined)
  const here = signal<readonly Person[]>([])
  const following = signal<number | undefined>(undefined)
  const words = signal('')
  const inTable = signal(false)
  const formats = signal<ReadonlySet<string>>(new Set())
  const inCode = signal<CodeAround | undefined>(undefined)
  const inComponent = signal(false)
  const outline = signal(readDevice(outlineKey) === 'shown' && !matchMedia('(max-width: 1099px)').matches)
  const quiet = signal(false)
  const seen: Page['seen'] = { value: undefined }
  const unfinished: Page['unfinished'] = new Set()
  const panel = signal<PanelName | undefined>(undefined)
  const parts = createParts(session)
  const { review, feed, awaitsProposals } = parts
  const canType = computed(() => (session.canEdit.value && !awaitsProposals.value) || review.value?.suggesting.value === true)

  const setMode = (value: Mode): void => {
    for (const write of unfinished) write()
    const shown = editor.value?.view
    // A hidden editor does not know its scroll position.
    if (shown !== undefined && mode.value !== 'read') seen.value = { lines: shown.viewportLineBlocks, top: shown.documentTop }
    if (!writes.value) asked.value = value
    else {
      stored.value = value
      writeDevice(modeKey, value)
    }
  }
  const nextMode = (): void => setMode(modes[(modes.indexOf(mode.value) + 1) % modes.length] ?? 'live')
  const setOutline = (shown: boolean): void => {
    outline.value = shown
    writeDevice(outlineKey, shown ? 'shown' : null)
  }
  const noteFocus = ({ type, target, relatedTarget }: FocusEvent): void => {
    const focused = type === 'focusin' ? target : relatedTarget
    inComponent.value = focused instanceof Element && focused.closest('.cm-content .md-component') !== null
  }
  const keyOnPage = (event: KeyboardEvent): void => {
    if (editor.value !== undefined) runPageKeys(editor.value.view, event)
  }

  let typingSince = 0
  let counting: ReturnType<typeof setTimeout> | undefined
  const wake = (): void => {
    typingSince = 0
    quiet.value = false
  }
  const typed = (): void => {
    typingSince ||= Date.now()
    if (Date.now() - typingSince > quietAfterMs) quiet.value = true
  }

  function* start(parent: HTMLElement): Steps<() => void> {
    const count = (): void => {
      counting = undefined
      if (editor.value !== undefined) words.value = wordsOf(editor.value.view.state, mode.value)
    }
    const made = yield* createEditor({
      parent,
      text: session.text,
      awareness: session.link.awareness,
      uploads: session.uploads,
      canEdit: canType.value,
      willType: () => willType(view),
      label: session.title.value,
      mode: writing.value,
      keys: keyBindings(commands, view),
      onTyped: typed,
      onTooLarge: () =>
        toast(
          t('This change would make the document longer than {max} characters, so it was not made.', {
            max: shortNumber(limits.contentUnitsMax)
          })
        ),
      onChange: (state) => {
        inTable.value = isInTable(state)
        inCode.value = codeAround(state)
        counting ??= setTimeout(count, countMs)
      }
    })
    editor.value = made
    let closed = false
    let focused = false
    const stopFollowing = startFollowing(view)
    const stopUploads = session.uploads.start(made.insertUpload)
    const stopParts = parts.start(view, made)
    const { awareness } = session.link
    const listPeople = (): void => {
      here.value = people(awareness)
      noteColours(here.value)
    }
    awareness.on('change', listPeople)
    // The reading view scrolls to the heading itself. The heading may arrive late, as part of text by other people. If the person has begun to write,
    // the page does not scroll.
    let arrived = location.hash === ''
    const arriveBy = Date.now() + arriveMsMax
    const arrive = async (): Promise<void> => {
      const { goToAddress } = await fetchOutline()
      if (arrived) return
      const goes = typingSince === 0 && Date.now() <= arriveBy
      arrived = !goes || goToAddress(view)
      // Parts that load after the text (margin, panels) may move the heading once more.
      if (goes && arrived)
        setTimeout(() => !closed && typingSince === 0 && made.view.scrollDOM.scrollTop === 0 && goToAddress(view), settleMs)
    }
    const stops = [
      // Runs immediately and whenever the mode changes, because the reading view has no selection.
      effect(count),
      handlePrinting(session),
      effect(() => {
        if (!arrived && words.value !== '' && mode.value !== 'read') arrive().catch(() => undefined)
      }),
      effect(() => {
        if (session.canEdit.value) wrote.value = true
      }),
      effect(() => {
        if (focused || mode.value === 'read' || !canType.value) return
        focused = true
        if (takesFocus(session.text.length === 0)) rest(made.view)
      }),
      effect(() => made.setMode(writing.value)),
      effect(() => made.setCanEdit(canType.value)),
      effect(() => made.setLabel(session.title.value)),
      followName(),
      effect(() => awareness.setLocalState({ ...awareness.getLocalState(), user: { name: personName.value }, device: deviceId() })),
      effect(() => {
        document.title = `${session.title.value} · agmd`
      })
    ]
    const listening = new AbortController()
    addEventListener('pointermove', wake, listening)
    addEventListener('focusin', wake, listening)
    addEventListener('focusin', noteFocus, listening)
    addEventListener('focusout', noteFocus, listening)
    addEventListener('keydown', withoutCapsLock, { capture: true, signal: listening.signal })
    addEventListener('keydown', keyOnPage, listening)
    // The shortcut that was pressed while the page loaded (public/theme.js).
    const { agmdKey } = globalThis as { readonly agmdKey?: KeyboardEvent }
    if (agmdKey !== undefined) keyOnPage(agmdKey)
    addEventListener('dragover', refuseDrop, listening)
    addEventListener('drop', refuseDrop, listening)
    return () => {
      closed = true
      stopParts()
      for (const stop of stops) stop()
      stopUploads()
      stopFollowing()
      listening.abort()
      clearTimeout(counting)
      awareness.off('change', listPeople)
      made.destroy()
    }
  }

  const view: Page = {
    session,
    mode,
    editor,
    dialog,
    here,
    following,
    words,
    inTable,
    formats,
    inCode,
    inComponent,
    outline,
    quiet,
    seen,
    panel,
    unfinished,
    review,
    feed,
    parts,
    canType,
    setMode,
    nextMode,
    setOutline
  }
  return { ...view, start }
}

interface PaperInput {
  start(parent: HTMLElement): Steps<() => void>
  readonly hidden: boolean
  /** Whether there is space for cards next to the text. */
  readonly hasMargin: boolean
}

function Paper({ start, hidden, hasMargin }: PaperInput): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const stop = useRef<(() => void) | undefined>(undefined)
  useEffect(() => {
    const element = host.current
    if (element === null || stop.current !== undefined) return undefined
    const begin = (run: typeof atOnce, onDone: () => void = () => undefined): (() => void) =>
      run(start(element), (end) => {
        stop.current = end
        onDone()
      })
    // In the reading view the editor is hidden, so it can start slowly in idle time.
    if (hidden) {
      let endSteps = (): void => undefined
      const callOff = whenIdle(() => (endSteps = begin(inTurns)))
      return () => {
        callOff()
        endSteps()
      }
    }
    // If the page came with its text, nobody is waiting for the editor.
    return begin(isCovered() ? inTurns : atOnce, () => takeOver(element.querySelector<HTMLElement>('.cm-scroller') ?? undefined))
  }, [hidden])
  useEffect(() => () => stop.current?.(), [])
  return <div class={hasMargin ? 'paper has-margin' : 'paper'} hidden={hidden} ref={host} />
}

/** On a phone, keeps the toolbar above the on-screen keyboard. */
function useVisualViewport(): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (viewport === null) return undefined
    const place = (): void => {
      const hidden = Math.max(0, innerHeight - viewport.height - viewport.offsetTop)
      document.documentElement.style.setProperty('--keyboard', `${hidden}px`)
    }
    viewport.addEventListener('resize', place)
    viewport.addEventListener('scroll', place)
    return () => {
      viewport.removeEventListener('resize', place)
      viewport.removeEventListener('scroll', place)
    }
  }, [])
}

export { openSession }

/** Explains why the document cannot be shown. Most documents open, so the code loads only when needed. */
function Refusing({ refusal }: { refusal: Refusal }): JSX.Element {
  const [Shown, setShown] = useState<typeof Refused | undefined>(undefined)
  useEffect(() => {
    import('./refused.tsx').then(
      (part) => setShown(() => part.Refused),
      () => toast(t('This part of the page could not be loaded. It loads when you are back online.'))
    )
  }, [])
  return Shown === undefined ? <div /> : <Shown refusal={refusal} />
}

export function DocumentPage({ session }: { session: Session }): JSX.Element {
  const { id } = session
  const view = useMemo(() => createView(session), [session])
  const state = useMemo(() => computed(() => session.state.value), [session])
  // The margin is as wide as at the last visit, so that nothing moves when the comments arrive.
  const hadMargin = useMemo(() => readDevice(documentValue('margin', id)) === '1', [id])
  useEffect(() => () => session.close(), [session])
  useVisualViewport()
  useEffect(() => {
    if (state.value === 'refused') takeOver()
  }, [state.value])
  const reading = view.mode.value === 'read'
  const wasReading = useRef(reading)
  // A person who leaves the reading view is about to write. The editor can take the focus only once it is visible.
  useEffect(() => {
    if (wasReading.current && !reading) view.editor.value?.view.focus()
    wasReading.current = reading
  }, [reading])
  const willRead = reading && session.role.value !== null
  useEffect(() => {
    if (willRead) prepareReading()
  }, [willRead])
  if (state.value === 'refused') {
    const refusal = session.refusal.value
    return refusal === undefined ? <div /> : <Refusing key={refusal.kind} refusal={refusal} />
  }
  const Annotations = view.review.value?.Layer
  const loadPanel = view.panel.value && panels[view.panel.value]
  const loadDialog = view.dialog.value && dialogs[view.dialog.value]
  const isOpen = state.value === 'open'
  // The space for the toolbar is reserved as soon as the person's role allows suggesting.
  const types = view.canType.value || willType(view)
  const hasToolbar = isOpen && !reading && (types || offersComments(view))
  const hasMargin = view.review.value?.wantsMargin.value ?? hadMargin
  return (
    <div class={view.quiet.value ? 'document quiet' : 'document'}>
      <TopBar view={view} />
      {hasToolbar && <Toolbar view={view} types={types} />}
      <Notices view={view} />
      {/* When the document opens, a new element replaces this one, so that the toolbar can appear there without moving anything. */}
      <div key={isOpen ? 'open' : 'opening'} class='document-body'>
        {view.outline.value && <Later load={loadOutline} view={view} />}
        <main class={view.panel.value === undefined ? 'document-main' : 'document-main with-panel'} aria-busy={state.value === 'opening'}>
          <FollowingNotice view={view} />
          <h1 class='sr-only'>{session.title.value}</h1>
          {isOpen ? (
            <>
              <Paper start={view.start} hidden={reading} hasMargin={hasMargin} />
              {reading && <ReadingPane view={view} />}
              {Annotations !== undefined && <Annotations view={view} />}
              {loadPanel !== undefined && <Later key={loadPanel} load={loadPanel} view={view} />}
            </>
          ) : (
            <div class='skeleton' aria-label={t('Opening the document')} role='img' />
          )}
        </main>
      </div>
      <StatusLine view={view} />
      <Announcer view={view} />
      {loadDialog !== undefined && <Later key={loadDialog} load={loadDialog} view={view} />}
      {asked.value !== undefined && <Later load={loadAsk} view={view} />}
    </div>
  )
}
