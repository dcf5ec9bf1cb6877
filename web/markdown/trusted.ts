/** Creates trusted HTML. The pages require trusted types, and only output of the rendering pipeline becomes trusted here. */

interface HtmlPolicy {
  createHTML(html: string): string
}
interface TrustedTypes {
  createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

/** The trusted-types policy that the server allows (server/http/pages.ts). */
const policy: HtmlPolicy = trustedTypes?.createPolicy('agmd-markdown', { createHTML: (html) => html }) ?? { createHTML: (html) => html }

/** Parses HTML produced by shared/markdown. Nothing in the returned nodes loads or runs until a page inserts them. */
export function nodesOf(rendered: string): ChildNode[] {
  const template = document.createElement('template')
  template.innerHTML = policy.createHTML(rendered)
  return [...template.content.childNodes]
}
