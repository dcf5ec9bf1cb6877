/** Helpers that the plain pages share: they read a form, show an error as a page, and create the token that ties a form to a session. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { errorMeanings, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { mediaType, parseForm, readBody } from './body.ts'
import type { Context } from './context.ts'
import { html, showPage } from './html.ts'
import { wordsOf } from './words.ts'

/** Returns the fields of a submitted form. Throws `unsupported_media_type` or `body_too_large`. */
export const readForm = async (ctx: Context): Promise<Record<string, string>> => {
  if (mediaType(ctx.req) !== 'application/x-www-form-urlencoded') throw new ServiceError('unsupported_media_type')
  return parseForm(await readBody(ctx.req, limits.bodyBytesMax))
}

export const seeOther = (ctx: Context, location: string): void => {
  ctx.set('Cache-Control', 'no-store')
  ctx.set('Location', location)
  ctx.body = null
  ctx.status = 303
}

/** Returns the message of a refusal in the reader's language, and sets `Retry-After`. */
export const textOf = (ctx: Context, error: ServiceError): string => {
  const { t, tn } = wordsOf(ctx)
  const seconds = error.details['retryAfterSeconds']
  if (typeof seconds !== 'number') return t(error.message)
  ctx.set('Retry-After', String(seconds))
  if (seconds < 90) return tn(seconds, 'Too many attempts. Try again in 1 second.', 'Too many attempts. Try again in {count} seconds.')
  return tn(Math.ceil(seconds / 60), 'Too many attempts. Try again in 1 minute.', 'Too many attempts. Try again in {count} minutes.')
}

export const statusOf = (error: ServiceError): number => errorMeanings[error.code].status

/** Runs a page's handler, and shows its refusals as a page. Bugs and storage failures propagate. */
export const asPage =
  (stylesheet: string | undefined, handle: (ctx: Context) => Promise<void>) =>
  async (koa: unknown): Promise<void> => {
    const ctx = koa as Context
    try {
      await handle(ctx)
    } catch (error) {
      if (!(error instanceof ServiceError) || (statusOf(error) >= 500 && error.code !== 'issuer_unavailable')) throw error
      const { t } = wordsOf(ctx)
      const text = textOf(ctx, error)
      const body = html`<p>${text}</p><p class="actions"><a class="button primary" href="/sign-in">${t('Sign in')}</a><a class="button" href="/">${t('Go to your documents')}</a></p>`
      showPage(ctx, stylesheet, {
        title: error.code === 'issuer_unavailable' ? t('Sign-in is not available') : t('That did not work'),
        body,
        status: statusOf(error)
      })
    }
  }

/** Returns a token for the forms of one session. Only somebody who can read the session's pages can send these forms. */
export const formToken = (key: string, session: string): string => createHmac('sha256', key).update(session).digest('base64url')

/** Checks the token of a form. Throws `form_expired`. */
export const checkFormToken = (key: string, session: string, token: string | undefined): void => {
  const wanted = Buffer.from(formToken(key, session))
  const given = Buffer.from(token ?? '')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new ServiceError('form_expired')
}
