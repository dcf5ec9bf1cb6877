/** `tools/list`: all tools, or the tools that a connection requests. */
import { includesRole } from '../../shared/roles.ts'
import type { Connection } from './connection.ts'
import type { JsonSchema } from './schemas.ts'
import { type Offers, skillTool } from './skill.ts'
import type { ListedTool } from './tool.ts'
import { operationTools } from './tools.ts'

/** The last basic tool. The tools from `more-tools.ts` follow it. */
const lastSpecified = 'close_review_task'

/** All tools, in the order in which they are listed. */
export const allTools: readonly ListedTool[] = (operationTools as readonly ListedTool[]).toSpliced(
  operationTools.findIndex(({ name }) => name === lastSpecified) + 1,
  0,
  skillTool
)

/** Whether a connection requests a tool and has a role that can use the tool. */
const isWanted = ({ name, group, role }: ListedTool, connection: Connection): boolean =>
  name === skillTool.name ||
  ((connection.groups?.has(group) ?? true) && (role === null || connection.role === undefined || includesRole(connection.role, role)))

/** Returns a function that decides whether a connection lists a tool. */
export const offersOf =
  (connection: Connection): Offers =>
  (name) =>
    allTools.some((tool) => tool.name === name && isWanted(tool, connection))

/** Returns the schema without the arguments that the connection's address supplies. */
const withoutPlace = (schema: JsonSchema): JsonSchema => {
  const { doc: _doc, key: _key, ...properties } = schema['properties'] as JsonSchema
  const required = ((schema['required'] ?? []) as string[]).filter((name) => name !== 'doc')
  const { required: _required, ...others } = schema
  return { ...others, properties, ...(required.length > 0 && { required }) }
}

/** Returns a connection's tools in the protocol's list format. `to` is the beginning of their names, such as `svc.`. */
export const toolList = (to: string, connection: Connection): object[] =>
  allTools
    .filter((tool) => isWanted(tool, connection))
    .map(({ name, description, inputSchema, annotations }) => ({
      name: `${to}${name}`,
      description,
      inputSchema: connection.doc === undefined ? inputSchema : withoutPlace(inputSchema),
      annotations
    }))
