/** Describes in machine-readable form how agents authenticate (docs/api.md, Accounts and sign-in). */
export const agentAuth = (baseUrl: string, authUrl: string): Readonly<Record<string, unknown>> => ({
  skill: `${baseUrl}/auth.md`,
  register_uri: `${authUrl}/auth/oauth2/register`,
  identity_types_supported: ['verified_email', 'anonymous'],
  credential_types_supported: ['oauth2_authorization_code', 'oauth2_device_code', 'capability_url'],
  verified_email: {
    assertion_types_supported: ['verified_email'],
    credential_types_supported: ['oauth2_authorization_code', 'oauth2_device_code'],
    claim_uri: `${baseUrl}/sign-in`
  },
  anonymous: { credential_types_supported: ['capability_url'], claim_uri: `${baseUrl}/new` }
})
