/** The formats that styles give to pasted text. Word processors write almost all formats as styles. */

export type Format = 'highlight' | 'struck' | 'italic' | 'bold' | 'code'

const monospaced = /\b(?:courier|consolas|menlo|monaco|mono|monospace|code)\b/i

/**
 * Matches the background of highlighted text. Browsers add the page's own background to text from any page, as `rgb()`, and this is not a highlight.
 */
const highlight = /background(?:-color)?:\s*#(?!fff(?:fff)?\b)[0-9a-f]{3,6}\b|mso-highlight:\s*(?!none)[a-z]/i

const isStruck = (style: string): boolean =>
  style
    .split(';')
    .some((each) => /line-through/i.test(each.slice(Math.max(0, each.search(/text-decoration/i)))) && /text-decoration/i.test(each))

/** Returns the first font of a style. */
const fontOf = (style: string): string =>
  style
    .split(';')
    .findLast((each) => /^\s*font-family:/i.test(each))
    ?.split(',')[0] ?? ''

const tests: Readonly<Record<Format, (style: string) => boolean>> = {
  highlight: (style) => highlight.test(style),
  struck: isStruck,
  italic: (style) => /font-style:\s*italic/i.test(style),
  bold: (style) => /font-weight:\s*(bold|[6-9]00)/i.test(style),
  code: (style) => monospaced.test(fontOf(style))
}

/** Whether a style gives a format. */
export const hasStyle = (style: string, format: Format): boolean => tests[format](style)

/** Returns the element for text that a style raises or lowers. Undefined if the text is on the line. */
export const shiftOf = (style: string): 'sub' | 'sup' | undefined => {
  const place = /vertical-align:\s*(sub|super)\b/i.exec(style)?.[1]
  return place === undefined ? undefined : place.toLowerCase() === 'sub' ? 'sub' : 'sup'
}
