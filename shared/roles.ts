/** The five roles, lowest first. Each includes the permissions of those before it (docs/api.md, Credentials and roles). */
export const roles = ['view', 'comment', 'suggest', 'edit', 'owner'] as const

export type Role = (typeof roles)[number]

/** True when a caller who holds `held` may do what needs `needed`. */
export const includesRole = (held: Role | null, needed: Role): boolean => held !== null && roles.indexOf(held) >= roles.indexOf(needed)
