/** Math: `$…$` within a line (as pandoc reads it), `$$…$$` as a block, and fences with the language `math`. */
import type MarkdownIt from 'markdown-it'
import type { Environment } from './environment.ts'

/** Longest formula, in UTF-16 units. Longer formulas are shown as source. */
const formulaUnitsMax = 10_000

/** Maximum number of macros that one formula may expand. */
const expansionsMax = 1000

/** The part of Temml that typesets formulas. */
export interface FormulaSetter {
  renderToString(
    tex: string,
    options: { readonly displayMode: boolean; readonly throwOnError: true; readonly maxExpand: number; readonly trust: false }
  ): string
}

/** Returns the MathML for a formula. Throws if the formula cannot be typeset, or if the library is not loaded yet. */
export const setFormula = (setter: FormulaSetter | undefined, tex: string, displayMode: boolean): string => {
  // The caller catches this error and shows the source of the formula.
  if (setter === undefined) throw new Error('formulas cannot be set yet')
  return setter.renderToString(tex, { displayMode, throwOnError: true, maxExpand: expansionsMax, trust: false })
}

type ToHtml = ((tex: string, display: boolean) => string) | undefined

/** Whether CSS declarations are as plain as those that formulas need, so that they cannot end their rule or load anything. */
const isPlain = (style: string): boolean => /^[\w\s:;.,%#()!-]*$/.test(style) && !/url/i.test(style)

const styleMark = ' style="'

/** Returns a tag with a class instead of its style. If the style is not plain, the tag gets neither. */
const classedTag = (name: string, others: string, style: string, styles: Map<string, string>): string => {
  if (!isPlain(style)) return `<${name}${others}>`
  const own = styles.get(style) ?? `math-${styles.size + 1}`
  styles.set(style, own)
  const merged = others.replace(/ class="([^"]*)"/, ` class="$1 ${own}"`)
  return merged === others ? `<${name} class="${own}"${others}>` : `<${name}${merged}>`
}

/**
 * Replaces style attributes with classes, because the content security policy of the pages forbids style attributes. `styles` maps declarations to
 * their class.
 */
const styleByClass = (html: string, styles: Map<string, string>): string => {
  const parts: string[] = []
  let kept = 0
  for (let at = html.indexOf(styleMark); at !== -1; at = html.indexOf(styleMark, Math.max(kept, at + 1))) {
    const open = kept + html.slice(kept, at).lastIndexOf('<')
    const head = html.slice(open, at)
    const name = /[<>]/.test(head.slice(1)) ? undefined : /^<(\w+)/.exec(head)?.[1]
    const to = html.indexOf('"', at + styleMark.length)
    const end = html.indexOf('>', to)
    if (name === undefined || to === -1 || end === -1) continue
    const others = head.slice(1 + name.length) + html.slice(to + 1, end)
    parts.push(html.slice(kept, open), classedTag(name, others, html.slice(at + styleMark.length, to), styles))
    kept = end + 1
  }
  return parts.join('') + html.slice(kept)
}

/** Returns the HTML of a formula, with classes instead of its styles; undefined if the formula must be shown as source. */
export const formulaHtml = (toHtml: ToHtml, tex: string, display: boolean, styles: Map<string, string>): string | undefined => {
  if (toHtml === undefined || tex.length > formulaUnitsMax) return undefined
  try {
    return styleByClass(toHtml(tex, display), styles)
  } catch {
    return undefined
  }
}

export const mathHtml = (
  { utils: { escapeHtml } }: MarkdownIt,
  toHtml: ToHtml,
  tex: string,
  display: boolean,
  styles: Map<string, string>
): string => {
  const html = formulaHtml(toHtml, tex, display, styles)
  if (html === undefined)
    return display
      ? `<pre class="math" tabindex="0"><code>${escapeHtml(tex)}</code></pre>\n`
      : `<code class="math">${escapeHtml(tex)}</code>`
  return display ? `<div class="math" tabindex="0">${html}</div>\n` : html
}

export const math = (markdown: MarkdownIt, toHtml: ToHtml): void => {
  // An opening `$` must be directly followed by a character that is not whitespace, and a closing `$` directly preceded by one. No digit may follow
  // the closing `$`, so "$5 and $6" is text.
  markdown.inline.ruler.after('escape', 'math_inline', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 0x24) return false
    const end = closingMark(state.src, state.pos + 1, state.posMax)
    if (end === undefined) return false
    if (!silent) {
      const token = state.push('math_inline', 'math', 0)
      token.markup = '$'
      token.content = state.src.slice(state.pos + 1, end)
    }
    state.pos = end + 1
    return true
  })
  markdown.block.ruler.before(
    'fence',
    'math_block',
    (state, startLine, endLine, silent) => {
      const lineOf = (line: number): string => state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line])
      if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4 || !lineOf(startLine).startsWith('$$')) return false
      const onOneLine = /^\$\$(.+?)\$\$\s*$/.exec(lineOf(startLine))
      const last = onOneLine === null ? closingLine(lineOf, startLine, endLine, unclosedIn(state.env)) : startLine
      if (last === undefined) return false
      if (silent) return true
      const token = state.push('math_block', 'math', 0)
      token.block = true
      token.map = [startLine, last + 1]
      token.content =
        onOneLine?.[1]?.trim() ??
        [
          lineOf(startLine).slice(2),
          state.getLines(startLine + 1, last, state.tShift[startLine] ?? 0, false),
          lineOf(last).replace(/\$\$\s*$/, '')
        ]
          .join('\n')
          .trim()
      state.line = last + 1
      return true
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] }
  )
  markdown.renderer.rules['math_inline'] = (tokens, index, _options, { styles }: Environment) =>
    mathHtml(markdown, toHtml, tokens[index]?.content ?? '', false, styles)
  markdown.renderer.rules['math_block'] = (tokens, index, _options, { styles }: Environment) =>
    mathHtml(markdown, toHtml, tokens[index]?.content ?? '', true, styles)
}

/** Returns the offset of the `$` that ends a formula whose text begins at `from`. */
export const closingMark = (text: string, from: number, to: number): number | undefined => {
  if (from >= to || /[\s$]/.test(text.charAt(from))) return undefined
  const limit = Math.min(to, from + formulaUnitsMax)
  for (let at = from; at < limit; at++) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === '$') return /\s/.test(text.charAt(at - 1)) || /\d/.test(text.charAt(at + 1)) ? undefined : at
  }
  return undefined
}

/** Maps the end line of a search to the first opening line for which that search found no closing line. */
type Unclosed = Map<number, number>

const unclosedOf = new WeakMap<object, Unclosed>()

const unclosedIn = (environment: object): Unclosed => {
  const known = unclosedOf.get(environment) ?? new Map<number, number>()
  unclosedOf.set(environment, known)
  return known
}

/** Returns the line that closes a block. Even if many blocks are not closed, only the first search reads all lines below. */
const closingLine = (lineOf: (line: number) => string, start: number, end: number, unclosed: Unclosed): number | undefined => {
  if (start >= (unclosed.get(end) ?? Infinity)) return undefined
  for (let line = start + 1; line < end; line++) if (lineOf(line).trimEnd().endsWith('$$')) return line
  unclosed.set(end, start)
  return undefined
}
