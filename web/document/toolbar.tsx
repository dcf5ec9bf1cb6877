/** Formatting for those who do not know the marks. One stop of the Tab key; arrows move inside (ARIA toolbar). */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { commandOf, toolbar } from '../commands/all.ts'
import { tooltip } from '../commands/keys.ts'
import type { Command } from '../commands/command.ts'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import type { View } from './page.tsx'

const ids = toolbar.filter((id) => id !== '')

const steps: Readonly<Record<string, (at: number) => number>> = {
  ArrowRight: (at) => (at + 1) % ids.length,
  ArrowLeft: (at) => (at + ids.length - 1) % ids.length,
  Home: () => 0,
  End: () => ids.length - 1
}

export function Toolbar({ view }: { view: View }): JSX.Element {
  const [current, setCurrent] = useState(0)
  const bar = useRef<HTMLDivElement>(null)

  const move = (event: KeyboardEvent): void => {
    const next = steps[event.key]?.(current)
    if (next === undefined) return
    event.preventDefault()
    setCurrent(next)
    bar.current?.querySelectorAll('button')[next]?.focus()
  }
  const run = (command: Command): void => {
    command.run(view)
    view.editor.value?.view.focus()
  }
  const button = (id: string): JSX.Element => {
    const command = commandOf(id)
    const index = ids.indexOf(id)
    return (
      <button
        key={id}
        type='button'
        class='button quiet icon-only'
        aria-label={t(command.title)}
        title={tooltip(command)}
        tabIndex={index === current ? 0 : -1}
        onFocus={() => setCurrent(index)}
        // The selection stays in the text.
        onMouseDown={(event: MouseEvent) => event.preventDefault()}
        onClick={() => run(command)}
      >
        {command.icon !== undefined && <Icon name={command.icon} />}
      </button>
    )
  }
  return (
    <section class='toolbar-dock' aria-label={t('Formatting')}>
      <div class='toolbar' role='toolbar' aria-label={t('Formatting')} ref={bar} onKeyDown={move}>
        {toolbar.map((id, index) => (id === '' ? <span key={index} class='toolbar-gap' /> : button(id)))}
      </div>
    </section>
  )
}
