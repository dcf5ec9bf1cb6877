/**
 * Renders the entire text as on its published page, in an invisible element. It includes colored code, formulas and diagrams in the colors for paper.
 * Used for files and for printing.
 */
import type { Rendered } from '../../shared/markdown/render.ts'
import { drawAllDiagrams } from '../diagram/draw.ts'
import { coloursOf } from '../diagram/theme-colors.ts'
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

/** Largest part of the text that is searched for the libraries that it needs, in UTF-16 units. The search renders the text. */
const searchedMax = 200_000
let searched = ''

/** Loads what the text needs. Returns a function that renders the text immediately, but shows the source of diagrams. */
export async function prepareSheet(text: string): Promise<(text: string) => Sheet> {
  const part = text.slice(0, searchedMax)
  if (part !== searched) await renderWhole(part)
  searched = part
  return (now) => sheetOf(renderLoaded(now))
}
