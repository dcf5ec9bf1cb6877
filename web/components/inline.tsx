/** Renders inline Markdown in components, including formulas once their library has loaded. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isOwnLink } from '../../shared/markdown/links.ts'
import { setFormula } from '../../shared/markdown/math.ts'
import { createInlineRenderer } from '../../shared/markdown/render.ts'
import { lazyLibraries } from '../markdown/libraries.ts'
import { nodesOf } from '../markdown/trusted.ts'
import { formulaRules } from './formula-rules.ts'

const styles = new Map<string, string>()

/** Rendered markup by its source. Text that moves is drawn again, so the page keeps markup to clone. */
const drawn = new Map<string, DocumentFragment>()
const drawnMax = 4000

/** Number of loaded libraries. When it grows, text with formulas is drawn again. */
const came = signal(0)
const libraries = lazyLibraries(() => {
  drawn.clear()
  came.value += 1
})

const render = createInlineRenderer(
  {
    isOwnLink: (href) => isOwnLink(href, location.origin),
    math: (tex, display) => setFormula(libraries.formulaSetter(), tex, display)
  },
  styles
)

function nodesFor(text: string): Node {
  const known = drawn.get(text)
  if (known !== undefined) return known.cloneNode(true)
  const before = styles.size
  const made = document.createDocumentFragment()
  made.append(...nodesOf(render(text)))
  if (styles.size > before) formulaRules.replaceSync([...styles].map(([style, name]) => `.${name}{${style}}`).join(''))
  if (drawn.size >= drawnMax) drawn.clear()
  drawn.set(text, made)
  return made.cloneNode(true)
}

/** Plain text needs no renderer. This saves time, because boards have many cards. */
const plain = /^[\p{L}\p{N} ,;?()'"%+#/-]*$/u

function Rich({ text }: { text: string }): JSX.Element {
  const element = useRef<HTMLSpanElement>(null)
  const version = text.includes('$') ? came.value : 0
  useLayoutEffect(() => {
    element.current?.replaceChildren(nodesFor(text))
  }, [text, version])
  return <span dir='auto' ref={element} />
}

/** Renders text. The inner element exists because Preact must not manage an element whose content is set directly. */
export const inline = (text: string): JSX.Element =>
  plain.test(text) ? (
    <span key='plain' dir='auto'>
      {text}
    </span>
  ) : (
    <Rich key='rich' text={text} />
  )
