/** Formatting for those who do not know the marks. One stop of the Tab key; arrows move inside (ARIA toolbar). */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { keyName, toolbarActions, type Action } from '../editor/actions.ts'
import { Icon } from '../ui/icons.tsx'
import type { View } from './page.tsx'

const actions = toolbarActions.filter((action) => action !== undefined)

const steps: Readonly<Record<string, (at: number) => number>> = {
  ArrowRight: (at) => (at + 1) % actions.length,
  ArrowLeft: (at) => (at + actions.length - 1) % actions.length,
  Home: () => 0,
  End: () => actions.length - 1
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
  const run = (action: Action): void => {
    const editor = view.editor.value?.view
    if (editor === undefined) return
    action.run(editor)
    editor.focus()
  }
  const button = (action: Action): JSX.Element => {
    const index = actions.indexOf(action)
    return (
      <button
        key={action.name}
        type='button'
        class='button quiet icon-only'
        aria-label={action.name}
        title={action.key === undefined ? action.name : `${action.name} (${keyName(action.key)})`}
        tabIndex={index === current ? 0 : -1}
        onFocus={() => setCurrent(index)}
        // The selection stays in the text.
        onMouseDown={(event: MouseEvent) => event.preventDefault()}
        onClick={() => run(action)}
      >
        <Icon name={action.icon} />
      </button>
    )
  }
  return (
    <section class='toolbar-dock' aria-label='Formatting'>
      <div class='toolbar' role='toolbar' aria-label='Formatting' ref={bar} onKeyDown={move}>
        {toolbarActions.map((action, index) => (action === undefined ? <span key={index} class='toolbar-gap' /> : button(action)))}
      </div>
    </section>
  )
}
