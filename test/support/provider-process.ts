/**
 * Another identity provider, like one that an operator may run: `oidc-provider` in a separate process, with accounts (any typed name signs in),
 * pages, keys and a store of its own. It prints its address.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

const server = createServer()
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const provider = new Provider(url, {
  findAccount: (_ctx, id) => ({
    accountId: id,
    claims: () => Promise.resolve({ sub: id, name: id.split('@')[0], email: id, email_verified: true })
  }),
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  conformIdTokenClaims: false,
  cookies: { keys: ['a key of the tests'] },
  rotateRefreshToken: true,
  features: {
    devInteractions: { enabled: true },
    deviceFlow: { enabled: true },
    registration: { enabled: true },
    revocation: { enabled: true },
    rpInitiatedLogout: { enabled: true }
  }
})
const answer = provider.callback()
server.on('request', (request, response) => void answer(request, response))
process.stdout.write(`ready ${url}\n`)
