/** `/device`: on this page, a person checks the code that a program shows, and approves or denies its login (RFC 8628 §3.3 and §5.4). */
import { ServiceError } from '../../shared/errors.ts'
import { callerOfSession } from '../domain/rights/access.ts'
import { decideDevice, type Device, findPendingDevice, normalUserCode } from '../domain/accounts/devices.ts'
import { take } from './perform.ts'
import type { Context, Http } from './context.ts'
import { asPage, checkFormToken, formToken, readForm, seeOther, statusOf, textOf } from './form.ts'
import { term } from '../../shared/words.ts'
import { field, filled, html, named, showPage, timeOf } from './html.ts'
import type { Routers } from './routers.ts'
import { browserSession } from './browser-session.ts'
import { wordsOf } from './words.ts'

interface DevicePageOptions {
  readonly http: Http
  readonly stylesheet: string | undefined
  readonly formKey: string
}

const unknownCode = term('This code is wrong or has expired. Check it, or start the sign-in again on your device.')

export const bindDevicePage = ({ http, stylesheet, formKey }: DevicePageOptions, routers: Routers): void => {
  const { service } = http

  const askForCode = (ctx: Context, said: { text?: string; status?: number; value?: string } = {}): void => {
    const { t } = wordsOf(ctx)
    const body = html`<p>${t('Enter the code that your device shows.')}</p>
<form class="form" method="get" action="/device">
${field({ name: 'user_code', label: t('Code'), code: true, autocomplete: 'off', maxLength: 12, value: said.value, error: said.text })}
<p class="actions"><button class="button primary large">${t('Continue')}</button></p>
</form>`
    showPage(ctx, stylesheet, { title: t('Connect a device'), body, ...(said.status && { status: said.status }) })
  }

  const compare = (ctx: Context, device: Device, token: string, name: string): void => {
    const words = wordsOf(ctx)
    const { t } = words
    const body = html`<p>${filled(t('{program} wants to sign in as you, {name}. Does it show this code?'), {
      program: html`<strong>${named(device.name)}</strong>`,
      name: html`<strong>${named(name)}</strong>`
    })}</p>
<p class="code-shown">${device.userCode}</p>
<p class="muted">${filled(t('Started {when} from {address}. The name is not verified.'), {
      when: timeOf(words, device.startedAt, service.clock.now()),
      address: html`${device.address}`
    })}</p>
<p>${t('Approve only if you just started this yourself. The device can then open, change and delete your documents until you sign it out.')}</p>
<form class="form" method="post" action="/device">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="user_code" value="${device.userCode}">
<p class="actions"><button class="button primary large" name="decision" value="approve">${t('The codes match. Approve')}</button>
<button class="button large" name="decision" value="deny">${t('Deny')}</button></p>
</form>`
    showPage(ctx, stylesheet, { title: t('Approve this sign-in?'), body })
  }

  /** Limits how often one address and one account can guess a code. */
  const count = (ctx: Context, account: string): void => {
    take(http, ctx, 'userCode', ctx.state.address)
    take(http, ctx, 'userCode', `account ${account}`)
  }

  const look = async (ctx: Context): Promise<void> => {
    const given = new URLSearchParams(ctx.querystring).get('user_code') ?? ''
    const current = await browserSession(http, ctx)
    if (current === undefined) {
      const back = given === '' ? '/device' : `/device?user_code=${encodeURIComponent(given)}`
      return seeOther(ctx, `/sign-in?return_to=${encodeURIComponent(back)}`)
    }
    if (given === '') return askForCode(ctx)
    try {
      count(ctx, current.account.id)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return askForCode(ctx, { text: textOf(ctx, error), status: statusOf(error), value: given })
    }
    const code = normalUserCode(given)
    const device = code === undefined ? undefined : await findPendingDevice(service, code)
    if (device === undefined) return askForCode(ctx, { text: wordsOf(ctx).t(unknownCode), status: 404, value: given })
    return compare(ctx, device, formToken(formKey, current.session.id), current.account.name)
  }

  const decide = async (ctx: Context): Promise<void> => {
    const fields = await readForm(ctx)
    const current = await browserSession(http, ctx)
    if (current === undefined)
      throw new ServiceError('form_expired', { message: term('You have been signed out. Sign in and enter the code again.') })
    checkFormToken(formKey, current.session.id, fields['token'])
    count(ctx, current.account.id)
    const approve = fields['decision'] === 'approve'
    const code = normalUserCode(fields['user_code'] ?? '')
    if (code === undefined || !(await decideDevice(service, callerOfSession(current), code, approve)))
      return askForCode(ctx, { text: wordsOf(ctx).t(unknownCode), status: 404, value: fields['user_code'] ?? '' })
    const { t } = wordsOf(ctx)
    const body = approve
      ? html`<p>${t('Your device is signed in. You can close this page.')}</p><p class="muted"><a href="/account">${t('Manage your devices')}</a></p>`
      : html`<p>${t('The device was not signed in. Nothing has changed.')}</p>`
    return showPage(ctx, stylesheet, { title: approve ? t('Approved') : t('Denied'), body })
  }

  routers.of('/device').get('/device', asPage(stylesheet, look))
  routers.of('/device').post('/device', asPage(stylesheet, decide))
}
