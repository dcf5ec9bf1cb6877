/** Links: which protocols may stand, what leaves the page says so, and bare addresses as GFM reads them. */
import type MarkdownIt from 'markdown-it'
import { kindOfAddress } from '../media-types.ts'

/** Schemes that a link may have. Images too: markdown-it asks for both. */
const schemes = /^(https?|mailto|tel|sms|geo|xmpp|matrix|irc|ircs|ftp|sftp|git|ssh):/i
const hasScheme = /^[a-z][a-z0-9+.-]*:/i
/** Images may be in the text itself; SVG may not, since it can hold script. */
const imageData = /^data:image\/(png|gif|jpeg|webp|avif);base64,/i

export const mayLink = (url: string): boolean => {
  // Browsers skip controls and spaces when they read a scheme.
  // eslint-disable-next-line no-control-regex
  const plain = url.replaceAll(/[\u0000-\u0020\u007f-\u00a0\u200b-\u200f\u2028\u2029\ufeff]/g, '')
  return !hasScheme.test(plain) || schemes.test(plain) || imageData.test(plain)
}

export const gfmLinks = (markdown: MarkdownIt, isOwnLink: ((href: string) => boolean) | undefined): void => {
  markdown.validateLink = mayLink
  // `example.md` is a file, `www.example.com` and addresses with a scheme are links (GFM 6.9).
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
  const inherited = markdown.renderer.rules['link_open']
  markdown.renderer.rules['link_open'] = (tokens, index, options, environment, self) => {
    const token = tokens[index]
    const href = token?.attrGet('href') ?? ''
    if (!href.startsWith('#') && isOwnLink?.(href) !== true) token?.attrSet('rel', 'noopener nofollow ugc')
    return inherited?.(tokens, index, options, environment, self) ?? self.renderToken(tokens, index, options)
  }
  markdown.renderer.rules['image'] = (tokens, index, options, environment, self) => {
    const token = tokens[index]
    if (token === undefined) return ''
    token.attrSet('alt', self.renderInlineAsText(token.children ?? [], options, environment))
    token.attrSet('loading', 'lazy')
    token.attrSet('referrerpolicy', 'no-referrer')
    return mediaOf(token.attrGet('src') ?? '', token.attrGet('alt') ?? '', markdown) ?? self.renderToken(tokens, index, options)
  }
}

/** Sound and film are written like pictures (the way an upload inserts them). */
const mediaOf = (src: string, alt: string, { utils: { escapeHtml } }: MarkdownIt): string | undefined => {
  const kind = kindOfAddress(src)
  if (kind === undefined || kind === 'image') return undefined
  return `<${kind} src="${escapeHtml(src)}" controls preload="metadata" aria-label="${escapeHtml(alt)}"></${kind}>`
}
