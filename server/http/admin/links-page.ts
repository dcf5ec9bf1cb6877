/** `/admin/links`: the valid links of one document, of one account's documents, or of all documents. */
import { limits } from '../../../shared/limits.ts'
import { type FoundLink, listAllLinks } from '../../domain/operator/links.ts'
import type { Service } from '../../domain/service.ts'
import { filled, html, type Markup, named, timeOf } from '../html.ts'
import { roleWords } from '../program-pages.ts'
import type { Words } from '../words.ts'
import { actButton, lastUsed, moreLink, navigation, spoken } from './page.ts'

const row = (words: Words, link: FoundLink, token: string, now: number): Markup => {
  const { t } = words
  const { id, doc, title, role, label, createdAt, lastUsedAt, expiresAt, inUse } = link
  const name = label ?? t(roleWords[role])
  const ends =
    expiresAt === null ? undefined : html`<span>${filled(t('Ends {when}'), { when: timeOf(words, Date.parse(expiresAt), now) })}</span>`
  return html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(name)}</span>${inUse ? html`<span class="tag">${t('In use now')}</span>` : undefined}</span>
<span class="muted entry-about"><a href="/admin/document?id=${encodeURIComponent(doc)}">${named(title)}</a> <span>${t(roleWords[role])}</span> <span>${filled(t('Created {when}'), { when: timeOf(words, Date.parse(createdAt), now) })}</span> ${lastUsed(words, lastUsedAt, now)} ${ends}</span>
${actButton(token, 'revokeLink', { doc, link: id }, { text: t('Revoke'), label: t('Revoke the link {name}', { name: spoken(name) }), kind: 'quiet' })}
</li>`
}

const filterForm = ({ t }: Words, doc: string, account: string): Markup => html`
<form class="line-form" method="get" action="/admin/links"><label class="field"><span>${t('Document (id)')}</span><input type="text" name="doc" value="${doc}" maxlength="${String(limits.emailUnitsMax)}" autocomplete="off" spellcheck="false" autocapitalize="none"></label>
<label class="field"><span>${t('Owner (email address)')}</span><input type="text" name="account" value="${account}" maxlength="${String(limits.emailUnitsMax)}" autocomplete="off" spellcheck="false" autocapitalize="none"></label>
<button class="button">${t('Filter')}</button></form>`

export const linksPage = async (words: Words, service: Service, query: URLSearchParams, token: string): Promise<Markup> => {
  const { t } = words
  const [doc, account] = [(query.get('doc') ?? '').trim(), (query.get('account') ?? '').trim()]
  const filter = { ...(doc !== '' && { doc }), ...(account !== '' && { account }) }
  const { found, nextAfter } = await listAllLinks(service, { ...filter, after: query.get('after')?.slice(0, 100) })
  const now = service.clock.now()
  return html`${navigation(words, '/admin/links')}
<p class="muted">${t('Anyone who has one of these links can open its document. You see their names, but not the links.')}</p>
${filterForm(words, doc, account)}
${found.length === 0 ? html`<p class="empty">${t('There are no links.')}</p>` : html`<ul class="entries">${found.map((link) => row(words, link, token, now))}</ul>`}
${nextAfter === null ? undefined : moreLink(words, '/admin/links', { doc, account, after: nextAfter })}`
}
