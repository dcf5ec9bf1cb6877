/**
 * The card of the link at the caret or under the pointer, with its address and its actions. In a link, Ctrl-K moves the focus to the address, Tab
 * moves on to the actions, and Escape returns to the text. A typed address is saved when the card closes, and Escape discards it. Enter in an empty
 * field removes the link. The card shows an address that could run code, but never opens it.
 */
import { StateEffect, StateField, type ChangeDesc, type EditorState, type Extension } from '@codemirror/state'
import { type EditorView, hoverTooltip, showTooltip, type Tooltip, type TooltipView } from '@codemirror/view'
import { t } from '../../text/t.ts'
import { copyText } from '../../ui/copy.ts'
import { iconPath, type IconName } from '../../ui/icons.tsx'
import { drawIcon } from '../draw-icon.ts'
import { isInCode } from '../in-code.ts'
import { addressOf, anchorOf, asTarget, editLink, linkAt, withoutLink, type LinkAt } from './link-at.ts'
import { hideOnLeaving } from './hide-card.ts'
import { safeAddress } from './inline.ts'
import { asOneStep } from '../binding.ts'
import { completeAddress } from '../slots.ts'

const hide = StateEffect.define<null>()

interface Shown {
  readonly link: LinkAt
  readonly isEdited: boolean
  readonly tooltip: Tooltip
}

function button(card: HTMLElement, icon: IconName, words: string, run: () => void): void {
  const made = card.appendChild(document.createElement('button'))
  made.type = 'button'
  made.className = 'button quiet icon-only'
  made.title = words
  made.setAttribute('aria-label', words)
  made.append(drawIcon(iconPath(icon)))
  made.addEventListener('mousedown', (event) => event.preventDefault())
  made.addEventListener('click', run)
}

/** Closes the card and returns the focus to the text. */
function leave(view: EditorView): void {
  view.dispatch({ effects: hide.of(null) })
  view.focus()
}

function remove(view: EditorView, link: LinkAt | undefined): void {
  if (link !== undefined) view.dispatch({ changes: withoutLink(view.state, link), userEvent: 'delete.link' })
}

/** Changes a link's address. A caret within the old address moves past the link if `movesOn` is set. */
function write(view: EditorView, link: LinkAt | undefined, typed: string, movesOn: boolean): void {
  const address = completeAddress(typed)
  const insert = link?.words === undefined ? address.replaceAll(/\s/g, '') : asTarget(address)
  if (view.state.readOnly || link === undefined || insert === '' || insert === view.state.sliceDoc(link.url.from, link.url.to)) return
  const changes = view.state.changes({ from: link.url.from, to: link.url.to, insert })
  const { head } = view.state.selection.main
  const isWithin = movesOn && head >= link.url.from && head <= link.url.to
  const spec = { changes, ...(isWithin && { selection: { anchor: changes.mapPos(link.to, 1) } }), userEvent: 'input.link' }
  asOneStep(view, () => view.dispatch(spec))
}

/** Returns the current position of the card's link. */
type Now = () => LinkAt | undefined

/** Draws the field for the address. Returns a function that saves an address that the person has typed but not confirmed. */
function drawField(card: HTMLElement, view: EditorView, address: string, now: Now): () => void {
  let isTouched = false
  const input = card.appendChild(document.createElement('input'))
  input.type = 'text'
  input.className = 'link-field link-address-field'
  input.value = address
  input.spellcheck = false
  input.setAttribute('aria-label', t('Address'))
  const save = (): void => {
    isTouched = false
    if (input.value.trim() === '' && !view.state.readOnly) remove(view, now())
    else write(view, now(), input.value, true)
    leave(view)
  }
  input.addEventListener('input', () => (isTouched = true))
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    // The card itself closes on Escape.
    if (event.key === 'Escape') isTouched = false
    if (event.key !== 'Enter') return
    event.preventDefault()
    save()
  })
  button(card, 'check', t('Save'), save)
  return () => {
    if (isTouched) write(view, now(), input.value, false)
  }
}

function drawButtons(card: HTMLElement, view: EditorView, link: LinkAt, at: () => number): void {
  const address = addressOf(view.state, link)
  const safe = safeAddress(address)
  const shown = card.appendChild(document.createElement('span'))
  shown.className = 'link-address'
  shown.dir = 'ltr'
  shown.textContent = address
  shown.title = address
  if (safe !== undefined) button(card, 'external', t('Open link'), () => void window.open(safe, '_blank', 'noopener,noreferrer'))
  button(card, 'copy', t('Copy address'), () => void copyText(address, t('Address')))
  if (view.state.readOnly) return
  // A card opened by the pointer may belong to a link that does not contain the caret.
  button(card, 'pen', t('Edit link'), () => view.dispatch({ effects: editLink.of(at()) }))
  if (link.words === undefined) return
  button(card, 'unlink', t('Remove link'), () => {
    remove(view, linkAt(view.state, at()))
    view.focus()
  })
}

/** Creates the card of a link. It stays with the link while the text changes. */
function cardOf(view: EditorView, link: LinkAt, isEdited: boolean): TooltipView {
  let at = anchorOf(link)
  const now: Now = () => linkAt(view.state, at)
  const card = document.createElement('div')
  card.className = 'link-card'
  card.setAttribute('role', 'group')
  card.setAttribute('aria-label', t('Link'))
  card.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault()
      leave(view)
    }
    event.stopPropagation()
  })
  const saveTyped = isEdited ? drawField(card, view, addressOf(view.state, link), now) : undefined
  if (!isEdited) drawButtons(card, view, link, () => at)
  return {
    dom: card,
    offset: { x: 0, y: 6 },
    mount() {
      if (!isEdited) return
      const input = card.querySelector('input')
      input?.focus()
      input?.select()
    },
    update({ docChanged, changes }) {
      if (!docChanged) return
      at = changes.mapPos(at, -1)
      if (isEdited) return
      const there = now()
      card.replaceChildren()
      card.hidden = there === undefined
      if (there !== undefined) drawButtons(card, view, there, () => at)
    },
    destroy() {
      // The text cannot change during this update.
      if (saveTyped !== undefined) queueMicrotask(saveTyped)
    }
  }
}

const shownOf = (link: LinkAt, isEdited: boolean): Shown => ({
  link,
  isEdited,
  tooltip: { pos: link.from, end: link.to, above: false, create: (view) => cardOf(view, link, isEdited) }
})

const same = (one: LinkAt, other: LinkAt): boolean => one.from === other.from && one.to === other.to

function shownAt(state: EditorState, before: Shown | null): Shown | null {
  const { main } = state.selection
  const link = main.empty && !isInCode(state, main.head) ? linkAt(state, main.head) : undefined
  if (link === undefined) return null
  return before !== null && same(before.link, link) ? before : shownOf(link, false)
}

/** Moves the card with its link, so that changes by others do not discard an address that the person is typing. */
const moved = ({ tooltip, ...shown }: Shown, changes: ChangeDesc): Shown => ({
  ...shown,
  tooltip: { ...tooltip, pos: changes.mapPos(tooltip.pos, 1), end: changes.mapPos(tooltip.end ?? tooltip.pos, -1) }
})

const field = StateField.define<Shown | null>({
  create: () => null,
  update(value, { effects, changes, docChanged, selection, state }) {
    const edited = effects.find((effect) => effect.is(editLink))
    if (edited !== undefined) {
      const from = edited.value
      const link = state.readOnly ? undefined : linkAt(state, from ?? state.selection.main.head)
      return link === undefined ? value : shownOf(link, true)
    }
    if (effects.some((effect) => effect.is(hide))) return null
    // Typing closes the card, because it would cover the text.
    if (docChanged) return value?.isEdited === true ? moved(value, changes) : null
    return selection === undefined ? value : shownAt(state, value)
  },
  provide: (self) => showTooltip.from(self, (value) => value?.tooltip ?? null)
})

const hover = hoverTooltip(
  (view, position) => {
    const link = linkAt(view.state, position)
    const open = view.state.field(field)
    if (link === undefined || position < link.from || position > link.to || (open !== null && (open.isEdited || same(open.link, link))))
      return null
    return shownOf(link, false).tooltip
  },
  // Only one card may be open at a time.
  { hideOn: ({ selection, effects }) => selection !== undefined || effects.some((effect) => effect.is(editLink) || effect.is(hide)) }
)

export const linkCard: Extension = [field, hover, hideOnLeaving(field, hide)]
