/**
 * The table of acts: everything that an operator can read or change. The commands (server/admin/) and the page (server/http/admin/) use only this
 * table, so both have the same inputs, checks and responses.
 */
import { z } from 'zod'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { auditKinds, type AuditRecord, listAudit } from '../records/audit.ts'
import type { Service } from '../service.ts'
import { listAllNodes, listAllTokens, revokeAnyNode, revokeAnyToken } from './access.ts'
import { countTrashed, findDocuments, readFound, restoreDocument, takeDown, transferDocument, transferDocuments } from './documents.ts'
import { forgetText } from './forgetting.ts'
import { listAllLinks, revokeAnyLink } from './links.ts'
import { auditWrites, type Operator } from './operator.ts'
import {
  accountNamed,
  deletePerson,
  disablePerson,
  enablePerson,
  endSessionsOf,
  invitePerson,
  listPeople,
  readPerson,
  resetPerson
} from './people.ts'
import { readUsage } from './usage.ts'

const Name = z.string().min(1).max(limits.emailUnitsMax)
const page = {
  after: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(limits.adminPageMax).optional()
}
const Account = z.strictObject({ account: Name })
const Doc = z.strictObject({ doc: Name })
const ok = { ok: true } as const

interface Act<Input extends z.ZodType, Answer extends object> {
  readonly input: Input
  /** Whether a person on the page must have signed in recently, because the act takes something from somebody else. */
  readonly dangerous?: true
  readonly run: (service: Service, operator: Operator, input: z.output<Input>) => Promise<Answer>
}

/** Checks the types of an entry. */
const act = <Input extends z.ZodType, Answer extends object>(entry: Act<Input, Answer>): Act<Input, Answer> => entry

const instant = ({ at, ...record }: AuditRecord): object => ({ at: new Date(at).toISOString(), ...record })

/** All acts by name. */
export const acts = {
  listPeople: act({
    input: z.strictObject({ query: z.string().max(limits.emailUnitsMax).optional(), ...page }),
    run: (service, _operator, input) => listPeople(service, input)
  }),
  readPerson: act({ input: Account, run: (service, _operator, { account }) => readPerson(service, account) }),
  invite: act({
    input: z.strictObject({ email: Name }),
    run: (service, operator, { email }) => invitePerson(service, operator, email)
  }),
  reset: act({ input: Account, dangerous: true, run: (service, operator, { account }) => resetPerson(service, operator, account) }),
  endSessions: act({ input: Account, run: (service, operator, { account }) => endSessionsOf(service, operator, account) }),
  disable: act({ input: Account, dangerous: true, run: (service, operator, { account }) => disablePerson(service, operator, account) }),
  enable: act({ input: Account, run: (service, operator, { account }) => enablePerson(service, operator, account) }),
  deletePerson: act({
    /** `to`: the account that gets the documents. Without it, `documents` says what happens to them. */
    input: z.strictObject({ account: Name, documents: z.enum(['keep', 'trash']), to: Name.optional() }),
    dangerous: true,
    async run(service, operator, { account, documents, to }) {
      const { id } = await accountNamed(service, account)
      const given = to === undefined ? { moved: 0, movedInTrash: 0 } : await transferDocuments(service, operator, id, to)
      const inTrash = await countTrashed(service, id)
      await deletePerson(service, operator, id, documents)
      return { ...ok, id, ...given, inTrash }
    }
  }),
  findDocuments: act({
    input: z.strictObject({ query: z.string().max(limits.titleUnitsMax).optional(), owner: Name.optional(), ...page }),
    run: (service, _operator, input) => findDocuments(service, input)
  }),
  readDocument: act({ input: Doc, run: (service, _operator, { doc }) => readFound(service, doc) }),
  transfer: act({
    input: z.strictObject({ doc: Name, to: Name }),
    dangerous: true,
    run: (service, operator, { doc, to }) => transferDocument(service, operator, doc, to)
  }),
  takeDown: act({ input: Doc, dangerous: true, run: (service, operator, { doc }) => takeDown(service, operator, doc) }),
  restore: act({ input: Doc, run: (service, operator, { doc }) => restoreDocument(service, operator, doc) }),
  forget: act({
    input: z.strictObject({ doc: Name, text: z.string().min(limits.forgetUnitsMin).max(limits.forgetUnitsMax) }),
    dangerous: true,
    run: (service, operator, { doc, text }) => forgetText(service, operator, doc, text)
  }),
  listLinks: act({
    input: z.strictObject({ doc: Name.optional(), account: Name.optional(), ...page }),
    run: (service, _operator, input) => listAllLinks(service, input)
  }),
  revokeLink: act({
    input: z.strictObject({ doc: Name, link: Name }),
    run: (service, operator, { doc, link }) => revokeAnyLink(service, operator, doc, link)
  }),
  listTokens: act({ input: z.strictObject(page), run: (service, _operator, input) => listAllTokens(service, input) }),
  revokeToken: act({
    input: z.strictObject({ token: Name }),
    run: (service, operator, { token }) => revokeAnyToken(service, operator, token).then(() => ok)
  }),
  listNodes: act({ input: z.strictObject(page), run: (service, _operator, input) => listAllNodes(service, input) }),
  revokeNode: act({
    input: z.strictObject({ node: Name }),
    run: (service, operator, { node }) => revokeAnyNode(service, operator, node).then(() => ok)
  }),
  readUsage: act({ input: z.strictObject({ limit: page.limit }), run: (service, _operator, { limit }) => readUsage(service, limit) }),
  /** Writes the audit record of an export or import. The command itself does the work. `docs`: the documents; absent for all, or for all of `account`. */
  noteTransfer: act({
    input: z.strictObject({
      kind: z.enum(['export', 'import']),
      account: Name.optional(),
      docs: z.array(Name).max(limits.adminPageMax).optional()
    }),
    async run(service, operator, { kind, account, docs }) {
      const known = account === undefined ? {} : { account: (await accountNamed(service, account)).id }
      for (const doc of docs ?? [undefined])
        await service.storage.commit(
          await auditWrites(service, operator, { kind: `admin.${kind}`, ...known, ...(doc !== undefined && { doc }) })
        )
      return ok
    }
  }),
  listAudit: act({
    input: z.strictObject({
      kind: z.enum(auditKinds).optional(),
      account: Name.optional(),
      doc: Name.optional(),
      before: z.string().max(100).optional(),
      limit: page.limit
    }),
    async run(service, _operator, { account, ...input }) {
      const id = account?.includes('@') === true ? (await accountNamed(service, account)).id : account
      const { records, nextBefore } = await listAudit(service, { ...input, account: id })
      return { records: records.map(instant), nextBefore }
    }
  })
} as const

export type ActName = keyof typeof acts
export type ActInput<Name extends ActName> = z.input<(typeof acts)[Name]['input']>
export type ActAnswer<Name extends ActName> = Awaited<ReturnType<(typeof acts)[Name]['run']>>

export const isActName = (name: string): name is ActName => Object.hasOwn(acts, name)

/** Runs an act. Throws `invalid_request` if the input has unknown or invalid fields, and the act's own errors. */
export const runAct = async <Name extends ActName>(
  service: Service,
  operator: Operator,
  name: Name,
  input: unknown
): Promise<ActAnswer<Name>> => {
  const entry = acts[name]
  const parsed = entry.input.safeParse(input)
  if (!parsed.success) {
    const details = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    throw new ServiceError('invalid_request', { details })
  }
  // The compiler cannot see that the input belongs to the same entry.
  const run = entry.run as (service: Service, operator: Operator, input: unknown) => Promise<ActAnswer<Name>>
  return run(service, operator, parsed.data)
}
