/** Parses untrusted HTML into a document that is never displayed. None of its scripts run, and it loads nothing. The pages require trusted types. */

interface HtmlPolicy {
  createHTML(html: string): string
}
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy } }

/** The trusted-types policy that the server allows (server/http/pages.ts). Its output is parsed only here. */
const policy = trustedTypes?.createPolicy('agmd-paste', { createHTML: (html) => html })

/**
 * Renames attributes that could run code before the HTML is parsed. The page's policy would refuse them anyway, and report a violation. Styles are
 * then read from `data-style`.
 */
const renamed = (html: string): string =>
  html.replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/([\s"'/])(style|on\w+)(\s*=)/gi, '$1data-$2$3'))

export function inertDocument(html: string): Document {
  const clean = renamed(html)
  return new DOMParser().parseFromString(policy?.createHTML(clean) ?? clean, 'text/html')
}
