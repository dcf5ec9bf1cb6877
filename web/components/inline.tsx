/** Markdown within a line, as it shows in components. */
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isOwnLink } from '../../shared/markdown/links.ts'
import { createInlineRenderer } from '../../shared/markdown/render.ts'
import { nodesOf } from '../reading/trusted.ts'

const render = createInlineRenderer({ isOwnLink: (href) => isOwnLink(href, location.origin) })

/** Text without any of it is spared the way through the renderer: boards have many cards. */
const plain = /^[\p{L}\p{N} ,;?()'"%+#/-]*$/u

export function Inline({ text }: { text: string }): JSX.Element {
  const element = useRef<HTMLSpanElement>(null)
  const isPlain = plain.test(text)
  useLayoutEffect(() => {
    if (!isPlain) element.current?.replaceChildren(...nodesOf(render(text)))
  }, [text])
  // Two elements, not one: what was set by hand is no part of what is drawn.
  return isPlain ? (
    <span key='plain' dir='auto'>
      {text}
    </span>
  ) : (
    <span key='rich' dir='auto' ref={element} />
  )
}
