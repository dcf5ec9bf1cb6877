/** The error for an address on which the server cannot listen. It is in a separate module, so that admin commands do not load the server. */
const portErrors = new Map([
  ['EADDRINUSE', 'another program is using it'],
  ['EACCES', 'this user does not have permission'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['ENOTFOUND', 'this machine has no such address']
])

/** Whether the person who starts the server can correct the cause of the error. */
export const isPortError = ({ code = '' }: NodeJS.ErrnoException): boolean => portErrors.has(code)

/** Thrown if the server cannot listen on the address. */
export class PortError extends Error {
  constructor(host: string, port: number, cause: NodeJS.ErrnoException) {
    super(`agmd cannot listen on ${host}:${port}: ${portErrors.get(cause.code ?? '')}. Set AGMD_PORT or AGMD_HOST to a different value.`, {
      cause
    })
    this.name = 'PortError'
  }
}
