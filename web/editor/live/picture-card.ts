/** The card of the picture at the caret, with its alternative text, caption and size. Ctrl-K moves the focus into the card, and Escape returns to the text. */
import { StateEffect, StateField, type EditorState, type Extension } from '@codemirror/state'
import { type EditorView, showTooltip, type Tooltip } from '@codemirror/view'
import { pictureWidthMax, pictureWidthMin } from '../../../shared/markdown/pictures.ts'
import { t } from '../../text/t.ts'
import { isInCode } from '../in-code.ts'
import { hideOnLeaving } from './hide-card.ts'
import { alternativeWords, editPicture, pictureAt, type PictureAt } from './picture-at.ts'
import { pictureSaved } from './picture-changes.ts'
import { chosenPicture, removePicture } from './picture-chosen.ts'

const hide = StateEffect.define<null>()

interface Shown {
  readonly picture: PictureAt
  readonly tooltip: Tooltip
}

function labelled(card: HTMLElement, words: string, className: string): HTMLInputElement {
  const label = card.appendChild(document.createElement('label'))
  label.append(words)
  const input = label.appendChild(document.createElement('input'))
  input.className = className
  return input
}

function draw(view: EditorView, picture: PictureAt): HTMLElement {
  const card = document.createElement('form')
  card.className = 'link-card picture-card'
  card.setAttribute('aria-label', t('Picture'))
  const words = labelled(card, t('Alternative text'), 'link-field')
  words.type = 'text'
  words.value = alternativeWords(picture)
  const caption = labelled(card, t('Caption'), 'link-field')
  caption.type = 'text'
  caption.value = picture.caption
  const width = labelled(card, t('Width in pixels'), 'link-field picture-width')
  width.type = 'number'
  width.min = String(pictureWidthMin)
  width.max = String(pictureWidthMax)
  width.step = 'any'
  width.placeholder = t('Full')
  width.value = picture.width === undefined ? '' : String(picture.width)
  const save = card.appendChild(document.createElement('button'))
  save.type = 'submit'
  save.className = 'button'
  save.textContent = t('Save')
  const remove = card.appendChild(document.createElement('button'))
  remove.type = 'button'
  remove.className = 'button quiet'
  remove.textContent = t('Delete')
  remove.addEventListener('click', () => {
    removePicture(view, picture)
    view.focus()
  })
  card.noValidate = true
  card.addEventListener('submit', (event) => {
    event.preventDefault()
    const asked = width.value === '' || Number.isNaN(width.valueAsNumber) ? undefined : width.valueAsNumber
    const saved = pictureSaved(view.state, picture, { words: words.value, width: asked, caption: caption.value })
    view.dispatch({ ...saved, effects: hide.of(null), scrollIntoView: true, userEvent: 'input.picture' })
    view.focus()
  })
  card.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      view.dispatch({ effects: hide.of(null) })
      view.focus()
    }
    event.stopPropagation()
  })
  return card
}

const tooltipOf = (picture: PictureAt, isEdited: boolean): Tooltip => ({
  pos: picture.from,
  end: picture.to,
  above: false,
  create(view) {
    const dom = draw(view, picture)
    return { dom, offset: { x: 0, y: 6 }, mount: () => isEdited && dom.querySelector('input')?.focus() }
  }
})

function shownAt(state: EditorState, before: Shown | null): Shown | null {
  const { main } = state.selection
  const here = main.empty && !isInCode(state, main.head) ? pictureAt(state, main.head) : chosenPicture(state)
  const picture = state.readOnly ? undefined : here
  if (picture === undefined) return null
  const isSame = before !== null && before.picture.from === picture.from && before.picture.to === picture.to
  return isSame ? before : { picture, tooltip: tooltipOf(picture, false) }
}

const field = StateField.define<Shown | null>({
  create: () => null,
  update(value, { effects, docChanged, selection, state }) {
    if (effects.some((effect) => effect.is(editPicture))) {
      const picture = state.readOnly ? undefined : pictureAt(state, state.selection.main.head)
      return picture === undefined ? value : { picture, tooltip: tooltipOf(picture, true) }
    }
    if (docChanged || effects.some((effect) => effect.is(hide))) return null
    return selection === undefined ? value : shownAt(state, value)
  },
  provide: (self) => showTooltip.from(self, (value) => value?.tooltip ?? null)
})

export const pictureCard: Extension = [field, hideOnLeaving(field, hide)]
