/** Identity over HTTP: the embedded broker (if there is one), signing in and out, device login, and discovery. */
import type { Broker } from '../auth/broker.ts'
import { brokerPaths } from '../auth/broker-paths.ts'
import { allowsPasskeys, createPasskeys } from '../auth/passkeys.ts'
import { type RelyingParty } from '../auth/oidc.ts'
import { take } from './perform.ts'
import { bindAccountPage } from './account-page.ts'
import type { Context, Http } from './context.ts'
import { bindDevicePage } from './device-page.ts'
import { bindDiscovery } from './discovery.ts'
import { bindInteractionPages } from './interaction-pages.ts'
import type { SignUp } from './account-fields.ts'
import type { Routers } from './routers.ts'
import { bindSignIn, signOutTargets } from './sign-in.ts'
import { openBrowserSession } from './browser-session.ts'

export interface Identity {
  /** The embedded identity broker. Null if an external issuer signs people in. */
  readonly broker: Broker | null
  readonly relyingParty: RelyingParty
  /** Address of the issuer. */
  readonly issuer: string
  readonly signUp: SignUp
  readonly formKey: string
}

/** Binds the endpoints of the broker, and adds the limits that the broker lacks. */
const bindBroker = (http: Http, broker: Broker, routers: Routers): void => {
  const { registration, code_verification: codePage } = brokerPaths
  routers.of('/auth').all(/^\/auth\/oauth2\/.+$/, async (koa) => {
    const ctx = koa as unknown as Context
    take(http, ctx, 'address', ctx.state.address)
    if (ctx.method === 'POST' && ctx.path === registration) take(http, ctx, 'register', ctx.state.address)
    if (ctx.method === 'POST' && ctx.path === codePage) take(http, ctx, 'userCode', ctx.state.address)
    await broker.answer(ctx)
  })
}

export const bindIdentity = (http: Http, identity: Identity, stylesheet: string | undefined, routers: Routers): void => {
  const { broker, relyingParty, issuer, signUp, formKey } = identity
  const { baseUrl } = http.service
  const passkeys = broker !== null && allowsPasskeys(baseUrl) ? createPasskeys(http.service) : null
  bindSignIn({ http, relyingParty, broker, issuer, signUp, stylesheet, formKey }, routers)
  bindAccountPage(
    {
      http,
      stylesheet,
      formKey,
      passkeys,
      signOutTargets: () => signOutTargets(relyingParty, broker),
      externalIssuer: broker === null ? issuer : null,
      open: (ctx, account) => openBrowserSession(http, ctx, account, { provedAt: http.service.clock.now() })
    },
    routers
  )
  bindDevicePage({ http, stylesheet, formKey }, routers)
  bindDiscovery({ baseUrl, authUrl: broker === null ? issuer.replace(/\/$/, '') : baseUrl, broker, relyingParty }, routers)
  if (broker === null) return
  bindInteractionPages({ http, broker, passkeys, signUp, stylesheet }, routers)
  bindBroker(http, broker, routers)
}
