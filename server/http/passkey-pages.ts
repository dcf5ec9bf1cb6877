/** Passkeys on the sign-in and account pages. A script (`web/public/passkey.js`) fills in and shows the forms if the browser supports passkeys. */
import { ServiceError } from '../../shared/errors.ts'
import type { PasskeyQuestion, Passkeys } from '../auth/passkeys.ts'
import { callerOfSession } from '../domain/rights/access.ts'
import { listPasskeys, type Passkey, removePasskey } from '../domain/accounts/passkeys.ts'
import type { Service } from '../domain/service.ts'
import type { AccountAction } from './account-forms.ts'
import { term } from '../../shared/words.ts'
import { filled, html, type Markup, timeOf } from './html.ts'
import type { Current } from './browser-session.ts'
import { browserName, browserWords } from './user-agent.ts'
import type { Words } from './words.ts'

/** The script for pages that have passkey forms. */
export const passkeyScript = '/passkey.js'

/**
 * A form that asks the browser for a passkey. The page reserves space for the form from the start, so that nothing moves later. Without
 * scripts, the style sheet hides the form.
 */
export const passkeyForm = (
  { t }: Words,
  action: string,
  what: 'create' | 'get',
  question: PasskeyQuestion,
  button: Markup,
  fields?: Markup
): Markup => html`
<form method="post" action="${action}" data-passkey="${what}" data-options="${question.options}">
${fields}
<input type="hidden" name="challenge" value="${question.challenge}">
<input type="hidden" name="response" value="">
${button}
<p class="notice danger" role="alert" hidden>${t('No passkey was used. Try again, or use your password.')}</p>
</form>`

const row = (words: Words, { id, name, lastUsedAt, createdAt }: Passkey, token: string, now: number): Markup => html`
<li class="entry">
<span class="entry-link"><span class="entry-title">${browserWords(words, name)}</span></span>
<span class="muted entry-about"><span>${
  lastUsedAt === null
    ? filled(words.t('Added {when}'), { when: timeOf(words, createdAt, now) })
    : filled(words.t('Last used {when}'), { when: timeOf(words, lastUsedAt, now) })
}</span></span>
<form method="post" action="/account/remove-passkey"><input type="hidden" name="token" value="${token}"><input type="hidden" name="passkey" value="${id}">
<button class="button quiet" aria-label="${words.t('Remove the passkey {name}', { name: browserWords(words, name) })}">${words.t('Remove')}</button></form>
</li>`

/** The passkey section of the account page. */
export const passkeySection =
  (service: Service, passkeys: Passkeys) =>
  async (words: Words, { account }: Current, token: string): Promise<Markup> => {
    const { t } = words
    const made = await listPasskeys(service, account.id)
    const now = service.clock.now()
    const add = passkeyForm(
      words,
      '/account/add-passkey',
      'create',
      await passkeys.askToMake(account),
      html`<p class="actions"><button class="button">${t('Add a passkey')}</button></p>`,
      html`<input type="hidden" name="token" value="${token}">`
    )
    return html`
<section aria-labelledby="passkeys">
<div class="section-head"><h2 id="passkeys">${t('Passkeys')}</h2></div>
${made.length === 0 ? html`<p class="muted">${t('Sign in with your fingerprint, face or PIN instead of a password.')}</p>` : html`<ul class="entries">${made.map((each) => row(words, each, token, now))}</ul>`}
${add}
</section>`
  }

export const bindPasskeyActions = (service: Service, passkeys: Passkeys, action: AccountAction): void => {
  action('/account/add-passkey', async (ctx, current, { challenge = '', response = '' }) => {
    const made = await passkeys.keepMade(callerOfSession(current), current.account, browserName(ctx.get('User-Agent')), challenge, response)
    if (!made) throw new ServiceError('form_expired', { message: term('The passkey was not added. Open your account page and try again.') })
    return undefined
  })

  action('/account/remove-passkey', async (_ctx, { account }, { passkey = '' }) => {
    await removePasskey(service, account.id, passkey)
    return undefined
  })
}
