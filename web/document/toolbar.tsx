/** Formatting buttons for people who do not know Markdown. The toolbar is a single Tab stop, and the arrow keys move inside it (ARIA toolbar). */
import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { includesRole } from '../../shared/roles.ts'
import { commandOf, tableToolbar, toolbar } from '../commands/all.ts'
import { tooltip } from '../commands/keys.ts'
import { isPossible, type Command } from '../view/command.ts'
import { t } from '../text/t.ts'
import { Icon } from '../ui/icons.tsx'
import type { Page } from '../commands/page.ts'

/** For each key, the index of the button that it moves to. */
const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1
}

/** Where not all buttons fit, the table commands are in a menu, so that no other button leaves the window. */
const narrow = matchMedia('(max-width: 640px)')

/** Touch devices show no buttons above a selection and have no Tab key, so the toolbar has buttons for comments and for list levels. */
const touch = matchMedia('(pointer: coarse)')

/** Whether a person who cannot type gets the toolbar, which then only has the button for comments. */
export const offersComments = ({ session }: Page): boolean =>
  touch.matches && session.link.ended.value === undefined && includesRole(session.role.value, 'comment')

export function Toolbar({ view, types }: { view: Page; types: boolean }): JSX.Element {
  const [chosen, setCurrent] = useState(0)
  const all = !types
    ? ['comment']
    : touch.matches
      ? ['comment', '', ...toolbar.toSpliced(toolbar.indexOf('quote'), 0, 'list.outdent', 'list.indent')]
      : toolbar
  const inTable = view.inTable.value && !view.inComponent.value
  const isOneMenu = inTable && narrow.matches
  // A table has no headings, so no other button moves under the finger.
  const inPlace = isOneMenu ? all.map((id) => (id === 'heading.next' ? 'table.menu' : id)) : all
  const main = inPlace.filter((id) => id === '' || (commandOf(id).when?.(view) ?? true))
  const ofTable = inTable && !isOneMenu ? tableToolbar : []
  const ids = [...main.filter((id) => id !== ''), ...ofTable]
  const formats: ReadonlySet<string> = view.inComponent.value ? new Set() : view.formats.value
  const current = Math.min(chosen, ids.length - 1)
  const bar = useRef<HTMLDivElement>(null)

  const move = (event: KeyboardEvent): void => {
    const next = steps[event.key]?.(current, ids.length)
    if (next === undefined) return
    event.preventDefault()
    setCurrent(next)
    bar.current?.querySelectorAll('button')[next]?.focus()
  }
  const run = (command: Command): void => {
    if (isPossible(command, view)) command.run(view)
    // A person writes a comment in its own field, and a link's address in the link's card. Both take the focus.
    const isInCard = document.activeElement?.closest('.cm-tooltip') != null
    if (command.id !== 'comment' && !isInCard && !view.inComponent.value) view.editor.value?.view.focus()
  }
  const button = (id: string): JSX.Element => {
    const command = commandOf(id)
    const index = ids.indexOf(id)
    // The button for headings names the level of the heading that contains the caret.
    const level = id === 'heading.next' ? [...formats].find((each) => each.startsWith('heading.')) : undefined
    const { title, icon } = commandOf(level ?? id)
    return (
      <button
        key={id}
        type='button'
        class='button quiet icon-only'
        aria-label={t(title)}
        aria-pressed={level !== undefined || formats.has(id) || undefined}
        aria-disabled={command.barred?.(view) === true}
        title={level === undefined ? tooltip(command) : t(title)}
        tabIndex={index === current ? 0 : -1}
        onFocus={() => setCurrent(index)}
        // Without this, pressing a button would clear the selection in the text.
        onMouseDown={(event: MouseEvent) => event.preventDefault()}
        onClick={() => run(command)}
      >
        {icon !== undefined && <Icon name={icon} />}
      </button>
    )
  }
  return (
    <section class='toolbar-dock' aria-label={t('Formatting')}>
      <div
        class='toolbar'
        role='toolbar'
        aria-label={t('Formatting')}
        ref={bar}
        onKeyDown={move}
        // The arrow at the right edge is a part of the bar itself. Pressing it keeps the keyboard of a phone open.
        onMouseDown={(event) => event.preventDefault()}
        onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.scrollBy({ left: currentTarget.clientWidth / 2 })}
      >
        <span class='toolbar-main'>{main.map((id, index) => (id === '' ? <span key={index} class='toolbar-gap' /> : button(id)))}</span>
        {ofTable.length > 0 && (
          <span class='toolbar-table' role='group' aria-label={t('Table')}>
            <span class='toolbar-gap' />
            {ofTable.map(button)}
          </span>
        )}
      </div>
    </section>
  )
}
