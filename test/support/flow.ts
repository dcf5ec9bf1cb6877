/** The authorization code flow step by step, for requests that no well-behaved client sends. */
import { createHash, randomBytes } from 'node:crypto'
import { agreeAs, callback } from './program.ts'
import type { Visitor } from './visitor.ts'
import type { Answer, World } from './world.ts'

export interface Flow {
  readonly clientId: string
  readonly verifier: string
  /** The address that the person opens. */
  readonly url: URL
}

/** Registers a client and builds the address of its authorization request. A null value omits a parameter. */
export const begin = async (world: World, parameters: Readonly<Record<string, string | null>> = {}, fields: object = {}): Promise<Flow> => {
  const metadata = {
    client_name: 'Review bot',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
    ...fields
  }
  const { json } = await world.ask('POST', '/auth/oauth2/register', { json: metadata })
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL(`${world.url}/auth/oauth2/authorize`)
  const all = {
    client_id: String(json.client_id),
    redirect_uri: callback,
    response_type: 'code',
    scope: 'docs:edit',
    state: 'state-1',
    resource: `${world.url}/mcp`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters
  }
  for (const [name, value] of Object.entries(all)) if (value !== null) url.searchParams.set(name, value)
  return { clientId: String(json.client_id), verifier, url }
}

/** Redeems a code or a refresh token at the token endpoint. */
export const redeem = (world: World, fields: Readonly<Record<string, string>>): Promise<Answer> =>
  world.ask('POST', '/auth/oauth2/token', { body: new URLSearchParams(fields).toString(), type: 'application/x-www-form-urlencoded' })

export const codeFields = ({ clientId, verifier }: Flow, back: URL): Record<string, string> => ({
  grant_type: 'authorization_code',
  client_id: clientId,
  code: back.searchParams.get('code') ?? '',
  redirect_uri: callback,
  code_verifier: verifier
})

/** Runs the entire flow and returns the answer of the token endpoint. */
export const tokensFor = async (
  world: World,
  email: string,
  { parameters = {}, role, visitor }: { parameters?: Record<string, string | null>; role?: string; visitor?: Visitor } = {}
): Promise<{ flow: Flow; answer: Answer }> => {
  const flow = await begin(world, parameters)
  const back = await agreeAs(flow.url, email, role, visitor)
  return { flow, answer: await redeem(world, codeFields(flow, back)) }
}
