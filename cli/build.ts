/** Values that the build and the service write into the program (cli/vite.config.ts, server/http/downloads.ts). */
declare const AGMD_VERSION: string | undefined
declare const AGMD_HOME: string | undefined

/** Version of this program. */
export const version = typeof AGMD_VERSION === 'string' ? AGMD_VERSION : 'from source'

/** Origin of the service from which this program was downloaded. */
export const home = typeof AGMD_HOME === 'string' && /^https?:/.test(AGMD_HOME) ? AGMD_HOME : undefined
