/** The pages for sign-in, sign-up and consent at the embedded broker. The path, a cookie and the uid bind each form to its interaction. */
import { countedAs, guestNameScript, nameField, newPasswordField, type SignUp, signUpRefusal } from './account-fields.ts'
import type { InteractionResults, Provider } from 'oidc-provider'
import { errorMeanings, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { term } from '../../shared/words.ts'
import type { Broker } from '../auth/broker.ts'
import { interactionPath } from '../auth/broker-paths.ts'
import type { Passkeys } from '../auth/passkeys.ts'
import { type Account, createAccount, findAccountByEmail, findAccountByPassword, normalEmail } from '../domain/accounts/accounts.ts'
import { auditFailure } from '../domain/records/audit.ts'
import { passwordProblem } from '../domain/accounts/passwords.ts'
import { agreeTo, consentPage } from './consent-pages.ts'
import type { Context, Http } from './context.ts'
import { asPage, readForm, seeOther, textOf } from './form.ts'
import { field, html, type Markup, problem, showPage } from './html.ts'
import { passkeyForm, passkeyScript } from './passkey-pages.ts'
import { check, take } from './perform.ts'
import type { Routers } from './routers.ts'
import { type Words, wordsOf } from './words.ts'

interface PagesOptions {
  readonly http: Http
  readonly broker: Broker
  /** Null if the origin does not allow passkeys. */
  readonly passkeys: Passkeys | null
  readonly signUp: SignUp
  readonly stylesheet: string | undefined
}

type Details = Awaited<ReturnType<Provider['interactionDetails']>>

/** An interaction with its provider and the submitted fields. */
interface Step {
  readonly ctx: Context
  readonly provider: Provider
  readonly details: Details
  readonly fields: Record<string, string>
}

/** A message about a form, in the reader's language. It appears above the form, or at the field that it concerns. */
interface FormMessage {
  readonly text?: string
  readonly field?: 'email' | 'password'
  readonly status?: number
}

const errorAt = ({ text, field: at }: FormMessage, name: FormMessage['field']): string | undefined => (at === name ? text : undefined)

const emailField = ({ t }: Words, value: string | undefined, said: FormMessage): Markup =>
  field({
    name: 'email',
    label: t('Email'),
    type: 'email',
    autocomplete: 'username',
    maxLength: limits.emailUnitsMax,
    value,
    error: errorAt(said, 'email'),
    isFirst: said.field === undefined
  })

/**
 * Help for a forgotten password. The service does not send mail, so the operator creates a link. The help opens on the same page, so that text in the
 * form is not lost.
 */
const forgotten = ({ t }: Words, passkeys: boolean): Markup => html`
<details class="fold"><summary>${t('Forgot password?')}</summary>
<p>${t('Ask the person who runs this server for a reset link. It works once, for {count} hours, and lets you set a new password.', { count: limits.resetHours })}</p>
${passkeys ? html`<p>${t('If you have a passkey, you can sign in with it instead.')}</p>` : undefined}
</details>`

const signInForm = (words: Words, action: string, { email }: Record<string, string>, said: FormMessage, passkeys: boolean): Markup => html`
<form class="form" method="post" action="${action}/sign-in">
${emailField(words, email, said)}
${field({ name: 'password', label: words.t('Password'), type: 'password', autocomplete: 'current-password', maxLength: limits.passwordCharsMax, error: errorAt(said, 'password') })}
${forgotten(words, passkeys)}
<p class="actions"><button class="button primary large">${words.t('Sign in')}</button></p>
</form>`

const signUpForm = (words: Words, action: string, { email, name }: Record<string, string>, said: FormMessage): Markup => html`
<form class="form" method="post" action="${action}/sign-up">
${emailField(words, email, said)}
${nameField(words, name)}
${newPasswordField(words, errorAt(said, 'password'))}
<p class="actions"><button class="button primary large">${words.t('Create account')}</button></p>
</form>`

const cancelForm = ({ t }: Words, action: string): Markup => html`
<form method="post" action="${action}/cancel"><p><button class="button quiet">${t('Cancel')}</button></p></form>`

/** Returns the address to which the last form redirects. The page's content policy must allow it. */
const targetOf = ({ params }: Details): string[] => {
  const { redirect_uri: redirect } = params
  if (typeof redirect !== 'string' || !URL.canParse(redirect)) return []
  const url = new URL(redirect)
  return [/^https?:$/.test(url.protocol) ? url.origin : url.protocol]
}

export const bindInteractionPages = ({ http, broker, passkeys, signUp, stylesheet }: PagesOptions, routers: Routers): void => {
  const { service } = http
  const refusal = signUpRefusal(signUp, false)

  const showSignIn = async ({ ctx, details, fields }: Step, said: FormMessage = {}): Promise<void> => {
    const words = wordsOf(ctx)
    const { t } = words
    const action = `${interactionPath}/${details.uid}`
    const other =
      refusal === undefined
        ? html`<p>${t('No account yet?')} <a href="${action}?screen=sign-up">${t('Create an account')}</a></p>`
        : html`<p class="muted">${t(refusal)}</p>`
    const byPasskey =
      passkeys &&
      passkeyForm(
        words,
        `${action}/passkey`,
        'get',
        await passkeys.askToSignIn(details.uid),
        html`<p class="actions"><button class="button large">${t('Sign in with a passkey')}</button></p>`
      )
    const above = said.field === undefined ? problem(said.text) : undefined
    const body = html`${above}${signInForm(words, action, fields, said, byPasskey !== null)}${byPasskey ?? undefined}${other}${cancelForm(words, action)}`
    showPage(ctx, stylesheet, {
      title: t('Sign in'),
      body,
      scripts: byPasskey === null ? [] : [passkeyScript],
      formTargets: targetOf(details),
      ...(said.status && { status: said.status })
    })
  }

  const showSignUp = async (step: Step, said: FormMessage = {}): Promise<void> => {
    const { ctx, details, fields } = step
    const words = wordsOf(ctx)
    const { t } = words
    if (refusal !== undefined) return showSignIn(step, { text: t(refusal) })
    const action = `${interactionPath}/${details.uid}`
    const above = said.field === undefined ? problem(said.text) : undefined
    const body = html`${above}${signUpForm(words, action, fields, said)}
<p>${t('Already have an account?')} <a href="${action}?screen=sign-in">${t('Sign in')}</a></p>${cancelForm(words, action)}`
    showPage(ctx, stylesheet, {
      title: t('Create an account'),
      body,
      scripts: [guestNameScript],
      formTargets: targetOf(details),
      ...(said.status && { status: said.status })
    })
    return undefined
  }

  const showConsent = async ({ ctx, details, provider }: Step): Promise<void> => {
    const words = wordsOf(ctx)
    const { title, body } = await consentPage(words, service, provider, details)
    const action = `${interactionPath}/${details.uid}`
    showPage(ctx, stylesheet, { title, body: html`${body}${cancelForm(words, action)}`, formTargets: targetOf(details) })
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

  /** Only a person who knows the password, or has the passkey, learns that the account is disabled. */
  const showDisabled = async (step: Step, { id }: Account): Promise<void> => {
    await auditFailure(service, step.ctx.state.address, id, 'sign-in.disabled')
    return showSignIn(step, { text: wordsOf(step.ctx).t(errorMeanings.account_disabled.message), status: 403 })
  }

  const signIn = async (step: Step): Promise<void> => {
    const { ctx, fields } = step
    const email = normalEmail(fields['email'] ?? '') ?? ''
    const who = countedAs(email)
    try {
      take(http, ctx, 'signIn', ctx.state.address)
      check(http, ctx, 'password', who)
      const account = await findAccountByPassword(service, email, (fields['password'] ?? '').slice(0, limits.passwordCharsMax))
      if (account?.disabledAt !== undefined) return await showDisabled(step, account)
      if (account !== undefined) return await signedIn(step, account.id)
      // Attempts for an email address without an account count too.
      take(http, ctx, 'password', who)
      await auditFailure(service, ctx.state.address, (await findAccountByEmail(service, email))?.id)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error
      return showSignIn(step, { text: textOf(ctx, error), status: 429 })
    }
    return showSignIn(step, { text: wordsOf(ctx).t('Wrong email or password.'), field: 'password', status: 422 })
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
    if (account === undefined) {
      await auditFailure(service, ctx.state.address, undefined)
      return showSignIn(step, { text: wordsOf(ctx).t('This passkey does not belong to an account on this server.'), status: 422 })
    }
    return account.disabledAt === undefined ? signedIn(step, account.id) : showDisabled(step, account)
  }

  const makeAccount = async (step: Step): Promise<void> => {
    const { ctx, fields } = step
    const { t, say } = wordsOf(ctx)
    if (refusal !== undefined) return showSignIn(step, { text: t(refusal), status: 403 })
    const email = normalEmail(fields['email'] ?? '')
    const password = fields['password'] ?? ''
    if (email === undefined) return showSignUp(step, { text: t('Enter a valid email address.'), field: 'email', status: 422 })
    const wrong = passwordProblem(password, email)
    if (wrong !== undefined) return showSignUp(step, { text: say(wrong), field: 'password', status: 422 })
    try {
      take(http, ctx, 'signUp', ctx.state.address)
      const account = await createAccount(service, { email, name: fields['name']?.trim() || t('Someone'), password })
      if (account !== undefined) return await signedIn(step, account.id)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error
      return showSignUp(step, { text: textOf(ctx, error), status: 429 })
    }
    return showSignUp(step, {
      text: t('An account could not be created with this email. If you already have one, sign in.'),
      field: 'email',
      status: 422
    })
  }

  const agree = async (step: Step): Promise<void> => {
    const { provider, details, fields } = step
    if (details.prompt.name !== 'consent') throw new ServiceError('form_expired')
    return finish(step, { consent: { grantId: await agreeTo(service, provider, details, fields) } }, true)
  }

  const cancel = (step: Step): Promise<void> =>
    finish(step, { error: 'access_denied', error_description: 'The person canceled the sign-in.' }, false)

  const step = async (ctx: Context, fields: Record<string, string>): Promise<Step> => {
    const provider = await broker.provider()
    const { uid } = (ctx as Context & { params: Record<string, string> }).params
    const details = await provider.interactionDetails(ctx.req, ctx.res).catch(() => undefined)
    if (details === undefined || details.uid !== uid)
      throw new ServiceError('form_expired', { message: term('This sign-in has expired or was started in another browser. Start again.') })
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
