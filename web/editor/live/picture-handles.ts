/**
 * Draws a frame around the selected picture, and handles at the edge and the corner of the picture under the pointer or at the caret. A drag changes
 * the width, as one undo step when it ends. The frame and the handles lie over the text. A picture that could not be loaded has a button that loads
 * it again.
 */
import { ViewPlugin, type EditorView, type ViewUpdate } from '@codemirror/view'
import { pictureWidthMin } from '../../../shared/markdown/pictures.ts'
import { t } from '../../text/t.ts'
import { endStep } from '../binding.ts'
import { onConnection } from './on-connection.ts'
import { pictureAt, type PictureAt } from './picture-at.ts'
import { widthChanges } from './picture-changes.ts'
import { chosenPicture } from './picture-chosen.ts'
import { addressWritten, pictureFrom, samePicture, stepOf, widthAfter, type Widths } from './picture-size.ts'

/** The length of each side of a handle, in pixels. It is the minimum target size (WCAG 2.2, 2.5.8). */
const thick = 24
/** Smallest height of a picture that has a handle at its edge, and the height of that handle, in pixels. */
const [edgeMin, edgeHeight] = [72, 48]

/** A picture whose width is being changed. */
interface Sizing extends Widths {
  /** Offset at which the picture's Markdown begins. It follows edits by others. */
  from: number
  readonly address: string
  asked: number | undefined
  /** How much the keys have changed the width so far, in pixels. */
  by: number
  readonly stop: () => void
}

const isMissing = (image: Element): boolean => image.classList.contains('md-media-missing')

class PictureHandles {
  readonly #view: EditorView
  readonly #dom = document.createElement('div')
  readonly #frame = this.#dom.appendChild(document.createElement('div'))
  readonly #edge = this.#dom.appendChild(document.createElement('div'))
  readonly #corner = this.#dom.appendChild(document.createElement('div'))
  readonly #retry = this.#dom.appendChild(document.createElement('button'))
  readonly #stopWaiting: () => void
  #hovered: HTMLImageElement | undefined
  #sizing: Sizing | undefined

  constructor(view: EditorView) {
    this.#view = view
    this.#dom.className = 'picture-handles'
    this.#frame.className = 'picture-frame'
    this.#frame.hidden = true
    this.#edge.className = 'picture-handle picture-handle-edge'
    this.#corner.className = 'picture-handle picture-handle-corner'
    this.#corner.tabIndex = 0
    this.#corner.setAttribute('role', 'slider')
    this.#corner.setAttribute('aria-label', t('Width in pixels'))
    this.#corner.setAttribute('aria-valuemin', String(pictureWidthMin))
    this.#retry.type = 'button'
    this.#retry.className = 'button picture-retry'
    this.#retry.textContent = t('Try again')
    this.#retry.addEventListener('click', () => this.#again(this.#image()))
    for (const handle of [this.#edge, this.#corner]) handle.addEventListener('pointerdown', this.#press)
    this.#corner.addEventListener('keydown', this.#key)
    this.#corner.addEventListener('keyup', () => this.#end(true))
    this.#corner.addEventListener('blur', () => this.#end(true))
    this.#dom.addEventListener('mousedown', (event) => event.preventDefault())
    this.#dom.addEventListener('focusout', this.#draw)
    view.scrollDOM.append(this.#dom)
    view.contentDOM.addEventListener('load', this.#draw, true)
    view.contentDOM.addEventListener('error', this.#draw, true)
    view.scrollDOM.addEventListener('pointermove', this.#moved)
    view.scrollDOM.addEventListener('pointerup', this.#tapped)
    view.scrollDOM.addEventListener('pointerleave', this.#left)
    addEventListener('online', this.#online)
    this.#stopWaiting = view.state.facet(onConnection)(this.#online)
    this.#draw()
  }

  update({ docChanged, changes, selectionSet, focusChanged, geometryChanged, viewportChanged }: ViewUpdate): void {
    if (docChanged && this.#sizing !== undefined) {
      this.#sizing.from = changes.mapPos(this.#sizing.from, 1)
      if (this.#sized() === undefined) this.#end(false)
    }
    if (docChanged || selectionSet || focusChanged || geometryChanged || viewportChanged) this.#draw()
  }

  destroy(): void {
    this.#sizing?.stop()
    this.#view.contentDOM.removeEventListener('load', this.#draw, true)
    this.#view.contentDOM.removeEventListener('error', this.#draw, true)
    this.#view.scrollDOM.removeEventListener('pointermove', this.#moved)
    this.#view.scrollDOM.removeEventListener('pointerup', this.#tapped)
    this.#view.scrollDOM.removeEventListener('pointerleave', this.#left)
    removeEventListener('online', this.#online)
    this.#stopWaiting()
    this.#dom.remove()
  }

  readonly #moved = ({ target, pointerType }: PointerEvent): void => {
    if (pointerType !== 'mouse' || this.#sizing !== undefined) return
    if (target instanceof Node && this.#dom.contains(target)) return
    this.#point(target)
  }

  /** Shows the handles of a picture that a person taps. */
  readonly #tapped = ({ target, pointerType }: PointerEvent): void => {
    if (pointerType === 'mouse' || this.#sizing !== undefined || (target instanceof Node && this.#dom.contains(target))) return
    this.#point(target)
  }

  #point(target: EventTarget | null): void {
    const image = target instanceof HTMLImageElement && target.matches('.md-media') ? target : undefined
    if (image === this.#hovered) return
    this.#hovered = image
    this.#draw()
  }

  readonly #left = ({ pointerType }: PointerEvent): void => {
    if (pointerType !== 'mouse' || this.#hovered === undefined || this.#sizing !== undefined) return
    this.#hovered = undefined
    this.#draw()
  }

  /** Tries again to load all missing pictures. The network may be back before the service can be reached, so both events matter. */
  readonly #online = (): void => {
    for (const image of this.#images()) if (isMissing(image)) this.#again(image)
  }

  /** Tries again to load a picture. */
  #again(image: HTMLImageElement | undefined): void {
    if (image === undefined) return
    const loaded = (): void => {
      image.classList.remove('md-media-missing')
      image.alt = this.#pictureOf(image)?.words ?? ''
      this.#draw()
    }
    image.addEventListener('load', loaded, { once: true })
    const { src } = image
    image.src = src
  }

  #images(): HTMLImageElement[] {
    return [...this.#view.contentDOM.querySelectorAll<HTMLImageElement>('img.md-media')]
  }

  /**
   * Returns the picture that an image element draws. If the Markdown is visible, the image is drawn below it, so its position is at the end of the
   * Markdown.
   */
  #pictureOf(image: HTMLImageElement): PictureAt | undefined {
    const at = this.#view.posAtDOM(image)
    return pictureFrom(this.#view.state, at) ?? pictureAt(this.#view.state, at)
  }

  #imageAt(from: number): HTMLImageElement | undefined {
    return this.#images().find((image) => this.#pictureOf(image)?.from === from)
  }

  /** Returns the picture whose width is being changed; undefined if it is gone. */
  #sized(): PictureAt | undefined {
    if (this.#sizing === undefined) return undefined
    return samePicture(this.#view.state, this.#sizing.from, this.#sizing.address)
  }

  /** Returns the image element that the handles belong to. */
  #image(): HTMLImageElement | undefined {
    const { state, hasFocus } = this.#view
    if (this.#sizing !== undefined) return this.#imageAt(this.#sizing.from)
    if (state.readOnly) return undefined
    if (this.#hovered?.isConnected === true) return this.#hovered
    const { main } = state.selection
    const isHere = hasFocus || this.#view.dom.contains(document.activeElement)
    const picture = isHere ? (main.empty ? pictureAt(state, main.head) : chosenPicture(state)) : undefined
    return picture && this.#imageAt(picture.from)
  }

  /** Returns the image element of the selected picture. */
  #chosen(): HTMLImageElement | undefined {
    const picture = chosenPicture(this.#view.state)
    return picture && this.#imageAt(picture.from)
  }

  readonly #draw = (): void => {
    this.#view.requestMeasure({
      key: this,
      read: () => [this.#image(), this.#chosen()] as const,
      write: ([image, chosen]) => this.#write(image, chosen)
    })
  }

  #write(image: HTMLImageElement | undefined, chosen: HTMLImageElement | undefined): void {
    if (image !== undefined && this.#sizing !== undefined) this.#preview(image, this.#sizing)
    const missing = image !== undefined && isMissing(image)
    // A picture that is loading for the first time has no size yet.
    const sized = image !== undefined && !missing && image.offsetWidth > 0 ? image : undefined
    this.#corner.hidden = sized === undefined
    this.#edge.hidden = sized === undefined || sized.offsetHeight < edgeMin
    this.#retry.hidden = !missing
    const outer = this.#view.scrollDOM.getBoundingClientRect()
    this.#frame.hidden = chosen === undefined
    if (chosen !== undefined) {
      const { left, top, width, height } = chosen.getBoundingClientRect()
      const [x, y] = [this.#view.scrollDOM.scrollLeft - outer.left, this.#view.scrollDOM.scrollTop - outer.top]
      Object.assign(this.#frame.style, { left: `${left + x}px`, top: `${top + y}px`, width: `${width}px`, height: `${height}px` })
    }
    if (image === undefined) return
    const box = image.getBoundingClientRect()
    const isRtl = getComputedStyle(image).direction === 'rtl'
    const side = (isRtl ? box.left : box.right) + this.#view.scrollDOM.scrollLeft - outer.left
    const top = box.top + this.#view.scrollDOM.scrollTop - outer.top
    const place = (element: HTMLElement, x: number, y: number): void => {
      element.style.left = `${x}px`
      element.style.top = `${y}px`
    }
    this.#dom.classList.toggle('rtl', isRtl)
    place(this.#corner, side - thick / 2, top + box.height - thick / 2)
    place(this.#edge, side - thick / 2, top + (box.height - edgeHeight) / 2)
    place(this.#retry, box.right + this.#view.scrollDOM.scrollLeft - outer.left, top + box.height / 2)
    this.#corner.setAttribute('aria-valuenow', String(Math.round(box.width)))
  }

  #preview(image: HTMLImageElement, { asked }: Sizing): void {
    const width = asked === undefined ? '' : `${asked}px`
    if (image.style.width === width) return
    image.style.width = width
    this.#view.requestMeasure()
  }

  #begin(stop: () => void): Sizing | undefined {
    const image = this.#image()
    const picture = image && this.#pictureOf(image)
    if (image === undefined || picture === undefined) return undefined
    const around = image.closest<HTMLElement>('.md-cell, .cm-line') ?? this.#view.contentDOM
    const { paddingLeft, paddingRight } = getComputedStyle(around)
    const column = around.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
    this.#corner.setAttribute('aria-valuemax', String(Math.floor(column)))
    const { from, width: written } = picture
    const address = addressWritten(this.#view.state, picture)
    this.#sizing = { from, address, shown: image.getBoundingClientRect().width, written, column, asked: written, by: 0, stop }
    return this.#sizing
  }

  #ask(sizing: Sizing, by: number): void {
    sizing.asked = widthAfter(sizing, by)
    this.#draw()
  }

  /** Ends the resizing. Saves the new width, or restores the one in the text. */
  #end(isKept: boolean): void {
    const sizing = this.#sizing
    if (sizing === undefined) return
    const picture = this.#sized()
    const image = this.#image()
    sizing.stop()
    this.#sizing = undefined
    const view = this.#view
    if (isKept && picture !== undefined && sizing.asked !== picture.width && !view.state.readOnly) {
      view.state.facet(endStep)(view)
      // This is not an input event, because the text would then scroll to the caret.
      view.dispatch({ changes: widthChanges(picture, sizing.asked), userEvent: 'resize.picture' })
      view.state.facet(endStep)(view)
      // The change has redrawn the text, with another image element.
      this.#hovered = this.#imageAt(sizing.from)
    } else if (image !== undefined && picture !== undefined) this.#preview(image, { ...sizing, asked: picture.width })
    this.#draw()
  }

  readonly #press = (event: PointerEvent): void => {
    const handle = event.currentTarget
    if (event.button !== 0 || !(handle instanceof HTMLElement) || this.#sizing !== undefined) return
    event.preventDefault()
    const begun = event.clientX
    const direction = this.#dom.classList.contains('rtl') ? -1 : 1
    const move = ({ clientX }: PointerEvent): void => {
      if (this.#sizing !== undefined) this.#ask(this.#sizing, (clientX - begun) * direction)
    }
    const end = ({ type }: PointerEvent): void => this.#end(type === 'pointerup')
    const escape = (pressed: KeyboardEvent): void => {
      if (pressed.key !== 'Escape') return
      pressed.preventDefault()
      pressed.stopPropagation()
      this.#end(false)
    }
    const sizing = this.#begin(() => {
      handle.removeEventListener('pointermove', move)
      handle.removeEventListener('pointerup', end)
      handle.removeEventListener('pointercancel', end)
      removeEventListener('keydown', escape, true)
    })
    if (sizing === undefined) return
    handle.setPointerCapture(event.pointerId)
    handle.addEventListener('pointermove', move)
    handle.addEventListener('pointerup', end)
    handle.addEventListener('pointercancel', end)
    addEventListener('keydown', escape, true)
  }

  readonly #key = (event: KeyboardEvent): void => {
    const step = stepOf(event.key, event.shiftKey)
    if (event.key === 'Escape') {
      this.#end(false)
      this.#view.focus()
    } else if (step !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const sizing = this.#sizing ?? this.#begin(() => undefined)
      if (sizing === undefined) return
      sizing.by += step
      this.#ask(sizing, sizing.by)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }
}

export const pictureHandles = ViewPlugin.fromClass(PictureHandles)
