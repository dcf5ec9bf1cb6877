/**
 * Decides who may administer the server, and names the actor of an act.
 *
 * This folder contains the acts of administrators and operators. An administrator is a person whose account `AGMD_ADMINS` names. An operator runs
 * commands on the server itself. Neither gets a role on other people's documents: they see titles, owners and sizes, but no text, comments or links.
 */
import { limits } from '../../../shared/limits.ts'
import { requireRightNow } from '../rights/authority.ts'
import { callerOfSession } from '../rights/access.ts'
import { actorOf, type By, systemActor } from '../rights/caller.ts'
import { type Account, isNamed } from '../accounts/accounts.ts'
import type { FoundSession } from '../accounts/sessions.ts'
import { type AuditActor, type Audited, auditPut } from '../records/audit.ts'
import type { ExtraWrites } from '../accounts/accounts.ts'
import type { Service } from '../service.ts'

/** The person who administers. */
export interface Operator {
  /** The person's access, which the commit of each act checks again. `system` for commands on the server. */
  readonly by: By
  /** The person, as the audit log records them. */
  readonly actor: AuditActor
}

/** The operator of commands that run on the server. */
export const consoleOperator: Operator = { by: 'system', actor: { kind: 'operator' } }

/** Whether an account administers the server. This is the only place that decides it. */
export const isAdmin = ({ admins }: Pick<Service, 'admins'>, account: Account): boolean =>
  account.disabledAt === undefined && isNamed(admins, account)

/**
 * Returns the administrator for a session; undefined for everybody else. Only a browser session is accepted, so no token and no program can ever
 * administer.
 */
export const operatorOf = (service: Pick<Service, 'admins'>, found: FoundSession): Operator | undefined =>
  found.session.kind === 'browser' && isAdmin(service, found.account)
    ? { by: callerOfSession(found), actor: { kind: 'account', id: found.account.id } }
    : undefined

/** Whether the person proved recently who they are. Dangerous acts need this, because a browser may be left open. */
export const isFresh = ({ clock }: Pick<Service, 'clock'>, { session }: FoundSession): boolean =>
  session.provedAt !== undefined && clock.now() - session.provedAt <= limits.adminFreshMinutes * 60_000

/** Returns the operator as an actor, in the form that events use. */
export const actorIn = ({ by }: Operator): string => (by === 'system' ? systemActor : actorOf(by))

/** Returns the checks and the audit record for the commit of an act. Throws `credential_invalid` if the person's access has ended. */
export const auditWrites = async (service: Service, { by, actor }: Operator, act: Omit<Audited, 'by'>): Promise<Required<ExtraWrites>> => ({
  checks: by === 'system' ? [] : await requireRightNow(service, '', by),
  puts: [auditPut(service.clock.now(), { ...act, by: actor })]
})
