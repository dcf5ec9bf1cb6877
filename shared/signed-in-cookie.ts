/**
 * Name of the cookie which tells pages that somebody is probably signed in in this browser, before the server has answered. It grants nothing. Its value
 * is the host of the service, because all ports of a host share their cookies.
 */
export const signedInCookie = 'agmd-signed-in'
