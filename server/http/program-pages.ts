/** Tokens and connected programs on the account page, as forms that work without scripts. */
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Output } from '../../shared/operations/index.ts'
import { includesRole, type Role, roles } from '../../shared/roles.ts'
import { term } from '../../shared/words.ts'
import type { Caller } from '../domain/rights/caller.ts'
import { listTokens } from '../domain/accounts/programs.ts'
import type { Service } from '../domain/service.ts'
import { filled, html, type Markup, named, timeOf } from './html.ts'
import type { Words } from './words.ts'

type Program = Output<'listTokens'>['tokens'][number]

export const roleWords: Readonly<Record<Role, string>> = {
  view: term('Can read'),
  comment: term('Can comment'),
  suggest: term('Can suggest'),
  edit: term('Can edit'),
  owner: term('Full access')
}

/** Returns the roles up to `most` as options of a `select`. */
export const roleOptions = ({ t }: Words, most: Role, chosen: Role): Markup =>
  html`${roles
    .filter((role) => includesRole(most, role))
    .map((role) => html`<option value="${role}"${role === chosen ? html` selected` : undefined}>${t(roleWords[role])}</option>`)}`

const daysOfYear = 365
const daysOffered = [7, 30, limits.tokenDays, limits.tokenDaysMax] as const

const usedOf = (words: Words, { lastUsedAt }: Program, now: number): Markup => {
  const { t } = words
  if (lastUsedAt === null) return html`<span>${t('Never used')}</span>`
  return html`<span>${filled(t('Last used {when}'), { when: timeOf(words, Date.parse(lastUsedAt), now) })}</span>`
}

const endOf = ({ t, language }: Words, { expiresAt }: Program): string =>
  t('Ends on {date}', { date: new Date(expiresAt).toLocaleDateString(language, { dateStyle: 'medium', timeZone: 'UTC' }) })

const row = (words: Words, program: Program, token: string, now: number): Markup => {
  const { t, tn } = words
  const { id, kind, name, host, role, docs } = program
  return html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(name)}</span><span class="tag">${kind === 'token' ? t('Token') : named(host ?? t('Program'))}</span></span>
<span class="muted entry-about"><span>${t(roleWords[role])}, ${docs === null ? t('all documents') : tn(docs.length, '1 document', '{count} documents')}</span> ${usedOf(words, program, now)} <span>${endOf(words, program)}</span></span>
<form method="post" action="/account/end-token"><input type="hidden" name="token" value="${token}"><input type="hidden" name="id" value="${id}">
<button class="button quiet" aria-label="${t('Revoke access for {name}', { name: plainName(name, limits.labelUnitsMax) })}">${t('Revoke')}</button></form>
</li>`
}

const createForm = (words: Words, token: string): Markup => {
  const { t, tn } = words
  return html`
<form class="form" method="post" action="/account/tokens"><input type="hidden" name="token" value="${token}">
<div class="field"><label for="token-name">${t('Name of the program')}</label>
<input id="token-name" name="name" type="text" maxlength="${String(limits.authorUnitsMax)}" autocomplete="off" required></div>
<div class="field"><label for="token-role">${t('Role')}</label><select id="token-role" name="role">${roleOptions(words, 'owner', 'edit')}</select></div>
<div class="field"><label for="token-days">${t('Ends after')}</label><select id="token-days" name="days">${daysOffered.map(
    (days) =>
      html`<option value="${String(days)}"${days === limits.tokenDays ? html` selected` : undefined}>${days >= daysOfYear ? t('1 year') : tn(days, '1 day', '{count} days')}</option>`
  )}</select></div>
<div class="field"><label for="token-docs">${t('Documents (optional)')}</label>
<textarea id="token-docs" name="docs" rows="2" spellcheck="false" autocapitalize="none" aria-describedby="token-docs-hint"></textarea>
<span class="muted" id="token-docs-hint">${t('Addresses of your documents, one per line. Leave empty for all documents.')}</span></div>
<p class="actions"><button class="button">${t('Create token')}</button></p>
</form>`
}

/** The section for programs on the account page. */
export const programSection = async (words: Words, service: Service, caller: Caller, token: string): Promise<Markup> => {
  const { t } = words
  const { tokens } = await listTokens(service, caller)
  const now = service.clock.now()
  return html`
<section aria-labelledby="programs">
<div class="section-head"><h2 id="programs">${t('Programs and tokens')}</h2></div>
<p class="muted">${t('Programs work on your documents under their own names and yours. Their access ends when you sign out everywhere or change your password.')}</p>
${tokens.length === 0 ? undefined : html`<ul class="entries">${tokens.map((program) => row(words, program, token, now))}</ul>`}
<details class="fold"><summary>${t('New access token')}</summary>${createForm(words, token)}</details>
</section>`
}

/** The page with a new token, which is shown only once. */
export const newTokenPage = ({ t }: Words, { token, secret }: Output<'createToken'>): Markup => html`
<p>${filled(t('Copy the token for {name} now. It is shown only once. Anyone who has it can use your documents with the access that you chose.'), { name: html`<strong>${named(token.name)}</strong>` })}</p>
<div class="notice"><p><code>${secret}</code></p></div>
<p class="muted">${t('Send it as Authorization: Bearer, or set it as AGMD_TOKEN for the agmd command.')}</p>
<p class="actions"><a class="button primary" href="/account">${t('Back to your account')}</a></p>`

/** Returns the ids of the documents that the text lists, one per line, as an id or an address. */
export const documentsNamed = (text: string): string[] | undefined => {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const idOf = (line: string): string =>
    URL.canParse(line) ? (new URL(line).pathname.split('/').at(-1) ?? line).replace(/\.md$/, '') : line
  return lines.length === 0 ? undefined : lines.map(idOf)
}
