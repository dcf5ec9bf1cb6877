/** Where people sign in, sign up and agree at the embedded broker. Each form is bound to its interaction by path, cookie and uid. */
import { hash } from 'node:crypto'
import type { InteractionResults, Provider } from 'oidc-provider'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { type Broker, interactionPath } from '../auth/broker.ts'
import type { Passkeys } from '../auth/passkeys.ts'
import { createAccount, findAccountByPassword, normalEmail } from '../domain/accounts.ts'
import { passwordProblem } from '../domain/passwords.ts'
import type { Context, Http } from './context.ts'
import { asPage, readForm, seeOther, textOf } from './form.ts'
import { field, html, type Markup, named, problem, showPage } from './html.ts'
import { passkeyForm, passkeyScript } from './passkey-pages.ts'
import { check, take } from './perform.ts'
import type { Routers } from './routers.ts'

export type SignUp = 'open' | 'invite' | 'closed'

interface PagesOptions {
  readonly http: Http
  readonly broker: Broker
  /** Null: the origin allows none. */
  readonly passkeys: Passkeys | null
  readonly signUp: SignUp
  readonly stylesheet: string | undefined
}

/** Why nobody new gets in. */
export const closedText = 'This server takes no new accounts.'

const noSignUpText: Readonly<Record<Exclude<SignUp, 'open'>, string>> = {
  invite: 'New accounts are made by invitation here.',
  closed: closedText
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

/** An interaction, its provider and what was sent. */
interface Step {
  readonly ctx: Context
  readonly provider: Provider
  readonly details: Details
  readonly fields: Record<string, string>
}

interface Said {
  readonly text?: string
  readonly status?: number
}

/** Whom failed tries of a password are counted for: the address of mail, whether or not it has an account. */
export const countedAs = (email: string): string => hash('sha256', email, 'base64url')

export const newPasswordField = field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  minLength: limits.passwordCharsMin,
  maxLength: limits.passwordCharsMax,
  hint: `At least ${limits.passwordCharsMin} characters. Several words make a good one.`
})

export const nameField = (value?: string): Markup =>
  field({ name: 'name', label: 'Name, as others see it', autocomplete: 'name', maxLength: limits.authorCharsMax, required: false, value })

const emailField = (value: string | undefined): Markup =>
  field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username', maxLength: limits.emailCharsMax, value })

const signInForm = (action: string, { email }: Record<string, string>): Markup => html`
<form class="form" method="post" action="${action}/sign-in">
${emailField(email)}
${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', maxLength: limits.passwordCharsMax })}
<p class="actions"><button class="button primary large">Sign in</button></p>
</form>`

const signUpForm = (action: string, { email, name }: Record<string, string>): Markup => html`
<form class="form" method="post" action="${action}/sign-up">
${emailField(email)}
${nameField(name)}
${newPasswordField}
<p class="actions"><button class="button primary large">Create account</button></p>
</form>`

const cancelForm = (action: string): Markup => html`
<form method="post" action="${action}/cancel"><p><button class="button quiet">Cancel</button></p></form>`

/** Where the browser goes after the last form: its policy must name it. */
const targetOf = ({ params }: Details): string[] => {
  const { redirect_uri: redirect } = params
  if (typeof redirect !== 'string' || !URL.canParse(redirect)) return []
  const url = new URL(redirect)
  return [/^https?:$/.test(url.protocol) ? url.origin : url.protocol]
}

const scopeWords: Readonly<Record<string, string>> = {
  openid: 'know which account is yours here',
  email: 'see your email address',
  profile: 'see your name',
  offline_access: `stay signed in for ${limits.brokerRefreshDays} days, or until you sign out everywhere`
}

const scopesAsked = ({ prompt }: Details): string[] => {
  const { missingOIDCScope } = prompt.details as { missingOIDCScope?: string[] }
  return missingOIDCScope ?? []
}

export const bindInteractionPages = ({ http, broker, passkeys, signUp, stylesheet }: PagesOptions, routers: Routers): void => {
  const { service } = http

  const showSignIn = async ({ ctx, details, fields }: Step, said: Said = {}): Promise<void> => {
    const action = `${interactionPath}/${details.uid}`
    const other =
      signUp === 'open'
        ? html`<p>No account yet? <a href="${action}?screen=sign-up">Create one</a></p>`
        : html`<p class="muted">${noSignUpText[signUp]}${signUp === 'invite' ? ' Ask whoever runs this server.' : ''}</p>`
    const byPasskey =
      passkeys &&
      passkeyForm(
        `${action}/passkey`,
        'get',
        await passkeys.askToSignIn(details.uid),
        html`<p class="actions"><button class="button large">Sign in with a passkey</button></p>`
      )
    const body = html`${problem(said.text)}${signInForm(action, fields)}${byPasskey ?? undefined}${other}${cancelForm(action)}`
    showPage(ctx, stylesheet, {
      title: 'Sign in',
      body,
      scripts: byPasskey === null ? [] : [passkeyScript],
      formTargets: targetOf(details),
      ...(said.status && { status: said.status })
    })
  }

  const showSignUp = async (step: Step, said: Said = {}): Promise<void> => {
    const { ctx, details, fields } = step
    if (signUp !== 'open') return showSignIn(step, { text: noSignUpText[signUp] })
    const action = `${interactionPath}/${details.uid}`
    const body = html`${problem(said.text)}${signUpForm(action, fields)}
<p>You have an account? <a href="${action}?screen=sign-in">Sign in</a></p>${cancelForm(action)}`
    showPage(ctx, stylesheet, {
      title: 'Create an account',
      body,
      formTargets: targetOf(details),
      ...(said.status && { status: said.status })
    })
    return undefined
  }

  const showConsent = async ({ ctx, details, provider }: Step): Promise<void> => {
    const client = await provider.Client.find(String(details.params['client_id']))
    const action = `${interactionPath}/${details.uid}`
    const { redirect_uri: redirect } = details.params
    const to = typeof redirect === 'string' && URL.canParse(redirect) ? new URL(redirect).host || redirect : 'a device'
    const words = scopesAsked(details).flatMap((scope) => scopeWords[scope] ?? [])
    const body = html`<p><strong>${named(client?.clientName ?? client?.clientId ?? 'A program')}</strong> asks to sign you in at <strong>${named(to)}</strong>. It could:</p>
<ul class="list">${words.map((word) => html`<li>${word}</li>`)}</ul>
<p class="muted">The name is its own and unverified. It gets no access to your documents.</p>
<form class="form" method="post" action="${action}/agree"><p class="actions"><button class="button primary large">Allow</button></p></form>
${cancelForm(action)}`
    showPage(ctx, stylesheet, { title: 'Allow this sign-in?', body, formTargets: targetOf(details) })
  }

  const show = async (step: Step): Promise<void> => {
    const { ctx, details } = step
    if (details.prompt.name === 'consent') return showConsent(step)
    const asked = new URLSearchParams(ctx.querystring).get('screen') ?? (details.prompt.name === 'create' ? 'sign-up' : 'sign-in')
    return asked === 'sign-up' ? showSignUp(step) : showSignIn(step)
  }

  const finish = async ({ ctx, provider }: Step, result: InteractionResults, merge: boolean): Promise<void> =>
    seeOther(ctx, await provider.interactionResult(ctx.req, ctx.res, result, { mergeWithLastSubmission: merge }))

  const signedIn = (step: Step, accountId: string): Promise<void> =>
    finish(step, { login: { accountId, remember: true }, ...(step.details.prompt.name === 'create' && { create: {} }) }, false)

  const signIn = async (step: Step): Promise<void> => {
    const { ctx, fields } = step
    const email = normalEmail(fields['email'] ?? '') ?? ''
    const who = countedAs(email)
    try {
      take(http, ctx, 'signIn', ctx.state.address)
      check(http, ctx, 'password', who)
      const account = await findAccountByPassword(service, email, (fields['password'] ?? '').slice(0, limits.passwordCharsMax))
      if (account !== undefined) return await signedIn(step, account.id)
      // Counted for an address of mail that has no account as well.
      take(http, ctx, 'password', who)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error
      return showSignIn(step, { text: textOf(ctx, error), status: 429 })
    }
    return showSignIn(step, { text: 'Wrong email or password.', status: 422 })
  }

  const signInByPasskey = async (step: Step): Promise<void> => {
    const { ctx, details, fields } = step
    try {
      take(http, ctx, 'signIn', ctx.state.address)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return showSignIn(step, { text: textOf(ctx, error), status: 429 })
    }
    const account = await passkeys?.whoSigned(details.uid, fields['challenge'] ?? '', fields['response'] ?? '')
    if (account === undefined) return showSignIn(step, { text: 'This passkey does not open an account here.', status: 422 })
    return signedIn(step, account.id)
  }

  const makeAccount = async (step: Step): Promise<void> => {
    const { ctx, fields } = step
    if (signUp !== 'open') return showSignIn(step, { text: noSignUpText[signUp], status: 403 })
    const email = normalEmail(fields['email'] ?? '')
    const password = fields['password'] ?? ''
    const wrong = email === undefined ? 'This is no address of mail.' : passwordProblem(password, email)
    if (email === undefined || wrong !== undefined) return showSignUp(step, { text: wrong ?? '', status: 422 })
    try {
      take(http, ctx, 'signUp', ctx.state.address)
      const account = await createAccount(service, { email, name: fields['name'], password })
      if (account !== undefined) return await signedIn(step, account.id)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error
      return showSignUp(step, { text: textOf(ctx, error), status: 429 })
    }
    return showSignUp(step, { text: 'No account could be made with this. If you have one already, sign in.', status: 422 })
  }

  const agree = async (step: Step): Promise<void> => {
    const { provider, details } = step
    if (details.prompt.name !== 'consent') throw new ServiceError('form_expired')
    const known = details.grantId === undefined ? undefined : await provider.Grant.find(details.grantId)
    const grant =
      known ?? new provider.Grant({ accountId: details.session?.accountId ?? '', clientId: String(details.params['client_id']) })
    grant.addOIDCScope(scopesAsked(details).join(' '))
    const { missingOIDCClaims } = details.prompt.details as { missingOIDCClaims?: string[] }
    if (missingOIDCClaims !== undefined) grant.addOIDCClaims(missingOIDCClaims)
    return finish(step, { consent: { grantId: await grant.save() } }, true)
  }

  const cancel = (step: Step): Promise<void> =>
    finish(step, { error: 'access_denied', error_description: 'The person cancelled the sign-in.' }, false)

  const step = async (ctx: Context, fields: Record<string, string>): Promise<Step> => {
    const provider = await broker.provider()
    const { uid } = (ctx as Context & { params: Record<string, string> }).params
    const details = await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined)
    if (details === undefined || details.uid !== uid)
      throw new ServiceError('form_expired', { message: 'This sign-in has ended, or was begun in another browser.' })
    return { ctx, provider, details, fields }
  }

  const router = routers.of('/auth')
  const path = `${interactionPath}/:uid`
  router.get(
    path,
    asPage(stylesheet, async (ctx) => show(await step(ctx, {})))
  )
  for (const [name, handle] of Object.entries({ 'sign-in': signIn, passkey: signInByPasskey, 'sign-up': makeAccount, agree, cancel }))
    router.post(
      `${path}/${name}`,
      asPage(stylesheet, async (ctx) => handle(await step(ctx, await readForm(ctx))))
    )
}
