/**
 * Renders a text for the published page and the reading view: the pipeline with coloured code, formulas and components. The caller supplies the
 * libraries: the server has them, a browser fetches them when a text needs them.
 */
import { fenceKinds } from '../fences/fences.ts'
import { setFormula, type FormulaSetter } from './math.ts'
import { createRenderer, type FenceToRender, type Renderer, type RenderOptions } from './render.ts'

/** Colours code: the part of highlight.js that is used. Its result is escaped. */
export interface Highlighter {
  getLanguage(name: string): { readonly name?: string } | undefined
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: true }): { readonly value: string }
}

/** A stored drawing of a diagram: the addresses of its pictures, its size in CSS pixels, and its words. */
export interface Picture {
  readonly light: string
  readonly dark: string
  readonly width: number
  readonly height: number
  readonly title: string
}

export interface PageLibraries {
  /** Undefined while highlight.js is not loaded: code is shown without colours. */
  readonly highlighter: () => Highlighter | undefined
  /** Undefined while Temml is not loaded: formulas are shown as source. */
  readonly formulaSetter: () => FormulaSetter | undefined
  /** Shows boards, chats, sheets, charts and widgets (components.ts). Undefined while the code is not loaded: their source is shown. */
  readonly components: () => ((fence: FenceToRender) => string | undefined) | undefined
  /** The stored picture of a diagram. Without one, the page shows the source, for a script to draw. */
  readonly pictureOf?: (source: string) => Picture | undefined
}

/** Longest code that is coloured, and its longest line, in characters: only programs read longer ones. */
const highlightCharsMax = 50_000
const highlightLineCharsMax = 1000
/** In these languages highlight.js rereads a row of words for every two of its words. */
const wordyLanguages = new Set(['C', 'C++', 'C#', 'Arduino'])
/** Words in a row without punctuation, and letters of one word. More do not occur in real code of such a language: the text is prose, or hostile. */
const [rowWordsMax, wordCharsMax] = [50, 200]

const isWordy = (code: string): boolean => {
  let [words, end] = [0, -1]
  for (const { 0: all, 1: word = '', index } of code.matchAll(/(\w+)[\s*&]*/g)) {
    words = index === end ? words + 1 : 1
    // A word without a successor is the last of its row.
    end = all.length > word.length ? index + all.length : -1
    if (word.length >= wordCharsMax || (words >= rowWordsMax && end !== -1)) return true
  }
  return false
}

/** Whether colouring the code ends in bounded time. */
const mayColour = (code: string, language: string | undefined): boolean =>
  code.length <= highlightCharsMax &&
  code.split('\n').every((line) => line.length <= highlightLineCharsMax) &&
  !(wordyLanguages.has(language ?? '') && isWordy(code))

/** Fences that are more than code. Without their renderer, the page shows their source under their name. */
const components = new Set<string>([...fenceKinds, 'mermaid'])

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const pictureHtml = ({ light, dark, width, height, title }: Picture, source: string): string =>
  '<figure class="component diagram"><div class="diagram-picture" tabindex="0"><picture>' +
  `<source media="(prefers-color-scheme: dark)" srcset="${escape(dark)}">` +
  `<img src="${escape(light)}" width="${width}" height="${height}" alt="${escape(title)}" loading="lazy"></picture></div>` +
  `<details><summary>Source of the diagram</summary><pre tabindex="0"><code>${escape(source)}</code></pre></details></figure>\n`

/** `typography`: for text that is only read (typography.ts). It is passed in because it contains the names of all emoji. */
export const createPageRenderer = (
  libraries: PageLibraries,
  isOwnLink: (href: string) => boolean,
  typography?: RenderOptions['typography']
): Renderer =>
  createRenderer({
    isOwnLink,
    captions: true,
    ...(typography === undefined ? {} : { typography }),
    math: (tex, display) => setFormula(libraries.formulaSetter(), tex, display),
    highlight(code, language) {
      const highlighter = libraries.highlighter()
      const known = highlighter?.getLanguage(language)
      if (highlighter === undefined || known === undefined || !mayColour(code, known.name)) return undefined
      return highlighter.highlight(code, { language, ignoreIllegals: true }).value
    },
    fence(fence) {
      const { language, source } = fence
      if (!components.has(language)) return undefined
      const picture = language === 'mermaid' ? libraries.pictureOf?.(source) : undefined
      if (picture !== undefined) return pictureHtml(picture, source)
      return (
        (language === 'mermaid' ? undefined : libraries.components()?.(fence)) ??
        `<figure class="component component-${language}"><figcaption>${language}</figcaption><pre tabindex="0"><code>${escape(source)}</code></pre></figure>\n`
      )
    }
  })
