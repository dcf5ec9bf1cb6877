/**
 * Documents as resources (MCP, Resources), for clients in which a person chooses the text that a model receives. `agmd://doc/ID` is the Markdown.
 * Below it are the outline, a section, the comments and the suggestions. The usual operations read them, with the connection's credentials.
 */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  ErrorCode as RpcErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema
} from '@modelcontextprotocol/sdk/types.js'
import { isDocumentId } from '../../shared/names.ts'
import type { OperationName } from '../../shared/operations/index.ts'
import { readCredentials } from '../auth/credentials.ts'
import type { Context, Http } from '../http/context.ts'
import { callOperation } from './call.ts'
import type { Connection } from './connection.ts'
import { Refused, refusedFor } from './refused.ts'
import type { Fields } from './tool.ts'

const markdown = 'text/markdown'
const json = 'application/json'

interface Part {
  /** The path that follows the id in the URI. */
  readonly path: string
  readonly name: string
  readonly description: string
  readonly mimeType: string
  readonly operation: OperationName
  /** Prefixes of the event kinds that announce changes to this resource. */
  readonly kinds: readonly string[]
  readonly input: (argument: string) => Fields
}

const parts: readonly Part[] = [
  {
    path: '',
    name: 'document',
    description: 'The Markdown of the document.',
    mimeType: markdown,
    operation: 'readContent',
    kinds: ['content.'],
    input: () => ({})
  },
  {
    path: '/outline',
    name: 'outline',
    description: 'The headings, with the lines and sizes of their sections.',
    mimeType: json,
    operation: 'readOutline',
    kinds: ['content.'],
    input: () => ({})
  },
  {
    path: '/comments',
    name: 'comments',
    description: 'The open comments, with replies and the current position of their text.',
    mimeType: json,
    operation: 'listComments',
    kinds: ['comment.'],
    input: () => ({ status: 'open' })
  },
  {
    path: '/suggestions',
    name: 'suggestions',
    description: 'Suggested changes that are still pending.',
    mimeType: json,
    operation: 'listSuggestions',
    kinds: ['suggestion.'],
    input: () => ({ status: 'pending' })
  },
  {
    path: '/section/{heading}',
    name: 'section',
    description: 'One section, by its heading or by Outer > Inner, percent-encoded.',
    mimeType: markdown,
    operation: 'readContent',
    kinds: ['content.'],
    input: (section) => ({ section })
  }
]

const argumentIn = '/{heading}'

const uriOf = (doc: string, { path }: Part): string => `agmd://doc/${doc}${path}`

/** The result of `resources/templates/list`. */
const templates = parts.map((part) => ({
  uriTemplate: uriOf('{id}', part),
  name: part.name,
  description: part.description,
  mimeType: part.mimeType
}))

/** Returns the resources of one document that have no argument. */
const resourcesOf = (doc: string): object[] =>
  parts
    .filter(({ path }) => !path.endsWith(argumentIn))
    .map((part) => ({ uri: uriOf(doc, part), name: part.name, description: part.description, mimeType: part.mimeType }))

interface Page {
  readonly resources: object[]
  readonly nextCursor?: string
}

const documentsOfAccount = async (http: Http, ctx: Context, cursor: string | undefined): Promise<Page> => {
  const input = cursor === undefined ? {} : { before: cursor }
  const { docs, nextBefore } = await callOperation(http, ctx, { name: 'listDocuments', doc: '', input })
  const resources = (docs as { id: string; title: string }[]).map(({ id, title }) => ({
    uri: `agmd://doc/${id}`,
    name: id,
    title,
    mimeType: markdown
  }))
  return { resources, ...(typeof nextBefore === 'string' && { nextCursor: nextBefore }) }
}

/**
 * Answers `resources/list` with the resources of the connection's document, or else with the account's documents. A connection with only a link lists
 * no resources unless its address names the document.
 */
const listResources = async (http: Http, ctx: Context, doc: string | undefined, cursor: string | undefined): Promise<Page> => {
  if (doc !== undefined) return { resources: resourcesOf(doc) }
  const { bearer } = readCredentials(ctx.req.headers, new URLSearchParams(ctx.querystring), http.cookies.session)
  if (bearer === undefined) return { resources: [] }
  try {
    return await documentsOfAccount(http, ctx, cursor)
  } catch (error) {
    throw refusedFor(error, http, ctx)
  }
}

interface Named {
  readonly doc: string
  readonly part: Part
  readonly argument: string
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Parses a URI. Throws `Refused` if the URI does not name a resource of this service. */
export const namedBy = (uri: string): Named => {
  const [, doc = '', path = ''] = /^agmd:\/\/doc\/([\w-]+)(\/.*)?$/s.exec(uri) ?? []
  const exact = parts.find((part) => part.path === path)
  const section = parts.find((part) => part.path.endsWith(argumentIn) && path.startsWith(part.path.slice(0, -argumentIn.length + 1)))
  const part = exact ?? section
  const argument = exact === undefined && section !== undefined ? decoded(path.slice(section.path.length - argumentIn.length + 1)) : ''
  if (isDocumentId(doc) && part !== undefined && argument !== undefined && (part === exact || argument !== ''))
    return { doc, part, argument }
  throw new Refused(
    RpcErrorCode.InvalidParams,
    `This is not a resource. The resources are: ${templates.map(({ uriTemplate }) => uriTemplate).join(', ')}.`,
    { uri }
  )
}

/** Answers `resources/read`. Throws `Refused`, with the error of the operation. */
const readResource = async (
  http: Http,
  ctx: Context,
  uri: string
): Promise<{ contents: { uri: string; mimeType: string; text: string }[] }> => {
  const { doc, part, argument } = namedBy(uri)
  try {
    const answer = await callOperation(http, ctx, { name: part.operation, doc, input: part.input(argument) })
    const text = part.mimeType === markdown ? String(answer['content']) : JSON.stringify(answer)
    return { contents: [{ uri, mimeType: part.mimeType, text }] }
  } catch (error) {
    throw refusedFor(error, http, ctx, { uri })
  }
}

/** Adds the handlers for resource requests. */
export const addResources = (server: Server, http: Http, ctx: Context, { doc }: Connection): void => {
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => listResources(http, ctx, doc, params?.cursor) as never)
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templates }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => readResource(http, ctx, params.uri))
}
