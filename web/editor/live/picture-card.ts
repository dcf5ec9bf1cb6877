/**
 * The card of the picture at the caret, with its alternative text, caption and size. A press on one of these words opens its field. Ctrl-K moves the focus into the card, and Escape returns to the
 * text. Typed values are saved when the focus leaves the card, and Escape discards them.
 */
import { StateEffect, StateField, type ChangeDesc, type EditorState, type Extension } from '@codemirror/state'
import { type EditorView, showTooltip, type Tooltip, type TooltipView } from '@codemirror/view'
import { pictureWidthMax, pictureWidthMin } from '../../../shared/markdown/pictures.ts'
import { t } from '../../text/t.ts'
import { asOneStep } from '../binding.ts'
import { beginComment } from '../begin-comment.ts'
import { isInCode } from '../in-code.ts'
import { hideOnLeaving, onLeaving } from './hide-card.ts'
import { alternativeWords, editPicture, pictureAt, type PictureAt } from './picture-at.ts'
import { pictureChanges, pictureSaved, type Wanted } from './picture-changes.ts'
import { chosenPicture, removePicture } from './picture-chosen.ts'
import { mayReplace, replacePicture } from './picture-replaced.ts'
import { addressWritten, pictureWithin } from './picture-size.ts'

/** Closes the card, unless the person has typed in it. */
const hide = StateEffect.define<null>()
/** Closes the card after its values have been saved or discarded. */
const close = StateEffect.define<null>()
/** Tells that the person has typed in the card. */
const touch = StateEffect.define<null>()

interface Shown {
  readonly picture: PictureAt
  readonly tooltip: Tooltip
  readonly isTouched: boolean
}

function labelled(card: HTMLElement, words: string, value: string): HTMLInputElement {
  const label = card.appendChild(document.createElement('label'))
  label.append(words)
  const input = label.appendChild(document.createElement('input'))
  input.className = 'link-field'
  input.type = 'text'
  input.defaultValue = value
  return input
}

function addButton(card: HTMLElement, type: 'button' | 'submit', look: string, words: string): HTMLButtonElement {
  const button = card.appendChild(document.createElement('button'))
  button.type = type
  button.className = `button ${look}`
  button.textContent = words
  return button
}

/** Returns the value of a field, or the current value of the picture if the person has not changed the field. */
const typedIn = ({ value, defaultValue }: HTMLInputElement, current: string): string => (value === defaultValue ? current : value)

function cardOf(view: EditorView, picture: PictureAt, isEdited: boolean): TooltipView {
  let { from, to } = picture
  const address = addressWritten(view.state, picture)
  /** Returns the picture in the current text. Undefined if others removed it. */
  const now = (): PictureAt | undefined => (view.state.readOnly ? undefined : pictureWithin(view.state, { from, to }, address))
  let isTouched = false
  const card = document.createElement('form')
  card.className = 'link-card picture-card'
  card.setAttribute('aria-label', t('Picture'))
  const words = labelled(card, t('Alt text'), alternativeWords(picture))
  const caption = labelled(card, t('Caption'), picture.caption)
  const width = labelled(card, t('Width'), picture.width === undefined ? '' : String(picture.width))
  width.classList.add('picture-width')
  width.type = 'number'
  width.min = String(pictureWidthMin)
  width.max = String(pictureWidthMax)
  width.step = 'any'
  width.placeholder = t('Full')
  addButton(card, 'submit', '', t('Save'))
  if (mayReplace(view))
    addButton(card, 'button', 'quiet', t('Replace')).addEventListener('click', () =>
      replacePicture(view, now, () => {
        if (isTouched) finish(false)
        else view.dispatch({ effects: close.of(null) })
        view.focus()
      })
    )
  const comment = view.state.facet(beginComment)[0]?.()
  if (comment !== undefined)
    addButton(card, 'button', 'quiet picture-comment', t('Comment')).addEventListener('click', () => {
      leave()
      view.dispatch({ selection: { anchor: from, head: to }, effects: close.of(null) })
      comment()
    })
  addButton(card, 'button', 'quiet picture-delete', t('Delete')).addEventListener('click', () => {
    isTouched = false
    const removed = now()
    view.dispatch({ effects: close.of(null) })
    if (removed !== undefined) removePicture(view, removed)
    view.focus()
  })
  const wanted = (current: PictureAt): Wanted => {
    const isFull = width.value === '' || Number.isNaN(width.valueAsNumber)
    return {
      words: typedIn(words, alternativeWords(current)),
      width: width.value === width.defaultValue ? current.width : isFull ? undefined : width.valueAsNumber,
      caption: typedIn(caption, current.caption)
    }
  }
  /** Saves the values and closes the card. With `goesOn`, the caret moves below the picture. Others may have changed the text since. */
  const finish = (goesOn: boolean): void => {
    isTouched = false
    const { state } = view
    const current = now()
    const saved =
      current && (goesOn ? pictureSaved(state, current, wanted(current)) : { changes: pictureChanges(current, wanted(current)) })
    asOneStep(view, () => view.dispatch({ ...saved, effects: close.of(null), scrollIntoView: goesOn, userEvent: 'input.picture' }))
  }
  card.noValidate = true
  // A field is open while it has the focus. If a press took the focus first, the pressed part would move away before the click.
  card.addEventListener('mousedown', (event) => {
    const { target } = event
    if (target instanceof HTMLInputElement) return
    event.preventDefault()
    // While text is selected, Chromium does not focus the field of a label.
    if (target instanceof HTMLLabelElement) target.control?.focus()
  })
  card.addEventListener('submit', (event) => {
    event.preventDefault()
    finish(true)
    view.focus()
  })
  card.addEventListener('input', () => {
    isTouched = true
    view.dispatch({ effects: touch.of(null) })
  })
  card.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault()
      isTouched = false
      view.dispatch({ effects: close.of(null) })
      view.focus()
    }
    event.stopPropagation()
  })
  const leave = (): void => {
    if (isTouched) finish(false)
  }
  const stop = onLeaving(card, leave)
  return {
    dom: card,
    offset: { x: 0, y: 6 },
    // A picture may be on another line than the text before it.
    getCoords(at) {
      const drawn = [...view.contentDOM.querySelectorAll('.md-figure, img.md-media')].find((element) => view.posAtDOM(element) === at)
      return drawn?.getBoundingClientRect() ?? view.coordsAtPos(at) ?? new DOMRect()
    },
    mount: () => isEdited && words.focus(),
    update({ docChanged, changes }) {
      if (docChanged) [from, to] = [changes.mapPos(from, -1), changes.mapPos(to, 1)]
    },
    destroy() {
      stop()
      // The view may have changed to the source, and the text cannot change during this update.
      queueMicrotask(leave)
    }
  }
}

const tooltipOf = (picture: PictureAt, isEdited: boolean): Tooltip => ({
  pos: picture.from,
  end: picture.to,
  above: false,
  create: (view) => cardOf(view, picture, isEdited)
})

const shownOf = (picture: PictureAt, isEdited: boolean): Shown => ({ picture, tooltip: tooltipOf(picture, isEdited), isTouched: false })

function shownAt(state: EditorState, before: Shown | null): Shown | null {
  const { main } = state.selection
  const here = main.empty && !isInCode(state, main.head) ? pictureAt(state, main.head) : chosenPicture(state)
  const picture = state.readOnly ? undefined : here
  if (picture === undefined) return null
  const isSame = before !== null && before.picture.from === picture.from && before.picture.to === picture.to
  return isSame ? before : shownOf(picture, false)
}

/** Keeps the card of a selected picture when the text changes. A changed picture gets a card with its new values. */
function kept(shown: Shown | null, changes: ChangeDesc, state: EditorState): Shown | null {
  const picture = shown === null || state.readOnly ? undefined : chosenPicture(state)
  if (shown === null || picture === undefined) return null
  const { from, to } = shown.picture
  return changes.touchesRange(from, to) === false ? { ...moved(shown, changes), picture } : shownOf(picture, false)
}

/** Moves the card with its picture, so that changes by others do not discard typed values. */
const moved = ({ tooltip, ...shown }: Shown, changes: ChangeDesc): Shown => ({
  ...shown,
  tooltip: { ...tooltip, pos: changes.mapPos(tooltip.pos, 1), end: changes.mapPos(tooltip.end ?? tooltip.pos, -1) }
})

const field = StateField.define<Shown | null>({
  create: () => null,
  update(value, { effects, changes, docChanged, selection, state }) {
    const has = (kind: typeof hide): boolean => effects.some((effect) => effect.is(kind))
    if (has(editPicture)) {
      const picture = state.readOnly ? undefined : pictureAt(state, state.selection.main.head)
      return picture === undefined ? value : shownOf(picture, true)
    }
    if (has(close)) {
      // The person may have clicked another picture.
      const next = shownAt(state, null)
      return next === null || value === null || next.picture.from === changes.mapPos(value.tooltip.pos, 1) ? null : next
    }
    if (value?.isTouched === true) return docChanged ? moved(value, changes) : value
    if (value !== null && has(touch)) return { ...value, isTouched: true }
    if (has(hide)) return null
    if (docChanged) return kept(value, changes, state)
    return selection === undefined ? value : shownAt(state, value)
  },
  provide: (self) => showTooltip.from(self, (value) => value?.tooltip ?? null)
})

export const pictureCard: Extension = [field, hideOnLeaving(field, hide)]
