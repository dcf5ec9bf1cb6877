/** Parses untrusted HTML into a document that is never shown: no script of it runs and nothing of it loads. The pages require trusted types. */

interface HtmlPolicy {
  createHTML(html: string): string
}
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy } }

/** The policy that the server names (server/http/pages.ts). Its output is parsed only here. */
const policy = trustedTypes?.createPolicy('agmd-paste', { createHTML: (html) => html })

/**
 * Renames attributes that could run code before parsing: the policy of the page would refuse them anyway and report a violation. The value of `style`
 * is read from `data-style`.
 */
const renamed = (html: string): string =>
  html.replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/([\s"'/])(style|on\w+)(\s*=)/gi, '$1data-$2$3'))

export function inertDocument(html: string): Document {
  const clean = renamed(html)
  return new DOMParser().parseFromString(policy?.createHTML(clean) ?? clean, 'text/html')
}
