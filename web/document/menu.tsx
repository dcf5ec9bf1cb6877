/** The document menu, with items for occasional use. It is a native popover, so that Esc and a click elsewhere close it. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { whenIdle } from '../base/idle.ts'
import { t } from '../text/t.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Later } from '../view/later.tsx'
import type { Page } from '../commands/page.ts'
import { askWho } from '../client/signed-in.ts'

const loadItems = async () => (await import('./menu-items.tsx')).MenuItems

export function Menu({ view }: { view: Page }): JSX.Element {
  const [isWanted, setWanted] = useState(false)
  const hasText = view.editor.value !== undefined
  // The items load after the text is visible, or when the person opens the menu. People therefore rarely wait for them.
  useEffect(() => {
    const fetched = (): void =>
      void loadItems().then(
        () => setWanted(true),
        () => undefined
      )
    return hasText ? whenIdle(fetched) : undefined
  }, [hasText])
  const opening = ({ newState, target }: Pick<ToggleEvent, 'newState' | 'target'>): void => {
    if (newState !== 'open') {
      // If the items failed to load, opening the menu requests them again.
      if (target instanceof Element && target.childElementCount === 0) setWanted(false)
      return
    }
    setWanted(true)
    void askWho()
  }
  return (
    <>
      <IconButton icon='ellipsis' label={t('More')} popovertarget='menu' />
      <div id='menu' class='menu' popover='auto' onBeforeToggle={opening}>
        {isWanted && <Later load={loadItems} view={view} />}
      </div>
    </>
  )
}
