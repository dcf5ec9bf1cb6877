/**
 * A program that gets access from a person. It is the OAuth client of the official MCP SDK, in its current or previous version, with a person who
 * agrees.
 */
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { ownPages } from './provider.ts'
import { newVisitor, type Visitor } from './visitor.ts'

export const callback = 'http://127.0.0.1:7777/callback'

export interface ProgramState {
  client: OAuthClientInformationMixed | undefined
  tokens: OAuthTokens | undefined
  /** The address to which the person was sent. */
  asked: URL | undefined
}

export interface Program {
  readonly state: ProgramState
  readonly transport: () => StreamableHTTPClientTransport
  /** Connects the client. Throws `UnauthorizedError` if the person must agree first. */
  connect(): Promise<Client>
  /** Submits the code with which the person returned. */
  finish(code: string): Promise<void>
}

/** A program whose client uses the version without a handshake. It compares the issuer that answers with the one it asked (RFC 9207). */
export interface ModernProgram {
  readonly state: ProgramState
  connect(): Promise<ModernClient>
  /** Submits the parameters of the address to which the person returned. */
  finish(back: URL): Promise<void>
}

interface ProviderOf {
  readonly state: ProgramState
  readonly provider: OAuthClientProvider
}

const newProvider = (metadata: Partial<OAuthClientMetadata>): ProviderOf => {
  const state: ProgramState = { client: undefined, tokens: undefined, asked: undefined }
  let verifier = ''
  let discovery: OAuthDiscoveryState | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'Review bot',
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...metadata
    },
    clientInformation: () => state.client,
    saveClientInformation: (client) => void (state.client = client),
    tokens: () => state.tokens,
    saveTokens: (tokens) => void (state.tokens = tokens),
    redirectToAuthorization: (asked) => void (state.asked = asked),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => void (discovery = found),
    discoveryState: () => discovery,
    invalidateCredentials(what) {
      if (what === 'tokens' || what === 'all') state.tokens = undefined
      if (what === 'client' || what === 'all') state.client = undefined
    }
  }
  return { state, provider }
}

export const newModernProgram = (url: string, metadata: Partial<OAuthClientMetadata> = {}): ModernProgram => {
  const { state, provider } = newProvider(metadata)
  const transport = (): ModernTransport => new ModernTransport(new URL(`${url}/mcp`), { authProvider: provider as never })
  return {
    state,
    async connect() {
      const client = new ModernClient({ name: 'review-bot', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
      await client.connect(transport())
      return client
    },
    finish: (back) => transport().finishAuth(back.searchParams)
  }
}

export const newProgram = (url: string, metadata: Partial<OAuthClientMetadata> = {}): Program => {
  const { state, provider } = newProvider(metadata)
  const transport = (): StreamableHTTPClientTransport =>
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { authProvider: provider })
  return {
    state,
    transport,
    async connect() {
      const client = new Client({ name: 'review-bot', version: '1' })
      await client.connect(transport())
      return client
    },
    finish: (code) => transport().finishAuth(code)
  }
}

/** Signs the person in, chooses a role and agrees. Returns the address to which the browser is sent. */
export const agreeAs = async (
  asked: URL,
  email: string,
  role?: string,
  visitor: Visitor = newVisitor({ stopAt: callback })
): Promise<URL> => {
  await visitor.visit(asked.href)
  if (visitor.page.text.includes('name="password"')) await ownPages.signIn(visitor, email)
  const preset = /<option value="(\w+)" selected>/.exec(visitor.page.text)?.[1] ?? 'none'
  await visitor.submit('/agree', { role: role ?? preset })
  return new URL(visitor.page.url)
}
