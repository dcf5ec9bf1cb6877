/** Commands that change the view of the text, and commands for navigation. */
import { typeEarly } from '../ui/early-field.ts'
import type { Page } from './page.ts'
import type { Mode } from '../view/view.ts'
import { t, term } from '../text/t.ts'
import type { Command } from '../view/command.ts'

const show =
  (mode: Mode) =>
  (page: Page): void => {
    page.setMode(mode)
    if (mode !== 'read') page.editor.value?.view.focus()
  }

/** The regions of the page that F6 visits. Each one is focusable or contains a focusable control. */
const regions = '.top-bar, .toolbar, .outline, .cm-content, .margin, .reading, .side-panel, .status-line'
const stops = 'button:not([tabindex="-1"], :disabled), a[href], input, select, textarea, [tabindex="0"]'

function nextRegion(step: 1 | -1): boolean {
  const found = [...document.querySelectorAll<HTMLElement>(regions)].filter((region) => region.checkVisibility())
  const current = found.findIndex((region) => region.contains(document.activeElement))
  for (let tried = 1; tried <= found.length; tried++) {
    // If the focus is in no region, F6 moves to the first one and Shift-F6 to the last one.
    const start = current < 0 && step < 0 ? 0 : current
    const region = found[(start + step * tried + found.length * 2) % found.length]
    const target =
      region?.matches('[tabindex="0"], .cm-content') === true
        ? region
        : (region?.querySelector<HTMLElement>('.margin .card.active') ?? region?.querySelector<HTMLElement>(stops))
    if (target == null) continue
    target.focus()
    return true
  }
  return false
}

/** Creates a function that opens the palette. Text typed before the palette appears is inserted into its field. */
const finds =
  (dialog: 'palette' | 'switcher', words: string) =>
  (page: Page): void => {
    typeEarly(t(words), true, () => {
      page.dialog.value = undefined
      page.editor.value?.view.focus()
    })
    page.dialog.value = dialog
  }

export const viewCommands: readonly Command<Page>[] = [
  {
    id: 'mode.next',
    title: term('Switch view: live, source, reading'),
    group: 'view',
    icon: 'book-open',
    keys: ['Mod-Alt-p'],
    scope: 'page',
    run: (page) => {
      page.nextMode()
      if (page.mode.value !== 'read') page.editor.value?.view.focus()
    }
  },
  { id: 'mode.live', title: term('Live view'), group: 'view', icon: 'pen', run: show('live') },
  { id: 'mode.source', title: term('Markdown source'), group: 'view', icon: 'code', run: show('source') },
  { id: 'mode.read', title: term('Reading view'), group: 'view', icon: 'book-open', run: show('read') },
  {
    id: 'outline',
    title: term('Outline'),
    words: term('headings contents'),
    group: 'view',
    icon: 'list-tree',
    keys: ['Mod-\\'],
    scope: 'page',
    run: (page) => page.setOutline(!page.outline.value)
  },
  {
    id: 'palette',
    title: term('Command palette'),
    group: 'go',
    icon: 'command',
    keys: ['Mod-Shift-p'],
    scope: 'page',
    run: finds('palette', term('What do you want to do?'))
  },
  {
    id: 'switcher',
    title: term('Open another document'),
    group: 'go',
    icon: 'file',
    keys: ['Mod-o', 'Mod-k'],
    scope: 'page',
    words: term('switch recent documents search'),
    run: finds('switcher', term('Open another document'))
  },
  {
    id: 'shortcuts',
    title: term('Keyboard shortcuts'),
    group: 'go',
    icon: 'keyboard',
    keys: ['Mod-/', '?'],
    scope: 'page',
    run: (page) => {
      page.dialog.value = 'shortcuts'
    }
  },
  { id: 'region.next', title: term('Next part of the page'), group: 'go', keys: ['F6'], scope: 'page', run: () => nextRegion(1) },
  {
    id: 'region.previous',
    title: term('Previous part of the page'),
    group: 'go',
    keys: ['Shift-F6'],
    scope: 'page',
    run: () => nextRegion(-1)
  }
]

/** Commands that rename the document or change the person's name. */
export const nameCommands: readonly Command<Page>[] = [
  {
    id: 'rename',
    title: term('Rename'),
    group: 'document',
    icon: 'pen',
    words: term('title of this document'),
    when: ({ session }) => session.canEdit.value && session.setTitle.value === undefined,
    run: (page) => {
      page.dialog.value = 'rename'
    }
  },
  {
    id: 'name',
    title: term('Set your name'),
    group: 'document',
    icon: 'users',
    run: (page) => {
      page.dialog.value = 'name'
    }
  }
]
