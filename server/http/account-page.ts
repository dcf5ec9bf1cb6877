/** `/account`: the settings of an account. Its documents stand on the first page (`web/home/`). Forms; no script. */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Output } from '../../shared/operations/index.ts'
import type { Passkeys } from '../auth/passkeys.ts'
import { callerOfSession } from '../domain/access.ts'
import type { Caller } from '../domain/caller.ts'
import { createNode, revokeNode } from '../domain/nodes.ts'
import { listSessions, revokeSession } from '../domain/sessions.ts'
import { take } from './perform.ts'
import type { Context, Http } from './context.ts'
import { asPage, checkFormToken, formToken, readForm, seeOther } from './form.ts'
import { html, type Markup, named, showPage, timeOf } from './html.ts'
import { newNodePage, nodeSection } from './node-pages.ts'
import { bindPasskeyActions, passkeyScript, passkeySection } from './passkey-pages.ts'
import type { Routers } from './routers.ts'
import { browserSession, type Current } from './sign-in.ts'

interface AccountPageOptions {
  readonly http: Http
  readonly stylesheet: string | undefined
  readonly formKey: string
  /** Null: an external issuer signs people in, or the origin allows no passkeys. */
  readonly passkeys: Passkeys | null
  /** Origins to which signing out may lead. */
  readonly signOutTargets: () => Promise<string[]>
}

/** Binds a form of the page; afterwards the browser goes back to where it was, or to the address that `act` answers. */
export type AccountAction = (
  path: string,
  act: (ctx: Context, current: Current, fields: Record<string, string>) => Promise<string | undefined>
) => void

type Session = Output<'listSessions'>['sessions'][number]
const hidden = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

export const bindAccountPage = ({ http, stylesheet, formKey, passkeys, signOutTargets }: AccountPageOptions, routers: Routers): void => {
  const { service } = http

  const sessionRow = ({ id, kind, name, lastUsedAt, current }: Session, token: string): Markup => html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${named(name)}</span>${current ? html`<span class="tag">this one</span>` : undefined}${
    kind === 'app' ? html`<span class="tag">program</span>` : undefined
  }</span>
<span class="muted entry-about"><span>used ${timeOf(Date.parse(lastUsedAt), service.clock.now())}</span></span>
${
  current
    ? undefined
    : html`<form method="post" action="/account/end-session">${hidden({ token, session: id })}<button class="button quiet" aria-label="End the session of ${plainName(name, limits.labelCharsMax)}">End</button></form>`
}
</li>`

  const sessionsOf = async (caller: Caller, token: string): Promise<Markup> => {
    const { sessions } = await listSessions(service, caller)
    return html`
<section aria-labelledby="sessions">
<div class="section-head"><h2 id="sessions">Where you are signed in</h2></div>
<ul class="entries">${sessions.map((session) => sessionRow(session, token))}</ul>
<div class="actions"><form method="post" action="/sign-out">${hidden({ token, everywhere: 'yes' })}<button class="button danger">Sign out everywhere</button></form>
<a class="button" href="/device">Connect a device</a></div>
</section>`
  }

  const show = async (ctx: Context, current: Current): Promise<void> => {
    const caller = callerOfSession(current)
    const token = formToken(formKey, current.session.id)
    const { name, email } = current.account
    const body = html`
<p class="account-line"><span class="muted">Signed in as <strong>${named(name)}</strong>${email === null ? undefined : html` · ${email}`}</span> <span class="actions"><a class="button" href="/">Your documents</a> <a class="button quiet" href="/sign-out">Sign out</a></span></p>
${passkeys === null ? undefined : await passkeySection(service, passkeys)(current, token)}
${await sessionsOf(caller, token)}
${await nodeSection(service, caller, token)}`
    showPage(ctx, stylesheet, {
      title: 'Account',
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

  /** The fields of a form of the page, and the session as it is once they are here. Errors: `form_expired`, `rate_limited`. */
  const sent = async (ctx: Context): Promise<{ fields: Record<string, string>; current: Current }> => {
    const fields = await readForm(ctx)
    const current = await browserSession(http, ctx)
    if (current === undefined) throw new ServiceError('form_expired', { message: 'Your session has ended. Sign in and try again.' })
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

  page('/account', 'get', show)

  if (passkeys !== null) bindPasskeyActions(service, passkeys, action)

  page('/account/nodes', 'post', async (ctx) => {
    const { fields, current } = await sent(ctx)
    const { name = '' } = fields
    const made = await createNode(service, callerOfSession(current), { name })
    showPage(ctx, stylesheet, { title: 'A new node', body: newNodePage(service.baseUrl, made) })
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
