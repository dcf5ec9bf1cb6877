/** The pages that the provider itself needs: the device flow, signing out, and errors. */
import type { IncomingMessage } from 'node:http'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { field, filled, html, type Markup, named, type Page } from '../http/html.ts'
import { type Words, wordsOf } from '../http/words.ts'
import { brokerPaths } from './broker-paths.ts'

/** Shows a page in response to a request. */
export type Show = (ctx: KoaContextWithOIDC, page: Page) => void

const codeForm = ({ t }: Words, action: string, token: string, value: string | undefined, error: string | undefined): Markup => html`
<p>${t('Enter the code that your device shows.')}</p>
<form class="form" method="post" action="${action}">
<input type="hidden" name="xsrf" value="${token}">
${field({ name: 'user_code', label: t('Code'), code: true, autocomplete: 'off', maxLength: 12, value, error })}
<p class="actions"><button class="button primary large">${t('Continue')}</button></p>
</form>`

const confirmForm = ({ t }: Words, action: string, token: string, code: string, client: string): Markup => html`
<p>${filled(t('{program} wants to sign in as you. Continue only if your device shows this code now:'), { program: html`<strong>${named(client)}</strong>` })}</p>
<p class="code-shown">${code}</p>
<form class="form" method="post" action="${action}">
<input type="hidden" name="xsrf" value="${token}">
<input type="hidden" name="user_code" value="${code}">
<p class="actions">
<button class="button primary large" name="confirm" value="yes">${t('The codes match. Approve')}</button>
<button class="button large" name="abort" value="yes">${t('Deny')}</button>
</p>
</form>`

const xsrf = (ctx: KoaContextWithOIDC): string => String((ctx.oidc.session?.state as { secret?: string } | undefined)?.secret ?? '')

/** The user code from the address of the device page. It is hidden from the provider, which would submit the form immediately. */
export const givenCode = new WeakMap<IncomingMessage, string>()

/** The pages of the device flow (RFC 8628): entering the code, confirming it, and the result. */
export const deviceFlow = (show: Show): object => ({
  enabled: true,
  charset: 'base-20',
  mask: '****-****',
  userCodeInputSource(ctx: KoaContextWithOIDC, _form: string, out?: object, error?: Error & { userCode?: string }) {
    const words = wordsOf(ctx)
    const { t } = words
    const failed = out !== undefined || error !== undefined
    const stopped = error?.name === 'AbortedError'
    const text = stopped
      ? t('The device was not signed in. Nothing has changed.')
      : failed
        ? t('This code is wrong or has expired. Check it, or start the sign-in again on your device.')
        : undefined
    const value = stopped ? undefined : (error?.userCode ?? givenCode.get(ctx.req))
    const page = { title: t('Connect a device'), body: codeForm(words, brokerPaths.code_verification, xsrf(ctx), value, text) }
    show(ctx, { ...page, ...(failed && !stopped && { status: 400 }) })
  },
  userCodeConfirmSource(
    ctx: KoaContextWithOIDC,
    _form: string,
    client: { clientName?: string; clientId: string },
    _info: object,
    code: string
  ) {
    const name = client.clientName ?? client.clientId
    const words = wordsOf(ctx)
    show(ctx, { title: words.t('Is this your device?'), body: confirmForm(words, brokerPaths.code_verification, xsrf(ctx), code, name) })
  },
  successSource(ctx: KoaContextWithOIDC) {
    const { t } = wordsOf(ctx)
    show(ctx, { title: t('Approved'), body: html`<p>${t('Your device is signed in. You can close this page.')}</p>` })
  }
})

/** The pages of signing out (OpenID Connect RP-Initiated Logout 1.0). */
export const signOut = (show: Show): object => ({
  enabled: true,
  logoutSource(ctx: KoaContextWithOIDC) {
    const { t } = wordsOf(ctx)
    const body = html`<p>${t('This signs you out in this browser.')}</p>
<form class="form" method="post" action="${brokerPaths.end_session}/confirm">
<input type="hidden" name="xsrf" value="${xsrf(ctx)}">
<p class="actions"><button class="button primary large" name="logout" value="yes">${t('Sign out')}</button>
<button class="button large">${t('Stay signed in')}</button></p></form>`
    show(ctx, { title: t('Sign out?'), body })
  },
  postLogoutSuccessSource(ctx: KoaContextWithOIDC) {
    const { t } = wordsOf(ctx)
    show(ctx, { title: t('You are signed out'), body: html`<p><a href="/">${t('Go to your documents')}</a></p>` })
  }
})

/** Shows an error as a page if the browser cannot be sent back to the client. */
export const renderError =
  (show: Show): NonNullable<Configuration['renderError']> =>
  (ctx, out) => {
    const { t } = wordsOf(ctx)
    const body = html`<p>${t('The request is not valid.')}</p><p class="muted">${out.error}${out.error_description === undefined ? undefined : html`: ${out.error_description}`}</p><p><a href="/">${t('Go to your documents')}</a></p>`
    show(ctx, { title: t('That did not work'), body, status: ctx.status })
  }
