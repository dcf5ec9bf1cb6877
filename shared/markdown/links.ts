/** Links: the allowed protocols, attributes of external links, and bare addresses as in GFM. */
import type MarkdownIt from 'markdown-it'
import { kindOfAddress } from '../media-types.ts'
import { pictureWords } from './pictures.ts'

/** Schemes that a link may have. markdown-it applies the same check to pictures. */
const schemes = /^(https?|mailto|tel|sms|geo|xmpp|matrix|irc|ircs|ftp|sftp|git|ssh):/i
const hasScheme = /^[a-z][a-z0-9+.-]*:/i
/** A data URL may contain a picture, but not SVG, because SVG can contain scripts. */
const imageData = /^data:image\/(png|gif|jpeg|webp|avif);base64,/i

/** Whether a link leads to this service, at `origin`. A link such as `//host` leads to another service. */
export const isOwnLink = (href: string, origin: string): boolean => /^\/(?![/\\])/.test(href) || href.startsWith(`${origin}/`)

export const mayLink = (url: string): boolean => {
  // Browsers skip controls and spaces when they read a scheme.
  // eslint-disable-next-line no-control-regex
  const plain = url.replaceAll(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '')
  return !hasScheme.test(plain) || schemes.test(plain) || imageData.test(plain)
}

/**
 * Longest run without whitespace that is searched for bare addresses, in UTF-16 units. At every possible start of an address, the search reads the
 * rest of the run.
 */
const addressRunUnitsMax = 2048

/** Searches each run without whitespace separately for bare addresses. Otherwise, every possible start would read the text to its end. */
const searchRuns = (linkify: MarkdownIt['linkify']): void => {
  const matchIn = linkify.match.bind(linkify)
  const matchAtStart = linkify.matchAtStart.bind(linkify)
  linkify.match = (text) => {
    const found = []
    for (const { 0: run, index } of text.matchAll(/\S+/g)) {
      if (run.length > addressRunUnitsMax || !/[:@/]|www\./i.test(run)) continue
      for (const match of matchIn(run) ?? []) {
        match.index += index
        match.lastIndex += index
        found.push(match)
      }
    }
    return found.length === 0 ? null : found
  }
  linkify.test = (text) => linkify.match(text) !== null
  linkify.matchAtStart = (text) => {
    const run = /^\S*/.exec(text.slice(0, addressRunUnitsMax + 1))?.[0] ?? ''
    return run.length > addressRunUnitsMax ? null : matchAtStart(run)
  }
}

/** Total length of the addresses that references may add to a page beyond the source's length, in UTF-16 units. cmark has the same limit. */
const sharedAddressUnitsMax = 100_000

/**
 * Limits the total length of link addresses. Many references to one long address would otherwise turn a small document into a huge page. Links beyond
 * the budget lose their address.
 */
const budgetAddresses = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('address_budget', ({ src, tokens }) => {
    // In percent-encoded UTF-8, one UTF-16 unit takes up to nine characters.
    let left = sharedAddressUnitsMax + 9 * src.length
    for (const { children } of tokens)
      for (const child of children ?? []) {
        if (child.type !== 'link_open' && child.type !== 'image') continue
        for (const [, value] of child.attrs ?? []) left -= value.length
        if (left < 0) child.attrs = child.type === 'image' ? [['alt', '']] : []
      }
  })
}

export const gfmLinks = (markdown: MarkdownIt, isOwn: ((href: string) => boolean) | undefined): void => {
  markdown.validateLink = mayLink
  // `example.md` is a file name, but `www.example.com` and addresses with a scheme are links (GFM 6.9).
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: true, fuzzyIP: false })
  markdown.linkify.add('www.', {
    validate(text, position, self) {
      const rest = text.slice(position)
      const found = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#][^\s<]*)?/u.exec(rest)
      if (found === null) return 0
      const length = self.testSchemaAt(`http://${rest.slice(0, found[0].length)}`, 'http:', 5)
      return length > 0 ? Math.max(0, length - 2) : 0
    },
    normalize(match) {
      match.url = `http://${match.url}`
    }
  })
  searchRuns(markdown.linkify)
  budgetAddresses(markdown)
  const inherited = markdown.renderer.rules['link_open']
  markdown.renderer.rules['link_open'] = (tokens, index, options, environment, self) => {
    const token = tokens[index]
    const href = token?.attrGet('href') ?? ''
    if (!href.startsWith('#') && isOwn?.(href) !== true) token?.attrSet('rel', 'noopener nofollow ugc')
    return inherited?.(tokens, index, options, environment, self) ?? self.renderToken(tokens, index, options)
  }
  markdown.renderer.rules['image'] = (tokens, index, options, environment, self) => {
    const token = tokens[index]
    if (token === undefined) return ''
    const { words, width } = pictureWords(self.renderInlineAsText(token.children ?? [], options, environment))
    token.attrSet('alt', words)
    if (width !== undefined) token.attrSet('width', String(width))
    token.attrSet('loading', 'lazy')
    token.attrSet('referrerpolicy', 'no-referrer')
    return mediaOf(token.attrGet('src') ?? '', token.attrGet('alt') ?? '', markdown) ?? self.renderToken(tokens, index, options)
  }
}

/** Renders audio and video, which use the syntax of pictures. An upload inserts this syntax. */
const mediaOf = (src: string, alt: string, { utils: { escapeHtml } }: MarkdownIt): string | undefined => {
  const kind = kindOfAddress(src)
  if (kind === undefined || kind === 'image') return undefined
  return `<${kind} src="${escapeHtml(src)}" controls preload="metadata" aria-label="${escapeHtml(alt)}"></${kind}>`
}
