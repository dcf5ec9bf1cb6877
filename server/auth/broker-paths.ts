/** The addresses of the embedded broker on this server, and the client id of the service at the broker. */

/** The client id of the service itself at the broker. */
export const ownClientId = 'agmd'

export const callbackPath = '/auth/callback'

export const brokerPaths = {
  authorization: '/auth/oauth2/authorize',
  token: '/auth/oauth2/token',
  registration: '/auth/oauth2/register',
  device_authorization: '/auth/oauth2/device/code',
  code_verification: '/auth/oauth2/device',
  jwks: '/auth/oauth2/jwks',
  userinfo: '/auth/oauth2/userinfo',
  revocation: '/auth/oauth2/revoke',
  end_session: '/auth/oauth2/sign-out'
} as const

/** The path for sign-in and consent. The cookie of an interaction is valid only for this path. */
export const interactionPath = '/auth/interaction'
