/** Wikilinks as in Obsidian, which become Markdown links. */
import { baseNameOf, splitName } from '../files/paths.ts'
import { slugOf } from './slug.ts'

/** The parts of a wikilink: `[[name#heading|shown]]`, or `![[picture|words|width]]`. */
interface WikiParts {
  /** Empty for a link within the document. */
  readonly name: string
  /** The fragment of the heading, with `#`. Empty for a link to an entire document, and for a block id, which documents do not have. */
  readonly fragment: string
  readonly shown: string
  /** The words and the width of a picture, as they follow its name. */
  readonly alias: string | undefined
  /** The bar before the alias. In a table, it has a backslash. */
  readonly bar: string
}

/** Returns the parts of a wikilink's target. */
export function wikiParts(target: string): WikiParts {
  const [, before = '', heading = '', alias] = /^([^#|]*)(?:#([^|]*))?(?:\|(.*))?$/s.exec(target) ?? []
  const name = before.replace(/\\$/, '').trim()
  const headings = heading.split('#').filter((part) => part !== '' && !part.startsWith('^'))
  const last = headings.at(-1)
  return {
    name,
    fragment: last === undefined ? '' : `#${slugOf(last)}`,
    shown: alias ?? ([name, ...headings].filter(Boolean).join(' › ') || 'link'),
    alias,
    bar: before.endsWith('\\') ? '\\|' : '|'
  }
}

const inBrackets = (text: string): string => text.replaceAll(/[[\]\\]/g, '\\$&')

/** Returns the words of a picture with its width, such as `lake|300` for `![[lake.png|300]]`. Without words, the name of the file stands for them. */
const pictureText = ({ alias = '', bar }: WikiParts, path: string): string => {
  const text = alias.trim()
  const size = /(?:^|\\?\|[ ]?)(\d{1,4}(?:x\d{1,4})?)$/.exec(text)
  const [words, width] = [text.slice(0, size?.index), size?.[1]]
  return `${inBrackets(words || splitName(baseNameOf(path))[0])}${width === undefined ? '' : bar + width}`
}

/** Returns Markdown for a wikilink that leads to `address`. For a picture that the text shows, `picture` is its path. */
export const linkForWiki = (parts: WikiParts, address: string, picture?: string): string =>
  picture === undefined ? `[${inBrackets(parts.shown)}](${address})` : `![${pictureText(parts, picture)}](${address})`
