/** Pages that are plain HTML: text is escaped, forms work without script, and the look is the one of the built pages. */
import type { Context } from './context.ts'

/** Markup that may be written as it is. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Part = string | number | Markup | undefined | readonly Part[]

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const written = (part: Part): string => {
  if (part instanceof Markup) return part.text
  if (part === undefined) return ''
  if (typeof part === 'string' || typeof part === 'number') return String(part).replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)
  return part.map(written).join('')
}

/** A template whose values are escaped unless they are markup themselves. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((text, index) => text + written(parts[index])).join(''))

export interface Page {
  readonly title: string
  readonly body: Markup
  readonly status?: number
  /** Origins, beside ours, to which a form of the page may lead. A browser follows no redirect of a form elsewhere. */
  readonly formTargets?: readonly string[]
}

const logo = new Markup(
  '<svg width="40" height="40" viewBox="0 0 64 64" aria-hidden="true"><rect class="logo-paper" x="6" y="6" width="52" height="52" rx="14"/>' +
    '<path class="logo-line" d="M20 24h24M20 34h24M20 44h12"/><path class="logo-cursor" d="M38 40v8"/></svg>'
)

const policy = (formTargets: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action 'self'${formTargets.map((target) => ` ${target}`).join('')}`
  ].join('; ')

/** Answers with a page. */
export const showPage = (ctx: Context, stylesheet: string | undefined, { title, body, status = 200, formTargets = [] }: Page): void => {
  ctx.status = status
  ctx.set('Content-Security-Policy', policy(formTargets))
  ctx.set('Cache-Control', 'no-store')
  // Not no-referrer: a browser would send its forms with `Origin: null`.
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · agmd</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<script src="/theme.js"></script>
${stylesheet === undefined ? undefined : html`<link rel="stylesheet" href="${stylesheet}">`}
</head>
<body>
<main class="plain forms">
<a class="home-link" href="/" aria-label="agmd, first page">${logo}</a>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text
}

export interface Field {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password'
  readonly value?: string | undefined
  readonly autocomplete: string
  readonly hint?: string
  readonly minLength?: number
  readonly maxLength: number
  readonly required?: boolean
}

/** A labelled field of a form. */
export const field = ({
  name,
  label,
  type = 'text',
  value,
  autocomplete,
  hint,
  minLength,
  maxLength,
  required = true
}: Field): Markup => html`
<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${maxLength}"${[
  value === undefined ? undefined : html` value="${value}"`,
  minLength === undefined ? undefined : html` minlength="${minLength}"`,
  required ? html` required` : undefined,
  hint === undefined ? undefined : html` aria-describedby="${name}-hint"`
]} spellcheck="false" autocapitalize="none">
${hint === undefined ? undefined : html`<span class="muted" id="${name}-hint">${hint}</span>`}
</div>`

/** What went wrong with what was sent; read out when the page opens. */
export const problem = (text: string | undefined): Markup | undefined =>
  text === undefined ? undefined : html`<p class="notice danger" role="alert">${text}</p>`
