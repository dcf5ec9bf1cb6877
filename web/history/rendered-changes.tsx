/** Shows the changes between two versions as rendered text, in a shadow root like the reading view. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { drawDiagrams } from '../diagram/draw.ts'
import { renderWhole } from '../markdown/render-whole.ts'
import { nodesOf } from '../markdown/trusted.ts'
import { inReadersWords } from './chat-words.ts'
import changes from '../style/rendered-changes.css?inline'
import prose from '../style/prose.css?inline'
import { t } from '../text/t.ts'
import { fitsPage, joinPages } from './rendered.ts'

function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  return sheet
}

/** Returns the nodes of the earlier text. Its formulas get different classes, because each text numbers its classes from one. */
function pastNodes(html: string): ChildNode[] {
  const nodes = nodesOf(html)
  for (const node of nodes) {
    if (!(node instanceof Element)) continue
    for (const element of [node, ...node.querySelectorAll('*')].filter((each) => each.matches('[class*="math-"]')))
      element.setAttribute('class', (element.getAttribute('class') ?? '').replaceAll(/\bmath-(\d+)/g, 'past-$1'))
  }
  return nodes
}

export interface Versions {
  readonly before: string
  readonly after: string
}

export function RenderedChanges({ before, after, onShown }: Versions & { readonly onShown: (changes: number) => void }): JSX.Element {
  const host = useRef<HTMLDivElement>(null)
  const failed = useSignal(false)
  const reason = !fitsPage(before, after)
    ? t('This version is too long to show as a page. Its changes are listed under Source.')
    : (before + after).trim() === '' && t('This version is empty.')
  useEffect(() => {
    if (reason !== false) return onShown(0)
    let closed = false
    const show = async (): Promise<void> => {
      const [old, young] = await Promise.all([renderWhole(before), renderWhole(after)])
      const element = host.current
      if (closed || element === null) return
      const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' })
      root.adoptedStyleSheets = [prose, young.css, old.css.replaceAll('.math-', '.past-'), changes].map(sheetOf)
      const article = document.createElement('article')
      article.dir = 'auto'
      article.append(...joinPages(pastNodes(inReadersWords(old.html)), nodesOf(inReadersWords(young.html))))
      for (const box of article.querySelectorAll('input')) box.disabled = true
      root.replaceChildren(article)
      drawDiagrams(article)
      onShown(article.querySelectorAll('[data-change]').length)
    }
    failed.value = false
    show().catch(() => {
      if (!closed) failed.value = true
    })
    return () => {
      closed = true
    }
  }, [before, after])
  if (reason !== false) return <p class='history-state muted'>{reason}</p>
  return (
    <>
      {failed.value && (
        <p class='history-state' role='alert'>
          {t('The page could not be shown. Its changes are listed under Source.')}
        </p>
      )}
      <div ref={host} class='history-page' />
    </>
  )
}
