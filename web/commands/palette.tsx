/** Everything that can be done, found by typing. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { focusBefore, handOver } from '../document/early-field.ts'
import type { View } from '../document/page.tsx'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import { commands } from './all.ts'
import { groups, isPossible, type Command, type Group } from './command.ts'
import { Keys } from './key-caps.tsx'
import { isField } from './keys.ts'
import { best } from './match.ts'

interface Found {
  readonly command: Command
  /** Shown before the first of a group. */
  readonly head: string | undefined
}

const order = Object.keys(groups) as Group[]

function find(query: string, page: View): Found[] {
  const possible = commands.filter((command) => command.id !== 'palette' && isPossible(command, page))
  if (query.trim() === '') {
    const sorted = possible.toSorted((one, other) => order.indexOf(one.group) - order.indexOf(other.group))
    return sorted.map((command, index) => ({
      command,
      head: sorted[index - 1]?.group === command.group ? undefined : t(groups[command.group])
    }))
  }
  return best(query, possible, ({ title, words = '' }) => [t(title), t(words)]).map((command) => ({ command, head: undefined }))
}

export function Palette({ view }: { view: View }): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState(0)
  const found = useMemo(() => find(query, view), [query])

  useEffect(() => {
    focusBefore()
    element.current?.showModal()
    if (field.current !== null) handOver(field.current)
  }, [])
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [current, query])

  const choose = (command: Command | undefined): void => {
    if (command === undefined) return
    // The focus is back where it was before the command looks for it.
    element.current?.close()
    view.dialog.value = undefined
    command.run(view)
    // A command that one types into has taken it.
    const { activeElement } = document
    if (isField(activeElement) && element.current?.contains(activeElement) !== true) return
    if (command.group !== 'go' && view.dialog.value === undefined && view.mode.value !== 'read') view.editor.value?.view.focus()
  }
  const press = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && found.length > 0) setCurrent((current + step + found.length) % found.length)
    else if (event.key === 'Enter' && !event.isComposing) choose(found[current]?.command)
    else return
    event.preventDefault()
  }
  const option = ({ command, head }: Found, index: number): JSX.Element => (
    <>
      {head !== undefined && (
        <div class='palette-head' role='presentation'>
          {head}
        </div>
      )}
      <div
        key={command.id}
        id={`palette-${index}`}
        class='palette-item'
        role='option'
        aria-selected={index === current}
        onMouseMove={() => setCurrent(index)}
        onClick={() => choose(command)}
      >
        {command.icon === undefined ? <span class='icon-space' /> : <Icon name={command.icon} size={18} />}
        <span class='palette-title'>{t(command.title)}</span>
        {command.keys?.[0] !== undefined && <Keys keys={command.keys[0]} />}
      </div>
    </>
  )
  return (
    <dialog
      ref={element}
      class='dialog palette'
      aria-label={t('Command palette')}
      onClose={() => view.dialog.value === 'palette' && (view.dialog.value = undefined)}
      onClick={(event: MouseEvent) => event.target === element.current && element.current?.close()}
    >
      <input
        ref={field}
        type='text'
        class='palette-input'
        role='combobox'
        aria-label={t('What do you want to do?')}
        aria-expanded='true'
        aria-controls='palette-list'
        aria-activedescendant={found.length > 0 ? `palette-${current}` : undefined}
        aria-autocomplete='list'
        autocomplete='off'
        spellcheck={false}
        placeholder={t('What do you want to do?')}
        value={query}
        onKeyDown={press}
        onInput={(event: Event) => {
          setQuery((event.target as HTMLInputElement).value)
          setCurrent(0)
        }}
      />
      <div id='palette-list' class='palette-list' role='listbox' aria-label={t('Commands')} tabIndex={-1} ref={list}>
        {found.map(option)}
      </div>
      {found.length === 0 && <p class='palette-none muted'>{t('No matching command.')}</p>}
      <span class='sr-only' role='status'>
        {query !== '' && found.length === 0 ? t('No matching command.') : ''}
      </span>
    </dialog>
  )
}
