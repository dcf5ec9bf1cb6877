/** The advisory locks of a schema. One lock means that nodes use the schema. Each of the others is a name that one node has claimed. */
import type { Query } from './connection.ts'

/** The SQL expression for the key of the advisory lock that nodes (shared) or a migration (exclusively) hold while they use a schema. */
export const serviceLock = `hashtextextended('agmd service ' || $1, 0)`

/** The SQL expression for the key of the advisory lock of a name that one node has claimed in a schema. */
export const claimLock = `hashtextextended('agmd claim ' || $1 || ' ' || $2, 0)`

/** Returns the name of a node's listening connection. Other nodes use the name to see that the node is alive. */
export const applicationOf = (node: string): string => `agmd node ${node}`

/** Returns the number of nodes that use a schema. */
export const countNodes = async (query: Query, schema: string): Promise<number> => {
  const rows = await query<{ count: string }>({
    name: 'count nodes',
    text: `select count(*) from pg_locks where locktype = 'advisory' and granted and objsubid = 1
           and (classid::bigint << 32 | objid::bigint) = ${serviceLock}
           and database = (select oid from pg_database where datname = current_database())`,
    values: [schema]
  })
  return Number(rows[0]!.count)
}
