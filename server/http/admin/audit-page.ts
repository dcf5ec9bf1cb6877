/** `/admin/audit`: the audit log, page by page. */
import { limits } from '../../../shared/limits.ts'
import { term } from '../../../shared/words.ts'
import { type Account, findAccount, findAccountByEmail, normalEmail } from '../../domain/accounts/accounts.ts'
import { type AuditKind, auditKinds, type AuditRecord, listAudit } from '../../domain/records/audit.ts'
import type { Service } from '../../domain/service.ts'
import { html, type Markup, timeOf } from '../html.ts'
import type { Words } from '../words.ts'
import { accountLink, moreLink, navigation } from './page.ts'

const kindWords: Readonly<Record<AuditKind, string>> = {
  'sign-in': term('Signed in'),
  'sign-in.failed': term('Failed sign-in'),
  'sign-in.disabled': term('Sign-in at a disabled account'),
  'account.created': term('Account created'),
  'account.deleted': term('Account deleted'),
  'password.set': term('Password changed'),
  'link.made': term('Link created'),
  'link.used': term('Link used for the first time'),
  'link.changed': term('Link changed'),
  'link.revoked': term('Link revoked'),
  'token.made': term('Token created'),
  'token.revoked': term('Token revoked'),
  'node.made': term('Compute node added'),
  'node.revoked': term('Compute node revoked'),
  'document.deleted': term('Document moved to the trash'),
  'document.restored': term('Document restored from the trash'),
  'document.erased': term('Document deleted forever'),
  'admin.invite': term('Invitation created'),
  'admin.reset': term('Reset link created'),
  'admin.sessions': term('All access ended'),
  'admin.disable': term('Account disabled'),
  'admin.enable': term('Account enabled'),
  'admin.delete': term('Account deleted by an administrator'),
  'admin.transfer': term('Document transferred'),
  'admin.takedown': term('Document taken down'),
  'admin.restore': term('Document restored'),
  'admin.forget': term('Text removed from a history'),
  'admin.export': term('Data exported'),
  'admin.import': term('Data imported')
}

type Accounts = ReadonlyMap<string, Account | undefined>

const actorOf = (words: Words, { by }: AuditRecord, accounts: Accounts): Markup => {
  const { t } = words
  if (by.kind === 'account') return accountLink(words, by.id ?? '', accounts.get(by.id ?? ''))
  if (by.kind === 'operator') return html`<span>${t('a command on the server')}</span>`
  if (by.kind === 'agent') return html`<span>${t('an agent')}</span>`
  return html`<span>${by.kind === 'system' ? t('the server') : t('somebody without an account')}</span>`
}

const row = (words: Words, record: AuditRecord, accounts: Accounts, now: number): Markup => {
  const { t, tn } = words
  const { kind, account, doc, address, count, by } = record
  return html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${t(kindWords[kind])}</span></span>
<span class="muted entry-about"><span>${timeOf(words, record.at, now)}</span> ${actorOf(words, record, accounts)}${account === undefined || account === by.id ? undefined : html` <span>→ ${accountLink(words, account, accounts.get(account))}</span>`}${
    doc === undefined ? undefined : html` <a href="/admin/document?id=${encodeURIComponent(doc)}"><code>${doc}</code></a>`
  }${address === undefined ? undefined : html` <span>${address}</span>`}${count === undefined ? undefined : html` <span>${tn(count, '1 time', '{count} times')}</span>`}</span>
</li>`
}

const filterForm = ({ t }: Words, kind: string, account: string, doc: string): Markup => html`
<form class="line-form" method="get" action="/admin/audit"><label class="field"><span>${t('Event')}</span><select name="kind"><option value="">${t('All events')}</option>${auditKinds.map(
  (each) => html`<option value="${each}"${each === kind ? html` selected` : undefined}>${t(kindWords[each])}</option>`
)}</select></label>
<label class="field"><span>${t('Account (email address or id)')}</span><input type="text" name="account" value="${account}" maxlength="${String(limits.emailUnitsMax)}" autocomplete="off" spellcheck="false" autocapitalize="none"></label>
${doc === '' ? undefined : html`<input type="hidden" name="doc" value="${doc}">`}
<button class="button">${t('Filter')}</button></form>`

/** Returns the id of the account whose id or email address was typed. A deleted account's records can still be found by its id. */
const accountIdOf = async (service: Service, text: string): Promise<string | undefined> => {
  if (text === '') return undefined
  const email = text.includes('@') ? normalEmail(text) : undefined
  return email === undefined ? text : ((await findAccountByEmail(service, email))?.id ?? text)
}

export const auditPage = async (words: Words, service: Service, query: URLSearchParams): Promise<Markup> => {
  const { t } = words
  const [account, doc] = [query.get('account') ?? '', query.get('doc') ?? '']
  const kind = auditKinds.find((each) => each === query.get('kind'))
  const filter = { kind, account: await accountIdOf(service, account.trim()), doc: doc === '' ? undefined : doc }
  const { records, nextBefore } = await listAudit(service, { ...filter, before: query.get('before') ?? undefined })
  const ids = new Set(records.flatMap((record) => [record.account, record.by.id].filter((id) => id !== undefined)))
  const accounts = new Map(await Promise.all([...ids].map(async (id) => [id, await findAccount(service, id)] as const)))
  const rows = records.map((record) => row(words, record, accounts, service.clock.now()))
  return html`${navigation(words, '/admin/audit')}
<p class="muted">${t('Records are kept for {count} days.', { count: service.auditDays })}</p>
${filterForm(words, kind ?? '', account, doc)}
${rows.length === 0 ? html`<p class="empty">${t('No records match.')}</p>` : html`<ul class="entries log">${rows}</ul>`}
${nextBefore === null ? undefined : moreLink(words, '/admin/audit', { kind, account, doc, before: nextBefore })}`
}
