/** Trusted HTML. The pages require trusted types, and only the pipeline's own output becomes trusted here. */

interface HtmlPolicy {
  createHTML(html: string): string
}
interface TrustedTypes {
  createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

/** The policy that the server allows (server/http/pages.ts). */
const policy: HtmlPolicy = trustedTypes?.createPolicy('agmd-markdown', { createHTML: (html) => html }) ?? { createHTML: (html) => html }

/** Nodes of HTML made by shared/markdown. Nothing in them loads or runs until a page inserts them. */
export function nodesOf(rendered: string): ChildNode[] {
  const template = document.createElement('template')
  template.innerHTML = policy.createHTML(rendered)
  return [...template.content.childNodes]
}
