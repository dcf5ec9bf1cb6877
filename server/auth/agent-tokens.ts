/**
 * Verifies agent tokens (`ai_…`), which the configured external issuer issues. A JWT is verified with the issuer's keys. For any other token, the
 * service asks the issuer (RFC 7662).
 */
import { hash } from 'node:crypto'
import { createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTPayload } from 'jose'
import * as oidc from 'openid-client'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { AgentIdentity, Agents } from '../domain/ports.ts'
import type { Service } from '../domain/service.ts'
import type { Log } from '../log.ts'
import { issuerClient } from './oidc.ts'

export interface AgentTokenOptions {
  readonly clock: Service['clock']
  readonly baseUrl: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  readonly log: Log
}

const prefix = 'ai_'
const rememberedMax = 1000

// Only asymmetric algorithms are accepted. If the issuer published a symmetric key, anyone could sign with it.
const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519']

interface Claims {
  readonly sub?: unknown
  readonly iss?: unknown
  readonly aud?: unknown
  readonly exp?: unknown
  readonly nbf?: unknown
  readonly name?: unknown
  readonly client_id?: unknown
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

export const createAgents = (options: AgentTokenOptions): Agents => {
  const { clock, baseUrl, issuer, log } = options
  const configured = issuerClient({ clock }, { ...options, fetch: null })
  const remembered = new Map<string, { readonly agent: AgentIdentity; readonly until: number }>()
  let keySet: { readonly uri: string; readonly get: ReturnType<typeof createRemoteJWKSet> } | undefined

  const keysAt = (uri: string): ReturnType<typeof createRemoteJWKSet> => {
    if (keySet?.uri !== uri) {
      const get = createRemoteJWKSet(new URL(uri), {
        timeoutDuration: limits.issuerSecondsMax * 1000,
        cacheMaxAge: limits.issuerKeepMinutes * 60_000,
        cooldownDuration: 60_000,
        [customFetch]: (url: string, init: RequestInit) => fetch(url, { ...init, redirect: 'error' })
      })
      keySet = { uri, get }
    }
    return keySet.get
  }

  const agentOf = (claims: Claims): AgentIdentity | undefined => {
    const subject = text(claims.sub)
    const expiresAt = typeof claims.exp === 'number' ? claims.exp * 1000 : undefined
    const audiences = [claims.aud].flat()
    // The values must also match: a token for another service is not valid here.
    if (subject === undefined || expiresAt === undefined || expiresAt <= clock.now() || !audiences.includes(baseUrl)) return undefined
    const id = hash('sha256', `${issuer}\0${subject}`, 'base64url').slice(0, 22)
    return { id, name: (text(claims.name) ?? text(claims.client_id) ?? subject).slice(0, limits.authorUnitsMax), expiresAt }
  }

  const verifyJwt = async (config: oidc.Configuration, jwt: string): Promise<AgentIdentity | undefined> => {
    const { jwks_uri: uri } = config.serverMetadata()
    if (uri === undefined) return undefined
    let payload: JWTPayload
    try {
      const checks = { issuer, audience: baseUrl, algorithms, clockTolerance: 60, requiredClaims: ['sub', 'exp', 'aud'] }
      payload = (await jwtVerify(jwt, keysAt(uri), { ...checks, currentDate: new Date(clock.now()) })).payload
    } catch (error) {
      const answered = error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout) && error.code !== 'ERR_JOSE_GENERIC'
      if (answered) return undefined
      throw error
    }
    return agentOf(payload)
  }

  const introspect = async (config: oidc.Configuration, token: string): Promise<AgentIdentity | undefined> => {
    if (config.serverMetadata().introspection_endpoint === undefined) return undefined
    const answer = await oidc.tokenIntrospection(config, token)
    return answer.active === true && (answer.iss === undefined || answer.iss === issuer) ? agentOf(answer as Claims) : undefined
  }

  return {
    async verify(token) {
      if (token.length > limits.agentTokenUnitsMax) return undefined
      const name = hash('sha256', token, 'base64url')
      const known = remembered.get(name)
      if (known !== undefined && known.until > clock.now()) return known.agent
      remembered.delete(name)
      const rest = token.slice(prefix.length)
      let agent: AgentIdentity | undefined
      try {
        const config = await configured()
        agent = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(rest) ? await verifyJwt(config, rest) : await introspect(config, token)
      } catch (error) {
        log.warn('a token could not be verified with the issuer of agent tokens', { issuer, error })
        const hint = 'Send the same request again in a minute; links and sessions keep working.'
        throw new ServiceError('issuer_unavailable', { message: 'The issuer of agent tokens is not responding.', hint }, { cause: error })
      }
      if (agent === undefined) return undefined
      if (remembered.size >= rememberedMax) remembered.delete(remembered.keys().next().value as string)
      remembered.set(name, { agent, until: Math.min(agent.expiresAt, clock.now() + limits.agentTokenSeconds * 1000) })
      return agent
    }
  }
}
