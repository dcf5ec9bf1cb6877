/**
 * An issuer whose faults a test can choose. It signs in every visitor as `person`, and issues agent tokens. It is independent of the server and uses
 * only `node:http` and `jose`.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

export interface IssuerFaults {
  /** Changes the claims of the next ID tokens. */
  claims?: (claims: JWTPayload) => JWTPayload
  /** Whether the issuer signs with a key that it does not publish. */
  foreignKey?: boolean
  /** The algorithm in the header of the next tokens. */
  alg?: 'none' | 'HS256'
  /** Changes the address to which the browser returns. */
  callback?: (url: URL) => void
  /** The status with which the issuer answers every request. */
  status?: number
  /** How long the issuer waits before it answers, in milliseconds. */
  delayMs?: number
}

export interface Issuer {
  readonly url: string
  faults: IssuerFaults
  person: { sub: string; name?: string; email?: string; email_verified?: boolean }
  /** The paths of the requests that the issuer received. */
  readonly seen: string[]
  /** Returns an agent's token: a JWT with the prefix `ai_`. */
  agentToken(claims?: JWTPayload): Promise<string>
  /** Tokens that the issuer recognizes at introspection, with their claims. */
  readonly opaque: Map<string, Record<string, unknown>>
  /** The last answer of the token endpoint. */
  readonly issued: { access_token?: string; id_token?: string }
  /** Creates new keys and withdraws the old ones. */
  rotate(): Promise<void>
  stop(): Promise<void>
}

interface Begun {
  readonly nonce: string
  readonly challenge: string
  readonly clientId: string
  readonly redirectUri: string
}

const readAll = async (request: IncomingMessage): Promise<URLSearchParams> => {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

const newKey = async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const kid = randomBytes(6).toString('hex')
  return { kid, privateKey: pair.privateKey, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' } }
}

export const startIssuer = async (): Promise<Issuer> => {
  let key = await newKey()
  const foreign = await newKey()
  const codes = new Map<string, Begun>()
  const opaque = new Map<string, Record<string, unknown>>()
  const issued: Issuer['issued'] = {}
  const seen: string[] = []

  const sign = async (claims: JWTPayload): Promise<string> => {
    const { faults } = issuer
    const changed = faults.claims?.(claims) ?? claims
    if (faults.alg === 'none')
      return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.`
    if (faults.alg === 'HS256')
      return new SignJWT(changed).setProtectedHeader({ alg: 'HS256', kid: key.kid }).sign(Buffer.from(JSON.stringify(key.jwk).padEnd(64)))
    const chosen = faults.foreignKey === true ? foreign.privateKey : key.privateKey
    return new SignJWT(changed).setProtectedHeader({ alg: 'ES256', kid: key.kid }).sign(chosen)
  }

  const json = (response: ServerResponse, value: unknown, status = 200): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
  }

  const token = async (form: URLSearchParams, response: ServerResponse): Promise<void> => {
    const begun = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (begun === undefined || begun.challenge !== challenge || begun.redirectUri !== form.get('redirect_uri'))
      return json(response, { error: 'invalid_grant' }, 400)
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer.url, aud: begun.clientId, iat: now, exp: now + 300, nonce: begun.nonce, ...issuer.person }
    issued.access_token = randomBytes(20).toString('hex')
    issued.id_token = await sign(claims)
    return json(response, { ...issued, token_type: 'Bearer', expires_in: 300 })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', issuer.url)
    seen.push(url.pathname)
    const { faults } = issuer
    if (faults.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, faults.delayMs))
    if (faults.status !== undefined) return json(response, {}, faults.status)
    if (url.pathname === '/.well-known/openid-configuration')
      return json(response, {
        issuer: issuer.url,
        authorization_endpoint: `${issuer.url}/authorize`,
        token_endpoint: `${issuer.url}/token`,
        jwks_uri: `${issuer.url}/jwks`,
        introspection_endpoint: `${issuer.url}/introspect`,
        authorization_response_iss_parameter_supported: true,
        id_token_signing_alg_values_supported: ['ES256'],
        response_types_supported: ['code'],
        subject_types_supported: ['public']
      })
    if (url.pathname === '/jwks') return json(response, { keys: [key.jwk] })
    if (url.pathname === '/introspect') {
      const known = opaque.get((await readAll(request)).get('token') ?? '')
      return json(response, known ?? { active: false })
    }
    if (url.pathname === '/token') return token(await readAll(request), response)
    if (url.pathname !== '/authorize') return json(response, {}, 404)
    const ask = (name: string): string => url.searchParams.get(name) ?? ''
    const code = randomBytes(12).toString('hex')
    codes.set(code, { nonce: ask('nonce'), challenge: ask('code_challenge'), clientId: ask('client_id'), redirectUri: ask('redirect_uri') })
    const back = new URL(ask('redirect_uri'))
    back.searchParams.set('code', code)
    back.searchParams.set('state', ask('state'))
    back.searchParams.set('iss', issuer.url)
    faults.callback?.(back)
    response.writeHead(303, { Location: back.href }).end()
    return undefined
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer: Issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: {},
    person: { sub: 'person-1', name: 'Ana', email: 'ana@example.org', email_verified: true },
    seen,
    issued,
    opaque,
    async agentToken(claims = {}) {
      const now = Math.floor(Date.now() / 1000)
      return `ai_${await sign({ iss: issuer.url, sub: 'agent-1', name: 'Scribe', iat: now, exp: now + 600, ...claims })}`
    },
    async rotate() {
      key = await newKey()
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
  return issuer
}
