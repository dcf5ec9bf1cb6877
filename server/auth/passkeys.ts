/**
 * Passkeys (WebAuthn): creates the challenge for a browser, and checks the browser's response. Challenges are sealed strings that pass through the
 * form. Each challenge is valid once, for one purpose, and for a few minutes. Viewing a page does not store anything.
 */
import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { limits } from '../../shared/limits.ts'
import type { Account } from '../domain/accounts/accounts.ts'
import type { Caller } from '../domain/rights/caller.ts'
import { expiring } from '../domain/records/expiry.ts'
import { keys } from '../domain/records/keys.ts'
import { addPasskey, findPasskey, listPasskeys, notePasskeyUse } from '../domain/accounts/passkeys.ts'
import { hashSecret, openSealed } from '../domain/secrets.ts'
import type { Service } from '../domain/service.ts'

/** Fields of a form: the challenge for the browser, and the values that the browser must return with its response. */
export interface PasskeyQuestion {
  /** The options for `navigator.credentials`, as JSON. */
  readonly options: string
  readonly challenge: string
}

export interface Passkeys {
  askToMake(account: Account): Promise<PasskeyQuestion>
  /** Stores the passkey that the browser created. Returns false if the passkey does not match the challenge. */
  keepMade(caller: Caller, account: Account, name: string, challenge: string, response: string): Promise<boolean>
  /** Returns a challenge for a sign-in. `about` identifies the sign-in for which the challenge is valid. */
  askToSignIn(about: string): Promise<PasskeyQuestion>
  /** Returns the account whose passkey signed the response; undefined if no passkey of this service signed it. */
  whoSigned(about: string, challenge: string, response: string): Promise<Account | undefined>
}

interface Challenge {
  readonly about: string
  readonly challenge: string
  readonly expiresAt: number
}

const context = 'passkey challenge 1'

/** The COSE identifiers of the accepted signature algorithms: EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257]

/** Whether browsers create passkeys for an address. They do so for host names on https, and for localhost, but never for IP addresses. */
export const allowsPasskeys = (baseUrl: string): boolean => {
  const { protocol, hostname } = new URL(baseUrl)
  const isAddress = /^[\d.]+$/.test(hostname) || hostname.startsWith('[')
  return (protocol === 'https:' && !isAddress) || hostname === 'localhost' || hostname.endsWith('.localhost')
}

const parse = <T>(text: string): T | undefined => {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined
  }
}

export const createPasskeys = (service: Service): Passkeys => {
  const { vault, clock, storage, baseUrl } = service
  const rpID = new URL(baseUrl).hostname

  const newChallenge = (about: string): { challenge: string; sealed: string } => {
    const challenge = randomBytes(32).toString('base64url')
    const expiresAt = clock.now() + limits.signInSecondsMax * 1000
    return { challenge, sealed: vault.seal(JSON.stringify({ about, challenge, expiresAt } satisfies Challenge), context) }
  }

  /** Returns the challenge in a sealed string, and marks it as used. Returns undefined if it is invalid, used, or for another purpose. */
  const takeChallenge = async (about: string, sealed: string): Promise<string | undefined> => {
    const found = openSealed<Challenge>(vault, sealed, context)
    if (found?.about !== about || found.expiresAt <= clock.now()) return undefined
    const key = keys.usedLink(hashSecret(sealed))
    const first = await storage.commit({ checks: [{ key, version: null }], puts: expiring(key, { expiresAt: found.expiresAt }) })
    return first ? found.challenge : undefined
  }

  const aboutMaking = ({ id }: Account): string => `make ${id}`
  const aboutSigningIn = (about: string): string => `sign in ${about}`
  const expected = { expectedOrigin: baseUrl, expectedRPID: rpID, requireUserVerification: true }

  return {
    async askToMake(account) {
      const { generateRegistrationOptions } = await import('@simplewebauthn/server')
      const { challenge, sealed } = newChallenge(aboutMaking(account))
      const options = await generateRegistrationOptions({
        rpName: 'agmd',
        rpID,
        userID: new Uint8Array(Buffer.from(account.id)),
        userName: account.email ?? account.name,
        userDisplayName: account.name,
        challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
        attestationType: 'none',
        supportedAlgorithmIDs: algorithms,
        excludeCredentials: (await listPasskeys(service, account.id)).map(({ id }) => ({ id })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' }
      })
      return { options: JSON.stringify(options), challenge: sealed }
    },

    async keepMade(caller, account, name, sealed, text) {
      const challenge = await takeChallenge(aboutMaking(account), sealed)
      const response = parse<RegistrationResponseJSON>(text)
      if (challenge === undefined || response === undefined) return false
      const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
      const checked = await verifyRegistrationResponse({
        response,
        expectedChallenge: challenge,
        supportedAlgorithmIDs: algorithms,
        ...expected
      }).catch(() => undefined)
      if (checked?.verified !== true) return false
      const { id, publicKey, counter } = checked.registrationInfo.credential
      await addPasskey(service, caller, { id, account: account.id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, name })
      return true
    },

    async askToSignIn(about) {
      const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
      const { challenge, sealed } = newChallenge(aboutSigningIn(about))
      const options = await generateAuthenticationOptions({
        rpID,
        challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
        userVerification: 'required'
      })
      return { options: JSON.stringify(options), challenge: sealed }
    },

    async whoSigned(about, sealed, text) {
      const challenge = await takeChallenge(aboutSigningIn(about), sealed)
      const response = parse<AuthenticationResponseJSON>(text)
      const found = typeof response?.id === 'string' ? await findPasskey(service, response.id) : undefined
      if (challenge === undefined || response === undefined || found === undefined) return undefined
      const { passkey, account } = found
      const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
      const credential = {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter
      }
      const checked = await verifyAuthenticationResponse({ response, expectedChallenge: challenge, credential, ...expected }).catch(
        () => undefined
      )
      if (checked?.verified !== true) return undefined
      return (await notePasskeyUse(service, passkey, checked.authenticationInfo.newCounter)) ? account : undefined
    }
  }
}
