/** Shows pictures, sound and video in the live view, instead of their Markdown. */
import { WidgetType, type EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { pictureWords } from '../../../shared/markdown/pictures.ts'
import { mayLink } from '../../../shared/markdown/links.ts'
import { kindOfAddress, type MediaKind } from '../../../shared/media-types.ts'
import { t } from '../../text/t.ts'
import type { LiveContext } from '../context.ts'
import { titleWords } from './picture-at.ts'
import { link } from './inline.ts'
import { linkParts } from '../link-parts.ts'

/** Sizes of the pictures that have loaded. A picture that is drawn again takes up its space immediately, so that nothing moves. */
const sizes = new Map<string, { readonly width: number; readonly height: number }>()
const sizesMax = 1000

/** Returns the address as the browser would load it. Undefined if the page may not load it. The content security policy has the same rule. */
function loadable(written: string): string | undefined {
  const address = written.replace(/^<(.*)>$/, '$1').replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
  if (!mayLink(address)) return undefined
  try {
    const { protocol, origin, href } = new URL(address, location.origin)
    return protocol === 'https:' || protocol === 'data:' || origin === location.origin ? href : undefined
  } catch {
    return undefined
  }
}

interface Shown {
  readonly words: string
  /** Width in CSS pixels. Undefined for the natural width. */
  readonly width: number | undefined
  readonly caption: string
  /** Whether the Markdown of the picture is visible below it. */
  readonly open?: boolean
}

class MediaWidget extends WidgetType {
  readonly #kind: MediaKind
  readonly #address: string
  readonly #shown: Shown
  readonly #key: string

  constructor(kind: MediaKind, address: string, shown: Shown) {
    super()
    this.#kind = kind
    this.#address = address
    this.#shown = shown
    this.#key = JSON.stringify([kind, address, shown])
  }

  override eq(other: MediaWidget): boolean {
    return other.#key === this.#key
  }

  override toDOM(view: EditorView): HTMLElement {
    if (this.#kind !== 'image') return this.#player(this.#kind)
    const shown = this.#withCaption(this.#picture(view))
    if (this.#shown.open) shown.classList.add('md-media-open')
    return shown
  }

  #withCaption(picture: HTMLElement): HTMLElement {
    if (this.#shown.caption === '') return picture
    const figure = document.createElement('span')
    figure.className = 'md-figure'
    const caption = document.createElement('span')
    caption.className = 'md-caption'
    caption.dir = 'auto'
    caption.textContent = this.#shown.caption
    figure.append(picture, caption)
    return figure
  }

  #picture(view: EditorView): HTMLElement {
    const picture = document.createElement('img')
    picture.className = 'md-media'
    picture.alt = this.#shown.words
    picture.decoding = 'async'
    picture.referrerPolicy = 'no-referrer'
    const known = sizes.get(this.#address)
    if (known !== undefined) Object.assign(picture, known)
    const { width } = this.#shown
    if (width !== undefined) picture.style.width = `${width}px`
    picture.addEventListener('load', () => {
      if (sizes.size < sizesMax) sizes.set(this.#address, { width: picture.naturalWidth, height: picture.naturalHeight })
      view.requestMeasure()
    })
    picture.addEventListener('error', () => {
      picture.classList.add('md-media-missing')
      picture.alt = t('This picture cannot be shown: {name}', { name: this.#shown.words || this.#address })
      view.requestMeasure()
    })
    picture.src = this.#address
    return picture
  }

  #player(kind: 'audio' | 'video'): HTMLElement {
    const player = document.createElement(kind)
    player.className = 'md-media'
    player.controls = true
    player.preload = 'metadata'
    player.setAttribute('aria-label', this.#shown.words)
    player.src = this.#address
    return player
  }

  // A click on a picture selects it. A player handles its own clicks.
  override ignoreEvent(): boolean {
    return this.#kind !== 'image'
  }
}

/**
 * Shows `![words](address)` as a picture. While the caret is there, its Markdown is visible too, except in a cell of a table, which
 * is too narrow for it. A picture that is selected as a whole hides its Markdown, and so does a picture within text while the caret is after it.
 */
export function media(node: SyntaxNode, live: LiveContext): void {
  const parts = linkParts(node)
  if (parts === undefined) return undefined
  const { open, close, url } = parts
  const written = live.text(url.from, url.to)
  const address = loadable(written)
  if (address === undefined) return link(node, live)
  const title = node.getChild('LinkTitle')
  const caption = title === null ? '' : titleWords(live.text(title.from, title.to))
  const shown = { ...pictureWords(live.text(open.to, close.from)), caption }
  const kind = kindOfAddress(written) ?? 'image'
  const spansLines = live.spansLines(node.from, node.to)
  const isAfter = live.cursorIn(node.from, node.to) === node.to && !live.isWholeLine(node.from, node.to)
  const isDrawn = node.parent?.name === 'TableCell' || isAfter || live.isSelected(node) || !live.touched(node.from, node.to)
  if (isDrawn && !spansLines) return live.replace(node.from, node.to, new MediaWidget(kind, address, shown))
  link(node, live)
  // A picture on its own line stays in place, and its Markdown appears below it.
  if (!spansLines && live.isWholeLine(node.from, node.to))
    return live.widget(node.from, new MediaWidget(kind, address, { ...shown, open: true }), -1)
  return live.widget(node.to, new MediaWidget(kind, address, shown))
}
