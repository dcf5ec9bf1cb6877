/** Sign-in, sign-up and sign-out, links from an administrator, and the redirect to the account page. */
import { browserSession, openBrowserSession } from './browser-session.ts'
import { ServiceError } from '../../shared/errors.ts'
import { signedInCookie } from '../../shared/signed-in-cookie.ts'
import { term } from '../../shared/words.ts'
import type { Broker } from '../auth/broker.ts'
import { callbackPath } from '../auth/broker-paths.ts'
import { readCookie, writeCookie } from '../auth/cookies.ts'
import { type RelyingParty, safeReturnTo, type SignedIn } from '../auth/oidc.ts'
import {
  type Account,
  accountOfIdentity,
  createAccount,
  findAccount,
  findAccountByEmail,
  setPassword,
  verifyEmail
} from '../domain/accounts/accounts.ts'
import { findLink, type Link, type LinkKind, linkPath, useOf } from '../domain/accounts/links.ts'
import { removePasskeysOf } from '../domain/accounts/passkeys.ts'
import { passwordProblem } from '../domain/accounts/passwords.ts'
import { endAccess, endBrowserSession, removeAccess } from '../domain/accounts/sessions.ts'
import { auditFailure } from '../domain/records/audit.ts'
import { take } from './perform.ts'
import type { Context, Http } from './context.ts'
import { asPage, checkFormToken, formToken, readForm, seeOther } from './form.ts'
import { filled, html, named, showPage } from './html.ts'
import { countedAs, guestNameScript, nameField, newPasswordField, type SignUp, signUpRefusal } from './account-fields.ts'
import type { Routers } from './routers.ts'
import { wordsOf } from './words.ts'

export interface SignInOptions {
  readonly http: Http
  readonly relyingParty: RelyingParty
  /** Null if an external issuer signs people in. */
  readonly broker: Broker | null
  /** Address of the issuer. */
  readonly issuer: string
  readonly stylesheet: string | undefined
  readonly signUp: SignUp
  /** The key for form tokens. */
  readonly formKey: string
}

const returnToOf = (ctx: Context, baseUrl: string): string => safeReturnTo(new URLSearchParams(ctx.querystring).get('return_to'), baseUrl)

/** Returns the origins to which a sign-out form can redirect: the origin of an external issuer that ends its own session, if there is one. */
export const signOutTargets = async (relyingParty: RelyingParty, broker: Broker | null): Promise<string[]> => {
  const url = broker === null ? await relyingParty.signOutUrl() : undefined
  return url === undefined ? [] : [new URL(url).origin]
}

export const bindSignIn = (options: SignInOptions, routers: Routers): void => {
  const { http, relyingParty, broker, issuer, signUp, stylesheet, formKey } = options
  const { service, cookies } = http
  const { baseUrl } = service
  const page = (path: string, method: 'get' | 'post', handle: (ctx: Context) => Promise<void>): void => {
    const answer = async (ctx: Context): Promise<void> => {
      take(http, ctx, 'address', ctx.state.address)
      await handle(ctx)
    }
    routers.of(path)[method](path, asPage(stylesheet, answer))
  }

  /** Returns when the person proved who they are, on our own clock: the issuer's clock may differ. */
  const provedAtOf = ({ claims: { auth_time: provedAt, iat } }: SignedIn): number | undefined =>
    typeof provedAt === 'number' ? service.clock.now() - Math.max(0, iat - provedAt) * 1000 : undefined

  const accountOf = async ({ claims }: SignedIn): Promise<Account> => {
    const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
    if (broker === null)
      return accountOfIdentity(service, {
        issuer,
        subject: claims.sub,
        name: text(claims['name']) ?? text(claims['preferred_username']),
        email: text(claims['email']),
        emailVerified: claims['email_verified'] === true
      })
    const account = await findAccount(service, claims.sub)
    if (account === undefined) throw new ServiceError('sign_in_failed')
    return account
  }

  for (const [path, create] of [
    ['/sign-in', false],
    ['/sign-up', true]
  ] as const)
    page(path, 'get', (ctx) => {
      const isFresh = new URLSearchParams(ctx.querystring).get('fresh') === 'yes'
      return relyingParty.begin(ctx, returnToOf(ctx, baseUrl), create ? 'create' : isFresh ? 'login' : undefined)
    })

  page(callbackPath, 'get', async (ctx) => {
    const signedIn = await relyingParty.finish(ctx)
    const account = await accountOf(signedIn)
    if (account.disabledAt !== undefined) await auditFailure(service, ctx.state.address, account.id, 'sign-in.disabled')
    const atBroker = readCookie(ctx.req.headers, cookies.broker.session)
    const atHost = atBroker && (await broker?.store.nameOfSession(atBroker, account.id))
    await openBrowserSession(http, ctx, account, { atHost, provedAt: provedAtOf(signedIn) })
    seeOther(ctx, signedIn.returnTo)
  })

  // ——— Signing out ———

  page('/sign-out', 'get', async (ctx) => {
    const current = await browserSession(http, ctx)
    if (current === undefined) return seeOther(ctx, '/')
    const { t } = wordsOf(ctx)
    const { name, email } = current.account
    const who = html`<strong>${named(name)}</strong>${email === null ? undefined : html` (${email})`}`
    const body = html`<p>${filled(t('You are signed in as {name}.'), { name: who })}</p>
<p>${t('You can still open documents with their links. Copies of documents stay on this device until you remove them from your documents.')}</p>
<form class="form" method="post" action="/sign-out">
<input type="hidden" name="token" value="${formToken(formKey, current.session.id)}">
<p class="actions"><button class="button primary large">${t('Sign out')}</button>
<button class="button large" name="everywhere" value="yes">${t('Sign out everywhere')}</button>
<a class="button quiet large" href="${returnToOf(ctx, service.baseUrl)}">${t('Cancel')}</a></p>
</form>`
    return showPage(ctx, stylesheet, { title: t('Sign out'), body, formTargets: await signOutTargets(relyingParty, broker) })
  })

  page('/sign-out', 'post', async (ctx) => {
    const fields = await readForm(ctx)
    const current = await browserSession(http, ctx)
    if (current !== undefined) {
      // A browser that names its origin needs no token, because requests from other origins have already been refused.
      if (ctx.get('Origin') === '') checkFormToken(formKey, current.session.id, fields['token'])
      await endBrowserSession(service, readCookie(ctx.req.headers, cookies.session) ?? '')
      if (fields['everywhere'] === 'yes') await endAccess(service, current.account.id)
    }
    for (const name of [cookies.session, signedInCookie]) writeCookie(ctx.res, cookies, name, '', 0)
    const atBroker = readCookie(ctx.req.headers, cookies.broker.session)
    if (broker !== null && atBroker !== undefined) {
      await broker.store.endSession(atBroker)
      writeCookie(ctx.res, cookies, cookies.broker.session, '', 0)
    }
    // The home page says that the person is signed out (web/home/signed-out-offer.tsx).
    const home = '/#signed-out'
    seeOther(ctx, broker === null && current !== undefined ? ((await relyingParty.signOutUrl()) ?? home) : home)
  })

  if (broker === null) return

  // ——— Links from an administrator ———

  const linkOf = async (kind: LinkKind, token: string): Promise<Link> => {
    const refusal = kind === 'invite' ? signUpRefusal(signUp, true) : undefined
    if (refusal !== undefined) throw new ServiceError('form_expired', { message: refusal })
    const link = await findLink(service, kind, token)
    if (link === undefined)
      throw new ServiceError('form_expired', { message: term('This link has expired or was already used. Ask for a new one.') })
    return link
  }

  const showLink = (ctx: Context, link: Link, token: string, said: { readonly text?: string; readonly name?: string } = {}): void => {
    const words = wordsOf(ctx)
    const { t } = words
    const invited = link.kind === 'invite'
    const email = html`<strong>${link.email}</strong>`
    const body = html`<p>${
      invited
        ? filled(t('Create your account as {email}.'), { email })
        : filled(
            t(
              'Set a new password for {email}. This signs you out everywhere, removes your passkeys and revokes all tokens. It also disconnects all programs and computers.'
            ),
            {
              email
            }
          )
    }</p>
<form class="form" method="post" action="${linkPath[link.kind]}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="username" value="${link.email}" autocomplete="username">
${invited ? nameField(words, said.name) : undefined}
${newPasswordField(words, said.text, invited ? t('Password') : t('New password'))}
<p class="actions"><button class="button primary large">${invited ? t('Create account') : t('Set password')}</button></p>
</form>`
    showPage(ctx, stylesheet, {
      title: invited ? t('You are invited') : t('Set a new password'),
      body,
      scripts: invited ? [guestNameScript] : [],
      ...(said.text !== undefined && { status: 422 })
    })
  }

  /**
   * Does the work that the link is for. Returns undefined if the link has since been used, if there is no such account, or if the account already
   * exists.
   */
  const useLink = async (ctx: Context, link: Link, token: string, fields: Record<string, string>): Promise<Account | undefined> => {
    const { email } = link
    const password = fields['password'] ?? ''
    if (link.kind === 'invite') {
      const name = fields['name']?.trim() || wordsOf(ctx).t('Someone')
      return createAccount(service, { email, name, password, emailVerified: true }, useOf(token, link))
    }
    const account = await findAccountByEmail(service, email)
    if (account === undefined || !(await setPassword(service, account, password, useOf(token, link)))) return undefined
    await removePasskeysOf(service, account.id)
    await removeAccess(service, account.id)
    // The address is verified last, after the removals, because a verified address must not vouch for passkeys and tokens that a stranger created.
    await verifyEmail(service, account.id)
    // Failed attempts with the old password do not count against the new one.
    http.limiter.clear('password', countedAs(email))
    // The account is read again for its new session epoch. A session of the earlier epoch would be invalid.
    return findAccount(service, account.id)
  }

  for (const kind of ['invite', 'reset'] as const) {
    page(linkPath[kind], 'get', async (ctx) => {
      const token = new URLSearchParams(ctx.querystring).get('token') ?? ''
      showLink(ctx, await linkOf(kind, token), token)
    })
    page(linkPath[kind], 'post', async (ctx) => {
      const fields = await readForm(ctx)
      const token = fields['token'] ?? ''
      const link = await linkOf(kind, token)
      const wrong = passwordProblem(fields['password'] ?? '', link.email)
      if (wrong !== undefined) return showLink(ctx, link, token, { text: wordsOf(ctx).say(wrong), name: fields['name'] ?? '' })
      const account = await useLink(ctx, link, token, fields)
      if (account === undefined) throw new ServiceError('form_expired', { message: term('This link no longer works. Ask for a new one.') })
      await openBrowserSession(http, ctx, account, { provedAt: service.clock.now() })
      return seeOther(ctx, '/account')
    })
  }
}
