/** HTML that may be set. The pages require trusted types; only the pipeline's own output is ever made trusted here. */

interface HtmlPolicy {
  createHTML(html: string): string
}
interface TrustedTypes {
  createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

/** The policy that the server names (server/http/pages.ts). */
const policy: HtmlPolicy = trustedTypes?.createPolicy('agmd-markdown', { createHTML: (html) => html }) ?? { createHTML: (html) => html }

/** Nodes of HTML that shared/markdown made. Nothing in them loads or runs before they are put into a page. */
export function nodesOf(rendered: string): ChildNode[] {
  const template = document.createElement('template')
  template.innerHTML = policy.createHTML(rendered)
  return [...template.content.childNodes]
}
