/** `/device`: where a person compares the code that a program shows, and approves its login or refuses it (RFC 8628 §3.3 and §5.4). */
import { ServiceError } from '../../shared/errors.ts'
import { callerOfSession } from '../domain/access.ts'
import { decideDevice, type Device, findPendingDevice, normalUserCode } from '../domain/devices.ts'
import { take } from './perform.ts'
import type { Context, Http } from './context.ts'
import { asPage, checkFormToken, formToken, readForm, seeOther, statusOf, textOf } from './form.ts'
import { html, named, problem, showPage, timeOf } from './html.ts'
import type { Routers } from './routers.ts'
import { browserSession } from './sign-in.ts'

interface DevicePageOptions {
  readonly http: Http
  readonly stylesheet: string | undefined
  readonly formKey: string
}

const unknownCode = 'This code is not valid, or no longer. Look again, or start the login anew.'

export const bindDevicePage = ({ http, stylesheet, formKey }: DevicePageOptions, routers: Routers): void => {
  const { service } = http

  const askForCode = (ctx: Context, said: { text?: string; status?: number } = {}): void => {
    const body = html`${problem(said.text)}
<p>Enter the code that your program or device shows.</p>
<form class="form" method="get" action="/device">
<div class="field">
<label for="user_code">Code</label>
<input class="code" id="user_code" name="user_code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="12" required>
</div>
<p class="actions"><button class="button primary large">Continue</button></p>
</form>`
    showPage(ctx, stylesheet, { title: 'Connect a device', body, ...(said.status && { status: said.status }) })
  }

  const compare = (ctx: Context, device: Device, token: string, name: string): void => {
    const body = html`<p><strong>${named(device.name)}</strong> asks to act as you, <strong>${named(name)}</strong>. Does it show this code?</p>
<p class="code-shown">${device.userCode}</p>
<p class="muted">Begun ${timeOf(device.startedAt, service.clock.now())} from ${device.address}. The name is its own and unverified.</p>
<p>Approve only if you started this yourself just now. It can then open, change and delete your documents until you end its session.</p>
<form class="form" method="post" action="/device">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="user_code" value="${device.userCode}">
<p class="actions"><button class="button primary large" name="decision" value="approve">The codes are the same: approve</button>
<button class="button large" name="decision" value="deny">Refuse</button></p>
</form>`
    showPage(ctx, stylesheet, { title: 'Approve this login?', body })
  }

  /** Guessing must not pay, neither from one address nor with one account. */
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
      return askForCode(ctx, { text: textOf(ctx, error), status: statusOf(error) })
    }
    const code = normalUserCode(given)
    const device = code === undefined ? undefined : await findPendingDevice(service, code)
    if (device === undefined) return askForCode(ctx, { text: unknownCode, status: 404 })
    return compare(ctx, device, formToken(formKey, current.session.id), current.account.name)
  }

  const decide = async (ctx: Context): Promise<void> => {
    const fields = await readForm(ctx)
    const current = await browserSession(http, ctx)
    if (current === undefined)
      throw new ServiceError('form_expired', { message: 'Your session has ended. Sign in and enter the code again.' })
    checkFormToken(formKey, current.session.id, fields['token'])
    count(ctx, current.account.id)
    const approve = fields['decision'] === 'approve'
    const code = normalUserCode(fields['user_code'] ?? '')
    if (code === undefined || !(await decideDevice(service, callerOfSession(current), code, approve)))
      return askForCode(ctx, { text: unknownCode, status: 404 })
    const body = approve
      ? html`<p>Your program is signed in. You can close this page.</p><p class="muted">It is listed under <a href="/account">your sessions</a>, where you can end it.</p>`
      : html`<p>The login was refused. Nothing was changed.</p>`
    return showPage(ctx, stylesheet, { title: approve ? 'Approved' : 'Refused', body })
  }

  routers.of('/device').get('/device', asPage(stylesheet, look))
  routers.of('/device').post('/device', asPage(stylesheet, decide))
}
