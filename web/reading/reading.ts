/**
 * The reading view shows the text as its published page does, and follows changes by others. It is in a shadow root, so that its ids and style rules
 * do not mix with those of the page.
 */
import { effect } from '@preact/signals'
import { isOwnLink } from '../../shared/markdown/links.ts'
import { createPageRenderer } from '../../shared/markdown/page-renderer.ts'
import type { Rendered } from '../../shared/markdown/render.ts'
import { isFenceKind } from '../../shared/fences/fences.ts'
import type { ReadingComponents } from '../components/reading.ts'
import type * as Diagrams from '../diagram/draw.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import prose from '../style/prose.css?inline'
import type { Steps } from '../base/steps.ts'
import { t } from '../text/t.ts'
import { theme } from '../device/theme.ts'
import { copyText } from '../ui/copy.ts'
import { createBlocks, keyOf } from './blocks.ts'
import { addCopyButtons } from './copy-code.ts'
import { lazyLibraries } from '../markdown/libraries.ts'
import { keepPlace } from './place.ts'
import { groupLongTables, longTableRules } from './long-tables.ts'
import type { AnnotationMarks } from './annotation-marks.ts'

export interface ReadingInput {
  /** The scroll container, to which the shadow root is attached. */
  readonly host: HTMLElement
  readonly page: ReviewedView
  /** Ticks or unticks a task. `letter` is the offset of the task's character in the text, in UTF-16 units. */
  readonly onTask: (letter: number) => void
}

export interface Reading {
  setCanEdit(canEdit: boolean): void
  destroy(): void
}

/** Shortest time between two renderings, in milliseconds. The actual time is at least three times the duration of a rendering. */
const renderMsMin = 60

const rules = new CSSStyleSheet()
rules.replaceSync(prose)

const isOwn = (href: string): boolean => isOwnLink(href, location.origin)

export { fetchLibraries } from '../markdown/libraries.ts'

/** Creates the view in steps. The text appears with the last step. */
export function* createReading({ host, page, onTask }: ReadingInput): Steps<Reading> {
  const { text } = page.session
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  const formulaRules = new CSSStyleSheet()
  const article = document.createElement('article')
  article.dir = 'auto'
  root.adoptedStyleSheets = [rules, longTableRules, formulaRules]
  root.replaceChildren(article)

  const renderer = createPageRenderer({ ...lazyLibraries(() => render()), words: t }, isOwn)
  yield
  /** Returns the kind of a component that people can use in the reading view. Undefined for other components. */
  const liveKind = ({ className }: Element): string | undefined => {
    const kind = /^component component-(\w+)$/.exec(className)?.[1]
    return kind !== undefined && isFenceKind(kind) ? kind : undefined
  }
  // A component that is in use stays when its text changes, and updates itself.
  const blocks = createBlocks(article, {
    key(node) {
      const kind = node instanceof Element ? liveKind(node) : undefined
      return kind === undefined ? keyOf(node) : `component ${kind}`
    },
    prepare(node) {
      groupLongTables(node)
      addCopyButtons(node)
    }
  })
  let components: ReadingComponents | undefined
  let asksComponents = false
  let diagrams: typeof Diagrams | undefined
  let marks: AnnotationMarks | undefined
  let shown: Rendered | undefined
  let canEdit = false
  let stale = true
  let closed = false
  let tookMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const boxes = (): HTMLInputElement[] => [...article.querySelectorAll<HTMLInputElement>('input[type=checkbox]')]

  function render(): void {
    clearTimeout(timer)
    timer = undefined
    stale = false
    const start = performance.now()
    const focused = boxes().indexOf(root.activeElement as HTMLInputElement)
    const rendered = renderer.render(text.toString())
    formulaRules.replaceSync(rendered.css)
    blocks.show(rendered.html)
    shown = rendered
    for (const box of boxes()) box.disabled = !canEdit
    if (focused >= 0) boxes()[focused]?.focus({ preventScroll: true })
    showDiagrams()
    showComponents(rendered)
    marks?.show()
    tookMs = performance.now() - start
  }

  /** Draws diagrams. If this code cannot be loaded, diagrams show their source. */
  function showDiagrams(): void {
    if (diagrams !== undefined) return diagrams.drawDiagrams(article)
    if (article.querySelector('figure.component-mermaid') === null) return
    import('../diagram/draw.ts').then(
      (part) => {
        diagrams = part
        if (!closed) part.drawDiagrams(article)
      },
      () => undefined
    )
  }

  /** Makes components usable. If this code cannot be loaded, components stay as rendered. */
  function showComponents(rendered: Rendered): void {
    components?.show(text.toString(), rendered)
    if (asksComponents || ![...article.querySelectorAll('figure.component')].some((figure) => liveKind(figure) !== undefined)) return
    asksComponents = true
    import('../components/reading.ts').then(
      ({ readingComponents }) => {
        if (closed) return
        components = readingComponents(page, article)
        render()
      },
      () => undefined
    )
  }

  let stopPlace = (): void => undefined
  const changed = (): void => {
    stale = true
    // The lines of the place refer to the text before the change.
    stopPlace()
    timer ??= setTimeout(render, Math.max(renderMsMin, 3 * tookMs))
  }

  function goTo(id: string): boolean {
    const target = root.getElementById(id)
    if (target === null) return false
    if (!target.hasAttribute('tabindex')) target.tabIndex = -1
    target.focus({ preventScroll: true })
    target.scrollIntoView()
    return true
  }

  const goToAddress = (): void => {
    stopPlace()
    goTo(decodeURIComponent(location.hash.slice(1)))
  }

  const toggle = (box: HTMLInputElement): void => {
    // The offsets must refer to the current text.
    if (stale) render()
    const letter = shown?.tasks[boxes().indexOf(box)]
    if (letter === undefined || !canEdit) return
    onTask(letter)
    render()
  }

  const follow = (link: HTMLAnchorElement, event: MouseEvent): void => {
    const href = link.getAttribute('href') ?? ''
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    if (href.startsWith('#')) {
      event.preventDefault()
      history.replaceState(history.state, '', href)
      if (link.classList.contains('anchor')) void copyText(location.href, t('Link to this section'))
      else goToAddress()
    } else if (!isOwn(href)) {
      // By default, the linked page would replace the document.
      event.preventDefault()
      window.open(link.href, '_blank', 'noopener,noreferrer')
    }
  }

  const click = (event: MouseEvent): void => {
    const [target] = event.composedPath()
    if (!(target instanceof Element)) return
    if (target instanceof HTMLInputElement) {
      // The check box reflects the text, so a click must not toggle it by itself.
      event.preventDefault()
      toggle(target)
      return
    }
    const link = target.closest('a')
    if (link !== null) follow(link, event)
  }

  article.addEventListener('click', click)
  text.observe(changed)
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const redraw = (): void => diagrams?.redrawDiagrams(article)
  dark.addEventListener('change', redraw)
  const stopTheme = effect(() => {
    // The colors of the new theme apply in the next frame.
    if (theme.value) requestAnimationFrame(redraw)
  })
  render()
  const stopWaiting = page.session.link.socket.subscribe((socket) => {
    if (socket !== 'synced') return
    diagrams?.drawMissingDiagrams(article)
    for (const image of article.querySelectorAll('img')) {
      // A picture that could not be loaded has finished without a size.
      const { complete, naturalWidth, src } = image
      if (complete && naturalWidth === 0) image.src = src
    }
  })
  let saidRole = false
  // Comments refer to the current text. If the view is out of date, the next rendering marks them.
  const stopMarks = page.review.subscribe((review) => {
    if (review === undefined) return
    import('./annotation-marks.ts').then(
      ({ annotationMarks }) => {
        if (!closed) marks ??= annotationMarks(review, article, text, () => (stale ? undefined : shown))
      },
      () => undefined
    )
  })
  const stopRole = page.canType.subscribe(() => {
    // The first call reports the role with which the text was just rendered.
    if (saidRole && !stale) render()
    saidRole = true
  })
  const seen = page.seen.value
  if (seen !== undefined) stopPlace = keepPlace({ host, article, text: text.toString(), seen, rendered: () => shown })
  else if (location.hash !== '') goToAddress()
  addEventListener('hashchange', goToAddress)

  return {
    setCanEdit(value) {
      canEdit = value
      for (const box of boxes()) box.disabled = !value
    },
    destroy() {
      closed = true
      removeEventListener('hashchange', goToAddress)
      stopPlace()
      stopRole()
      stopWaiting()
      stopMarks()
      marks?.close()
      components?.close()
      clearTimeout(timer)
      stopTheme()
      dark.removeEventListener('change', redraw)
      text.unobserve(changed)
      root.replaceChildren()
    }
  }
}
