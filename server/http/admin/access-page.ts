/** `/admin/access`: the tokens and compute nodes of all accounts, and links that were used for the first time. */
import type { Account } from '../../domain/accounts/accounts.ts'
import { findAccount } from '../../domain/accounts/accounts.ts'
import { type FoundNode, type FoundToken, listAllNodes, listAllTokens } from '../../domain/operator/access.ts'
import { type AuditRecord, listAudit } from '../../domain/records/audit.ts'
import type { Service } from '../../domain/service.ts'
import { filled, html, type Markup, named, timeOf } from '../html.ts'
import { roleWords } from '../program-pages.ts'
import type { Words } from '../words.ts'
import { accountLink, actButton, lastUsed, moreLink, navigation, spoken } from './page.ts'

type Accounts = ReadonlyMap<string, Account | undefined>

const accountsOf = async (service: Service, ids: readonly string[]): Promise<Accounts> =>
  new Map(await Promise.all([...new Set(ids)].map(async (id) => [id, await findAccount(service, id)] as const)))

const tokenRow = (words: Words, found: FoundToken, accounts: Accounts, token: string, now: number): Markup => {
  const { t, tn } = words
  const { id, account, name, role, documents } = found
  return html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(name)}</span><span class="tag">${found.kind === 'token' ? t('Token') : t('Program')}</span>${found.inUse ? html`<span class="tag">${t('In use now')}</span>` : undefined}</span>
<span class="muted entry-about">${accountLink(words, account, accounts.get(account))} <span>${t(roleWords[role])}, ${documents === null ? t('all documents') : tn(documents, '1 document', '{count} documents')}</span> ${lastUsed(words, found.lastUsedAt, now)}</span>
${actButton(token, 'revokeToken', { token_id: id }, { text: t('Revoke'), label: t('Revoke access for {name}', { name: spoken(name) }), kind: 'quiet' })}
</li>`
}

const nodeRow = (
  words: Words,
  { id, account, name, connected, lastSeenAt }: FoundNode,
  accounts: Accounts,
  token: string,
  now: number
): Markup => {
  const { t } = words
  const label = t('Revoke the token for {name}', { name: spoken(name) })
  return html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(name)}</span>${connected ? html`<span class="tag">${t('Connected')}</span>` : undefined}</span>
<span class="muted entry-about">${accountLink(words, account, accounts.get(account))} ${lastUsed(words, lastSeenAt, now)}</span>
${actButton(token, 'revokeNode', { node: id }, { text: t('Revoke'), label, kind: 'quiet' })}
</li>`
}

const linkRow = (words: Words, { doc = '', at }: AuditRecord, now: number): Markup => html`
<li class="entry"><a class="entry-link" href="/admin/document?id=${encodeURIComponent(doc)}"><code>${doc}</code></a>
<span class="muted entry-about"><span>${filled(words.t('First used {when}'), { when: timeOf(words, at, now) })}</span></span></li>`

const section = (id: string, title: string, rows: readonly Markup[], empty: string, more: Markup | undefined): Markup => html`
<section aria-labelledby="${id}"><div class="section-head"><h2 id="${id}">${title}</h2></div>
${rows.length === 0 ? html`<p class="empty">${empty}</p>` : html`<ul class="entries">${rows}</ul>`}
${more}</section>`

export const accessPage = async (words: Words, service: Service, query: URLSearchParams, token: string): Promise<Markup> => {
  const { t } = words
  const now = service.clock.now()
  const [tokens, nodes, links] = await Promise.all([
    listAllTokens(service, { after: query.get('tokens') ?? undefined }),
    listAllNodes(service, { after: query.get('nodes') ?? undefined }),
    listAudit(service, { kind: 'link.used', limit: 10 })
  ])
  const accounts = await accountsOf(
    service,
    [...tokens.found, ...nodes.found].map(({ account }) => account)
  )
  const more = (name: 'tokens' | 'nodes', next: string | null): Markup | undefined =>
    next === null ? undefined : moreLink(words, '/admin/access', { [name]: next })
  const tokenRows = tokens.found.map((found) => tokenRow(words, found, accounts, token, now))
  const nodeRows = nodes.found.map((found) => nodeRow(words, found, accounts, token, now))
  const linkRows = links.records.map((record) => linkRow(words, record, now))
  return html`${navigation(words, '/admin/access')}
${section('tokens', t('Programs and tokens'), tokenRows, t('No programs or tokens.'), more('tokens', tokens.nextAfter))}
${section('nodes', t('Compute nodes'), nodeRows, t('There are no compute nodes.'), more('nodes', nodes.nextAfter))}
${section('links', t('Links that were used for the first time'), linkRows, t('No link has been used.'), undefined)}`
}
