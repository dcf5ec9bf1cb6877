/** What is needed now and then: name, copy, theme. A native popover, so that Esc and a click elsewhere close it. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { personName } from '../person.ts'
import { setTheme, theme, type Theme } from '../theme.ts'
import { Icon } from '../ui/icons.tsx'
import { AccountItems, askWho, signedIn } from './account-items.tsx'
import type { View } from './page.tsx'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark']
]

export function Menu({ view }: { view: View }): JSX.Element {
  const popover = useRef<HTMLDivElement>(null)
  const close = (): void => popover.current?.hidePopover()
  const opening = ({ newState }: Pick<ToggleEvent, 'newState'>): void => {
    if (newState === 'open') void askWho()
  }
  return (
    <>
      <button type='button' class='button quiet icon-only' aria-label='More' title='More' popovertarget='menu'>
        <Icon name='ellipsis' />
      </button>
      <div id='menu' class='menu' popover='auto' ref={popover} onBeforeToggle={opening}>
        {/* Who is signed in has the name of the account. */}
        {signedIn.value !== true && (
          <button
            type='button'
            class='menu-item'
            onClick={() => {
              close()
              view.dialog.value = 'name'
            }}
          >
            <Icon name='users' size={18} />
            {personName.value === '' ? 'Set your name' : `You are ${personName.value}`}
          </button>
        )}
        <button
          type='button'
          class='menu-item'
          onClick={() => {
            close()
            view.session.download()
          }}
        >
          <Icon name='download' size={18} />
          Download as Markdown
        </button>
        <AccountItems session={view.session} close={close} />
        <a class='menu-item' href='/'>
          <Icon name='home' size={18} />
          All documents
        </a>
        <fieldset class='menu-themes'>
          <legend>Theme</legend>
          {themes.map(([value, name]) => (
            <label key={value}>
              <input type='radio' name='theme' checked={theme.value === value} onChange={() => setTheme(value)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
      </div>
    </>
  )
}
