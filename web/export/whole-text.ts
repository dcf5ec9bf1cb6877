/**
 * The whole text as its published page shows it, on a sheet that is not seen: with coloured code, formulas and diagrams, all of it at once
 * and in the colours of paper. For files and for printing.
 */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import type { Highlighter } from '../../shared/markdown/page.ts'
import { createPageRenderer } from '../../shared/markdown/page.ts'
import type { FenceToRender, Rendered } from '../../shared/markdown/render.ts'
import { drawAllDiagrams } from '../diagram/draw.ts'
import { coloursOf } from '../diagram/looks.ts'
import { nodesOf } from '../reading/trusted.ts'
import prose from '../style/prose.css?inline'

export interface Sheet {
  readonly article: HTMLElement
  readonly rendered: Rendered
  /** Takes it away. */
  close(): void
}

const isOwn = (href: string): boolean => href.startsWith('/') || href.startsWith(`${location.origin}/`)

/** Renders once to find out what is needed, and again with it. Errors: when that cannot be fetched. */
async function renderWith(text: string): Promise<Rendered> {
  let highlighter: Highlighter | undefined
  let formulaSetter: FormulaSetter | undefined
  let components: ((fence: FenceToRender) => string | undefined) | undefined
  const wanted = { highlighter: false, formulaSetter: false, components: false }
  const renderer = createPageRenderer(
    {
      highlighter() {
        wanted.highlighter = true
        return highlighter
      },
      formulaSetter() {
        wanted.formulaSetter = true
        return formulaSetter
      },
      components() {
        wanted.components = true
        return components
      }
    },
    isOwn
  )
  const first = renderer.render(text)
  if (wanted.highlighter) highlighter = (await import('../reading/highlight.ts')).highlighter
  if (wanted.formulaSetter) formulaSetter = (await import('../reading/formulas.ts')).formulaSetter
  if (wanted.components) components = (await import('../../shared/markdown/components.ts')).renderComponent
  return Object.values(wanted).includes(true) ? renderer.render(text) : first
}

/** Errors: when a part of the page cannot be fetched. */
export async function openSheet(text: string): Promise<Sheet> {
  const rendered = await renderWith(text)
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
  await drawAllDiagrams(article)
  return { article, rendered, close: () => host.remove() }
}
