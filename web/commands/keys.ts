/** Keys of commands: in the editor and on the page around it, and how this keyboard names them. */
import { runScopeHandlers, type EditorView, type KeyBinding } from '@codemirror/view'
import type { Page } from './page.ts'
import { t, term } from '../text/t.ts'
import { pageScope } from '../view/view.ts'
import { isPossible, type Command } from '../view/command.ts'

/** Bindings for the editor. The first command of a key that applies is done. */
export const keyBindings = (commands: readonly Command<Page>[], page: Page): readonly KeyBinding[] =>
  commands.flatMap((command) =>
    (command.keys ?? []).map((key) => ({
      key,
      // A plain character is text where there is text.
      scope: command.scope === 'page' ? (key.length === 1 ? pageScope : `editor ${pageScope}`) : 'editor',
      preventDefault: key.length > 1,
      run: () => isPossible(command, page) && (command.keysWhen?.(page) ?? true) && command.run(page) !== false
    }))
  )

/** Whether one writes there. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'))

/** The focused element, within components too. */
export function activeElement(): Element | null {
  let found = document.activeElement
  while (found?.shadowRoot?.activeElement != null) found = found.shadowRoot.activeElement
  return found
}

/**
 * With Caps Lock on, Shift makes a letter small, and CodeMirror takes it for the key without Shift: Undo in place of Redo. Makes it the letter
 * that Shift means.
 */
export function withoutCapsLock(event: KeyboardEvent): void {
  const { key, shiftKey, ctrlKey, metaKey } = event
  const large = key.toUpperCase()
  if (shiftKey && (ctrlKey || metaKey) && key.length === 1 && large !== key) Object.defineProperty(event, 'key', { value: large })
}

/** Hands a key that was pressed outside the text to the commands of the page. */
export function runPageKeys(view: EditorView, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog:modal') !== null) return
  if (event.target instanceof Node && view.contentDOM.contains(event.target)) return
  // A key without a modifier is written where one writes.
  if (isField(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey && !/^F\d/.test(event.key)) return
  if (runScopeHandlers(view, event, pageScope)) event.preventDefault()
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

const macNames: Readonly<Record<string, string>> = {
  Mod: '⌘',
  Ctrl: '⌃',
  Alt: '⌥',
  Shift: '⇧',
  Enter: '↩',
  Escape: 'esc',
  Tab: '⇥',
  Backspace: '⌫'
}
const otherNames: Readonly<Record<string, string>> = {
  Mod: term('Ctrl'),
  Ctrl: term('Ctrl'),
  Alt: term('Alt'),
  Shift: term('Shift'),
  Enter: term('Enter'),
  Escape: term('Esc'),
  Tab: term('Tab'),
  Backspace: term('Backspace')
}
const arrows: Readonly<Record<string, string>> = { ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→' }

/** The keys of a shortcut one by one, as this keyboard names them. */
export const keyNames = (key: string): string[] =>
  key.split(/-(?!$)/).map((part) => arrows[part] ?? (isMac ? macNames[part] : t(otherNames[part] ?? part)) ?? part.toUpperCase())

/** A shortcut as this keyboard names it. */
export const keyName = (key: string): string => {
  const names = keyNames(key).map((name) => (name.length === 1 ? name.toUpperCase() : name))
  return names.join(isMac ? '' : '+')
}

/** The description of a control: the command and its shortcut. */
export const tooltip = ({ title, keys }: Command<Page>): string =>
  keys?.[0] === undefined ? t(title) : `${t(title)} (${keyName(keys[0])})`
