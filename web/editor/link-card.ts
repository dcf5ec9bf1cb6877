/**
 * The card of a link, where the caret or the pointer is: its address, and what can be done with it. Ctrl-K in a link goes to the address, Tab to
 * the rest, Escape back. An address that could run something is shown and never opened.
 */
import { StateEffect, StateField, type EditorState, type Extension } from '@codemirror/state'
import { type EditorView, hoverTooltip, showTooltip, ViewPlugin, type Tooltip, type TooltipView } from '@codemirror/view'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { iconPath, type IconName } from '../ui/icons.tsx'
import { drawIcon } from './draw-icon.ts'
import { isInCode } from './in-code.ts'
import { addressOf, asTarget, editLink, linkAt, withoutLink, type LinkAt } from './link-at.ts'
import { safeAddress } from './live/inline.ts'
import { completeAddress } from './slots.ts'

const hide = StateEffect.define<null>()

interface Shown {
  readonly link: LinkAt
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

/** Back in the text, without the card. */
function leave(view: EditorView): void {
  view.dispatch({ effects: hide.of(null) })
  view.focus()
}

function write(view: EditorView, typed: string): void {
  const link = view.state.field(field)?.link
  if (link === undefined) return
  const address = completeAddress(typed)
  const insert = link.words === undefined ? address.replaceAll(/\s/g, '') : asTarget(address)
  if (insert !== '' && insert !== view.state.sliceDoc(link.url.from, link.url.to))
    view.dispatch({ changes: { from: link.url.from, to: link.url.to, insert }, userEvent: 'input.link' })
  leave(view)
}

function drawField(card: HTMLElement, view: EditorView, address: string): void {
  const input = card.appendChild(document.createElement('input'))
  input.type = 'text'
  input.className = 'link-field'
  input.value = address
  input.spellcheck = false
  input.setAttribute('aria-label', t('Address'))
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    write(view, input.value)
  })
  button(card, 'check', t('Save'), () => write(view, input.value))
}

function draw(view: EditorView, link: LinkAt, isEdited: boolean): HTMLElement {
  const card = document.createElement('div')
  card.className = 'link-card'
  card.setAttribute('role', 'group')
  card.setAttribute('aria-label', t('Link'))
  const address = addressOf(view.state, link)
  const safe = safeAddress(address)
  card.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      event.preventDefault()
      leave(view)
    }
    event.stopPropagation()
  })
  if (isEdited) {
    drawField(card, view, address)
    return card
  }
  const shown = card.appendChild(document.createElement('span'))
  shown.className = 'link-address'
  shown.dir = 'ltr'
  shown.textContent = address
  shown.title = address
  if (safe !== undefined) button(card, 'external', t('Open link'), () => void window.open(safe, '_blank', 'noopener,noreferrer'))
  button(card, 'copy', t('Copy address'), () => void copyText(address, t('Address')))
  if (view.state.readOnly) return card
  button(card, 'pen', t('Edit link'), () => {
    // A card under the pointer is of a link that the caret is not in.
    view.dispatch({ selection: { anchor: link.url.from }, effects: editLink.of(null) })
  })
  if (link.words !== undefined)
    button(card, 'x', t('Remove link'), () => {
      view.dispatch({ changes: withoutLink(view.state, link), userEvent: 'delete.link' })
      view.focus()
    })
  return card
}

const tooltipOf = (link: LinkAt, isEdited: boolean): Tooltip => ({
  pos: link.from,
  end: link.to,
  above: false,
  create(view): TooltipView {
    const dom = draw(view, link, isEdited)
    return {
      dom,
      offset: { x: 0, y: 6 },
      mount() {
        if (!isEdited) return
        const input = dom.querySelector('input')
        input?.focus()
        input?.select()
      }
    }
  }
})

const same = (one: LinkAt, other: LinkAt): boolean => one.from === other.from && one.to === other.to

function shownAt(state: EditorState, before: Shown | null): Shown | null {
  const { main } = state.selection
  const link = main.empty && !isInCode(state, main.head) ? linkAt(state, main.head) : undefined
  if (link === undefined) return null
  return before !== null && same(before.link, link) ? before : { link, tooltip: tooltipOf(link, false) }
}

const field = StateField.define<Shown | null>({
  create: () => null,
  update(value, { effects, docChanged, selection, state }) {
    if (effects.some((effect) => effect.is(editLink))) {
      const link = state.readOnly ? undefined : linkAt(state, state.selection.main.head)
      return link === undefined ? value : { link, tooltip: tooltipOf(link, true) }
    }
    // Whoever types needs the room.
    if (docChanged || effects.some((effect) => effect.is(hide))) return null
    return selection === undefined ? value : shownAt(state, value)
  },
  provide: (self) => showTooltip.from(self, (value) => value?.tooltip ?? null)
})

const hover = hoverTooltip((view, position) => {
  const link = linkAt(view.state, position)
  const open = view.state.field(field)
  if (link === undefined || position < link.from || position > link.to || (open !== null && same(open.link, link))) return null
  return tooltipOf(link, false)
})

// The card goes with the focus, unless that went into it.
const leaving = ViewPlugin.define((view) => {
  const left = (): void =>
    void setTimeout(() => {
      if (view.dom.contains(document.activeElement) || view.state.field(field, false) == null) return
      view.dispatch({ effects: hide.of(null) })
    })
  view.dom.addEventListener('focusout', left)
  return { destroy: () => view.dom.removeEventListener('focusout', left) }
})

export const linkCard: Extension = [field, hover, leaving]
