/** What is needed now and then: name, copy, theme. A native popover, so that Esc and a click elsewhere close it. */
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { commandOf } from '../commands/all.ts'
import { isPossible } from '../commands/command.ts'
import { personName } from '../person.ts'
import { t, term } from '../text/t.ts'
import { setTheme, theme, type Theme } from '../theme.ts'
import { Icon } from '../ui/icons.tsx'
import { AccountItems, askWho, signedIn } from './account-items.tsx'
import type { View } from './page.tsx'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', term('System')],
  ['light', term('Light')],
  ['dark', term('Dark')]
]

export function Menu({ view }: { view: View }): JSX.Element {
  const popover = useRef<HTMLDivElement>(null)
  const close = (): void => popover.current?.hidePopover()
  const opening = ({ newState }: Pick<ToggleEvent, 'newState'>): void => {
    if (newState === 'open') void askWho()
  }
  const item = (id: string, isNarrow: boolean): JSX.Element | null => {
    const command = commandOf(id)
    if (!isPossible(command, view)) return null
    const run = (): void => {
      close()
      command.run(view)
    }
    return (
      <button type='button' class={isNarrow ? 'menu-item narrow' : 'menu-item'} onClick={run}>
        {command.icon !== undefined && <Icon name={command.icon} size={18} />}
        {t(command.title)}
      </button>
    )
  }
  return (
    <>
      <button type='button' class='button quiet icon-only' aria-label={t('More')} title={t('More')} popovertarget='menu'>
        <Icon name='ellipsis' />
      </button>
      <div id='menu' class='menu' popover='auto' ref={popover} onBeforeToggle={opening}>
        {item('suggesting', true)}
        {item('mode.source', true)}
        {item('panel.tasks', false)}
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
            {personName.value === '' ? t('Set your name') : t('You are {name}', { name: personName.value })}
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
          {t('Download as Markdown')}
        </button>
        <button
          type='button'
          class='menu-item narrow'
          onClick={() => {
            close()
            view.setOutline(!view.outline.value)
          }}
        >
          <Icon name='list-tree' size={18} />
          {t('Outline')}
        </button>
        <button
          type='button'
          class='menu-item'
          onClick={() => {
            close()
            view.dialog.value = 'shortcuts'
          }}
        >
          <Icon name='keyboard' size={18} />
          {t('Keyboard shortcuts')}
        </button>
        <AccountItems session={view.session} close={close} />
        <a class='menu-item' href='/'>
          <Icon name='home' size={18} />
          {t('All documents')}
        </a>
        <fieldset class='menu-themes'>
          <legend>{t('Theme')}</legend>
          {themes.map(([value, name]) => (
            <label key={value}>
              <input type='radio' name='theme' checked={theme.value === value} onChange={() => setTheme(value)} />
              <span>{t(name)}</span>
            </label>
          ))}
        </fieldset>
      </div>
    </>
  )
}
