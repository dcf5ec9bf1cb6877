/** Documents that programs read without credentials: the well-known documents, and the authentication guide (docs/api.md, Discovery). */
import { agentAuth } from '../auth/agent-auth.ts'
import type { Broker } from '../auth/broker.ts'
import { documentScopes } from '../auth/broker-scopes.ts'
import type { RelyingParty } from '../auth/oidc.ts'
import type { Context } from './context.ts'
import type { Routers } from './routers.ts'

export interface DiscoveryOptions {
  readonly baseUrl: string
  /** Address of the identity broker. */
  readonly authUrl: string
  readonly broker: Broker | null
  readonly relyingParty: RelyingParty
}

const open = (ctx: Context): void => {
  ctx.set('Access-Control-Allow-Origin', '*')
  ctx.set('Cache-Control', 'public, max-age=300')
}

const guide = (baseUrl: string, metadata: object): string => `# Authentication

There are three ways to authenticate, and a request may use any one of them. The role decides what the caller may do.

## 1. A link: no account needed

\`POST ${baseUrl}/new\` creates an anonymous document and returns its owner key. Send a key as \`?key=\` or \`X-Share-Key\`. It grants one
role: view, comment, suggest, edit or owner. Send your name as \`X-Agent-Author\`.

## 2. An account: device login

1. \`POST ${baseUrl}/api/cli/device/start\` with \`{"client_name": "my agent"}\` returns \`device_code\`, \`user_code\`, \`verification_uri_complete\`,
   \`interval\` and \`expires_in\` (RFC 8628).
2. Show the person the code and the address. They sign in, compare the code and approve.
3. \`POST ${baseUrl}/api/cli/device/token\` with \`{"device_code": …}\` every \`interval\` seconds. The response is 400 \`authorization_pending\`
   or \`slow_down\` (wait 5 seconds longer from then on) until it is 200 with \`access_token\`. 400 \`expired_token\` or \`access_denied\` ends the login.
4. Send \`Authorization: Bearer asess_…\`. \`GET ${baseUrl}/api/me\` shows who you are. The person can end the session at ${baseUrl}/account.

With a session, documents of the account need no key. If you also send a key, the lower of the two roles counts. An invalid
credential always returns 401. With a bearer token, \`X-Agent-Author\` names the program: people see "review-bot · for Ana".

Without a browser, use a personal access token (\`apat_…\`). The person creates one at ${baseUrl}/account, or with
\`agmd token create --name review-bot --role suggest\`. The token has a role and an expiry date, and covers all documents or some of them. Send it as you send a session. It
cannot create tokens or manage the account. A document outside its scope returns 404. \`GET ${baseUrl}/api/me\` hides the email address and the usage of
the account from a token whose role is below owner, or that is limited to some documents.

### OAuth, for MCP clients

MCP clients sign the person in themselves: add ${baseUrl}/mcp?names=underscore. Calls with a link need no account. A call that needs one returns 401 and
names the metadata of the resource. Some clients sign in only when they connect; give them
${baseUrl}/mcp?names=underscore&sign_in=required.

- Authorization code with PKCE (S256) and \`resource=${baseUrl}/mcp\` (RFC 8707). That token works for the MCP endpoint only. A token for
  \`resource=${baseUrl}\` works for the entire API. Without \`resource\`, a token is for the MCP endpoint.
- Clients register themselves (RFC 7591). If the metadata contains \`client_id_metadata_document_supported\`, you can use the https address of a
  client metadata document as \`client_id\`. Scopes: \`docs:view\`, \`docs:comment\`, \`docs:suggest\`, \`docs:edit\`, \`docs:owner\`. The person
  chooses a role up to the one you ask for; \`scope\` in the answer names it.
- Access tokens last an hour. Each use replaces the refresh token. Using a code or refresh token twice ends all access.
- The person can end the access at ${baseUrl}/account. A program can revoke its own access (RFC 7009).

## 3. An agent identity

Send \`Authorization: Bearer ai_…\` if the operator has configured an issuer of agent tokens. An agent owns the documents that it creates.

## For machines

\`\`\`json
${JSON.stringify({ agent_auth: metadata }, null, 2)}
\`\`\`

Protected resource metadata (RFC 9728): ${baseUrl}/.well-known/oauth-protected-resource. Every 401 names it in \`WWW-Authenticate\`.
`

export const bindDiscovery = ({ baseUrl, authUrl, broker, relyingParty }: DiscoveryOptions, routers: Routers): void => {
  const metadata = agentAuth(baseUrl, authUrl)
  const router = routers.of('/.well-known')
  const json = (path: string, type: string, value: object): void => {
    router.get(path, (koa) => {
      const ctx = koa as unknown as Context
      open(ctx)
      ctx.type = type
      ctx.body = JSON.stringify(value)
    })
  }

  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
    router.get(path, async (koa) => {
      const ctx = koa as unknown as Context
      open(ctx)
      if (broker !== null) {
        ctx.req.url = '/.well-known/openid-configuration'
        return broker.answer(ctx)
      }
      ctx.type = 'application/json'
      ctx.body = JSON.stringify({ ...(await relyingParty.metadata()), agent_auth: metadata })
      return undefined
    })

  for (const [path, resource] of [
    ['/.well-known/oauth-protected-resource', baseUrl],
    ['/.well-known/oauth-protected-resource/mcp', `${baseUrl}/mcp`]
  ] as const)
    json(path, 'application/json', {
      resource,
      resource_name: 'agmd',
      authorization_servers: [authUrl],
      bearer_methods_supported: ['header'],
      ...(broker !== null && { scopes_supported: documentScopes }),
      resource_documentation: `${baseUrl}/auth.md`,
      agent_auth: metadata
    })

  json('/.well-known/api-catalog', 'application/linkset+json', {
    linkset: [
      {
        anchor: `${baseUrl}/api`,
        'service-desc': [{ href: `${baseUrl}/openapi.json`, type: 'application/json' }],
        'service-doc': [{ href: `${baseUrl}/auth.md`, type: 'text/markdown' }],
        'service-meta': [{ href: `${baseUrl}/.well-known/oauth-protected-resource`, type: 'application/json' }],
        status: [
          { href: `${baseUrl}/api/health`, type: 'application/json' },
          { href: `${baseUrl}/livez`, type: 'text/plain' },
          { href: `${baseUrl}/readyz`, type: 'text/plain' }
        ]
      }
    ]
  })

  routers.of('/auth.md').get('/auth.md', (koa) => {
    const ctx = koa as unknown as Context
    open(ctx)
    ctx.type = 'text/markdown; charset=utf-8'
    ctx.body = guide(baseUrl, metadata)
  })
}
