/**
 * Renders the entire text as on its published page, in an invisible element. It includes colored code, formulas and diagrams in the colors for paper.
 * Used for files and for printing.
 */
import type { Rendered } from '../../shared/markdown/render.ts'
import { drawAllDiagrams, drawnIn, imageOf, showDrawn } from '../diagram/draw.ts'
import { coloursOf, themeColors } from '../diagram/theme-colors.ts'
import { renderLoaded, renderWhole } from '../markdown/render-whole.ts'
import { nodesOf } from '../markdown/trusted.ts'
import prose from '../style/prose.css?inline'

export interface Sheet {
  readonly article: HTMLElement
  readonly rendered: Rendered
  /** Removes the element from the page. */
  close(): void
}

function sheetOf(rendered: Rendered): Sheet {
  const host = document.createElement('div')
  host.className = 'print-sheet'
  const root = host.attachShadow({ mode: 'open' })
  const rules = [`:host { ${coloursOf('light')} }`, prose, rendered.css].map((css) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    return sheet
  })
  root.adoptedStyleSheets = rules
  const article = document.createElement('article')
  article.dir = 'auto'
  article.append(...nodesOf(rendered.html))
  root.append(article)
  document.body.append(host)
  return { article, rendered, close: () => host.remove() }
}

/** Renders text. Throws if a part of the page cannot be loaded. */
export async function openSheet(text: string): Promise<Sheet> {
  const sheet = sheetOf(await renderWhole(text))
  await drawAllDiagrams(sheet.article)
  return sheet
}

/** Largest part of the text that is searched for its diagrams and for the libraries that it needs, in UTF-16 units. The search renders the text. */
const searchedMax = 200_000
let searched = ''
/** The images of the diagrams. The browser shows an image immediately while another one with the same address is loaded. */
let loadedImages: readonly HTMLImageElement[] = []

/** Draws the diagrams of rendered text in the colors for paper, and loads their images. */
async function prepareDiagrams({ html }: Rendered): Promise<void> {
  const fragment = document.createDocumentFragment()
  fragment.append(...nodesOf(html))
  const look = themeColors('light')
  const sources = [...fragment.querySelectorAll('figure.component-mermaid pre')].map(({ textContent }) => textContent ?? '')
  const drawings = await Promise.all(sources.map((source) => drawnIn(source, look)))
  loadedImages = drawings.flatMap((drawing) => ('svg' in drawing ? [imageOf(drawing)] : []))
  await Promise.allSettled(loadedImages.map((image) => image.decode()))
}

/**
 * Loads what the text needs, and draws its diagrams. Returns a function that renders the text immediately. A diagram that is new by then is shown as
 * source, unless the page has drawn it in the colors for paper.
 */
export async function prepareSheet(text: string): Promise<(text: string) => Sheet> {
  const part = text.slice(0, searchedMax)
  if (part !== searched) await prepareDiagrams(await renderWhole(part))
  searched = part
  return (now) => {
    const sheet = sheetOf(renderLoaded(now))
    showDrawn(sheet.article, themeColors('light'))
    return sheet
  }
}
