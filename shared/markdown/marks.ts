/**
 * Inline marks that are not part of CommonMark: `==highlighted==`, `H~2~O` and `x^2^`. The editor and the renderer share these rules. The search for
 * a closing mark is bounded, so that even text full of opening marks takes linear time.
 */
import type MarkdownIt from 'markdown-it'

/** Longest highlight, in UTF-16 units. */
const highlightUnitsMax = 1000
const [tilde, caret, equals, backtick] = [0x7e, 0x5e, 0x3d, 0x60]

/** Returns the offset of the `==` that ends the highlight opened at `open`; undefined if nothing ends it, or no highlight begins at `open`. */
export const highlightEnd = (text: string, open: number, to: number): number | undefined => {
  const from = open + 2
  if (text.charCodeAt(open) !== equals || text.charCodeAt(open + 1) !== equals) return undefined
  if (from >= to || text.charCodeAt(open - 1) === equals || /[\s=]/.test(text.charAt(from))) return undefined
  const limit = Math.min(to - 1, from + highlightUnitsMax)
  // A highlight contains a code span completely or not at all, so the backticks inside it must be in pairs.
  let ticks = text.charCodeAt(from) === backtick ? 1 : 0
  for (let at = from + 1; at < limit; at++) {
    if (text.charCodeAt(at) === backtick) ticks++
    if (text.charCodeAt(at) !== equals || text.charCodeAt(at + 1) !== equals) continue
    let end = at + 2
    while (end < to && text.charCodeAt(end) === equals) end++
    if (end === at + 2 && !/[\s\\]/.test(text.charAt(at - 1)) && ticks % 2 === 0) return at
    at = end - 1
  }
  return undefined
}

const low = /~([^\s~\\`*_[\]<>$]{1,40})~(?!~)/y
const high = /\^([^\s^\\`*_[\]<>$]{1,40})\^/y
const wordEnd = /[\p{L}\p{N})\]}]/u

/**
 * Returns the tag of the subscript or superscript whose first mark is at `open`, and the offset of its last mark. The first mark must follow a letter
 * or digit.
 */
export const shiftedAt = (text: string, open: number): { readonly tag: 'sub' | 'sup'; readonly end: number } | undefined => {
  const mark = text.charCodeAt(open)
  if ((mark !== tilde && mark !== caret) || open === 0 || !wordEnd.test(text.charAt(open - 1))) return undefined
  const rule = mark === tilde ? low : high
  rule.lastIndex = open
  const found = rule.exec(text)
  return found === null ? undefined : { tag: mark === tilde ? 'sub' : 'sup', end: open + found[0].length - 1 }
}

export const inlineMarks = (markdown: MarkdownIt): void => {
  markdown.inline.ruler.before('emphasis', 'highlight', (state, silent) => {
    const { pos, posMax, src } = state
    const end = highlightEnd(src, pos, posMax)
    if (end === undefined) return false
    if (!silent) {
      state.push('mark_open', 'mark', 1)
      state.pos = pos + 2
      state.posMax = end
      state.md.inline.tokenize(state)
      state.posMax = posMax
      state.push('mark_close', 'mark', -1)
    }
    state.pos = end + 2
    return true
  })
  markdown.inline.ruler.before('emphasis', 'shifted', (state, silent) => {
    const found = shiftedAt(state.src, state.pos)
    if (found === undefined || found.end >= state.posMax) return false
    if (!silent) {
      state.push(`${found.tag}_open`, found.tag, 1)
      state.push('text', '', 0).content = state.src.slice(state.pos + 1, found.end)
      state.push(`${found.tag}_close`, found.tag, -1)
    }
    state.pos = found.end + 1
    return true
  })
}
