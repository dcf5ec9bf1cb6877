/** The items of the document menu. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { anyCommandOf } from '../commands/later.ts'
import { isPossible, type Command } from '../view/command.ts'
import { Keys } from '../commands/key-caps.tsx'
import { personName } from '../presence/person.ts'
import { language, languages, setLanguage, t, term } from '../text/t.ts'
import { setTheme, theme, type Theme } from '../device/theme.ts'
import { Icon } from '../ui/icons.tsx'
import { moveInMenu } from '../ui/menu-keys.ts'
import { AccountItems } from './account-items.tsx'
import type { Page } from '../commands/page.ts'
import { signedIn } from '../client/signed-in.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', term('System')],
  ['light', term('Light')],
  ['dark', term('Dark')]
]

/** The menu commands, in order. An entry with a class appears only where the top bar has no space for it. */
const items: readonly (readonly [string, string?])[] = [
  ['suggesting', 'narrow'],
  ['mode.source', 'narrow'],
  ['outline', 'narrow'],
  ['share.agent', 'middle'],
  ['panel.activity', 'middle'],
  ['panel.tasks'],
  ['panel.media'],
  ['find'],
  ['new'],
  ['switcher'],
  ['history'],
  ['rename'],
  ['duplicate'],
  ['download'],
  ['download.page'],
  ['print'],
  ['shortcuts'],
  ['document.delete']
]

interface ItemInput {
  readonly command: Command<Page>
  /** The CSS class that shows the item only at certain window widths. Undefined if it is always visible. */
  readonly width: string | undefined
  readonly view: Page
  readonly close: () => void
}

function Item({ command, width = '', view, close }: ItemInput): JSX.Element | null {
  const { id, title, icon, keys } = command
  if (!isPossible(command, view)) return null
  return (
    <button
      type='button'
      class={`menu-item ${width}`}
      onClick={() => {
        close()
        command.run(view)
      }}
    >
      {icon !== undefined && <Icon name={icon} size={18} />}
      <span>{id === 'suggesting' && view.review.value?.suggesting.value === true ? t('Edit directly') : t(title)}</span>
      {keys?.[0] !== undefined && <Keys keys={keys[0]} />}
    </button>
  )
}

const findMenu = (): HTMLElement | null => document.getElementById('menu')

/** Each choice is one entry. The left and right arrow keys change it. */
const entriesOf = (menu: HTMLElement): HTMLElement[] =>
  [...menu.querySelectorAll<HTMLElement>('.menu-item, .menu-choice :checked')].filter((entry) => entry.checkVisibility())

/** Moves the focus to the first entry when the menu opens, and on to others with the keyboard. */
function useMenuKeys(): void {
  useEffect(() => {
    const menu = findMenu()
    if (menu === null) return undefined
    const enter = (): void => {
      if (menu.matches(':popover-open')) entriesOf(menu)[0]?.focus()
    }
    const listening = new AbortController()
    menu.addEventListener('toggle', enter, listening)
    menu.addEventListener('keydown', (event) => moveInMenu(event, entriesOf(menu)), listening)
    // The items may arrive after the menu has opened.
    enter()
    return () => listening.abort()
  }, [])
}

/** Returns the commands of an entry. People who cannot ask for a review have another command for the panel. */
function commandsOf(id: string, view: Page): readonly Command<Page>[] {
  if (id === 'panel.tasks') return [anyCommandOf(id), ...(view.review.value?.commands.value ?? [])]
  return [anyCommandOf(id === 'mode.source' && view.mode.value === 'source' ? 'mode.live' : id)]
}

export function MenuItems({ view }: { view: Page }): JSX.Element {
  useMenuKeys()
  const close = (): void => findMenu()?.hidePopover()
  return (
    <>
      {/* A signed-in person uses the name of the account. */}
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
          <span dir='auto'>{personName.value === '' ? t('Set your name') : t('You are {name}', { name: personName.value })}</span>
        </button>
      )}
      {items.flatMap(([id, width]) =>
        commandsOf(id, view).map((command) => <Item key={command.id} command={command} width={width} view={view} close={close} />)
      )}
      <AccountItems session={view.session} close={close} />
      <a class='menu-item' href='/'>
        <Icon name='home' size={18} />
        {t('All documents')}
      </a>
      <fieldset class='menu-choice'>
        <legend>{t('Theme')}</legend>
        {themes.map(([value, name]) => (
          <label key={value}>
            <input type='radio' name='theme' checked={theme.value === value} onChange={() => setTheme(value)} />
            <span>{t(name)}</span>
          </label>
        ))}
      </fieldset>
      <fieldset class='menu-choice'>
        <legend>{t('Language')}</legend>
        {languages.map(({ tag, name }) => (
          <label key={tag} lang={tag}>
            <input type='radio' name='language' checked={language() === tag} onChange={() => setLanguage(tag)} />
            <span>{name}</span>
          </label>
        ))}
      </fieldset>
    </>
  )
}
