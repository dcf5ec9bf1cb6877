/** The personal section of the account page: name, password, and deletion of the account. Its forms work without scripts. */
import type { AccountPage, SentForm } from './account-forms.ts'
import { ServiceError } from '../../shared/errors.ts'
import { deletedAccountCookie } from '../../shared/deleted-account.ts'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import { signedInCookie } from '../../shared/signed-in-cookie.ts'
import { term } from '../../shared/words.ts'
import { writeCookie } from '../auth/cookies.ts'
import { callerOfSession } from '../domain/rights/access.ts'
import { deleteAccount, type DocumentsAfter } from '../domain/accounts/account-end.ts'
import { renameAccount } from '../domain/accounts/account-name.ts'
import { type Account, findAccount, setPassword } from '../domain/accounts/accounts.ts'
import { checkPassword, passwordProblem } from '../domain/accounts/passwords.ts'
import { removeAccess } from '../domain/accounts/sessions.ts'
import type { Context, Http } from './context.ts'
import { formToken, seeOther, statusOf, textOf } from './form.ts'
import { field, filled, html, type Markup, named, showPage } from './html.ts'
import { countedAs, newPasswordField } from './account-fields.ts'
import { check, take } from './perform.ts'
import type { Current } from './browser-session.ts'
import { inEachLanguage, type Words, wordsOf } from './words.ts'

interface ProfileOptions {
  readonly http: Http
  readonly stylesheet: string | undefined
  readonly formKey: string
  /** Address of the external issuer that signs people in. Null if people sign in here. */
  readonly externalIssuer: string | null
  /** Opens a new session in this browser after all of the account's sessions have ended. */
  readonly open: (ctx: Context, account: Account) => Promise<void>
}

/** The script that keeps the input in the other fields if one is refused (`web/public/keep-fields.js`). */
const keepFieldsScript = '/keep-fields.js'

type Fields = Readonly<Record<string, string>>

/** Confirmations that the account page shows after a step. Their names appear in the address. */
export const doneSentences = {
  name: term('Name saved.'),
  password: term('Password changed. All other devices are signed out.')
} as const

/** The name of a refused field, and the reason in the reader's language. */
interface Refused {
  readonly field: string
  readonly text: string
  readonly status: number
}

const tokenField = (token: string): Markup => html`<input type="hidden" name="token" value="${token}">`

const hostOf = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer)

/** The personal section. `refused` is a submitted name that was not accepted. */
export const profileSection = (
  { t }: Words,
  { account }: Current,
  token: string,
  externalIssuer: string | null,
  refused?: { readonly name: string; readonly text: string }
): Markup => {
  const name = plainName(account.name, limits.authorUnitsMax)
  const isUnnamed = account.nameChosen !== true && inEachLanguage('Someone').includes(name)
  const withPassword = html`<p class="actions"><a class="button" href="/account/password">${t('Change password')}</a></p>`
  const elsewhere = externalIssuer === null ? undefined : html`<strong>${named(hostOf(externalIssuer))}</strong>`
  const withoutPassword = html`<p class="muted">${
    elsewhere === undefined
      ? t('Your account has no password. To set one, ask the person who runs this server for a reset link.')
      : filled(t('You sign in at {address}. You can change your password there.'), { address: elsewhere })
  }</p>`
  return html`
<section aria-labelledby="profile">
<div class="section-head"><h2 id="profile">${t('Profile')}</h2></div>
<form class="line-form" method="post" action="/account/name">${tokenField(token)}
${field({
  name: 'name',
  label: t('Name'),
  autocomplete: 'name',
  maxLength: limits.authorUnitsMax,
  value: refused?.name ?? (isUnnamed ? '' : name),
  placeholder: isUnnamed ? name : undefined,
  error: refused?.text
})}
<button class="button">${t('Save name')}</button></form>
${account.password === null ? withoutPassword : withPassword}
</section>`
}

export const deletionSection = ({ t }: Words): Markup => html`
<section aria-labelledby="deletion">
<div class="section-head"><h2 id="deletion">${t('Delete account')}</h2></div>
<p class="muted">${t('You choose what happens to your documents.')}</p>
<p class="actions"><a class="button danger" href="/account/delete-account">${t('Delete account…')}</a></p>
</section>`

const currentPasswordField = ({ t }: Words, error?: string): Markup =>
  field({
    name: 'current_password',
    label: t('Current password'),
    type: 'password',
    autocomplete: 'current-password',
    maxLength: limits.passwordCharsMax,
    error
  })

export const bindProfilePages = (
  { http, stylesheet, formKey, externalIssuer, open }: ProfileOptions,
  page: AccountPage,
  sent: SentForm,
  showAccount: (ctx: Context, current: Current, refused: { readonly name: string; readonly text: string }) => Promise<void>
): void => {
  const { service, cookies, limiter } = http

  const tokenOf = ({ session }: Current): string => formToken(formKey, session.id)

  /** Returns the reason why this password was refused; undefined if it is the account's password. Each attempt counts as an attempt to sign in. */
  const passwordRefusal = async (ctx: Context, { email, password }: Account, given: string): Promise<Refused | undefined> => {
    const field = 'current_password'
    const who = countedAs(email ?? '')
    try {
      check(http, ctx, 'password', who)
      if (await checkPassword(given.slice(0, limits.passwordCharsMax), password ?? undefined)) return undefined
      take(http, ctx, 'password', who)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error
      return { field, text: textOf(ctx, error), status: statusOf(error) }
    }
    return { field, text: wordsOf(ctx).t('Wrong password.'), status: 422 }
  }

  // ——— Name ———

  page('/account/name', 'post', async (ctx) => {
    const { fields, current } = await sent(ctx)
    const name = fields['name'] ?? ''
    try {
      await renameAccount(service, callerOfSession(current), name)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error
      return showAccount(ctx, current, { name, text: textOf(ctx, error) })
    }
    return seeOther(ctx, '/account?done=name')
  })

  // ——— Password ———

  const showPassword = (ctx: Context, current: Current, refused?: Refused): void => {
    const words = wordsOf(ctx)
    const { t } = words
    const errorOf = (name: string): string | undefined => (refused?.field === name ? refused.text : undefined)
    const body = html`<p>${t('This signs you out on all other devices. It also revokes all tokens and disconnects all programs and computers. You keep your passkeys.')}</p>
<form class="form" method="post" action="/account/password" data-keep>${tokenField(tokenOf(current))}
<input type="hidden" name="username" value="${current.account.email ?? ''}" autocomplete="username">
${currentPasswordField(words, errorOf('current_password'))}
${newPasswordField(words, errorOf('password'), t('New password'))}
<p class="actions"><button class="button primary large">${t('Change password')}</button><a class="button large" href="/account">${t('Cancel')}</a></p>
</form>
<p class="muted">${t('Forgot your password? Ask the person who runs this server for a reset link.')}</p>`
    const answer = { title: t('Change password'), body, scripts: [keepFieldsScript], mayFetch: true }
    showPage(ctx, stylesheet, { ...answer, ...(refused && { status: refused.status }) })
  }

  const requirePassword = ({ account }: Current): void => {
    if (account.password === null) throw new ServiceError('not_found')
  }

  page('/account/password', 'get', async (ctx, current) => {
    requirePassword(current)
    return showPassword(ctx, current)
  })

  page('/account/password', 'post', async (ctx) => {
    const { fields, current } = await sent(ctx)
    const { account } = current
    requirePassword(current)
    const refusal = await passwordRefusal(ctx, account, fields['current_password'] ?? '')
    if (refusal !== undefined) return showPassword(ctx, current, refusal)
    const password = fields['password'] ?? ''
    const wrong = passwordProblem(password, account.email ?? '')
    if (wrong !== undefined) return showPassword(ctx, current, { field: 'password', text: wordsOf(ctx).say(wrong), status: 422 })
    if (!(await setPassword(service, account, password))) throw new ServiceError('form_expired')
    await removeAccess(service, account.id)
    limiter.clear('password', countedAs(account.email ?? ''))
    const next = await findAccount(service, account.id)
    if (next === undefined) throw new ServiceError('credential_invalid')
    await open(ctx, next)
    return seeOther(ctx, '/account?done=password')
  })

  // ——— Deleting the account ———

  const choice = (value: DocumentsAfter, chosen: DocumentsAfter, label: string, hint: string): Markup => html`
<label class="choice"><input type="radio" name="documents" value="${value}"${value === chosen ? html` checked` : undefined}>
<span>${label}<span class="muted">${hint}</span></span></label>`

  /** Returns the text that a person types to confirm if there is no password: the email address, or else the name. */
  const confirmationOf = ({ email, name }: Account): string => email ?? plainName(name, limits.authorUnitsMax)

  const showDeletion = (ctx: Context, current: Current, fields: Fields = {}, refused?: Refused): void => {
    const words = wordsOf(ctx)
    const { t } = words
    const { account } = current
    const documents: DocumentsAfter = fields['documents'] === 'trash' ? 'trash' : 'keep'
    const confirmation = confirmationOf(account)
    const confirm =
      account.password === null
        ? field({
            name: 'confirmation',
            label: t('Type {name} to confirm', { name: confirmation }),
            autocomplete: 'off',
            maxLength: limits.emailUnitsMax,
            value: fields['confirmation'],
            error: refused?.text
          })
        : currentPasswordField(words, refused?.text)
    const body = html`<p>${t('This deletes your account immediately, including your password, passkeys, sessions and tokens. It also disconnects all programs and computers. You cannot undo this.')}</p>
<form class="form" method="post" action="/account/delete-account">${tokenField(tokenOf(current))}
<input type="hidden" name="username" value="${account.email ?? ''}" autocomplete="username">
<fieldset class="choices"><legend>${t('What happens to your documents?')}</legend>
${choice('keep', documents, t('Keep them'), t('Anyone with a link can still open them, and anyone with an owner link can still manage them. Documents without a link or a published page go to the trash.'))}
${choice('trash', documents, t('Move them to the trash'), t('Their links stop working immediately. After {count} days the documents are deleted forever.', { count: limits.trashDays }))}
</fieldset>
<p class="muted">${t('Your comments and edits in other people’s documents stay, with your name.')}</p>
${confirm}
<p class="actions"><button class="button danger large">${t('Delete account')}</button><a class="button large" href="/account">${t('Cancel')}</a></p>
</form>`
    showPage(ctx, stylesheet, { title: t('Delete your account?'), body, ...(refused && { status: refused.status }) })
  }

  const confirmationRefusal = async (ctx: Context, { account }: Current, fields: Fields): Promise<Refused | undefined> => {
    if (account.password !== null) return passwordRefusal(ctx, account, fields['current_password'] ?? '')
    const plain = (text: string): string => text.normalize('NFC').trim().toLowerCase()
    if (plain(fields['confirmation'] ?? '') === plain(confirmationOf(account))) return undefined
    return { field: 'confirmation', text: wordsOf(ctx).t('This does not match.'), status: 422 }
  }

  page('/account/delete-account', 'get', async (ctx, current) => showDeletion(ctx, current))

  page('/account/delete-account', 'post', async (ctx) => {
    const { fields, current } = await sent(ctx)
    const refusal = await confirmationRefusal(ctx, current, fields)
    if (refusal !== undefined) return showDeletion(ctx, current, fields, refusal)
    const documents: DocumentsAfter = fields['documents'] === 'trash' ? 'trash' : 'keep'
    await deleteAccount(service, callerOfSession(current), documents)
    for (const name of [cookies.session, cookies.broker.session, signedInCookie]) writeCookie(ctx.res, cookies, name, '', 0)
    // The pages then say that the account was deleted, and not that the person is signed out.
    const { host } = new URL(service.baseUrl)
    writeCookie(ctx.res, cookies, deletedAccountCookie, host, limits.sessionDaysMax * 24 * 3600, { forScripts: true })
    const { t } = wordsOf(ctx)
    const body = html`<p>${t('Your account has been deleted. Copies of documents stay on this device until you remove them from your documents.')}</p>
${externalIssuer === null ? undefined : html`<p>${filled(t('You may still be signed in at {address}.'), { address: html`<strong>${named(hostOf(externalIssuer))}</strong>` })}</p>`}
<p class="actions"><a class="button primary large" href="/">${t('Go to your documents')}</a></p>`
    return showPage(ctx, stylesheet, { title: t('Account deleted'), body })
  })
}
