/**
 * The typefaces for text that is sent with the page. Browsers fetch them together with the page, so the text has its typefaces from the beginning.
 */
import type { Files } from '../files.ts'
import { html, type Markup } from '../html.ts'

interface Typeface {
  /** The family name that the pages use (web/base/faces.ts). */
  readonly family: string
  readonly weight: string
  readonly style: 'normal' | 'italic'
  /** Matches the parts of the text's HTML that need the typeface. */
  readonly usedBy: RegExp
  /** The path of the font file below `node_modules`. */
  readonly file: string
}

const quattro = (name: string): string => `@fontsource/ia-writer-quattro/files/ia-writer-quattro-latin-${name}.woff2`
const serif = (name: string): string => `@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-${name}.woff2`
const mono = '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2'

const code = (usedBy: RegExp): Typeface => ({ family: 'page-mono', weight: '100 800', style: 'normal', usedBy, file: mono })

const faces: Readonly<Record<'live' | 'read', readonly Typeface[]>> = {
  live: [
    { family: 'page-quattro', weight: '400', style: 'normal', usedBy: /(?:)/, file: quattro('400-normal') },
    {
      family: 'page-quattro',
      weight: '700',
      style: 'normal',
      usedBy: /tok-(?:strong|heading)|md-(?:callout-title|bullet)/,
      file: quattro('700-normal')
    },
    { family: 'page-quattro', weight: '400', style: 'italic', usedBy: /tok-emphasis/, file: quattro('400-italic') },
    code(/tok-(?:code|html)|md-(?:code|front-matter|table-plain)/)
  ],
  read: [
    { family: 'page-serif', weight: '200 900', style: 'normal', usedBy: /(?:)/, file: serif('normal') },
    { family: 'page-serif', weight: '200 900', style: 'italic', usedBy: /<(?:em|i)>/, file: serif('italic') },
    code(/<(?:code|pre|kbd|samp)/)
  ]
}

/** The length of the HTML on the first screen, in UTF-16 units. The typefaces for the rest can wait. */
const firstUnits = 6000

/** Returns preload links for the typefaces that the beginning of the text needs. `public/theme.js` reads their data attributes. */
export const faceLinks = (kind: 'live' | 'read', text: string, files: Files): Markup => {
  const beginning = text.slice(0, firstUnits)
  return html`${faces[kind]
    .filter(({ usedBy }) => usedBy.test(beginning))
    .map(({ family, weight, style, file }) => {
      const path = files.built(`../node_modules/${file}`)
      if (path === undefined) return undefined
      return html`<link rel="preload" as="font" type="font/woff2" crossorigin href="${path}" data-face="${family}" data-weight="${weight}" data-style="${style}" />`
    })}`
}
