/** Replaces the account ids of an exported document's authors with the ids of their accounts on this instance. */
import type { ExportedDocument } from './export-source.ts'

type Accounts = ReadonlyMap<string, { readonly id: string; readonly name: string }>

const actorPattern = /^account:(\S+)(?= )/

const mapped = (value: unknown, ids: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') return value.replace(actorPattern, (whole, id: string) => (ids.has(id) ? `account:${ids.get(id)}` : whole))
  if (Array.isArray(value)) return value.map((each) => mapped(each, ids))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, each]) => [name, mapped(each, ids)] as const)
  const record = Object.fromEntries(fields)
  const id: unknown = record['id']
  return record['kind'] === 'account' && typeof id === 'string' && ids.has(id) ? { ...record, id: ids.get(id) } : record
}

/** Returns the document with the accounts of this instance as authors and actors. */
export const withAccounts = (exported: ExportedDocument, accounts: Accounts): ExportedDocument => {
  const ids = new Map([...accounts].flatMap(([id, here]) => (id === here.id ? [] : [[id, here.id] as const])))
  return ids.size === 0 ? exported : (mapped(exported, ids) as ExportedDocument)
}
