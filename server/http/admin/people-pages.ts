/** `/admin/people` and `/admin/person`: the people with an account, and what administrators can do with an account. */
import { limits } from '../../../shared/limits.ts'
import { listPeople, type Person, readPerson } from '../../domain/operator/people.ts'
import { findDocuments } from '../../domain/operator/documents.ts'
import type { Service } from '../../domain/service.ts'
import { filled, html, type Markup, named, timeOf } from '../html.ts'
import type { Words } from '../words.ts'
import { documentRow } from './document-pages.ts'
import { actButton, bytesText, hidden, lastUsed, moreLink, navigation, searchForm } from './page.ts'

const tags = ({ t }: Words, { admin, disabledAt, emailVerified, email }: Person): Markup =>
  html`${
    disabledAt === null ? undefined : html`<span class="tag">${t('Disabled')}</span>`
  }${admin ? html`<span class="tag">${t('Administrator')}</span>` : undefined}${
    email === null || emailVerified ? undefined : html`<span class="tag">${t('Address not verified')}</span>`
  }`

const row = (words: Words, person: Person, now: number): Markup => html`
<li class="entry">
<a class="entry-link" href="/admin/person?id=${encodeURIComponent(person.id)}"><span class="entry-title">${named(person.name)}</span>${tags(words, person)}</a>
<span class="muted entry-about">${person.email === null ? undefined : html`<span>${named(person.email)}</span>`} ${lastUsed(words, person.lastUsedAt, now)} <span>${words.tn(person.documents, '1 document', '{count} documents')}, ${bytesText(words, person.bytes)}</span></span>
</li>`

const inviteForm = ({ t }: Words, token: string): Markup => html`
<form class="line-form" method="post" action="/admin/act">${hidden({ token, act: 'invite' })}<label class="field"><span>${t('Invite by email address')}</span><input type="email" name="email" maxlength="${String(limits.emailUnitsMax)}" autocomplete="off" required></label>
<button class="button">${t('Create invitation')}</button></form>`

export const peoplePage = async (words: Words, service: Service, query: URLSearchParams, token: string): Promise<Markup> => {
  const { t } = words
  const [q, after] = [query.get('q') ?? '', query.get('after') ?? undefined]
  const { people, nextAfter } = await listPeople(service, { query: q.slice(0, limits.emailUnitsMax), after })
  const mayInvite = service.signInHost !== null && service.signUp !== 'closed'
  return html`${navigation(words, '/admin/people')}
${mayInvite ? inviteForm(words, token) : undefined}
${searchForm(words, '/admin/people', t('Search by name or email address'), q)}
${people.length === 0 ? html`<p class="empty">${t('No people match.')}</p>` : html`<ul class="entries">${people.map((person) => row(words, person, service.clock.now()))}</ul>`}
${nextAfter === null ? undefined : moreLink(words, '/admin/people', { q, after: nextAfter })}`
}

const factsOf = (words: Words, person: Person, now: number): Markup => {
  const { t, tn } = words
  const facts: readonly (Markup | undefined)[] = [
    person.email === null ? undefined : html`${named(person.email)}`,
    html`${filled(t('Created {when}'), { when: timeOf(words, Date.parse(person.createdAt), now) })}`,
    lastUsed(words, person.lastUsedAt, now),
    html`${tn(person.sessions, '1 session', '{count} sessions')}, ${tn(person.tokens, '1 token', '{count} tokens')}, ${tn(person.nodes, '1 compute node', '{count} compute nodes')}`,
    html`${tn(person.documents, '1 document', '{count} documents')}, ${bytesText(words, person.bytes)}`
  ]
  return html`<ul class="facts">${facts.map((fact) => (fact === undefined ? undefined : html`<li>${fact}</li>`))}</ul>`
}

/** The acts on one account. Administrators use the account page for their own account. */
const actsOf = ({ t }: Words, service: Service, person: Person, token: string): Markup => {
  const fields = { account: person.id }
  const isLocal = service.signInHost !== null && person.email !== null
  return html`<div class="actions">
${isLocal ? actButton(token, 'reset', fields, { text: t('Create reset link') }) : undefined}
${actButton(token, 'endSessions', fields, { text: t('End all access') })}
${person.disabledAt === null ? actButton(token, 'disable', fields, { text: t('Disable account') }) : actButton(token, 'enable', fields, { text: t('Enable account') })}
${actButton(token, 'deletePerson', fields, { text: t('Delete account…'), kind: 'danger' })}
</div>`
}

/** The page of one person. `self` is the administrator's id. */
export const personPage = async (
  words: Words,
  service: Service,
  query: URLSearchParams,
  token: string,
  self: string
): Promise<{ readonly title: string; readonly body: Markup }> => {
  const { t } = words
  const person = await readPerson(service, query.get('id') ?? '')
  const now = service.clock.now()
  const { documents, nextAfter } = await findDocuments(service, { owner: person.id, limit: 20 })
  const body = html`${navigation(words, '/admin/people')}
<p>${tags(words, person)}</p>
${factsOf(words, person, now)}
${person.id === self ? html`<p class="muted">${t('This is your own account. Use the account page to change it.')}</p>` : actsOf(words, service, person, token)}
<section aria-labelledby="owned"><div class="section-head"><h2 id="owned">${t('Documents')}</h2><a class="button" href="/admin/links?account=${encodeURIComponent(person.id)}">${t('Links of the documents')}</a><a class="button" href="/admin/audit?account=${encodeURIComponent(person.id)}">${t('Audit log of this account')}</a></div>
${documents.length === 0 ? html`<p class="empty">${t('No documents.')}</p>` : html`<ul class="entries">${documents.map((found) => documentRow(words, found, now))}</ul>`}
${nextAfter === null ? undefined : moreLink(words, '/admin/documents', { owner: person.id, after: nextAfter })}</section>`
  return { title: person.name, body }
}
