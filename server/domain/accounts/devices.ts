/** Device login (RFC 8628): a program shows a code, a person approves it in a browser, and the program receives an app session. */
import { randomBytes, randomInt } from 'node:crypto'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { findAccount, isCurrent } from './accounts.ts'
import { commitFor } from '../rights/authority.ts'
import { accountOf, type Caller } from '../rights/caller.ts'
import { type Expiring, expiring, findLive } from '../records/expiry.ts'
import { keys } from '../records/keys.ts'
import { hashSecret } from '../secrets.ts'
import type { Service } from '../service.ts'
import { newSession } from './sessions.ts'

export interface Device extends Expiring {
  readonly userCode: string
  readonly name: string
  /** The address from which the login was started. It helps the person recognize the login. */
  readonly address: string
  readonly startedAt: number
  readonly status: 'pending' | 'approved' | 'denied'
  readonly account: string | null
  /** The account's epoch when the login was approved (authority.ts); 0 if absent. The approval is valid only in this epoch. */
  readonly epoch?: number
  /** The minimum time between polls, in seconds. */
  readonly interval: number
  /** The time of the last poll, in milliseconds since 1970; 0 if there was none. */
  readonly polledAt: number
}

/** The letters of codes (RFC 8628 §6.1): no vowels, so that codes form no words, and no ambiguous letters. There are 20^8 codes (34.5 bits). */
const alphabet = 'BCDFGHJKLMNPQRSTVWXZ'

const newUserCode = (): string => {
  const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** Returns a code without the case, spaces and hyphens that people type; undefined if it cannot be a code. */
export const normalUserCode = (text: string): string | undefined => {
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '')
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(letters) ? `${letters.slice(0, 4)}-${letters.slice(4)}` : undefined
}

const codeKey = (userCode: string) => keys.userCode(hashSecret(`user code ${userCode}`))

export const startDeviceLogin = async (
  service: Service,
  input: Input<'startDeviceLogin'>,
  address: string
): Promise<Output<'startDeviceLogin'>> => {
  const secret = randomBytes(32).toString('base64url')
  const hash = hashSecret(secret)
  const now = service.clock.now()
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const userCode = newUserCode()
    const device: Device = {
      userCode,
      name: plainName(input.client_name ?? '', limits.authorUnitsMax) || 'A program',
      address,
      startedAt: now,
      expiresAt: now + limits.deviceSecondsMax * 1000,
      status: 'pending',
      account: null,
      interval: limits.devicePollSeconds,
      polledAt: 0
    }
    const index = { device: hash, expiresAt: device.expiresAt }
    const written = await service.storage.commit({
      checks: [{ key: codeKey(userCode), version: null }],
      puts: [...expiring(keys.device(hash), device), ...expiring(codeKey(userCode), index)]
    })
    if (!written) continue
    const page = `${service.baseUrl}/device`
    return {
      device_code: secret,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: limits.deviceSecondsMax,
      interval: device.interval
    }
  }
  throw new ServiceError('storage_unavailable')
}

/** Returns the login that waits for this code. Returns undefined if there is none, or if the login has expired or has already been decided. */
export const findPendingDevice = async (service: Service, userCode: string): Promise<Device | undefined> => {
  const index = await findLive<Expiring & { device: string }>(service, codeKey(userCode))
  const found = index && (await findLive<Device>(service, keys.device(index.record.device)))
  return found?.record.status === 'pending' ? found.record : undefined
}

/** Approves or denies a login. Returns false if the login is no longer waiting. */
export const decideDevice = async (service: Service, caller: Caller, userCode: string, approve: boolean): Promise<boolean> => {
  const account = accountOf(caller)
  const index = await findLive<Expiring & { device: string }>(service, codeKey(userCode))
  if (index === undefined) return false
  const key = keys.device(index.record.device)
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const found = await findLive<Device>(service, key)
    if (found === undefined || found.record.status !== 'pending') return false
    const decided: Device = {
      ...found.record,
      status: approve ? 'approved' : 'denied',
      account: approve ? account : null,
      epoch: caller.rests.epoch
    }
    const written = await commitFor(service, caller, {
      checks: [{ key, version: found.version }],
      puts: expiring(key, decided),
      // The code is used up and can no longer be found.
      deletes: [codeKey(userCode)]
    })
    if (written) return true
  }
  return false
}

/**
 * Responds to a program's poll. Throws the error codes of RFC 8628 §3.5. A device code opens only one session, even if many polls arrive at the same
 * time.
 */
export const pollDeviceLogin = async (service: Service, input: Input<'pollDeviceLogin'>): Promise<Output<'pollDeviceLogin'>> => {
  const key = keys.device(hashSecret(input.device_code))
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const found = await findLive<Device>(service, key)
    if (found === undefined) throw new ServiceError('expired_token')
    const { record: device, version } = found
    const checks = [{ key, version }]
    if (device.status === 'denied') throw new ServiceError('access_denied')
    if (device.status === 'approved') {
      const account = await findAccount(service, device.account ?? '')
      if (!isCurrent(account, device.epoch ?? 0)) throw new ServiceError('access_denied')
      const { token, puts, session } = newSession(service, account, 'app', device.name, { address: device.address })
      if (!(await service.storage.commit({ checks, puts, deletes: [key] }))) continue
      return {
        access_token: token,
        token,
        token_type: 'Bearer',
        expires_in: Math.floor((session.expiresAt - service.clock.now()) / 1000),
        user: { id: account.id, name: account.name, email: account.email }
      }
    }
    const now = service.clock.now()
    const early = device.polledAt !== 0 && now - device.polledAt < device.interval * 1000
    const next: Device = { ...device, polledAt: now, interval: device.interval + (early ? limits.deviceSlowDownSeconds : 0) }
    if (!(await service.storage.commit({ checks, puts: expiring(key, next) }))) continue
    throw new ServiceError(early ? 'slow_down' : 'authorization_pending', { interval: next.interval })
  }
  throw new ServiceError('slow_down')
}
