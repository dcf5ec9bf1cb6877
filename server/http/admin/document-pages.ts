/** `/admin/documents` and `/admin/document`: documents without their text, and what administrators can do with a document. */
import { limits } from '../../../shared/limits.ts'
import { term } from '../../../shared/words.ts'
import { type DocumentState, findDocuments, type FoundDocument, readFound } from '../../domain/operator/documents.ts'
import type { Service } from '../../domain/service.ts'
import { filled, html, type Markup, named, timeOf } from '../html.ts'
import type { Words } from '../words.ts'
import { actButton, bytesText, hidden, moreLink, navigation, searchForm } from './page.ts'

const stateWords: Readonly<Record<Exclude<DocumentState, 'open'>, string>> = { trash: term('In the trash'), taken_down: term('Taken down') }

const tags = ({ t }: Words, { state, published }: FoundDocument): Markup =>
  html`${state === 'open' ? undefined : html`<span class="tag">${t(stateWords[state])}</span>`}${published ? html`<span class="tag">${t('Published')}</span>` : undefined}`

const ownerText = ({ t }: Words, { owner }: FoundDocument): Markup =>
  owner.kind === 'anonymous' ? html`${t('no owner')}` : named(owner.name ?? owner.id ?? '')

const sizeOf = (words: Words, { bytes, assetBytes }: FoundDocument): string => bytesText(words, (bytes ?? 0) + assetBytes)

export const documentRow = (words: Words, found: FoundDocument, now: number): Markup => html`
<li class="entry">
<a class="entry-link" href="/admin/document?id=${encodeURIComponent(found.id)}"><span class="entry-title">${named(found.title)}</span>${tags(words, found)}</a>
<span class="muted entry-about"><span>${ownerText(words, found)}</span> <span>${filled(words.t('Changed {when}'), { when: timeOf(words, Date.parse(found.updatedAt), now) })}</span> <span>${sizeOf(words, found)}</span></span>
</li>`

export const documentsPage = async (words: Words, service: Service, query: URLSearchParams): Promise<Markup> => {
  const { t } = words
  const [q, owner] = [(query.get('q') ?? '').slice(0, limits.titleUnitsMax), (query.get('owner') ?? '').trim()]
  const after = query.get('after') ?? undefined
  const found = await findDocuments(service, { query: q, after, ...(owner !== '' && { owner }) })
  const ownerField = html`<label class="field"><span>${t('Owner (email address)')}</span><input type="text" name="owner" value="${owner}" maxlength="${String(limits.emailUnitsMax)}" autocomplete="off" spellcheck="false" autocapitalize="none"></label>`
  return html`${navigation(words, '/admin/documents')}
<p class="muted">${t('You see titles, owners and sizes, but no text. Administrators cannot open the documents of other people.')}</p>
${searchForm(words, '/admin/documents', t('Search by title or id'), q, ownerField)}
${found.documents.length === 0 ? html`<p class="empty">${t('No documents match.')}</p>` : html`<ul class="entries">${found.documents.map((each) => documentRow(words, each, service.clock.now()))}</ul>`}
${found.nextAfter === null ? undefined : moreLink(words, '/admin/documents', { q, owner, after: found.nextAfter })}`
}

const transferForm = ({ t }: Words, doc: string, token: string): Markup => html`
<form class="line-form" method="post" action="/admin/act">${hidden({ token, act: 'transfer', doc })}<label class="field"><span>${t('New owner (email address)')}</span><input type="email" name="to" maxlength="${String(limits.emailUnitsMax)}" autocomplete="off" required></label>
<button class="button">${t('Transfer')}</button></form>`

const actsOf = (words: Words, { id, state }: FoundDocument, token: string): Markup => {
  const { t } = words
  return html`${state === 'trash' ? html`<p class="muted">${t('This document is in the trash. Only its owner can restore it. Until then, you cannot transfer it.')}</p>` : transferForm(words, id, token)}
<div class="actions">${
    state === 'taken_down'
      ? actButton(token, 'restore', { doc: id }, { text: t('Restore document') })
      : actButton(token, 'takeDown', { doc: id }, { text: t('Take down…'), kind: 'danger' })
  }</div>`
}

export const documentPage = async (
  words: Words,
  service: Service,
  query: URLSearchParams,
  token: string
): Promise<{ readonly title: string; readonly body: Markup }> => {
  const { t, tn } = words
  const found = await readFound(service, query.get('id') ?? '')
  const now = service.clock.now()
  const { owner, bytes, assetBytes } = found
  const isAccount = owner.kind === 'account' && owner.id !== undefined
  const shownOwner = isAccount
    ? html`<a href="/admin/person?id=${encodeURIComponent(owner.id ?? '')}">${ownerText(words, found)}</a>`
    : ownerText(words, found)
  const facts: readonly Markup[] = [
    html`${t('Owner:')} ${shownOwner}`,
    html`${filled(t('Created {when}'), { when: timeOf(words, Date.parse(found.createdAt), now) })}, ${filled(t('changed {when}'), { when: timeOf(words, Date.parse(found.updatedAt), now) })}`,
    html`${t('Text and history:')} ${bytesText(words, bytes ?? 0)}, ${t('files:')} ${bytesText(words, assetBytes)}`,
    html`<a href="/admin/links?doc=${encodeURIComponent(found.id)}">${tn(found.links, '1 link', '{count} links')}</a>`,
    html`<code>${found.id}</code>`
  ]
  const body = html`${navigation(words, '/admin/documents')}
<p>${tags(words, found)}</p>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
${actsOf(words, found, token)}
<p class="actions"><a class="button" href="/admin/audit?doc=${encodeURIComponent(found.id)}">${t('Audit log of this document')}</a></p>`
  return { title: found.title, body }
}
