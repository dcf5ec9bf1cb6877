/**
 * The five roles, lowest first. Each includes the permissions of those before it (docs/api.md, Credentials and roles). The role that an operation
 * needs is in its entry in `shared/operations/`.
 */
export const roles = ['view', 'comment', 'suggest', 'edit', 'owner'] as const

export type Role = (typeof roles)[number]

/** Whether the role `held` includes the role `needed`. */
export const includesRole = (held: Role | null, needed: Role): boolean => held !== null && roles.indexOf(held) >= roles.indexOf(needed)
