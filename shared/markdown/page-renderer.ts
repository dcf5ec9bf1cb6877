/**
 * Renders text for the published page and the reading view: the Markdown pipeline with colored code, formulas and components. The caller supplies
 * the libraries. The server has them, and a browser loads them when a document needs them.
 */
import { fenceKinds } from '../fences/fences.ts'
import { setFormula, type FormulaSetter } from './math.ts'
import { createRenderer, type FenceToRender, type Renderer, type RenderOptions } from './render.ts'

/** The part of highlight.js that colors code. Its result is escaped. */
export interface Highlighter {
  getLanguage(name: string): { readonly name?: string } | undefined
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: true }): { readonly value: string }
}

/** A diagram's stored drawing: the addresses of its pictures, its size in CSS pixels, and its description. */
export interface Picture {
  readonly light: string
  readonly dark: string
  readonly width: number
  readonly height: number
  readonly title: string
}

export interface PageLibraries {
  /** Returns undefined while highlight.js is not loaded. Code is then shown without colors. */
  readonly highlighter: () => Highlighter | undefined
  /** Returns undefined while Temml is not loaded. Formulas are then shown as source. */
  readonly formulaSetter: () => FormulaSetter | undefined
  /** Translates words that the renderer adds. Without it, they are in English. */
  readonly words?: RenderOptions['words']
  /**
   * Returns the renderer of boards, chats, sheets, charts and widgets (components.ts); undefined while it is not loaded. Their source is then shown.
   */
  readonly components: () => ((fence: FenceToRender) => string | undefined) | undefined
  /** Returns the stored picture of a diagram. Without a picture, the page contains the source, and a script draws the diagram. */
  readonly pictureOf?: (source: string) => Picture | undefined
}

/** Longest code that is colored, and longest line in it, in UTF-16 units. Code beyond that is rarely written for people. */
const highlightUnitsMax = 50_000
const highlightLineUnitsMax = 1000
/** Languages for which highlight.js rereads a run of words at every second word. */
const wordyLanguages = new Set(['C', 'C++', 'C#', 'Arduino'])
/**
 * Maximum number of consecutive words without punctuation, and of letters in a word. Real code in such a language never has more, so the text is
 * prose or malicious.
 */
const [rowWordsMax, wordUnitsMax] = [50, 200]

const isWordy = (code: string): boolean => {
  let [words, end] = [0, -1]
  for (const { 0: all, 1: word = '', index } of code.matchAll(/(\w+)[\s*&]*/g)) {
    words = index === end ? words + 1 : 1
    // No other word follows directly, so this word is the last one in its row.
    end = all.length > word.length ? index + all.length : -1
    if (word.length >= wordUnitsMax || (words >= rowWordsMax && end !== -1)) return true
  }
  return false
}

/** Whether coloring the code takes bounded time. */
const mayColour = (code: string, language: string | undefined): boolean =>
  code.length <= highlightUnitsMax &&
  code.split('\n').every((line) => line.length <= highlightLineUnitsMax) &&
  !(wordyLanguages.has(language ?? '') && isWordy(code))

/** Fences that are more than code. If their renderer is not available, the page shows their source under their name. */
const components = new Set<string>([...fenceKinds, 'mermaid'])

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const pictureHtml = ({ light, dark, width, height, title }: Picture, source: string): string =>
  '<figure class="component diagram"><div class="diagram-picture" tabindex="0"><picture>' +
  `<source media="(prefers-color-scheme: dark)" srcset="${escape(dark)}">` +
  `<img src="${escape(light)}" width="${width}" height="${height}" alt="${escape(title)}" loading="lazy"></picture></div>` +
  `<details><summary>Source of the diagram</summary><pre tabindex="0"><code>${escape(source)}</code></pre></details></figure>\n`

/**
 * Creates the renderer. `typography` is for documents that are read and not edited (typography.ts). The caller passes it in, because it contains the
 * names of all emoji.
 */
export const createPageRenderer = (
  libraries: PageLibraries,
  isOwnLink: (href: string) => boolean,
  typography?: RenderOptions['typography']
): Renderer =>
  createRenderer({
    isOwnLink,
    captions: true,
    words: libraries.words,
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
