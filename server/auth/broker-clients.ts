/** Checks clients that register themselves or name their metadata document. */
import type { ClientMetadata, KoaContextWithOIDC } from 'oidc-provider'
import { limits } from '../../shared/limits.ts'
import { plainName } from '../../shared/names.ts'
import { ownClientId } from './broker-paths.ts'
import { narrowed, withLowerRoles } from './broker-scopes.ts'
import { isLoopback } from './loopback.ts'

/**
 * Returns the host that vouches for a client whose id is the address of its metadata document. Returns undefined if the client registered itself,
 * because it can then use any name.
 */
export const clientHost = (clientId: string): string | undefined =>
  clientId.startsWith('https://') && URL.canParse(clientId) ? new URL(clientId).host : undefined

/**
 * Whether redirect addresses belong to a program on the person's computer (RFC 8252 §7). Such a program uses a loopback address with any port, or a
 * private scheme. A page that the computer serves over https does not count.
 */
const areNative = (uris: readonly unknown[]): boolean => {
  const urls = uris.flatMap((uri) => (typeof uri === 'string' && URL.canParse(uri) ? [new URL(uri)] : []))
  return (
    urls.some((url) => url.protocol !== 'https:' && (url.protocol !== 'http:' || isLoopback(url))) &&
    !urls.some((url) => url.protocol === 'https:' && isLoopback(url))
  )
}

/** Whether a client is registering itself without a type. The provider fills in the default type before it calls our code. */
export const omitsType = (ctx: KoaContextWithOIDC | undefined): boolean =>
  ctx?.oidc.route === 'registration' && ctx.oidc.body?.['application_type'] === undefined

/**
 * Adds the checks that the provider omits for a client that registers itself. They are needed because the client chooses its own name, and because
 * plain http is not confidential.
 */
export const checkMetadata = (metadata: ClientMetadata, isTypeOmitted: boolean, refuse: (why: string) => Error): void => {
  if (typeof metadata.client_name === 'string') {
    const name = plainName(metadata.client_name, limits.authorUnitsMax)
    if (name === '') delete metadata.client_name
    else metadata.client_name = name
  }
  if (typeof metadata.scope === 'string') metadata.scope = withLowerRoles(narrowed(metadata.scope))
  if (metadata.sector_identifier_uri !== undefined)
    throw refuse('sector_identifier_uri is not supported, because the broker would have to fetch it')
  if (metadata.client_id === ownClientId || !Array.isArray(metadata.redirect_uris)) return
  const isPlain = (uri: unknown): boolean => {
    const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined
    return url?.protocol === 'http:' && !isLoopback(url)
  }
  // RFC 8252 §7.3: a program on the person's machine listens on any port. A registration can name that port, but a metadata document cannot know
  // it.
  const isLocal = (uri: unknown): boolean => typeof uri === 'string' && uri.startsWith('http:') && URL.canParse(uri)
  if (clientHost(metadata.client_id) !== undefined && metadata.redirect_uris.some(isLocal)) metadata.application_type = 'native'
  // Many programs on a person's computer omit `application_type`. The protocol's default is a web client.
  if (isTypeOmitted && areNative(metadata.redirect_uris)) metadata.application_type = 'native'
  const hasCredentials = (uri: unknown): boolean => {
    const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined
    return url !== undefined && url.username + url.password !== ''
  }
  if (metadata.redirect_uris.some(hasCredentials)) throw refuse('redirect_uris must not contain a user name or password')
  if (metadata.redirect_uris.some(isPlain)) throw refuse('redirect_uris must use https; http is allowed only for loopback addresses')
}
