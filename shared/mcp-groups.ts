/** The groups of MCP tools, and how an invitation's address lists them. */
import { includesRole, type Role } from './roles.ts'

export const groups = ['read', 'edit', 'review', 'share', 'media', 'account'] as const

export type Group = (typeof groups)[number]

/** The lowest role of a link that can use a group. The tools of `media` and `account` need an account, which a link does not provide. */
const leastRoles: Partial<Readonly<Record<Group, Role>>> = { read: 'view', review: 'view', edit: 'suggest', share: 'edit' }

/** Returns the groups that a link with this role can use. */
export const groupsFor = (role: Role): readonly Group[] =>
  groups.filter((group) => leastRoles[group] !== undefined && includesRole(role, leastRoles[group]))

/**
 * Returns the address at which a program connects to one document. The address selects the tools that the role can use, under names with underscores.
 */
export const invitationPath = (doc: string, role: Role): string =>
  `/mcp?names=underscore&doc=${doc}&role=${role}&tools=${groupsFor(role).join(',')}`
