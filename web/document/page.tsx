/** The page of a document. The text fills the page, and everything else is at the edges. */
import { computed } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { documentValue } from '../device/device.ts'
import { readDevice } from '../device/values.ts'
import { isCovered, takeOver } from '../first/take-over.ts'
import { atOnce, inTurns } from '../base/steps.ts'
import type { Refused } from './refused.tsx'
import type { Refusal } from '../client/refusals.ts'
import { Announcer } from './announcer.tsx'
import { Notices } from './notices.tsx'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { whenIdle } from '../base/idle.ts'
import { FollowingNotice } from './following-notice.tsx'
import { Later } from '../view/later.tsx'
import { dialogs, loadAsk, loadOutline, panels } from './later-parts.ts'
import { createView, type StartablePage, willType } from './page-view.ts'
import { prepareReading, ReadingPane } from './reading-pane.tsx'
import { openSession, type Session } from '../session/session.ts'
import { StatusLine } from './status-line.tsx'
import { offersComments, Toolbar } from './toolbar.tsx'
import { TopBar } from './top-bar.tsx'
import { asked } from '../trash/asked.ts'

interface PaperInput extends Pick<StartablePage, 'start'> {
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
