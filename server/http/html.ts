/** Plain HTML pages. Their text is escaped, their forms work without scripts, and the pages use the style sheet of the built pages. */
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Context } from './context.ts'
import { type Words, wordsOf } from './words.ts'

/** Markup that is written without escaping. */
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

/** Returns markup from a template. Its values are escaped, unless they are markup themselves. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(strings.map((text, index) => text + written(parts[index])).join(''))

/** Returns a translated sentence with markup in its placeholders `{name}`. The text around them is escaped. */
export const filled = (sentence: string, parts: Readonly<Record<string, Markup>>): Markup =>
  html`${sentence.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 1 ? (parts[part] ?? `{${part}}`) : part))}`

/** Returns a name that somebody else chose. It is isolated, so that it cannot affect the surrounding text or its direction. */
export const named = (text: string): Markup => html`<bdi>${plainName(text, limits.labelUnitsMax)}</bdi>`

export interface Page {
  readonly title: string
  readonly body: Markup
  readonly status?: number
  /** Other origins to which a form on the page can redirect. Browsers do not follow a form's redirect to any other origin. */
  readonly formTargets?: readonly string[]
  /** Whether the page contains lists, which need more width. */
  readonly wide?: boolean
  /** Scripts that enhance the page. The page also works without them. */
  readonly scripts?: readonly string[]
  /** Whether the scripts may send requests to this server. */
  readonly mayFetch?: boolean
}

/** The logo of the service, as the built pages draw it (web/ui/icons.tsx). */
const logo = new Markup(
  '<svg width="40" height="40" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" class="logo-paper"/>' +
    '<path d="M9 11h14M9 16h9M9 21h5" class="logo-line"/><path d="M20.5 18.5v6" class="logo-cursor"/></svg>'
)

const policy = (formTargets: readonly string[], mayFetch: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self'",
    ...(mayFetch ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action 'self'${formTargets.map((target) => ` ${target}`).join('')}`
  ].join('; ')

/** Sends a page as the response. */
export const showPage = (
  ctx: Context,
  stylesheet: string | undefined,
  { title, body, status = 200, formTargets = [], wide = false, scripts = [], mayFetch = false }: Page
): void => {
  const { language, t } = wordsOf(ctx)
  ctx.status = status
  ctx.vary('Accept-Language, Cookie')
  ctx.set('Content-Security-Policy', policy(formTargets, mayFetch))
  ctx.set('Cache-Control', 'no-store')
  // With no-referrer, a browser would send the forms with `Origin: null`.
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set('Cross-Origin-Opener-Policy', 'same-origin')
  ctx.type = 'text/html; charset=utf-8'
  ctx.body = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title} · agmd</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<script src="/theme.js"></script>
${scripts.map((script) => html`<script type="module" src="${script}"></script>`)}
${stylesheet === undefined ? undefined : html`<link rel="stylesheet" href="${stylesheet}">`}
</head>
<body>
<main class="plain forms${wide ? ' wide' : ''}">
<a class="home-link" href="/" aria-label="${t('Go to your documents')}">${logo}</a>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text
}

/**
 * Shows a time (in milliseconds since 1970): relative for people, and in ISO 8601 for programs. People see a relative time because a page without
 * scripts does not know their time zone.
 */
export const timeOf = ({ ago }: Words, instant: number, now: number): Markup => {
  const text = new Date(instant).toISOString()
  return html`<time datetime="${text}" title="${text}">${ago(instant, now)}</time>`
}

export interface Field {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'email' | 'password'
  readonly value?: string | undefined
  readonly placeholder?: string | undefined
  readonly autocomplete: string
  readonly hint?: string
  /** The reason why the value was refused. The field shows it and takes the focus. */
  readonly error?: string | undefined
  readonly minLength?: number
  readonly maxLength: number
  readonly required?: boolean
  /** Whether the field is for a code that the person reads from another screen. */
  readonly code?: boolean
  /** Whether the field takes the focus when the page opens. A field with an error always takes it. */
  readonly isFirst?: boolean
}

/** Returns a form field with its label. */
export const field = ({
  name,
  label,
  type = 'text',
  value,
  placeholder,
  autocomplete,
  hint,
  error,
  minLength,
  maxLength,
  required = true,
  code = false,
  isFirst = false
}: Field): Markup => html`
<div class="field">
<label for="${name}">${label}</label>
<input${code ? html` class="code"` : undefined} id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="${maxLength}"${[
  value === undefined ? undefined : html` value="${value}"`,
  placeholder === undefined ? undefined : html` placeholder="${placeholder}"`,
  minLength === undefined ? undefined : html` minlength="${minLength}"`,
  required ? html` required` : undefined,
  hint === undefined && error === undefined
    ? undefined
    : html` aria-describedby="${[error === undefined ? [] : [`${name}-error`], hint === undefined ? [] : [`${name}-hint`]].flat().join(' ')}"`,
  error === undefined ? undefined : html` aria-invalid="true"`,
  error === undefined && !isFirst ? undefined : html` autofocus`
]} spellcheck="false" autocapitalize="${code ? 'characters' : 'none'}">
${error === undefined ? undefined : html`<span class="field-error" id="${name}-error">${error}</span>`}
${hint === undefined ? undefined : html`<span class="muted" id="${name}-hint">${hint}</span>`}
</div>`

/** Returns the error message of a form. Screen readers announce it when the page opens. */
export const problem = (text: string | undefined): Markup | undefined =>
  text === undefined ? undefined : html`<p class="notice danger" role="alert">${text}</p>`
