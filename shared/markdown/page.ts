/**
 * Renders a text for a page, the published one and the reading view alike: the pipeline with coloured code, formulas and components.
 * The libraries come from the page: the server has them, a browser fetches them when a text needs them.
 */
import { fenceKinds } from '../fences/fences.ts'
import { setFormula, type FormulaSetter } from './math.ts'
import { createRenderer, type FenceToRender, type Renderer, type RenderOptions } from './render.ts'

/** Colours code: the part of highlight.js that is used. Its result escapes what it is given. */
export interface Highlighter {
  getLanguage(name: string): { readonly name?: string } | undefined
  highlight(code: string, options: { readonly language: string; readonly ignoreIllegals: true }): { readonly value: string }
}

/** A diagram that was drawn before: addresses of its pictures, its size in CSS pixels, and its words. */
export interface Picture {
  readonly light: string
  readonly dark: string
  readonly width: number
  readonly height: number
  readonly title: string
}

export interface PageLibraries {
  /** Undefined while it is not there: code is shown without colours. */
  readonly highlighter: () => Highlighter | undefined
  /** Undefined while it is not there: formulas are shown as they are written. */
  readonly formulaSetter: () => FormulaSetter | undefined
  /** Shows boards, chats, sheets, charts and widgets (components.ts). Undefined while it is not there: their source is shown. */
  readonly components: () => ((fence: FenceToRender) => string | undefined) | undefined
  /** The picture of a diagram, where one is kept. Without it the source is shown, for a script to draw. */
  readonly pictureOf?: (source: string) => Picture | undefined
}

/** Longest code that is coloured, and longest line of it, in characters: longer ones are read by programs. */
const highlightCharsMax = 50_000
const highlightLineCharsMax = 1000
/** In these languages highlight.js reads a row of words once for every two of its words. */
const wordyLanguages = new Set(['C', 'C++', 'C#', 'Arduino'])
/** Words in a row without any punctuation, and letters of one word, that such code does not have: prose, or worse. */
const [rowWordsMax, wordCharsMax] = [50, 200]

const isWordy = (code: string): boolean => {
  let [words, end] = [0, -1]
  for (const { 0: all, 1: word = '', index } of code.matchAll(/(\w+)[\s*&]*/g)) {
    words = index === end ? words + 1 : 1
    // A word that nothing follows is the last of its row.
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

/** Fences that are more than code; without what shows them, their source, under their name. */
const components = new Set<string>([...fenceKinds, 'mermaid'])

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const pictureHtml = ({ light, dark, width, height, title }: Picture, source: string): string =>
  '<figure class="component diagram"><div class="diagram-picture" tabindex="0"><picture>' +
  `<source media="(prefers-color-scheme: dark)" srcset="${escape(dark)}">` +
  `<img src="${escape(light)}" width="${width}" height="${height}" alt="${escape(title)}" loading="lazy"></picture></div>` +
  `<details><summary>Source of the diagram</summary><pre tabindex="0"><code>${escape(source)}</code></pre></details></figure>\n`

/** `typography`: of what is read and no longer written (typography.ts); passed in, because it brings the names of all emoji. */
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
