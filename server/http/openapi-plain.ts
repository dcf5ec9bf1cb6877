/**
 * The public routes outside the operations table, as `/openapi.json` describes them: pages that programs read, guides, discovery, and downloads.
 * Forms for people, and the requests that pages make, are left out (test/spec/openapi.test.ts lists them).
 */
import type { ZodOpenApiOperationObject } from 'zod-openapi'
import { z } from 'zod'
import { pathParameters } from '../../shared/operation.ts'

interface PlainRoute {
  readonly path: string
  readonly method?: 'get' | 'post'
  readonly name: string
  readonly summary: string
  /** Media types of the response. */
  readonly types?: readonly string[]
  /** Whether the response is a redirect (303). */
  readonly leads?: boolean
  /** Media type of the request body. */
  readonly takes?: string
  /** Whether the response depends on the key or session. */
  readonly isPrivate?: boolean
}

const markdown = 'text/markdown'
const json = 'application/json'
const text = 'text/plain'
const page = 'text/html'

const routes: readonly PlainRoute[] = [
  { path: '/', name: 'readHome', summary: 'The home page; for programs, the quickstart.', types: [page, markdown] },
  {
    path: '/new',
    name: 'newDocument',
    summary: 'Creates a document and redirects to it; browsers get a page that asks first.',
    types: [page],
    leads: true
  },
  {
    path: '/d/{id}',
    name: 'openDocument',
    summary: 'The page of a document. Programs get its Markdown, preceded by a comment that says what they may do and how.',
    types: [page, markdown, json],
    isPrivate: true
  },
  { path: '/pub/{id}', name: 'readPublished', summary: 'The published page of a document.', types: [page, markdown] },
  { path: '/pub/{id}.md', name: 'readPublishedMarkdown', summary: 'The Markdown of a published document.', types: [markdown] },
  { path: '/f/{file}', name: 'readAsset', summary: 'An asset, for anyone with its address.', types: ['application/octet-stream'] },
  { path: '/agents.md', name: 'readAgentGuide', summary: 'The guide for agents.', types: [markdown] },
  { path: '/auth.md', name: 'readAuthGuide', summary: 'The guide to authentication.', types: [markdown] },
  { path: '/cli.md', name: 'readClientGuide', summary: 'The guide to the command-line client.', types: [markdown] },
  { path: '/llms.txt', name: 'readGuideIndex', summary: 'An index of the guides.', types: [text] },
  { path: '/skills/agmd/SKILL.md', name: 'readSkill', summary: 'The skill for agents.', types: [markdown] },
  { path: '/api/quickstart', name: 'readQuickstart', summary: 'Four calls to start with.', types: [markdown] },
  { path: '/api/cli/commands', name: 'readCommands', summary: 'The commands of the client.', types: [json] },
  { path: '/install.sh', name: 'readInstaller', summary: 'The installer for the client.', types: ['text/x-shellscript'] },
  { path: '/downloads/agmd', name: 'downloadClient', summary: 'The client.', types: ['application/octet-stream'] },
  { path: '/downloads/agmd/checksum', name: 'readChecksum', summary: 'SHA-256 of the client.', types: [text] },
  { path: '/openapi.json', name: 'readOpenApi', summary: 'This description.', types: [json] },
  { path: '/mcp', name: 'describeMcp', summary: 'Describes the MCP endpoint.', types: [json] },
  {
    path: '/mcp',
    method: 'post',
    name: 'callMcp',
    summary: 'One JSON-RPC message of MCP (Streamable HTTP, stateless).',
    types: [json],
    takes: json,
    isPrivate: true
  },
  {
    path: '/sign-in',
    name: 'signIn',
    summary: 'Redirects to the identity broker; a page if somebody is signed in.',
    types: [page],
    leads: true
  },
  {
    path: '/sign-up',
    name: 'signUp',
    summary: 'Redirects to the identity broker; a page if somebody is signed in.',
    types: [page],
    leads: true
  },
  { path: '/account', name: 'openAccount', summary: 'The account page, for browsers.', types: [page] },
  { path: '/robots.txt', name: 'readRobots', summary: 'Rules for crawlers.', types: [text] },
  { path: '/.well-known/security.txt', name: 'readSecurityContact', summary: 'Where to report vulnerabilities (RFC 9116).', types: [text] },
  {
    path: '/.well-known/openid-configuration',
    name: 'readOpenIdConfiguration',
    summary: 'Metadata of the identity broker.',
    types: [json]
  },
  {
    path: '/.well-known/oauth-authorization-server',
    name: 'readAuthorizationServer',
    summary: 'OAuth metadata (RFC 8414).',
    types: [json]
  },
  {
    path: '/.well-known/oauth-protected-resource',
    name: 'readProtectedResource',
    summary: 'Metadata of the protected resource (RFC 9728).',
    types: [json]
  },
  {
    path: '/.well-known/oauth-protected-resource/mcp',
    name: 'readProtectedMcp',
    summary: 'Metadata of the MCP endpoint.',
    types: [json]
  },
  {
    path: '/.well-known/api-catalog',
    name: 'readApiCatalog',
    summary: 'Links to all descriptions (RFC 9727).',
    types: ['application/linkset+json']
  }
]

/** Responses from these routes describe themselves, so they have no schema here. */
const contentOf = (types: readonly string[]): object => Object.fromEntries(types.map((type) => [type, {}]))

/** Returns the plain routes by path and method. `responses` are the responses that any route can give. */
export const plainPaths = (
  responses: Readonly<Record<string, object>>
): [path: string, method: string, entry: ZodOpenApiOperationObject][] =>
  routes.map(({ path, method = 'get', name, summary, types = [], takes, leads = false, isPrivate = false }) => [
    path,
    method,
    {
      operationId: name,
      summary,
      tags: ['site'],
      ...(isPrivate ? {} : { security: [] }),
      requestParams: { path: z.object(Object.fromEntries(pathParameters(path).map((each) => [each, z.string()]))) },
      ...(takes !== undefined && { requestBody: { required: true, content: contentOf([takes]) } }),
      responses: {
        ...(types.length > 0 && { '200': { description: 'OK', content: contentOf(types) } }),
        ...(leads && { '303': { description: 'A redirect.' } }),
        ...responses
      }
    } as ZodOpenApiOperationObject
  ])
