/** The frame of the administration pages: navigation, forms and small parts that several pages share. */
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import { term } from '../../../shared/words.ts'
import { filled, html, type Markup, named, timeOf } from '../html.ts'
import type { Words } from '../words.ts'

/** The pages, by their paths. */
const pages = {
  '/admin': term('Overview'),
  '/admin/people': term('People'),
  '/admin/documents': term('Documents'),
  '/admin/links': term('Links'),
  '/admin/access': term('Tokens and nodes'),
  '/admin/audit': term('Audit log')
} as const

export type AdminPath = keyof typeof pages

/** The navigation. `path` is the page that is open. */
export const navigation = ({ t }: Words, path: AdminPath): Markup => html`
<nav class="tabs" aria-label="${t('Administration')}">${(Object.entries(pages) as [AdminPath, string][]).map(
  ([to, title]) => html`<a href="${to}"${to === path ? html` aria-current="page"` : undefined}>${t(title)}</a>`
)}</nav>`

/** Returns hidden fields of a form. */
export const hidden = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

/** Returns a form with one button that runs an act. `label` names the act and its subject for screen readers, if the button alone does not. */
export const actButton = (
  token: string,
  act: string,
  fields: Readonly<Record<string, string>>,
  { text, label, kind = '' }: { readonly text: string; readonly label?: string; readonly kind?: 'quiet' | 'danger' | '' }
): Markup =>
  html`<form method="post" action="/admin/act">${hidden({ token, act, ...fields })}<button class="button ${kind}"${label === undefined ? undefined : html` aria-label="${label}"`}>${text}</button></form>`

/** Returns a search form with one field, and the fields of `more`. */
export const searchForm = ({ t }: Words, action: AdminPath, label: string, query: string | undefined, more?: Markup): Markup => html`
<form class="line-form" method="get" action="${action}" role="search"><label class="field"><span>${label}</span><input type="search" name="q" value="${query ?? ''}" maxlength="${String(limits.titleUnitsMax)}" autocomplete="off" spellcheck="false"></label>${more}
<button class="button">${t('Search')}</button></form>`

/** Returns the link to the next page of a list. */
export const moreLink = ({ t }: Words, path: AdminPath, values: Readonly<Record<string, string | null | undefined>>): Markup => {
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value == null || value === '' ? [] : [[name, value]]))
  )
  return html`<p class="actions"><a class="button" href="${path}?${query.toString()}">${t('Show more')}</a></p>`
}

/** Returns bytes in words, such as `1.5 MiB`. */
export const bytesText = ({ language }: Words, bytes: number): string => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let [value, unit] = [bytes, 0]
  while (value >= 1024 && unit < units.length - 1) [value, unit] = [value / 1024, unit + 1]
  return `${value.toLocaleString(language, { maximumFractionDigits: unit === 0 ? 0 : 1 })} ${units[unit] ?? ''}`
}

/** Returns a time that may be absent, as in "Last used 5 minutes ago". */
export const lastUsed = (words: Words, instant: string | null, now: number): Markup =>
  instant === null
    ? html`<span>${words.t('Never used')}</span>`
    : html`<span>${filled(words.t('Last used {when}'), { when: timeOf(words, Date.parse(instant), now) })}</span>`

/** Returns a name for the label of a button. */
export const spoken = (name: string): string => plainName(name, limits.labelUnitsMax)

/** Returns an account by its name and address, as a link to its page. `undefined` is an account that no longer exists. */
export const accountLink = (
  words: Words,
  id: string,
  account: { readonly name: string; readonly email: string | null } | undefined
): Markup =>
  account === undefined
    ? html`<span>${filled(words.t('deleted account {id}'), { id: html`<code>${id}</code>` })}</span>`
    : html`<a href="/admin/person?id=${encodeURIComponent(id)}">${named(account.email ?? account.name)}</a>`
