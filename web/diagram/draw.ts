/**
 * Draws the diagrams of a page when they come into view. One frame draws all of them. A diagram shows its source until it is drawn, or if drawing
 * fails.
 */
import { sourceWords } from './source-words.ts'
import { sourceUnitsMax, type Drawn, type DiagramColors, type NotDrawn, type Order, type Reply } from './protocol.ts'

const framePath = '/diagram/frame.html'
/** Longest time for loading the frame or for drawing one diagram, in milliseconds. After that, the frame is discarded. */
const drawMsMax = 15_000

const tooSlow: NotDrawn = { error: 'It takes too long to draw, or the server cannot be reached.' }
const tooLong: NotDrawn = { error: `It is longer than ${sourceUnitsMax / 1024} KB.` }

interface Frame {
  order(order: Order): Promise<Drawn | NotDrawn>
  /** Discards the frame if it could not be loaded. The waiting diagrams report an error. */
  endIfBroken(): void
  /** Discards the frame. The waiting diagrams report the reason. */
  end(reason?: NotDrawn): void
}

let current: Frame | undefined
let orders = 0

/** Opens the frame. If a diagram takes too long, the frame is discarded together with all waiting diagrams. */
function openFrame(): Frame {
  const element = document.createElement('iframe')
  element.setAttribute('sandbox', 'allow-scripts')
  element.src = framePath
  element.className = 'diagram-frame'
  element.title = 'Diagrams'
  element.tabIndex = -1
  element.setAttribute('aria-hidden', 'true')
  const waiting = new Map<number, (result: Drawn | NotDrawn) => void>()
  const ready = Promise.withResolvers<void>()
  // If the device is offline, the browser shows its own error page in the frame, which never reports that it is ready.
  let state: 'opening' | 'ready' | 'broken' = 'opening'
  element.addEventListener('load', () => {
    if (state === 'opening') state = 'broken'
  })

  const hear = ({ source, data }: MessageEvent<Reply>): void => {
    if (source !== element.contentWindow || source === null) return
    if ('ready' in data) {
      state = 'ready'
      return ready.resolve()
    }
    waiting.get(data.id)?.(data.result)
    waiting.delete(data.id)
  }
  const end = (reason = tooSlow): void => {
    removeEventListener('message', hear)
    element.remove()
    if (current === made) current = undefined
    for (const answer of waiting.values()) answer(reason)
  }
  addEventListener('message', hear)
  document.body.append(element)
  const made: Frame = {
    async order(order) {
      const { promise, resolve } = Promise.withResolvers<Drawn | NotDrawn>()
      waiting.set(order.id, resolve)
      const timer = setTimeout(() => end(), drawMsMax)
      void ready.promise.then(() => element.contentWindow?.postMessage(order, '*'))
      const result = await promise
      clearTimeout(timer)
      return result
    },
    endIfBroken() {
      if (state === 'broken') end()
    },
    end
  }
  return made
}

const drawnMax = 100
/** Latest finished drawings, oldest first. A repeated diagram in the same colors appears immediately. */
const drawn = new Map<string, Drawn>()
const keyOf = (source: string, look: DiagramColors): string => JSON.stringify([source, look])

async function draw(source: string, look: DiagramColors): Promise<Drawn | NotDrawn> {
  if (source.length > sourceUnitsMax) return tooLong
  const frame = (current ??= openFrame())
  let result = await frame.order({ id: ++orders, source, look })
  if ('isUnloaded' in result) {
    // The network may have failed only for a moment, and a new frame loads the code again.
    frame.end(result)
    current ??= openFrame()
    result = await current.order({ id: ++orders, source, look })
  }
  if (!('svg' in result)) return result
  if (drawn.size >= drawnMax) drawn.delete(drawn.keys().next().value ?? '')
  drawn.set(keyOf(source, look), result)
  return result
}

/** Returns the colors that apply to an element of the page. */
export function colorsOf(element: Element): DiagramColors {
  const style = getComputedStyle(element)
  const value = (name: string): string => style.getPropertyValue(name).trim()
  return {
    dark: style.colorScheme === 'dark',
    background: value('--bg'),
    fill: value('--sunken'),
    text: value('--text'),
    muted: value('--muted'),
    border: value('--control'),
    accent: value('--accent'),
    // Charts use these hues in the same order (prose.css).
    series: [5, 1, 8, 3, 0, 6].map((hue) => value(`--hue-${hue}`))
  }
}

/** Creates the image of a drawing. */
export function imageOf({ svg, width, height, title }: Drawn): HTMLImageElement {
  const image = document.createElement('img')
  image.width = width
  image.height = height
  image.alt = title
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  return image
}

/** Creates the picture of a diagram. In a narrow space, a wide diagram scrolls, so that its text stays readable. */
function pictureOf(drawing: Drawn): HTMLElement {
  const frame = document.createElement('div')
  frame.className = 'diagram-picture'
  frame.tabIndex = 0
  frame.append(imageOf(drawing))
  return frame
}

function show(figure: Element, code: Element, result: Drawn | NotDrawn): void {
  for (const old of figure.querySelectorAll('.diagram-picture, .diagram-error')) old.remove()
  figure.classList.add('diagram')
  if ('svg' in result) {
    const details = figure.querySelector('details') ?? document.createElement('details')
    if (!details.isConnected) {
      const summary = document.createElement('summary')
      summary.textContent = sourceWords(document.documentElement.lang)
      details.append(summary, code)
      figure.append(details)
      figure.querySelector('figcaption')?.remove()
    }
    figure.prepend(pictureOf(result))
    return
  }
  figure.prepend(errorOf(result))
}

function errorOf({ line, error }: NotDrawn): HTMLElement {
  const words = document.createElement('p')
  words.className = 'diagram-error'
  words.textContent = `This diagram cannot be drawn. ${line === undefined ? '' : `Line ${line}: `}${error}`
  return words
}

const known = new WeakMap<Element, string>()
/** Figures that have come into view. */
const begun = new WeakSet<Element>()

/** Returns the drawing of a source in the given colors, or a promise of it. */
const result = (source: string, look: DiagramColors): Drawn | Promise<Drawn | NotDrawn> =>
  drawn.get(keyOf(source, look)) ?? draw(source, look)

async function drawFigure(figure: Element): Promise<void> {
  const code = figure.querySelector('pre')
  if (code === null) return
  const source = known.get(figure) ?? code.textContent ?? ''
  known.set(figure, source)
  begun.add(figure)
  const made = await result(source, colorsOf(figure))
  if (figure.isConnected) show(figure, code, made)
}

/** Draws a source in the given colors, regardless of the colors of the page. */
export const drawnIn = async (source: string, look: DiagramColors): Promise<Drawn | NotDrawn> => await result(source, look)

/** Puts the drawing of a source into an element of the page, or the reason why there is none. */
export async function drawInto(element: HTMLElement, source: string): Promise<void> {
  const made = await result(source, colorsOf(element))
  element.replaceChildren('svg' in made ? pictureOf(made) : errorOf(made))
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue
    seen.unobserve(target)
    void drawFigure(target)
  }
})

/** Draws the diagrams below `root` as they come into view. Call it again after adding diagrams. */
export function drawDiagrams(root: ParentNode): void {
  for (const figure of root.querySelectorAll('figure.component-mermaid')) {
    if (known.has(figure)) continue
    known.set(figure, figure.querySelector('pre')?.textContent ?? '')
    seen.observe(figure)
  }
}

/** Returns the elements without a drawing, for a page that is connected again. They are drawn in a new frame if the current one was not loaded. */
export function undrawn(root: ParentNode, selector: string): HTMLElement[] {
  current?.endIfBroken()
  return [...root.querySelectorAll<HTMLElement>(selector)].filter((element) => element.querySelector('.diagram-picture') === null)
}

/** Redraws the diagrams below `root` that could not be drawn, for example because there was no connection. */
export function drawMissingDiagrams(root: ParentNode): void {
  for (const figure of undrawn(root, 'figure.component-mermaid')) if (begun.has(figure)) void drawFigure(figure)
}

/** Redraws existing diagrams after the colors have changed. */
export function redrawDiagrams(root: ParentNode): void {
  for (const figure of root.querySelectorAll('figure.diagram')) void drawFigure(figure)
}

/** Draws all diagrams below `root` immediately. `root` must be part of the page. Resolves when each diagram is drawn or has reported its error. */
export async function drawAllDiagrams(root: ParentNode): Promise<void> {
  await Promise.all([...root.querySelectorAll('figure.component-mermaid')].map(drawFigure))
}

/** Shows the diagrams below `root` that have already been drawn in the given colors. The others keep their source. */
export function showDrawn(root: ParentNode, look: DiagramColors): void {
  for (const figure of root.querySelectorAll('figure.component-mermaid')) {
    const code = figure.querySelector('pre')
    const made = drawn.get(keyOf(code?.textContent ?? '', look))
    if (code !== null && made !== undefined) show(figure, code, made)
  }
}
