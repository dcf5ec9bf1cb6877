/** The outline next to the text: links to all headings, with the current one marked. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { EditorView } from '@codemirror/view'
import type { Page } from '../commands/page.ts'
import { t } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { headingsOf, type Heading } from '../editor/headings.ts'
import type { View } from '../view/view.ts'

const readMs = 400
/** Distance below the upper edge within which a heading counts as the current one, in pixels. */
const readingEdge = 72
/** In windows this narrow, the outline covers the text. */
const overlaid = '(max-width: 1099px)'

const readingRoot = (): ShadowRoot | null => document.querySelector('.reading')?.shadowRoot ?? null

/** Scrolls a heading to the top of the current view. On touch screens, the text takes no focus, because that would open the keyboard. */
export function goTo(page: View, { at, id }: Pick<Heading, 'at' | 'id'>): void {
  if (page.mode.value === 'read') {
    readingRoot()?.getElementById(id)?.scrollIntoView()
    return
  }
  const view = page.editor.value?.view
  if (view === undefined) return
  const line = view.state.doc.lineAt(Math.min(at, view.state.doc.length))
  view.dispatch({ selection: { anchor: line.to }, effects: EditorView.scrollIntoView(line.from, { y: 'start', yMargin: 24 }) })
  if (!matchMedia('(pointer: coarse)').matches) view.focus()
}

/** Returns the headings from the one that the address names. Empty if the text does not have that heading. */
function headingsFromAddress({ editor }: View): readonly Heading[] {
  const doc = editor.value?.view.state.doc
  const id = decodeURIComponent(location.hash.slice(1))
  const headings = doc === undefined || id === '' ? [] : headingsOf(doc)
  const index = headings.findIndex((each) => each.id === id)
  return index < 0 ? [] : headings.slice(index)
}

/** Goes to the heading that the address names. Returns false if there is none yet. */
export function goToAddress(page: View): boolean {
  const [heading] = headingsFromAddress(page)
  if (heading === undefined) return false
  goTo(page, heading)
  return true
}

/** Removes the section from the address if the caret is outside it, so that a reload does not go back to it. */
export function leaveAddress(page: View): void {
  const [heading, ...below] = headingsFromAddress(page)
  const state = page.editor.value?.view.state
  if (heading === undefined || state === undefined) return
  const { head } = state.selection.main
  const line = state.doc.lineAt(head)
  // The level of a heading that the person is typing is not final.
  const ends = ({ level, at }: Heading): boolean => level <= heading.level && (at < line.from || at > line.to)
  const end = below.find(ends)?.at ?? Infinity
  if (head < heading.at || head >= end) history.replaceState(history.state, '', location.pathname + location.search)
}

function currentOf(page: Page, headings: readonly Heading[]): string | undefined {
  if (page.mode.value === 'read') {
    const root = readingRoot()
    const top = (root?.host.getBoundingClientRect().top ?? 0) + readingEdge
    return headings.findLast(({ id }) => (root?.getElementById(id)?.getBoundingClientRect().top ?? Infinity) <= top)?.id
  }
  const view = page.editor.value?.view
  if (view === undefined) return undefined
  const top = view.scrollDOM.getBoundingClientRect().top + readingEdge - view.documentTop
  const at = view.lineBlockAtHeight(Math.max(0, top)).from
  return headings.findLast((heading) => heading.at <= at)?.id
}

export function Outline({ view: page }: { view: Page }): JSX.Element {
  const headings = useSignal<readonly Heading[]>([])
  const current = useSignal<string | undefined>(undefined)
  const list = useRef<HTMLOListElement>(null)
  const mode = page.mode.value
  const editor = page.editor.value

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let frame = 0
    const place = (): void => {
      frame = 0
      current.value = currentOf(page, headings.value)
    }
    const moved = (): void => {
      frame ||= requestAnimationFrame(place)
    }
    const read = (): void => {
      timer = undefined
      if (page.editor.value !== undefined) headings.value = headingsOf(page.editor.value.view.state.doc)
      moved()
    }
    const changed = (): void => {
      timer ??= setTimeout(read, readMs)
    }
    read()
    page.session.text.observe(changed)
    // Each view has a scroll container, and scroll events do not bubble.
    document.addEventListener('scroll', moved, { capture: true, passive: true })
    return () => {
      page.session.text.unobserve(changed)
      document.removeEventListener('scroll', moved, { capture: true })
      clearTimeout(timer)
      cancelAnimationFrame(frame)
    }
  }, [mode, editor])
  useEffect(() => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [current.value])

  const close = (): void => page.setOutline(false)
  useEffect(() => {
    // The key is also meant for the outline at its button.
    const keyOnPage = ({ key, target, defaultPrevented }: KeyboardEvent): void => {
      if (key === 'Escape' && !defaultPrevented && target instanceof Element && target.matches('.outline-toggle')) close()
    }
    addEventListener('keydown', keyOnPage)
    return () => removeEventListener('keydown', keyOnPage)
  }, [])
  const choose = (event: MouseEvent, heading: Heading): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    history.replaceState(history.state, '', `#${heading.id}`)
    if (matchMedia(overlaid).matches) close()
    goTo(page, heading)
  }
  const top = Math.min(...headings.value.map(({ level }) => level))
  return (
    <nav
      class='outline'
      aria-label={t('Outline')}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key !== 'Escape') return
        if (matchMedia(overlaid).matches) close()
        page.editor.value?.view.focus()
      }}
    >
      <header class='outline-head'>
        <h2>{t('Outline')}</h2>
        <IconButton icon='x' label={t('Close')} size={16} onClick={close} />
      </header>
      {headings.value.length === 0 && <p class='muted outline-none'>{t('The headings of the text appear here.')}</p>}
      <ol ref={list}>
        {headings.value.map((heading) => (
          <li key={heading.id} class={`outline-${Math.min(heading.level - top, 4)}`}>
            <a
              href={`#${heading.id}`}
              aria-current={heading.id === current.value ? 'location' : undefined}
              dir='auto'
              onClick={(event: MouseEvent) => choose(event, heading)}
            >
              {heading.text || t('Untitled')}
            </a>
            <IconButton
              icon='link'
              label={t('Copy link to {heading}', { heading: heading.text })}
              title={t('Copy link')}
              size={14}
              class='outline-copy'
              onClick={() => void copyText(`${location.origin}${location.pathname}#${heading.id}`, t('Link to this section'))}
            />
          </li>
        ))}
      </ol>
    </nav>
  )
}
