/** The elements that replace Markdown characters. */
import { WidgetType, type EditorView } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { iconPath } from '../../ui/icons.tsx'
import { copyCode } from '../copy-code.ts'
import { drawIcon } from '../draw-icon.ts'

export class BulletWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  override toDOM(): HTMLElement {
    const span = document.createElement('span')
    span.className = 'md-marker md-bullet'
    span.textContent = '•'
    return span
  }
}

/** Marks where the text of a line will begin while the line has none. */
export class WordPlace extends WidgetType {
  override eq(): boolean {
    return true
  }

  override toDOM(): HTMLElement {
    return document.createElement('span')
  }
}

/** Words that are shown instead of text, such as the number of a footnote. */
export class WordsWidget extends WidgetType {
  readonly #words: string

  constructor(words: string) {
    super()
    this.#words = words
  }

  override eq(other: WordsWidget): boolean {
    return other.#words === this.#words
  }

  override toDOM(): HTMLElement {
    const span = document.createElement('span')
    span.textContent = this.#words
    return span
  }

  override ignoreEvent(): boolean {
    return false
  }
}

/** A check box. Clicking it changes one character of the text. */
export class TaskWidget extends WidgetType {
  readonly checked: boolean
  readonly disabled: boolean

  constructor(checked: boolean, disabled: boolean) {
    super()
    this.checked = checked
    this.disabled = disabled
  }

  override eq(other: TaskWidget): boolean {
    return other.checked === this.checked && other.disabled === this.disabled
  }

  override toDOM(): HTMLElement {
    const span = document.createElement('span')
    span.className = 'md-marker md-task'
    const box = span.appendChild(document.createElement('input'))
    box.type = 'checkbox'
    box.checked = this.checked
    box.setAttribute('aria-label', this.checked ? t('Done') : t('To do'))
    box.disabled = this.disabled
    // Keyboard users reach the check box with the arrow keys and Mod-Enter. Tab moves to the toolbar.
    box.tabIndex = -1
    return span
  }

  override ignoreEvent(event: Event): boolean {
    return event.type !== 'mousedown' && event.type !== 'click'
  }
}

/** A button that copies the code block that begins on its line. */
export class CopyWidget extends WidgetType {
  override eq(): boolean {
    return true
  }

  override toDOM(view: EditorView): HTMLElement {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'md-copy'
    // Keyboard users copy the code with the palette.
    button.tabIndex = -1
    button.setAttribute('aria-label', t('Copy code'))
    button.title = t('Copy code')
    button.append(drawIcon(iconPath('copy')))
    button.addEventListener('mousedown', (event) => event.preventDefault())
    button.addEventListener('click', () => copyCode(view, view.posAtDOM(button)))
    return button
  }

  override ignoreEvent(): boolean {
    return true
  }
}
