/**
 * Adds HTML to text that leaves the live view by a copy, a cut or a drag, next to the Markdown, so that mail programs and word processors receive
 * formatted text.
 */
import { codeAround } from './in-code.ts'
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { whenIdle } from '../base/idle.ts'
import { limits } from '../../shared/limits.ts'
import type { Renderer } from '../../shared/markdown/render.ts'
import { ownCopy } from './own-copy.ts'

/** Attributes that other programs understand. */
const kept = new Set(['href', 'src', 'alt', 'title', 'width', 'height', 'start', 'type', 'checked', 'align'])

/** Makes addresses absolute and removes attributes that only the pages of this service use. */
function clean(element: Element, base: string): void {
  const side = /^(?:left|right|center)$/.exec(element.className)?.[0]
  if (side !== undefined) element.setAttribute('align', side)
  for (const name of element.getAttributeNames()) {
    const value = element.getAttribute(name) ?? ''
    if (!kept.has(name)) element.removeAttribute(name)
    else if (name === 'href' || name === 'src') element.setAttribute(name, absolute(value, base))
  }
}

/** Returns an absolute address, which other programs can open. */
export const absolute = (address: string, base: string): string => (URL.canParse(address, base) ? new URL(address, base).href : address)

/** Wraps rendered text, so that this editor recognizes its own copies. A single paragraph is wrapped as inline text. */
export function wrapped(html: string): string {
  const words = /^<p>((?:(?!<\/?p[ >])[^])*)<\/p>\s*$/.exec(html)?.[1]
  return words === undefined ? `<div ${ownCopy}>${html}</div>` : `<span ${ownCopy}>${words}</span>`
}

interface Loaded {
  readonly renderer: Renderer
  readonly nodesOf: (rendered: string) => ChildNode[]
}

async function load(): Promise<Loaded> {
  const [{ createPageRenderer }, { nodesOf }] = await Promise.all([
    import('../../shared/markdown/page-renderer.ts'),
    import('../markdown/trusted.ts')
  ])
  const none = (): undefined => undefined
  // Components and formulas keep their source, because other programs cannot draw them.
  return { renderer: createPageRenderer({ highlighter: none, formulaSetter: none, components: none }, () => true), nodesOf }
}

function htmlOf({ renderer, nodesOf }: Loaded, markdown: string): string {
  // A template does not load the images in it.
  const whole = document.createElement('template')
  whole.content.append(...nodesOf(renderer.render(markdown).html))
  for (const element of whole.content.querySelectorAll('button, a.anchor')) element.remove()
  for (const element of whole.content.querySelectorAll('*')) clean(element, location.href)
  return wrapped(whole.innerHTML)
}

class CopiedHtml {
  #loaded: Loaded | undefined
  #isAsked = true
  #inCode = false
  readonly #view: EditorView
  readonly #stop: () => void

  constructor(view: EditorView) {
    this.#view = view
    // Many people copy right after they have selected, so the code is there before the first selection.
    this.#stop = whenIdle(() => void this.#load())
    view.dom.addEventListener('dragstart', this.#drag)
    for (const type of ['copy', 'cut'] as const) {
      view.dom.addEventListener(type, this.#before, true)
      view.dom.addEventListener(type, this.#after)
    }
  }

  update({ selectionSet, state }: ViewUpdate): void {
    if (!selectionSet || this.#isAsked || state.selection.main.empty) return
    this.#isAsked = true
    whenIdle(() => void this.#load())
  }

  destroy(): void {
    this.#stop()
    this.#view.dom.removeEventListener('dragstart', this.#drag)
    for (const type of ['copy', 'cut'] as const) {
      this.#view.dom.removeEventListener(type, this.#before, true)
      this.#view.dom.removeEventListener(type, this.#after)
    }
  }

  async #load(): Promise<void> {
    try {
      this.#loaded = await load()
    } catch {
      // The code could not be loaded, for example without a network. The next selection tries again.
      this.#isAsked = false
    }
  }

  /** Notes where the selected text is, because cutting removes it before `#after` runs. Without a selection, nothing is copied or cut. */
  readonly #before = (event: ClipboardEvent): void => {
    // CodeMirror would copy or cut the entire line, and a line can be a long paragraph.
    if (event.target instanceof Node && this.#view.hasFocus && this.#view.state.selection.ranges.every(({ empty }) => empty))
      return event.stopPropagation()
    this.#inCode = codeAround(this.#view.state) !== undefined
  }

  /** Adds the HTML after CodeMirror has put the Markdown on the clipboard. */
  readonly #after = (event: ClipboardEvent): void => {
    const { clipboardData: data, target } = event
    if (data === null || this.#inCode || !event.defaultPrevented) return
    if (
      data.types.includes('text/html') ||
      (target instanceof Element && target.closest('[contenteditable=false], input, textarea') !== null)
    )
      return
    this.#add(data)
  }

  /** Replaces the HTML that the browser makes of the drawn text, after CodeMirror has set the Markdown. */
  readonly #drag = ({ dataTransfer: data }: DragEvent): void => {
    const { state } = this.#view
    const { from, to } = state.selection.main
    const text = state.facet(EditorView.clipboardOutputFilter).reduce((copied, filter) => filter(copied, state), state.sliceDoc(from, to))
    if (data !== null && codeAround(state) === undefined && data.getData('text/plain') === text) this.#add(data)
  }

  #add(data: DataTransfer): void {
    const markdown = data.getData('text/plain')
    if (this.#loaded === undefined || markdown.trim() === '' || markdown.length > limits.copiedHtmlUnitsMax) return
    data.setData('text/html', htmlOf(this.#loaded, markdown))
  }
}

export const copiedHtml = ViewPlugin.fromClass(CopiedHtml)
