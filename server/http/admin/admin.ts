/**
 * `/admin`: the administration pages. They work without scripts. Everybody else gets the same response as for an address that does not exist, because
 * this middleware passes their requests on. Only a browser session is accepted; a bearer token is never an administrator.
 */
import type Koa from 'koa'
import { ServiceError } from '../../../shared/errors.ts'
import { term } from '../../../shared/words.ts'
import { readCookie } from '../../auth/cookies.ts'
import type { FoundSession } from '../../domain/accounts/sessions.ts'
import { findSession } from '../../domain/accounts/sessions.ts'
import { acts, runAct } from '../../domain/operator/acts.ts'
import { isFresh, type Operator, operatorOf } from '../../domain/operator/operator.ts'
import { accountNamed } from '../../domain/operator/people.ts'
import { readFound } from '../../domain/operator/documents.ts'
import { browserSession } from '../browser-session.ts'
import type { Context, Http, RequestState } from '../context.ts'
import { asPage, checkFormToken, formToken, readForm, seeOther } from '../form.ts'
import { html, type Markup, type Page, showPage } from '../html.ts'
import { take } from '../perform.ts'
import { type Words, wordsOf } from '../words.ts'
import { accessPage } from './access-page.ts'
import { confirmPage, inputOf, linkPage, pageActOf, type PageActName, pageActs, signInAgain } from './act-pages.ts'
import { auditPage } from './audit-page.ts'
import { documentPage, documentsPage } from './document-pages.ts'
import { linksPage } from './links-page.ts'
import { overviewPage } from './overview.ts'
import { peoplePage, personPage } from './people-pages.ts'

interface AdminOptions {
  readonly http: Http
  readonly stylesheet: string | undefined
  readonly formKey: string
}

/** An administrator's request. */
interface Visit {
  readonly words: Words
  readonly query: URLSearchParams
  readonly found: FoundSession
  readonly operator: Operator
  /** The form token. */
  readonly token: string
}

type Shown = Pick<Page, 'title' | 'body'>

export const adminPages = ({ http, stylesheet, formKey }: AdminOptions): Koa.Middleware<RequestState> => {
  const { service, cookies } = http

  const views: Readonly<Record<string, (visit: Visit) => Promise<Shown>>> = {
    '/admin': async ({ words, query }) => ({ title: words.t('Administration'), body: await overviewPage(words, service, query) }),
    '/admin/people': async ({ words, query, token }) => ({
      title: words.t('People'),
      body: await peoplePage(words, service, query, token)
    }),
    '/admin/person': ({ words, query, token, found }) => personPage(words, service, query, token, found.account.id),
    '/admin/documents': async ({ words, query }) => ({ title: words.t('Documents'), body: await documentsPage(words, service, query) }),
    '/admin/document': ({ words, query, token }) => documentPage(words, service, query, token),
    '/admin/links': async ({ words, query, token }) => ({ title: words.t('Links'), body: await linksPage(words, service, query, token) }),
    '/admin/access': async ({ words, query, token }) => ({
      title: words.t('Tokens and nodes'),
      body: await accessPage(words, service, query, token)
    }),
    '/admin/audit': async ({ words, query }) => ({ title: words.t('Audit log'), body: await auditPage(words, service, query) })
  }

  const show = (ctx: Context, { title, body }: Shown, status = 200): void => showPage(ctx, stylesheet, { title, body, status, wide: true })

  /** Returns the session if it belongs to an administrator. */
  const admitted = async (ctx: Context): Promise<{ found: FoundSession; operator: Operator } | undefined> => {
    const cookie = readCookie(ctx.req.headers, cookies.session)
    const known = cookie === undefined ? undefined : await findSession(service, 'browser', cookie)
    if (known === undefined || operatorOf(service, known) === undefined) return undefined
    // The cookie is renewed only here, because everybody else must get exactly the response for an unknown address.
    const found = await browserSession(http, ctx)
    const operator = found && operatorOf(service, found)
    return found === undefined || operator === undefined ? undefined : { found, operator }
  }

  /** Returns the sentence about the act that led to this page. */
  const doneOf = ({ words, query }: Visit): Markup | undefined => {
    const name = pageActOf(query.get('done') ?? undefined)
    return name === undefined ? undefined : html`<p class="notice done" role="status">${words.t(pageActs[name].done)}</p>`
  }

  const view = async (ctx: Context, visit: Visit, of: (visit: Visit) => Promise<Shown>): Promise<void> => {
    const { title, body } = await of(visit)
    show(ctx, { title, body: html`${doneOf(visit)}${body}` })
  }

  /** Returns the name of the account or document that an act concerns. */
  const subjectOf = async ({ account, doc }: Readonly<Record<string, string>>): Promise<string> => {
    if (account !== undefined) return accountNamed(service, account).then(({ email, name }) => email ?? name)
    return doc === undefined ? '' : (await readFound(service, doc)).title
  }

  const perform = async (ctx: Context, visit: Visit, name: PageActName, fields: Record<string, string>): Promise<void> => {
    const { words, operator, found } = visit
    const back = pageActs[name].next(fields)
    const isDangerous = 'dangerous' in acts[name]
    if (isDangerous && !isFresh(service, found)) return show(ctx, signInAgain(words, back), 403)
    const question = fields['confirmed'] === 'yes' ? undefined : confirmPage(words, name, fields, visit.token, await subjectOf(fields))
    if (question !== undefined) return show(ctx, question)
    const input = inputOf(name, fields)
    if (name === 'invite' || name === 'reset') return show(ctx, linkPage(words, name, await runAct(service, operator, name, input), back))
    await runAct(service, operator, name, input)
    return seeOther(ctx, `${back}${back.includes('?') ? '&' : '?'}done=${name}`)
  }

  const submit = async (ctx: Context): Promise<void> => {
    const fields = await readForm(ctx)
    // The sender may have taken a long time, so the session is checked again.
    const now = await admitted(ctx)
    if (now === undefined) throw new ServiceError('form_expired', { message: term('You have been signed out. Sign in and try again.') })
    checkFormToken(formKey, now.found.session.id, fields['token'])
    take(http, ctx, 'write', `account ${now.found.account.id}`)
    const name = pageActOf(fields['act'])
    if (name === undefined) throw new ServiceError('form_expired')
    const visit = { ...now, words: wordsOf(ctx), query: new URLSearchParams(), token: formToken(formKey, now.found.session.id) }
    return perform(ctx, visit, name, fields)
  }

  return async (koa, next) => {
    const { path, method } = koa
    if (path !== '/admin' && !path.startsWith('/admin/')) return next()
    const ctx = koa as unknown as Context
    const of = Object.hasOwn(views, path) ? views[path] : undefined
    const isView = of !== undefined && (method === 'GET' || method === 'HEAD')
    const isAct = path === '/admin/act' && method === 'POST'
    const now = isView || isAct ? await admitted(ctx) : undefined
    if (now === undefined) return next()
    const token = formToken(formKey, now.found.session.id)
    const visit: Visit = { ...now, words: wordsOf(ctx), query: new URLSearchParams(ctx.querystring), token }
    return asPage(stylesheet, () => (of === undefined || isAct ? submit(ctx) : view(ctx, visit, of)))(koa)
  }
}
