/**
 * The five roles, lowest first. Each role includes the permissions of the roles before it (docs/api.md, Credentials and roles). `shared/operations/`
 * defines the role that each operation requires.
 */
export const roles = ['view', 'comment', 'suggest', 'edit', 'owner'] as const

export type Role = (typeof roles)[number]

/** Whether the role `held` includes the role `needed`. */
export const includesRole = (held: Role | null, needed: Role): boolean => held !== null && roles.indexOf(held) >= roles.indexOf(needed)
