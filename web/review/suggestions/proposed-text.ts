/** Draws the text of a suggestion. */
import { WidgetType } from '@codemirror/view'
import { hueOf } from '../../presence/colours.ts'
import { displayName } from '../../presence/people.ts'
import { initials } from '../../presence/person.ts'
import { t } from '../../text/t.ts'
import { areRows, nodesOf } from './proposed-nodes.ts'

/** Longest text of a suggestion that is shown in the text, in UTF-16 units. The card shows all of it. */
const shownUnits = 400

/** Makes line breaks visible if text consists only of whitespace. */
const visible = (text: string): string => (text.trim() === '' ? text.replaceAll('\n', '↵') : text)
/** Returns text as a suggestion shows it. */
export const shorten = (text: string): string => visible(text.length <= shownUnits ? text : `${text.slice(0, shownUnits).toWellFormed()}…`)

/** The author's initials after a suggestion are about as wide as these letters. */
export const initialsWide = '000'

/** Suggested new lines come after the caret at the end of their line, and after text that is struck out there, whose side is 1. */
export const afterLineSide = 2

/** Returns an element with the initials of a suggestion's author. */
export function initialsOf(author: string): HTMLElement {
  const initial = document.createElement('span')
  initial.className = 'rm-initial'
  initial.textContent = initials(author)
  initial.title = t('Suggested by {name}', { name: displayName(author) })
  return initial
}

/** Draws text that is suggested or struck out, with the name of its author. */
export class ProposedText extends WidgetType {
  readonly #tag: 'ins' | 'del'
  readonly #text: string
  readonly #author: string
  readonly #id: string
  readonly #isActive: boolean
  readonly #beginsLine: boolean

  constructor(tag: 'ins' | 'del', text: string, author: string, id: string, isActive: boolean, beginsLine = false) {
    super()
    this.#tag = tag
    this.#text = text
    this.#author = author
    this.#id = id
    this.#isActive = isActive
    this.#beginsLine = beginsLine
  }

  override eq(other: ProposedText): boolean {
    return (
      other.#tag === this.#tag &&
      other.#text === this.#text &&
      other.#author === this.#author &&
      other.#id === this.#id &&
      other.#isActive === this.#isActive &&
      other.#beginsLine === this.#beginsLine
    )
  }

  override toDOM(): HTMLElement {
    const outer = document.createElement('span')
    const rows = areRows(this.#text) ? ' rm-rows' : ''
    outer.className = `rm-proposed${rows} hue-${hueOf(this.#author)}${this.#isActive ? ' rm-active' : ''}`
    if (this.#id !== '') outer.dataset['annotation'] = this.#id
    if (this.#text !== '') {
      const text = document.createElement(this.#tag)
      text.className = this.#tag === 'ins' ? 'rm-ins' : 'rm-del'
      text.append(...nodesOf(shorten(this.#text), this.#beginsLine))
      outer.append(text)
    }
    if (this.#author !== '') outer.append(initialsOf(this.#author))
    return outer
  }

  override ignoreEvent(): boolean {
    return false
  }
}
