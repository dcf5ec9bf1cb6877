/**
 * The typefaces of the pages, registered by script. Chromium reads the `@font-face` rules of a style sheet again whenever a later sheet with a
 * cascade layer is added, as CodeMirror does. Text would then briefly use the fallback typeface, and lines would wrap differently. Pages without scripts
 * load their typefaces from `style/fonts.css`, under different family names.
 */
import mono from '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2?url'
import serifItalic from '@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-italic.woff2?url'
import serif from '@fontsource-variable/source-serif-4/files/source-serif-4-latin-wght-normal.woff2?url'
import quattroItalic from '@fontsource/ia-writer-quattro/files/ia-writer-quattro-latin-400-italic.woff2?url'
import quattro from '@fontsource/ia-writer-quattro/files/ia-writer-quattro-latin-400-normal.woff2?url'
import quattroBoldItalic from '@fontsource/ia-writer-quattro/files/ia-writer-quattro-latin-700-italic.woff2?url'
import quattroBold from '@fontsource/ia-writer-quattro/files/ia-writer-quattro-latin-700-normal.woff2?url'

/** The Unicode range of the file, copied from `style/fonts.css`. */
const monoRange =
  'U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+0304, U+0308, U+0329, U+2000-206F, U+20AC, U+2122, U+2191, U+2193, U+2212, U+2215, U+FEFF, U+FFFD'

const faces: readonly (readonly [family: string, address: string, about: FontFaceDescriptors])[] = [
  ['page-quattro', quattro, { weight: '400' }],
  ['page-quattro', quattroBold, { weight: '700' }],
  ['page-quattro', quattroItalic, { weight: '400', style: 'italic' }],
  ['page-quattro', quattroBoldItalic, { weight: '700', style: 'italic' }],
  ['page-mono', mono, { weight: '100 800', unicodeRange: monoRange }],
  ['page-serif', serif, { weight: '200 900' }],
  ['page-serif', serifItalic, { weight: '200 900', style: 'italic' }]
]

/** Returns a name that identifies a face. It shows which faces `public/theme.js` has already registered. */
const nameOf = (family: string, { weight = '400', style = 'normal' }: FontFaceDescriptors): string =>
  `${family.replaceAll('"', '')} ${weight} ${style}`

/**
 * Registers the typefaces; call it before anything is drawn. The browser fetches each one when text needs it. A face that arrives late is not used,
 * so that no line moves. If the text of the page was shown before its faces arrived, the page uses no faces at all.
 */
export function addFaces(): void {
  const { dataset } = document.documentElement
  if (dataset['faces'] === 'late') return
  const present = new Set([...document.fonts].map((face) => nameOf(face.family, face)))
  for (const [family, address, about] of faces)
    if (!present.has(nameOf(family, about))) document.fonts.add(new FontFace(family, `url(${address})`, { ...about, display: 'optional' }))
  dataset['faces'] ??= 'page'
}

/** The typefaces that each view of the text may use. */
const families: Readonly<Record<'write' | 'read', RegExp>> = { write: /page-(?:quattro|mono)/, read: /page-(?:serif|mono)/ }

/**
 * Fetches the editor's faces that no text has needed yet. The first bold word would otherwise appear in the fallback for the entire visit. Call this
 * when the page is idle.
 */
export function fetchFacesAhead(): void {
  for (const face of document.fonts) if (face.status === 'unloaded' && families.write.test(face.family)) face.load().catch(() => undefined)
}

/** Longest wait for typefaces that the browser has cached, in milliseconds. */
const deviceMsMax = 300

/**
 * Resolves once all faces of a view have loaded, or after `deviceMsMax`. On a busy device, a face requested only when its first word is drawn would
 * arrive too late to be used.
 */
export async function facesAtHand(use: keyof typeof families): Promise<void> {
  const wanted = [...document.fonts].filter((face) => families[use].test(face.family))
  const late = new Promise((resolve) => setTimeout(resolve, deviceMsMax))
  await Promise.race([Promise.allSettled(wanted.map((face) => face.load())), late])
}
