/** The values that the build and the service write into the program (cli/vite.config.ts, server/http/downloads.ts). */
declare const AGMD_VERSION: string | undefined
declare const AGMD_HOME: string | undefined

/** Version of the program. */
export const version = typeof AGMD_VERSION === 'string' ? AGMD_VERSION : 'from source'

/** The service that this program was downloaded from. */
export const home = typeof AGMD_HOME === 'string' && /^https?:/.test(AGMD_HOME) ? AGMD_HOME : undefined
