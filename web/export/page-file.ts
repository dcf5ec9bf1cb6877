/** Exports the document as one self-contained file: the published page with its styles, typeface and pictures. Nothing is uploaded. */
import { authorIn } from '../../shared/names.ts'
import { languageIn } from '../../shared/markdown/published-words.ts'
import { pageHtml } from '../../shared/markdown/published-html.ts'
import type { Session } from '../session/session.ts'
import { downloadHtml } from '../base/download.ts'
import published from '../published/published.css?inline'
import { coloursOf } from '../diagram/theme-colors.ts'
import { language } from '../text/t.ts'
import { openSheet } from './whole-text.ts'

/** Largest picture that is embedded, in bytes. The limit keeps the file small enough to send. */
const pictureBytesMax = 10 * 1024 * 1024

/** Content security policy of the file. No script runs in it, and it loads only the pictures that the text names. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; font-src data:; img-src data: https: http:; media-src https: http:; base-uri 'none'; form-action 'none'"

async function dataUrl(blob: Blob): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const reader = new FileReader()
  reader.addEventListener('load', () => resolve(reader.result as string))
  reader.addEventListener('error', () => reject(reader.error ?? new Error('the file cannot be read')))
  reader.readAsDataURL(blob)
  return promise
}

/** Returns one of the service's files as a data URL. Undefined if it cannot be loaded. */
async function embedded(url: string, key: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { headers: key === '' ? {} : { 'x-share-key': key } })
    const blob = response.ok ? await response.blob() : undefined
    return blob === undefined || blob.size > pictureBytesMax ? undefined : await dataUrl(blob)
  } catch {
    return undefined
  }
}

/** Embeds pictures that the service stores, and makes all other addresses of the service absolute. */
async function settle(article: HTMLElement, key: string): Promise<void> {
  for (const element of article.querySelectorAll<HTMLElement>('[href^="/"], [src^="/"]')) {
    for (const name of ['href', 'src']) {
      const value = element.getAttribute(name)
      if (value?.startsWith('/') === true) element.setAttribute(name, new URL(value, location.origin).href)
    }
  }
  const own = [...article.querySelectorAll<HTMLImageElement>('img')].filter(({ src }) => src.startsWith(`${location.origin}/`))
  await Promise.all(
    own.map(async (picture) => {
      const inside = await embedded(picture.src, key)
      if (inside !== undefined) picture.setAttribute('src', inside)
      picture.removeAttribute('loading')
    })
  )
}

/** Returns the styles with the typeface embedded. If the typeface cannot be loaded, the reader's fonts are used. */
async function wholeStyle(): Promise<string> {
  const names = [...new Set([...published.matchAll(/url\(["']?(\/[^"'()]+)["']?\)/g)].map(([, name]) => name ?? ''))]
  const inside = await Promise.all(names.map(async (name) => [name, await embedded(name, '')] as const))
  return inside.reduce((css, [name, data]) => (data === undefined ? css : css.replaceAll(name, data)), published)
}

/** Returns the CSS that shows diagrams in the colors for paper. */
const onPaper = (): string => {
  const background = /--bg:\s*([^;]+)/.exec(coloursOf('light'))?.[1] ?? 'white'
  return `.diagram-picture img{background:${background};border-radius:8px}`
}

/** Returns the file as HTML. Throws if a part of the page cannot be loaded. */
export async function pageFile({ title, text, key }: Session): Promise<string> {
  const sheet = await openSheet(text.toString())
  try {
    await settle(sheet.article, key)
    return pageHtml({
      ...sheet.rendered,
      html: sheet.article.innerHTML,
      title: title.value,
      language: language(),
      textLanguage: languageIn(text.toString()),
      url: undefined,
      markdownUrl: undefined,
      author: authorIn(text.toString()),
      indexed: true,
      updatedAt: Date.now(),
      style: undefined,
      font: undefined,
      scripts: [],
      policy,
      css: `${await wholeStyle()}\n${sheet.rendered.css}\n${onPaper()}`
    })
  } finally {
    sheet.close()
  }
}

export const downloadPage = async (session: Session): Promise<void> => downloadHtml(session.title.value, await pageFile(session))
