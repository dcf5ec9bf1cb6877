/** HTML of others as a document that is never shown: no script of it runs, nothing of it loads. The pages require trusted types. */

interface HtmlPolicy {
  createHTML(html: string): string
}
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy } }

/** The policy that the server names (server/http/pages.ts). Its output is parsed here and nowhere else. */
const policy = trustedTypes?.createPolicy('agmd-paste', { createHTML: (html) => html })

/**
 * Attributes that would be code get another name before they are parsed: the policy of the page would refuse them anyway, and complain. The
 * value of `style` is read as `data-style`.
 */
const renamed = (html: string): string =>
  html.replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replaceAll(/([\s"'/])(style|on\w+)(\s*=)/gi, '$1data-$2$3'))

export function inertDocument(html: string): Document {
  const clean = renamed(html)
  return new DOMParser().parseFromString(policy?.createHTML(clean) ?? clean, 'text/html')
}
