/** Files that programs request from any site. */
import type { Files } from './files.ts'
import type { Context } from './context.ts'
import type { Routers } from './routers.ts'

/** The file `robots.txt` (RFC 9309). Crawlers must not read documents. Each published page states whether search engines may list it. */
const robots = `User-agent: *
Allow: /pub/
Allow: /agents.md
Allow: /llms.txt
Disallow: /d/
Disallow: /api/
Disallow: /account
Disallow: /auth/
Disallow: /new
`

const daysUntilOld = 180

/** The file `security.txt` (RFC 9116). It says how to report a vulnerability in this server. Its contents expire after `daysUntilOld` days. */
const security = (baseUrl: string, contact: string | null, now: number): string =>
  `Contact: ${contact ?? `${baseUrl}/`}
Expires: ${new Date(now + daysUntilOld * 86_400_000).toISOString()}
Canonical: ${baseUrl}/.well-known/security.txt
Preferred-Languages: en, de
`

export interface WellKnownOptions {
  readonly baseUrl: string
  /** The contact for reports of vulnerabilities: an email address, or the address of a page (AGMD_SECURITY_CONTACT). */
  readonly contact: string | null
  readonly now: () => number
}

export const bindWellKnown = ({ baseUrl, contact, now }: WellKnownOptions, files: Files, routers: Routers): void => {
  const text = (path: string, body: () => string): void => {
    routers.of(path).get(path, (ctx) => {
      ctx.set('Cache-Control', 'public, max-age=3600')
      ctx.type = 'text/plain; charset=utf-8'
      ctx.body = body()
    })
  }
  text('/robots.txt', () => robots)
  text('/.well-known/security.txt', () => security(baseUrl, contact, now()))
  routers.of('/favicon.ico').get('/favicon.ico', async (ctx, next) => {
    if (!(await files.serve(ctx as unknown as Context, '/icon-192.png'))) await next()
  })
}
