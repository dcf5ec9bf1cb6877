/** The state of a document's page and the start of its editor. `page.tsx` draws it. */
import { computed, effect, signal } from '@preact/signals'
import { limits } from '../../shared/limits.ts'
import { includesRole } from '../../shared/roles.ts'
import type { Steps } from '../base/steps.ts'
import { commandOf, commands } from '../commands/all.ts'
import { keyBindings, runPageKeys, withoutCapsLock } from '../commands/keys.ts'
import type { Page } from '../commands/page.ts'
import { deviceValue, documentValue } from '../device/device.ts'
import { readDevice, writeDevice } from '../device/values.ts'
import { beginComment } from '../editor/begin-comment.ts'
import { codeAround, type CodeAround } from '../editor/in-code.ts'
import { rest } from '../editor/resting.ts'
import { createEditor, type Editor, type WritingMode } from '../editor/setup/editor.ts'
import { isInTable } from '../editor/tables.ts'
import { handlePrinting } from '../export/printing.ts'
import { noteColours } from '../presence/colours.ts'
import { people, type Person } from '../presence/people.ts'
import { deviceId, followName, personName } from '../presence/person.ts'
import type { Session } from '../session/session.ts'
import { shortNumber, t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { isPossible } from '../view/command.ts'
import { startFollowing } from '../view/follow.ts'
import type { DialogName, Mode, PanelName } from '../view/view.ts'
import { fetchCount, fetchOutline } from './later-parts.ts'
import { createParts } from './parts.ts'

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

/** Whether a person who may only suggest cannot type yet, but will be able to once the code for suggestions has loaded. */
export const willType = ({ review, session }: Page): boolean =>
  review.value === undefined && session.link.ended.value === undefined && includesRole(session.role.value, 'suggest')

/** A page with the function that starts its editor in steps. The last step returns the function that ends it. */
export interface StartablePage extends Page {
  start(parent: HTMLElement): Steps<() => void>
}

/** Creates the state of the page of an open document. */
export function createView(session: Session): StartablePage {
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
  const focusedPart: Page['focusedPart'] = { value: undefined }
  const outline = signal(readDevice(outlineKey) === 'shown' && !matchMedia('(max-width: 1099px)').matches)
  const quiet = signal(false)
  const seen: Page['seen'] = { value: undefined }
  const unfinished: Page['unfinished'] = new Map()
  const panel = signal<PanelName | undefined>(undefined)
  const parts = createParts(session)
  const { review, feed, awaitsProposals } = parts
  const canType = computed(() => (session.canEdit.value && !awaitsProposals.value) || review.value?.suggesting.value === true)

  const setMode = (value: Mode): void => {
    for (const write of unfinished.values()) write()
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
    if (focused === editor.value?.view.contentDOM) focusedPart.value = undefined
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
      const shown = mode.value
      // The next change tries again.
      fetchCount().then(
        ({ wordsOf }) => {
          if (editor.value !== undefined) words.value = wordsOf(editor.value.view.state, shown)
        },
        () => undefined
      )
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
    const comment = commandOf('comment')
    made.add(beginComment.of(() => (isPossible(comment, view) ? () => void comment.run(view) : undefined)))
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
    focusedPart,
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
