/** The command palette, which finds commands and documents as the person types. */
import type { JSX } from 'preact'
import { useSignalEffect } from '@preact/signals'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { focusBefore, handOver, wasInComponent } from '../ui/early-field.ts'
import type { Page } from './page.ts'
import { t } from '../text/t.ts'
import { Icon, type IconName } from '../ui/icons.tsx'
import { useModal } from '../ui/modal.ts'
import { commands } from './all.ts'
import { laterCommands } from './later.ts'
import { groups, isPossible, type Command, type Group } from '../view/command.ts'
import { Keys } from './key-caps.tsx'
import { isField } from './keys.ts'
import { best, fit } from '../base/match.ts'
import { namesOf } from './names.ts'
import { addressOf, openLibrary, type Entry } from '../home/library.ts'
import { signedIn } from '../client/signed-in.ts'
import { agoWords } from '../text/when.ts'

/** How long typing must pause before the palette asks the service, in milliseconds. */
const searchAfterMs = 250

interface Found {
  /** The DOM id of the row. */
  readonly id: string
  readonly title: string
  readonly icon: IconName | undefined
  readonly keys?: string | undefined
  readonly when?: string
  /** The heading of a group, on its first row only. */
  readonly head: string | undefined
  readonly run: Command | string
}

const order = Object.keys(groups) as Group[]

/** Maximum number of documents that are listed next to commands. The next value applies when only documents are searched. */
const documentsShown = 5
const documentsMax = 30

const row = (command: Command, head?: string): Found => {
  const { id, title, icon, keys } = command
  return { id, title: t(title), icon, keys: keys?.[0], head, run: command }
}

/** Whether a command acts at the caret of the text. */
const isAtCaret = ({ group, scope }: Command<Page>): boolean => /^(?:format|blocks|insert|table|edit)$/.test(group) && scope !== 'page'

function findCommands(query: string, page: Page, inComponent: boolean): Found[] {
  const possible = [...commands, ...laterCommands, ...(page.review.value?.commands.value ?? [])].filter(
    (command) => command.id !== 'palette' && isPossible(command, page) && !(inComponent && isAtCaret(command))
  )
  if (query.trim() === '') {
    const sorted = possible.toSorted((one, other) => order.indexOf(one.group) - order.indexOf(other.group))
    return sorted.map((command, index) => row(command, sorted[index - 1]?.group === command.group ? undefined : t(groups[command.group])))
  }
  return best(query, possible, (command) => namesOf(command)).map((command) => row(command))
}

/**
 * Returns matching documents on this device and in the account, most recently opened or changed first. Documents that match only in their text come
 * last.
 */
function documentsOf(query: string, entries: readonly Entry[], own: string, most: number): Found[] {
  const isNamed = ({ title }: Entry): boolean => query.trim() === '' || fit(query, title) > 0
  const others = entries.filter(({ id }) => id !== own)
  const named = others.filter(isNamed)
  const rows = (some: readonly Entry[], title: string): Found[] =>
    some.map((entry, index) => ({
      id: `document-${entry.id}`,
      title: entry.title,
      icon: 'file',
      when: agoWords(entry.at),
      head: index === 0 ? title : undefined,
      run: addressOf(entry)
    }))
  const inText = others.filter((entry) => !isNamed(entry))
  return [...rows(named, t('Documents')), ...rows(inText, t('In the text'))].slice(0, most)
}

/**
 * Returns the entries that match. A search for documents returns only documents. Otherwise commands come first, followed by documents once the person
 * has typed a query.
 */
function find(query: string, page: Page, entries: readonly Entry[], wantsDocuments: boolean, inComponent: boolean): Found[] {
  const asked = query.trim() !== ''
  if (wantsDocuments) return documentsOf(query, entries, page.session.id, documentsMax)
  const some = findCommands(query, page, inComponent)
  return asked ? [...some, ...documentsOf(query, entries, page.session.id, documentsShown)] : some
}

export function Palette({ view }: { view: Page }): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState(0)
  const library = useMemo(openLibrary, [])
  // The caret of the text may be far away from a component.
  const inComponent = useMemo(wasInComponent, [])
  const wantsDocuments = useMemo(() => view.dialog.value === 'switcher', [])
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const entries = library.entries.value
  const found = useMemo(() => find(query, view, entries, wantsDocuments, inComponent), [query, entries, signedIn.value])
  const asks = wantsDocuments ? t('Open another document') : t('What do you want to do?')
  const isAsked = query.trim() !== ''
  const none = wantsDocuments ? (isAsked ? t('No documents match.') : t('No other documents yet')) : t('No matching command.')
  // The request for the documents also tells who is signed in.
  useSignalEffect(() => {
    signedIn.value = library.signedIn.value ?? signedIn.peek()
  })
  useEffect(() => {
    void library.load()
    return () => clearTimeout(timer.current)
  }, [])

  // When the palette closes, the dialog returns the focus to the element that had it before.
  useEffect(focusBefore, [])
  const { ref, close, ends, pressed } = useModal(() => {
    view.dialog.value = undefined
  })
  useEffect(() => {
    if (field.current !== null) handOver(field.current)
  }, [])
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [current, query])

  const choose = (command: Command | string | undefined): void => {
    if (command === undefined) return
    if (typeof command === 'string') return location.assign(command)
    // The dialog must return the focus before the command runs, because the command may depend on it.
    close()
    command.run(view)
    // A command that opens a field has already moved the focus.
    const { activeElement } = document
    if (isField(activeElement) && ref.current?.contains(activeElement) !== true) return
    if (!inComponent && command.group !== 'go' && view.dialog.value === undefined && view.mode.value !== 'read')
      view.editor.value?.view.focus()
  }
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) setCurrent((current + step + found.length) % found.length)
    else if (event.key === 'Enter' && !event.isComposing) choose(found[current]?.run)
    else return
    event.preventDefault()
  }
  const option = ({ id, title, icon, keys, when, head, run }: Found, index: number): JSX.Element => (
    <>
      {head !== undefined && (
        <div class='palette-head' role='presentation'>
          {head}
        </div>
      )}
      <div
        key={id}
        id={`palette-${index}`}
        class='palette-item'
        role='option'
        aria-selected={index === current}
        onMouseMove={() => setCurrent(index)}
        onClick={() => choose(run)}
      >
        {icon === undefined ? <span class='icon-space' /> : <Icon name={icon} size={18} />}
        <span class='palette-title' dir='auto'>
          {title}
        </span>
        {when !== undefined && <span class='muted palette-when'>{when}</span>}
        {keys !== undefined && <Keys keys={keys} />}
      </div>
    </>
  )
  return (
    <dialog
      ref={ref}
      class='dialog palette'
      aria-label={wantsDocuments ? t('Documents') : t('Command palette')}
      {...ends}
      onClick={pressed}
    >
      <input
        ref={field}
        type='text'
        class='palette-input'
        role='combobox'
        aria-label={asks}
        aria-expanded='true'
        aria-controls='palette-list'
        aria-activedescendant={found.length > 0 ? `palette-${current}` : undefined}
        aria-autocomplete='list'
        autocomplete='off'
        spellcheck={false}
        placeholder={asks}
        value={query}
        onKeyDown={press}
        onInput={(event: Event) => {
          const { value } = event.target as HTMLInputElement
          setQuery(value)
          setCurrent(0)
          library.query.value = value
          clearTimeout(timer.current)
          // The service also finds account documents that this device does not list. The palette also asks while the sign-in state is unknown: the
          // list that is still loading belongs to an earlier query.
          if (library.signedIn.value !== false) timer.current = setTimeout(() => void library.load(), searchAfterMs)
        }}
      />
      <div
        id='palette-list'
        class='palette-list'
        role='listbox'
        aria-label={wantsDocuments ? t('Documents') : t('Commands')}
        tabIndex={-1}
        ref={list}
      >
        {found.map(option)}
      </div>
      {found.length === 0 && <p class='palette-none muted'>{none}</p>}
      <span class='sr-only' role='status'>
        {query !== '' && found.length === 0 ? none : ''}
      </span>
    </dialog>
  )
}
