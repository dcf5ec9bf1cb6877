/** The page of a document: the text is the page, everything else stays at its edges. */
import { computed, effect, signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { EditorState } from '@codemirror/state'
import { readDevice, writeDevice } from '../device.ts'
import { countDocument } from '../editor/count.ts'
import { createEditor, type Editor, type Mode } from '../editor/editor.ts'
import { personName } from '../person.ts'
import { people, type Person } from '../presence/people.ts'
import { Refused } from '../refused/refused.tsx'
import { ShareDialog } from '../sharing/share-dialog.tsx'
import { Announcer } from './announcer.tsx'
import { NameDialog } from './name-dialog.tsx'
import { Notices } from './notices.tsx'
import { limits } from '../../shared/limits.ts'
import { toast } from '../ui/toast.tsx'
import { openSession, type Session } from './session.ts'
import { StatusLine } from './status-line.tsx'
import { Toolbar } from './toolbar.tsx'
import { TopBar } from './top-bar.tsx'

export type DialogName = 'share' | 'name'

/** What the page shows beside the session. */
export interface View {
  readonly session: Session
  readonly mode: { value: Mode }
  readonly editor: { value: Editor | undefined }
  readonly dialog: { value: DialogName | undefined }
  readonly here: { value: readonly Person[] }
  readonly words: { value: string }
  readonly quiet: { value: boolean }
  toggleMode(): void
}

const modeKey = 'agmd.mode'
/** The chrome steps back after this long of typing. */
const quietAfterMs = 2000
const countMs = 400

function wordsOf(state: EditorState): string {
  const { main } = state.selection
  const all = countDocument(state.doc)
  const total = all === 1 ? '1 word' : `${all.toLocaleString('en')} words`
  if (main.empty) return total
  return `${countDocument(state.doc.slice(main.from, main.to)).toLocaleString('en')} of ${total}`
}

function createView(session: Session): View & { start(parent: HTMLElement): () => void } {
  const mode = signal<Mode>(readDevice(modeKey) === 'source' ? 'source' : 'live')
  const editor = signal<Editor | undefined>(undefined)
  const dialog = signal<DialogName | undefined>(undefined)
  const here = signal<readonly Person[]>([])
  const words = signal('')
  const quiet = signal(false)

  const toggleMode = (): void => {
    mode.value = mode.value === 'live' ? 'source' : 'live'
    writeDevice(modeKey, mode.value)
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

  function start(parent: HTMLElement): () => void {
    const count = (): void => {
      counting = undefined
      if (editor.value !== undefined) words.value = wordsOf(editor.value.view.state)
    }
    const made = createEditor({
      parent,
      text: session.text,
      awareness: session.link.awareness,
      canEdit: session.canEdit.value,
      mode: mode.value,
      onModeKey: toggleMode,
      onTyped: typed,
      onTooLarge: () =>
        toast(`The document would be larger than ${limits.contentUnitsMax.toLocaleString('en')} characters; the change was not made.`),
      onChange: () => (counting ??= setTimeout(count, countMs))
    })
    editor.value = made
    count()
    if (session.canEdit.value && session.text.length === 0 && matchMedia('(pointer: fine)').matches) made.view.focus()
    const { awareness } = session.link
    const listPeople = (): void => {
      here.value = people(awareness)
    }
    awareness.on('change', listPeople)
    const stops = [
      effect(() => made.setMode(mode.value)),
      effect(() => made.setCanEdit(session.canEdit.value)),
      effect(() => made.setLabel(session.title.value)),
      effect(() => awareness.setLocalStateField('user', { name: personName.value || 'Guest' })),
      effect(() => {
        document.title = `${session.title.value} · agmd`
      })
    ]
    addEventListener('pointermove', wake)
    addEventListener('focusin', wake)
    return () => {
      for (const stop of stops) stop()
      clearTimeout(counting)
      awareness.off('change', listPeople)
      removeEventListener('pointermove', wake)
      removeEventListener('focusin', wake)
      made.destroy()
    }
  }

  return { session, mode, editor, dialog, here, words, quiet, toggleMode, start }
}

function Paper({ start }: { start(parent: HTMLElement): () => void }): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => (host.current === null ? undefined : start(host.current)), [])
  return <div class='paper' ref={host} />
}

/** Keeps the toolbar of a phone above its keyboard. */
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

export function DocumentPage({ id }: { id: string }): JSX.Element {
  const session = useMemo(() => openSession(id), [id])
  const view = useMemo(() => createView(session), [session])
  const state = useMemo(() => computed(() => session.state.value), [session])
  useEffect(() => () => session.close(), [session])
  useVisualViewport()
  if (state.value === 'refused') {
    const refusal = session.refusal.value
    return refusal === undefined ? <div /> : <Refused key={refusal.kind} refusal={refusal} />
  }
  return (
    <div class={view.quiet.value ? 'document quiet' : 'document'}>
      <TopBar view={view} />
      {session.canEdit.value && <Toolbar view={view} />}
      <Notices session={session} />
      <main class='document-main' aria-busy={state.value === 'opening'}>
        <h1 class='sr-only'>{session.title.value}</h1>
        {state.value === 'open' ? <Paper start={view.start} /> : <div class='skeleton' aria-label='Opening the document' role='img' />}
      </main>
      <StatusLine view={view} />
      <Announcer view={view} />
      {view.dialog.value === 'share' && <ShareDialog session={session} onClose={() => (view.dialog.value = undefined)} />}
      {view.dialog.value === 'name' && <NameDialog onClose={() => (view.dialog.value = undefined)} />}
    </div>
  )
}
