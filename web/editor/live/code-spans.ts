/** Finds the colored ranges of code. It reads them from the HTML of the highlighter, whose text is equal to the code. */
import type { Highlighter } from '../../../shared/markdown/page-renderer.ts'

export interface Span {
  /** Offset from the beginning of the code, in UTF-16 units. */
  readonly from: number
  readonly to: number
  readonly name: string
}

/** Longest code that is highlighted while a person types, in UTF-16 units. It is highlighted again on every key press. */
const codeUnitsMax = 10_000
const keptMax = 100
const kept = new Map<string, readonly Span[]>()

const piece = /<span class="([^"]*)">|<\/span>|&(?:#x?\w+|\w+);|[^<&]+/g

function spansOf(html: string): Span[] {
  const found: Span[] = []
  const open: { name: string; from: number }[] = []
  let at = 0
  for (const [text, name] of html.matchAll(piece)) {
    if (name !== undefined) open.push({ name, from: at })
    else if (text === '</span>') {
      const last = open.pop()
      if (last !== undefined && last.from < at) found.push({ ...last, to: at })
    } else at += text.startsWith('&') ? 1 : text.length
  }
  return found.sort((one, other) => one.from - other.from || other.to - one.to)
}

/** Returns the colored ranges of code. The list is empty for an unknown language. */
export function codeSpans(highlighter: Highlighter, code: string, language: string): readonly Span[] {
  if (code.length > codeUnitsMax || highlighter.getLanguage(language) === undefined) return []
  const key = `${language}\n${code}`
  const before = kept.get(key)
  if (before !== undefined) return before
  const spans = spansOf(highlighter.highlight(code, { language, ignoreIllegals: true }).value)
  if (kept.size >= keptMax) kept.clear()
  kept.set(key, spans)
  return spans
}
