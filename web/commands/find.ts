/** The commands for find and replace. Their panel loads after the editor extras. */
import { isMac } from './keys.ts'
import { typeEarly } from '../ui/early-field.ts'
import type { Page } from './page.ts'
import { t, term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

const open =
  (replace: boolean) =>
  (page: Page): void => {
    const view = page.editor.value?.view
    if (view === undefined) return
    const early = typeEarly(t('Find'), true, () => view.focus())
    // The extension must load first: otherwise CodeMirror's default panel would open.
    void page.parts.withFind(({ openFind }) => early.isWanted() && openFind(view, replace))
  }

/** Returns the keys for find and replace. Cmd-H is missing on a Mac, where it hides the application. */
export const replaceKeys = (onMac: boolean): readonly string[] => (onMac ? ['Mod-Alt-f'] : ['Mod-h', 'Mod-Alt-f'])

// The reading view leaves searching to the browser.
const when = (page: Page): boolean => page.mode.value !== 'read'

export const findCommands: readonly Command<Page>[] = [
  {
    id: 'find',
    title: term('Find'),
    words: term('search'),
    group: 'edit',
    icon: 'search',
    keys: ['Mod-f'],
    scope: 'page',
    when,
    run: open(false)
  },
  {
    id: 'replace',
    title: term('Find and replace'),
    words: term('search substitute'),
    group: 'edit',
    icon: 'search',
    keys: replaceKeys(isMac),
    scope: 'page',
    when: (page) => when(page) && page.session.canEdit.value,
    run: open(true)
  }
]
