/**
 * Draws the frame of a component: its name, its actions, and the reason if the person may not change it. The content is in a shadow root and uses the
 * style rules of published pages.
 */
import type { FenceKind } from '../../shared/fences/fences.ts'
import { runScopeHandlers } from '@codemirror/view'
import { useComputed } from '@preact/signals'
import { render, type JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import pops from '../style/pop.css?inline'
import prose from '../style/prose.css?inline'
import { pageScope } from '../view/view.ts'
import { t, tn } from '../text/t.ts'
import { copyText } from '../ui/copy.ts'
import { Icon } from '../ui/icons.tsx'
import names from '../presence/mention-names.css?inline'
import components from './components.css?inline'
import { inputFor, type FenceContext } from './connect.ts'
import type * as Keys from './frame-keys.ts'
import { formulaRules } from './formula-rules.ts'
import type { Body, ComponentInput } from './input.ts'
import { kindParts, unclosedWords } from './kind-parts.ts'
import { partsIn } from './part-range.ts'
import { useSuggestions } from './suggestions.ts'

export interface Mounted {
  focus(): void
  /** Keeps the focus in the component while the editor draws the text again. The editor may take a component out of the page and put it back. */
  keepFocus(): void
  unmount(): void
}

const rules = [prose, pops, names, components].map((text) => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  return sheet
})

const isField = (target: EventTarget | undefined): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type=checkbox], .sheet-entry), textarea, select')

/** The keys of a focused frame. Their code loads on its own, because no component needs it to be drawn. */
let keys: typeof Keys | undefined
import('./frame-keys.ts').then(
  (loaded) => (keys = loaded),
  () => undefined
)

const bodies = new Map<string, Body>()

/** Loads the code that draws a kind of component. Returns undefined while it loads, and null if it cannot be loaded. */
function useBody(kind: FenceKind): Body | undefined | null {
  const [body, setBody] = useState<Body | undefined | null>(() => bodies.get(kind))
  useEffect(() => {
    if (body !== undefined) return
    kindParts[kind].load().then(
      (found) => {
        bodies.set(kind, found)
        setBody(() => found)
      },
      () => setBody(null)
    )
  }, [kind])
  return body
}

/** Draws the control on its own, because the component is not drawn again when the control changes. */
const Control = ({ input }: { input: ComponentInput }): JSX.Element => <>{input.control.value}</>

function Frame({ input }: { input: ComponentInput }): JSX.Element {
  const { page, fence, refusal, said } = input
  const element = useRef<HTMLElement>(null)
  const kind = useComputed(() => fence.value.kind).value
  const name = input.label.value
  const body = useBody(kind)
  const suggestions = useSuggestions(input)
  useLayoutEffect(() => {
    const root = element.current?.getRootNode()
    if (body !== undefined && root instanceof ShadowRoot) (root.host as HTMLElement).style.minHeight = ''
  }, [body])

  const keyDown = (event: KeyboardEvent): void => {
    const view = page.editor.value?.view
    const onFrame = event.target === element.current
    if (view === undefined || event.defaultPrevented || event.isComposing) return
    const isHandled = onFrame && page.mode.peek() === 'live' ? keys?.frameKey(event, view, input) : undefined
    if (isHandled === false) return
    const leaves = onFrame && (event.key === 'ArrowUp' || event.key === 'ArrowDown')
    if (isHandled === true) {
      event.preventDefault()
      event.stopPropagation()
      return
    }
    if (leaves || (onFrame && event.key === 'Escape')) input.leave(event.key === 'ArrowUp' ? 'before' : 'behind')
    else if (event.key === 'Escape') element.current?.focus()
    else if (onFrame && event.key === 'Enter') input.begins.value = true
    else if (isField(event.composedPath()[0]) && !event.ctrlKey && !event.metaKey && !/^F\d/.test(event.key)) return
    // Undo acts on the text, and the shortcuts of the page also work inside a component.
    else if (/^[zy]$/i.test(event.key) && (event.ctrlKey || event.metaKey)) {
      if (isField(event.composedPath()[0]) || !runScopeHandlers(view, event, 'editor')) return
    } else if (!runScopeHandlers(view, event, pageScope)) return
    event.preventDefault()
    event.stopPropagation()
  }

  const Shown = body
  return (
    <section
      class='frame'
      aria-label={name}
      aria-busy={body === undefined}
      tabIndex={-1}
      ref={element}
      onKeyDown={keyDown}
      onFocusIn={({ target }) => input.focused(target as Element)}
    >
      <div class='frame-bar'>
        {kind === 'chart' && refusal.value === undefined ? (
          <button type='button' class='frame-name' dir='auto' title={t('Change the title')} onClick={() => (input.wantsTitle.value = true)}>
            {name}
          </button>
        ) : (
          <span class='frame-name' dir='auto'>
            {name}
          </span>
        )}
        {fence.value.closing === undefined && <span class='frame-reason'>{unclosedWords(fence.value)}</span>}
        {refusal.value !== undefined && <span class='frame-reason'>{refusal.value}</span>}
        {suggestions.count.value > 0 && (
          <button type='button' class='frame-button frame-suggestions' onClick={suggestions.show}>
            {tn(suggestions.count.value, '1 suggestion', '{count} suggestions')}
          </button>
        )}
        <Control input={input} />
        <span class='frame-tools'>
          <button type='button' class='frame-button' onClick={() => input.openSource()}>
            <Icon name='code' size={16} />
            {t('Source')}
          </button>
          <button
            type='button'
            class='frame-button icon-only'
            aria-label={t('Copy source')}
            title={t('Copy source')}
            onClick={() => void copyText(fence.value.source.slice(fence.value.from, fence.value.to), t('Source'))}
          >
            <Icon name='copy' size={16} />
          </button>
        </span>
      </div>
      {Shown === null ? (
        <pre tabIndex={0}>
          <code>{fence.value.lines.map(({ text }) => text).join('\n')}</code>
        </pre>
      ) : (
        Shown !== undefined && <Shown input={input} />
      )}
      <span class='visually-hidden' role='status'>
        {said.value}
      </span>
    </section>
  )
}

/**
 * Handles a press in the space around the frame. The editor does not see it, and the browser would put the caret at an edge of the component. From
 * there it would move on in the direction from its old place.
 */
function pressAround(event: MouseEvent, host: HTMLElement, { leave }: FenceContext): void {
  if (event.button !== 0 || event.shiftKey || event.composedPath()[0] !== host || host.closest('.cm-content') === null) return
  event.preventDefault()
  const { top, height } = host.getBoundingClientRect()
  leave(event.clientY < top + height / 2 ? 'before' : 'behind')
}

const stopEvent = (event: Event): void => event.stopPropagation()

function keepFocus(root: ShadowRoot): void {
  const active = root.activeElement
  if (!(active instanceof HTMLElement)) return
  const field = active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement ? active : undefined
  const [from, to] = [field?.selectionStart ?? null, field?.selectionEnd ?? null]
  // A field saves its text when the person leaves it. The person has not left this one, and the editor refuses changes while it draws.
  root.addEventListener('blur', stopEvent, true)
  queueMicrotask(() => {
    root.removeEventListener('blur', stopEvent, true)
    if (root.activeElement !== null || !active.isConnected) return
    active.focus({ preventScroll: true })
    field?.setSelectionRange(from, to)
  })
}

/** Draws a component into an element. */
export function mount(host: HTMLElement, place: FenceContext): Mounted {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [...rules, formulaRules]
  host.addEventListener('mousedown', (event) => pressAround(event, host, place))
  render(<Frame input={inputFor(place)} />, root)
  // No component needs the marks to be drawn.
  const marks = import('./comment-marks.ts').then(
    ({ markComments }) => markComments(place, root, partsIn),
    () => undefined
  )
  return {
    focus: () => root.querySelector<HTMLElement>('.frame')?.focus(),
    keepFocus: () => keepFocus(root),
    unmount: () => {
      void marks.then((stop) => stop?.())
      render(null, root)
    }
  }
}
