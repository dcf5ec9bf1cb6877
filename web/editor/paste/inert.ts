/** HTML of others as a document that is never shown: no script of it runs, nothing of it loads. The pages require trusted types. */

interface HtmlPolicy {
  createHTML(html: string): string
}
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy } }

/** The policy that the server names (server/http/pages.ts). What it lets through is parsed here and nowhere else. */
const policy = trustedTypes?.createPolicy('agmd-paste', { createHTML: (html) => html })

export const inertDocument = (html: string): Document => new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html')
