/**
 * The resources and scopes of access tokens. A resource is an address of this service, and each scope is a role. A token that names no resource gives
 * no access.
 */
import { type Role, roles } from '../../shared/roles.ts'

export const mcpPath = '/mcp'

/** Returns the resource that an indicator (RFC 8707) names, in the form that tokens use. Returns undefined if it is not one of ours. */
export const audienceOf = (baseUrl: string, indicator: string): string | undefined => {
  if (indicator === `${baseUrl}${mcpPath}` || indicator === `${baseUrl}${mcpPath}/`) return `${baseUrl}${mcpPath}`
  return indicator === baseUrl || indicator === `${baseUrl}/` ? baseUrl : undefined
}

const scopePrefix = 'docs:'
/** One scope for each role. The highest scope that was granted counts. */
export const documentScopes: readonly string[] = roles.map((role) => `${scopePrefix}${role}`)

/** All scopes that a client may request. */
const knownScopes: ReadonlySet<string> = new Set(['openid', 'offline_access', 'email', 'profile', ...documentScopes])

/** Returns the scopes without unknown ones (RFC 6749 §3.3). If all of them are unknown, returns all, so that the broker refuses them. */
export const narrowed = (scope: string): string => {
  const known = scope.split(' ').filter((each) => knownScopes.has(each))
  return known.length === 0 ? scope : known.join(' ')
}

/** Returns the highest role that scopes name; null if they name none. */
export const roleOfScopes = (scopes: readonly string[]): Role | null =>
  roles.findLast((role) => scopes.includes(`${scopePrefix}${role}`)) ?? null

/**
 * Returns the scopes in the form that the broker accepts. A role includes the roles below it, so that the person can allow less than the program
 * requests. A client that names no scope gets the scopes that most programs need.
 */
export const withLowerRoles = (scope: string): string => {
  const asked = scope.split(' ').filter((each) => each !== '')
  const most = roleOfScopes(asked) ?? (asked.includes('openid') ? null : 'edit')
  return [...new Set([...asked, ...documentScopes.slice(0, most === null ? 0 : roles.indexOf(most) + 1)])].join(' ')
}

/** Whether a scope requests the person's identity (OpenID Connect Core §3.1.2.1). */
export const asksForIdentity = (scope: unknown): boolean => typeof scope === 'string' && scope.split(' ').includes('openid')

/** Whether a code or token names a resource (RFC 8707). */
export const isForResource = (source: object): boolean =>
  'resource' in source && source.resource !== undefined && [source.resource].flat().length > 0
