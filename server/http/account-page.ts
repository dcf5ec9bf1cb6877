/** `/account`: the settings of an account, as forms that work without scripts. The home page (`web/home/`) lists the account's documents. */
import type { AccountAction } from './account-forms.ts'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import { type Input, operations, type Output } from '../../shared/operations/index.ts'
import type { Passkeys } from '../auth/passkeys.ts'
import { callerOfSession } from '../domain/rights/access.ts'
import type { Account } from '../domain/accounts/accounts.ts'
import type { Caller } from '../domain/rights/caller.ts'
import { createNode, revokeNode } from '../domain/media/compute-nodes.ts'
import { isAdmin } from '../domain/operator/operator.ts'
import { listSessions, revokeSession } from '../domain/accounts/sessions.ts'
import { createToken, revokeToken } from '../domain/accounts/programs.ts'
import { checked, take } from './perform.ts'
import type { Context, Http } from './context.ts'
import { asPage, checkFormToken, formToken, readForm, seeOther } from './form.ts'
import { term } from '../../shared/words.ts'
import { filled, html, type Markup, named, showPage, timeOf } from './html.ts'
import { newNodePage, nodeSection } from './compute-node-pages.ts'
import { bindPasskeyActions, passkeyScript, passkeySection } from './passkey-pages.ts'
import { documentsNamed, newTokenPage, programSection } from './program-pages.ts'
import { bindProfilePages, deletionSection, doneSentences, profileSection } from './profile-pages.ts'
import type { Routers } from './routers.ts'
import { browserSession, type Current } from './browser-session.ts'
import { browserWords } from './user-agent.ts'
import { type Words, wordsOf } from './words.ts'

interface AccountPageOptions {
  readonly http: Http
  readonly stylesheet: string | undefined
  readonly formKey: string
  /** Null if an external issuer signs people in, or if the origin does not allow passkeys. */
  readonly passkeys: Passkeys | null
  /** Origins to which a sign-out can redirect. */
  readonly signOutTargets: () => Promise<string[]>
  /** Address of the external issuer that signs people in. Null if people sign in here. */
  readonly externalIssuer: string | null
  /** Opens a session for the browser that sent the request. */
  readonly open: (ctx: Context, account: Account) => Promise<void>
}

type Session = Output<'listSessions'>['sessions'][number]

const hidden = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

export const bindAccountPage = (
  { http, stylesheet, formKey, passkeys, signOutTargets, externalIssuer, open }: AccountPageOptions,
  routers: Routers
): void => {
  const { service } = http

  const sessionRow = (words: Words, { id, kind, name, lastUsedAt, current }: Session, token: string): Markup => html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(browserWords(words, name))}</span>${current ? html`<span class="tag">${words.t('This device')}</span>` : undefined}${
    kind === 'app' ? html`<span class="tag">${words.t('App')}</span>` : undefined
  }</span>
<span class="muted entry-about"><span>${filled(words.t('Last used {when}'), { when: timeOf(words, Date.parse(lastUsedAt), service.clock.now()) })}</span></span>
${
  current
    ? undefined
    : html`<form method="post" action="/account/end-session">${hidden({ token, session: id })}<button class="button quiet" aria-label="${words.t('Sign out {name}', { name: plainName(browserWords(words, name), limits.labelUnitsMax) })}">${words.t('Sign out')}</button></form>`
}
</li>`

  const sessionsOf = async (words: Words, caller: Caller, token: string): Promise<Markup> => {
    const { t } = words
    const { sessions } = await listSessions(service, caller)
    const sorted = sessions.toSorted(
      (one, other) => Number(other.current) - Number(one.current) || (one.lastUsedAt < other.lastUsedAt ? 1 : -1)
    )
    return html`
<section aria-labelledby="sessions">
<div class="section-head"><h2 id="sessions">${t('Where you are signed in')}</h2></div>
<ul class="entries">${sorted.map((session) => sessionRow(words, session, token))}</ul>
<div class="actions"><form method="post" action="/sign-out">${hidden({ token, everywhere: 'yes' })}<button class="button danger">${t('Sign out everywhere')}</button></form>
<a class="button" href="/device">${t('Connect a device')}</a></div>
</section>`
  }

  const show = async (ctx: Context, current: Current, refused?: { readonly name: string; readonly text: string }): Promise<void> => {
    const words = wordsOf(ctx)
    const { t } = words
    const done = new URLSearchParams(ctx.querystring).get('done')
    const sentence = done === 'name' || done === 'password' ? doneSentences[done] : undefined
    const caller = callerOfSession(current)
    const token = formToken(formKey, current.session.id)
    const { name, email } = current.account
    const body = html`
<div class="account-line"><span class="muted">${filled(t('Signed in as {name}'), { name: html`<strong>${named(name)}</strong>` })}${email === null ? undefined : html` · ${email}`}</span> <span class="actions">${isAdmin(service, current.account) ? html`<a class="button" href="/admin">${t('Administration')}</a> ` : undefined}<a class="button" href="/">${t('Your documents')}</a> <form method="post" action="/sign-out">${hidden({ token })}<button class="button quiet">${t('Sign out')}</button></form></span></div>
${sentence === undefined ? undefined : html`<p class="notice done" role="status">${t(sentence)}</p>`}
${profileSection(words, current, token, externalIssuer, refused)}
${passkeys === null ? undefined : await passkeySection(service, passkeys)(words, current, token)}
${await sessionsOf(words, caller, token)}
${await programSection(words, service, caller, token)}
${await nodeSection(words, service, caller, token)}
${deletionSection(words)}`
    showPage(ctx, stylesheet, {
      title: t('Account'),
      ...(refused && { status: 422 }),
      body,
      wide: true,
      formTargets: await signOutTargets(),
      ...(passkeys !== null && { scripts: [passkeyScript] })
    })
  }

  const page = (path: string, method: 'get' | 'post', handle: (ctx: Context, current: Current) => Promise<void>): void => {
    const answer = async (ctx: Context): Promise<void> => {
      take(http, ctx, 'address', ctx.state.address)
      const current = await browserSession(http, ctx)
      if (current === undefined) return seeOther(ctx, '/sign-in?return_to=%2Faccount')
      return handle(ctx, current)
    }
    routers.of(path)[method](path, asPage(stylesheet, answer))
  }

  /** Returns the fields of a submitted form, and the session as it is once the fields have arrived. Throws `form_expired` or `rate_limited`. */
  const sent = async (ctx: Context): Promise<{ fields: Record<string, string>; current: Current }> => {
    const fields = await readForm(ctx)
    const current = await browserSession(http, ctx)
    if (current === undefined) throw new ServiceError('form_expired', { message: term('You have been signed out. Sign in and try again.') })
    checkFormToken(formKey, current.session.id, fields['token'])
    take(http, ctx, 'write', `account ${current.account.id}`)
    return { fields, current }
  }

  const action: AccountAction = (path, act) =>
    page(path, 'post', async (ctx) => {
      const { fields, current } = await sent(ctx)
      const back = /^\/account(\?[\w=&%+.-]*)?$/.exec(fields['back'] ?? '')?.[0]
      seeOther(ctx, (await act(ctx, current, fields)) ?? back ?? '/account')
    })

  page('/account', 'get', (ctx, current) => show(ctx, current))

  bindProfilePages({ http, stylesheet, formKey, externalIssuer, open }, page, sent, show)

  if (passkeys !== null) bindPasskeyActions(service, passkeys, action)

  page('/account/nodes', 'post', async (ctx) => {
    const { fields, current } = await sent(ctx)
    const { name = '' } = fields
    const made = await createNode(service, callerOfSession(current), { name })
    const words = wordsOf(ctx)
    showPage(ctx, stylesheet, { title: words.t('New compute node'), body: newNodePage(words, service.baseUrl, made) })
  })

  page('/account/tokens', 'post', async (ctx) => {
    const { fields, current } = await sent(ctx)
    const { name, role, days, docs = '' } = fields
    const input = checked(operations.createToken, { name, role, days, docs: documentsNamed(docs) }) as Input<'createToken'>
    const made = await createToken(service, callerOfSession(current), input)
    const words = wordsOf(ctx)
    showPage(ctx, stylesheet, { title: words.t('New access token'), body: newTokenPage(words, made) })
  })

  action('/account/end-token', async (_ctx, current, { id = '' }) => {
    await revokeToken(service, callerOfSession(current), id)
    return undefined
  })

  action('/account/end-node', async (_ctx, current, { node = '' }) => {
    await revokeNode(service, callerOfSession(current), node)
    return undefined
  })

  action('/account/end-session', async (_ctx, current, { session = '' }) => {
    await revokeSession(service, callerOfSession(current), session)
    return undefined
  })
}
