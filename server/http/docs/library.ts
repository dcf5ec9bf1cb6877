/** Reads the documentation pages from the folder `docs/` once, adapts their links to `/docs`, and searches them. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { outlineOf, type Section } from '../../../shared/text/outline.ts'
import { limits } from '../../../shared/limits.ts'
import { documentEntries } from './documents.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'docs')

/** A section of a document that contains all search terms. */
export interface Found {
  readonly slug: string
  /** Index of the section's heading among the document's headings; -1 for the text before the first heading. */
  readonly heading: number
  /** Title of the section. */
  readonly title: string
  readonly excerpt: string
}

export interface Library {
  /** Returns the Markdown of a document, with links that are valid below `/docs`. Returns undefined for an unknown name. */
  text(slug: string): Promise<string | undefined>
  /** Returns the sections that contain all words of the query. Sections whose title contains them come first. */
  search(query: string): Promise<readonly Found[]>
}

const titles: ReadonlyMap<string, string> = new Map(documentEntries.map(({ slug, title }) => [slug, title]))

/** Replaces links between files of the repository. A file that `/docs` does not serve keeps only its name. */
const adapted = (text: string): string =>
  text
    .replaceAll(/<!-- \/?\w+ -->\n?/g, '')
    .replaceAll(/(!?)\[([^\][]{1,200})\]\(([^()\s]{1,200})\)/g, (all, picture: string, words: string, target: string) => {
      if (/^(?:[a-z]+:|\/|#)/.test(target)) return all
      const [path = '', anchor] = target.split('#')
      const slug = /^(?:\.\.\/docs\/)?([\w-]+)\.md$/.exec(path)?.[1] ?? ''
      const title = titles.get(slug)
      // Links name the titles of pages, because readers do not know the file names.
      if (title !== undefined)
        return `${picture}[${words.endsWith('.md') ? title : words}](/docs/${slug}${anchor === undefined ? '' : `#${anchor}`})`
      return words.includes('`') ? words : `\`${words}\``
    })

const wordsOf = (query: string): readonly string[] =>
  query
    .slice(0, limits.docsQueryUnitsMax)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

/** Removes the marks of code, bold text and links from a line of Markdown. */
const unmarked = (line: string): string => line.replaceAll(/`|\*\*/g, '').replaceAll(/!?\[([^\][]{1,200})\]\([^()\s]{1,200}\)/g, '$1')

/** Returns the line of a section that contains the first word, as plain text. */
const excerptOf = (body: string, words: readonly string[]): string => {
  const lines = body.split('\n').filter((each) => !each.startsWith('#') && !/^[\s|:-]*$/.test(each))
  const line = unmarked(lines.find((each) => each.toLowerCase().includes(words[0] ?? '')) ?? lines[0] ?? '')
  const at = Math.max(0, line.toLowerCase().indexOf(words[0] ?? '') - limits.docsExcerptUnitsMax / 2)
  const shown = line
    .slice(at, at + limits.docsExcerptUnitsMax)
    .replace(/^[\s|>*#-]{1,20}/, '')
    .replace(/^\d{1,3}\. /, '')
    .replaceAll('|', '·')
    .trimEnd()
  return `${at > 0 ? '… ' : ''}${shown}${at + limits.docsExcerptUnitsMax < line.length ? ' …' : ''}`
}

interface Part {
  readonly slug: string
  readonly heading: number
  readonly title: string
  readonly body: string
  readonly plain: string
}

/** Splits a document at its headings. A section ends at the next heading of any level. */
const partsOf = (slug: string, title: string, text: string): readonly Part[] => {
  const sections = outlineOf(text)
  const part = (section: Section | undefined, heading: number): Part => {
    const body = text.slice(section?.bodyFrom ?? 0, sections[heading + 1]?.from ?? text.length)
    return { slug, heading, title: section?.title ?? title, body, plain: body.toLowerCase() }
  }
  return [undefined, ...sections].map((section, index) => part(section, index - 1))
}

export const createLibrary = (): Library => {
  let loading: Promise<ReadonlyMap<string, string>> | undefined
  const load = async (): Promise<ReadonlyMap<string, string>> =>
    new Map(
      await Promise.all(
        documentEntries.map(async ({ slug }) => [slug, adapted(await readFile(join(folder, `${slug}.md`), 'utf8'))] as const)
      )
    )
  const texts = (): Promise<ReadonlyMap<string, string>> => (loading ??= load())
  let parts: readonly Part[] | undefined
  return {
    text: async (slug) => (await texts()).get(slug),
    async search(query) {
      const words = wordsOf(query)
      if (words.length === 0) return []
      const all = await texts()
      parts ??= documentEntries.flatMap(({ slug, title }) => partsOf(slug, title, all.get(slug) ?? ''))
      const inTitle = (part: Part): boolean => words.every((word) => part.title.toLowerCase().includes(word))
      const found = parts.filter((part) => inTitle(part) || words.every((word) => part.plain.includes(word)))
      return found
        .toSorted((a, b) => Number(inTitle(b)) - Number(inTitle(a)))
        .slice(0, limits.docsFoundMax)
        .map(({ slug, heading, title, body }) => ({ slug, heading, title, excerpt: excerptOf(body, words) }))
    }
  }
}
