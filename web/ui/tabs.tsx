/**
 * A list of tabs. It is a single Tab stop, and the arrow keys choose a tab (ARIA, tabs). The caller draws the panel with the attributes of `panelOf`.
 */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon, type IconName } from './icons.tsx'

export interface TabName<Id extends string> {
  readonly id: Id
  readonly name: string
  readonly icon: IconName
}

interface TabsInput<Id extends string> {
  readonly label: string
  readonly tabs: readonly TabName<Id>[]
  readonly current: Id
  readonly onChoose: (id: Id) => void
}

const tabId = (id: string): string => `tab-${id}`

/** Returns the attributes for the panel of a tab. */
export const panelOf = (id: string): { id: string; role: 'tabpanel'; 'aria-labelledby': string } => ({
  id: `panel-${id}`,
  role: 'tabpanel',
  'aria-labelledby': tabId(id)
})

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }

export function Tabs<Id extends string>({ label, tabs, current, onChoose }: TabsInput<Id>): JSX.Element {
  const bar = useRef<HTMLDivElement>(null)
  const press = (event: KeyboardEvent): void => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ id }) => id === current)
    const next = Number.isFinite(step) ? (at + step + tabs.length) % tabs.length : step < 0 ? 0 : tabs.length - 1
    const chosen = tabs[next]
    if (chosen === undefined) return
    onChoose(chosen.id)
    bar.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div class='tabs' role='tablist' aria-label={label} ref={bar} onKeyDown={press}>
      {tabs.map(({ id, name, icon }) => (
        <button
          key={id}
          id={tabId(id)}
          type='button'
          role='tab'
          class='tab'
          aria-selected={id === current}
          aria-controls={id === current ? `panel-${id}` : undefined}
          tabIndex={id === current ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          <Icon name={icon} size={18} />
          <span>{name}</span>
        </button>
      ))}
    </div>
  )
}
