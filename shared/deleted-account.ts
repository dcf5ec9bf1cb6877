/**
 * Name of the cookie which tells pages that the account of this browser was deleted, until somebody signs in. Its value is the host of the service,
 * because all ports of a host share their cookies.
 */
export const deletedAccountCookie = 'agmd-account-deleted'
