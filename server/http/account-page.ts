/** `/account`: the documents of a person, and where the person is signed in (specification, `GET /account`). Forms; no script. */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import { readCookie } from '../auth/cookies.ts'
import type { Passkeys } from '../auth/passkeys.ts'
import { callerOfDocument, callerOfSession } from '../domain/access.ts'
import { type Caller, requireRole } from '../domain/caller.ts'
import { createDocument, deleteWithUndo, listUndoable, undoDeletion } from '../domain/documents.ts'
import type { Undoable } from '../domain/keys.ts'
import { createNode, revokeNode } from '../domain/nodes.ts'
import { listDocuments } from '../domain/owned.ts'
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

type Doc = Output<'listDocuments'>['docs'][number]
type Session = Output<'listSessions'>['sessions'][number]
type Sort = NonNullable<Input<'listDocuments'>['sort']>

const sorts: Readonly<Record<Sort, string>> = { updated: 'Last edited', created: 'Newest', title: 'By title' }

const isSort = (text: string | null): text is Sort => text !== null && Object.hasOwn(sorts, text)

/** What the address asks for. */
interface Asked {
  readonly query: string
  readonly sort: Sort
  readonly before: string | undefined
}

const askedOf = (ctx: Context): Asked => {
  const query = new URLSearchParams(ctx.querystring)
  const sort = query.get('sort')
  return {
    query: (query.get('query') ?? '').slice(0, 200),
    sort: isSort(sort) ? sort : 'updated',
    before: query.get('before')?.slice(0, 60)
  }
}

const addressOf = ({ query, sort, before }: Asked): string => {
  const fields = { ...(query !== '' && { query }), ...(sort !== 'updated' && { sort }), ...(before !== undefined && { before }) }
  const text = new URLSearchParams(fields).toString()
  return text === '' ? '/account' : `/account?${text}`
}

const hidden = (fields: Readonly<Record<string, string>>): Markup =>
  html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`

export const bindAccountPage = ({ http, stylesheet, formKey, passkeys, signOutTargets }: AccountPageOptions, routers: Routers): void => {
  const { service } = http

  const minutesUntil = (instant: number): string => {
    const minutes = Math.ceil((instant - service.clock.now()) / 60_000)
    return minutes === 1 ? 'a minute' : `${minutes} minutes`
  }

  const searchForm = ({ query, sort }: Asked): Markup => html`
<form class="find" method="get" action="/account" role="search">
<label class="field grow"><span>Search title and text</span><input type="search" name="query" value="${query}" maxlength="200" autocomplete="off"></label>
<label class="field"><span>Order</span><select name="sort">${Object.entries(sorts).map(
    ([value, name]) => html`<option value="${value}"${value === sort ? html` selected` : undefined}>${name}</option>`
  )}</select></label>
<button class="button">Show</button>
</form>`

  // With no key in place of the one that the device may keep: beside a session that would narrow what the owner may do.
  const row = ({ id, title, updatedAt, published }: Doc, token: string, back: string): Markup => html`
<li class="entry">
<a class="entry-link" href="/d/${id}?key="><span class="entry-title">${named(title)}</span></a>
<span class="muted entry-about">${published ? html`<span class="tag">published</span>` : undefined}${timeOf(Date.parse(updatedAt), service.clock.now())}</span>
<form method="post" action="/account/delete">${hidden({ token, back, doc: id })}<button class="button quiet" aria-label="Delete “${plainName(title, limits.labelCharsMax)}”">Delete</button></form>
</li>`

  const undoNotice = ({ doc, title, until }: Undoable, token: string, back: string): Markup => html`
<form class="notice warn" method="post" action="/account/undo">${hidden({ token, back, doc })}
<p>“${named(title)}” was deleted. This can be undone for ${minutesUntil(until)}.</p>
<button class="button" aria-label="Undo the deletion of “${plainName(title, limits.labelCharsMax)}”">Undo</button></form>`

  const nothing = ({ query, before }: Asked, more: boolean): string => {
    if (more) return 'Nothing found so far. Look on.'
    if (query !== '') return 'No document of yours has this in its title or text.'
    return before === undefined
      ? 'Nothing here yet. Create a document, or open one by its link and keep it in your account.'
      : 'That was all.'
  }

  const documentsOf = async (caller: Caller, asked: Asked, token: string): Promise<Markup> => {
    const back = addressOf(asked)
    const { query, sort, before } = asked
    const { docs, nextBefore } = await listDocuments(service, caller, { query, sort, ...(before !== undefined && { before }) })
    const undoable = await listUndoable(service, caller)
    const next = nextBefore === null ? undefined : addressOf({ ...asked, before: nextBefore })
    return html`
<section aria-labelledby="documents">
<div class="section-head"><h2 id="documents">Your documents</h2>
<form method="post" action="/account/documents">${hidden({ token })}<button class="button primary">New document</button></form></div>
${undoable.map((each) => undoNotice(each, token, back))}
${searchForm(asked)}
${docs.length === 0 ? html`<p class="empty">${nothing(asked, next !== undefined)}</p>` : html`<ul class="entries">${docs.map((doc) => row(doc, token, back))}</ul>`}
${next === undefined ? undefined : html`<p class="actions"><a class="button" href="${next}">More</a></p>`}
</section>`
  }

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
<p class="account-line"><span class="muted">Signed in as <strong>${named(name)}</strong>${email === null ? undefined : html` · ${email}`}</span> <a class="button quiet" href="/sign-out">Sign out</a></p>
${await documentsOf(caller, askedOf(ctx), token)}
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

  action('/account/documents', async (_ctx, current) => `/d/${(await createDocument(service, callerOfSession(current), {})).id}`)

  action('/account/delete', async (ctx, _current, { doc = '' }) => {
    const caller = await callerOfDocument(service, doc, { cookie: readCookie(ctx.req.headers, http.cookies.session) })
    requireRole(caller, 'owner')
    await deleteWithUndo(service, caller, doc)
    return undefined
  })

  action('/account/undo', async (_ctx, current, { doc = '' }) => {
    await undoDeletion(service, callerOfSession(current), doc).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'document_deleted') throw error
      throw new ServiceError('document_deleted', {
        message: `This cannot be undone any more: it is gone ${limits.undoMinutes} minutes after.`
      })
    })
    return undefined
  })

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
