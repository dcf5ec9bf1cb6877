/** Binds the shortcuts of commands, in the editor and on the page around it, and gives their keys the names that they have on this keyboard. */
import { runScopeHandlers, type EditorView, type KeyBinding } from '@codemirror/view'
import type { Page } from './page.ts'
import { t, term } from '../text/t.ts'
import { pageScope } from '../view/view.ts'
import { isPossible, type Command } from '../view/command.ts'

/** Returns the key bindings for the editor. A key runs the first of its commands that applies. */
export const keyBindings = (commands: readonly Command<Page>[], page: Page): readonly KeyBinding[] =>
  commands.flatMap((command) =>
    (command.keys ?? []).map((key) => ({
      key,
      // Within the text, a key without a modifier types a character.
      scope: command.scope === 'page' ? (key.length === 1 ? pageScope : `editor ${pageScope}`) : 'editor',
      preventDefault: key.length > 1,
      run: () => isPossible(command, page) && (command.keysWhen?.(page) ?? true) && command.run(page) !== false
    }))
  )

/** Whether an element accepts typed text. The invisible field of a selected cell has no undo of its own. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio], .sheet-entry), textarea, select'))

/**
 * Restores the uppercase letter of a shortcut while Caps Lock is on. Shift then produces a lowercase letter, and CodeMirror would run the command
 * without Shift: Undo instead of Redo.
 */
export function withoutCapsLock(event: KeyboardEvent): void {
  const { key, shiftKey, ctrlKey, metaKey } = event
  const large = key.toUpperCase()
  if (shiftKey && (ctrlKey || metaKey) && key.length === 1 && large !== key) Object.defineProperty(event, 'key', { value: large })
}

/** Runs the page's commands for a key that was pressed outside the text. */
export function runPageKeys(view: EditorView, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || document.querySelector('dialog:modal') !== null) return
  if (event.target instanceof Node && view.contentDOM.contains(event.target)) return
  // In a field, a key without a modifier types a character.
  if (isField(event.target) && !event.ctrlKey && !event.metaKey && !event.altKey && !/^F\d/.test(event.key)) return
  if (runScopeHandlers(view, event, pageScope)) event.preventDefault()
}

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

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

/** Returns the keys of a shortcut, each with its name on this keyboard. */
export const keyNames = (key: string): string[] =>
  key.split(/-(?!$)/).map((part) => arrows[part] ?? (isMac ? macNames[part] : t(otherNames[part] ?? part)) ?? part.toUpperCase())

/** Returns the name of a shortcut on this keyboard. */
export const keyName = (key: string): string => {
  const names = keyNames(key).map((name) => (name.length === 1 ? name.toUpperCase() : name))
  return names.join(isMac ? '' : '+')
}

/** Returns the tooltip of a control: the name of the command and its shortcut. */
export const tooltip = ({ title, keys }: Command<Page>): string =>
  keys?.[0] === undefined ? t(title) : `${t(title)} (${keyName(keys[0])})`
