/**
 * Retries: the answer of a request with an Idempotency-Key is written in the same commit as its effect, encrypted because it
 * may hold a key, and replayed for 24 hours (api.md, Retries and limits).
 */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Caller, RequestStamp } from './caller.ts'
import { type Expiring, expiring, findLive } from './expiry.ts'
import { keys } from './keys.ts'
import type { Draft } from './ledger.ts'
import type { Service } from './service.ts'

interface RememberedAnswer extends Expiring {
  readonly fingerprint: string
  readonly sealed: string
}

const lifetimeMs = limits.idempotencyHours * 3600 * 1000

/** Puts the answer beside its effect. To be called inside the change; does nothing for a request without a key. */
export const remember = <T>(service: Service, draft: Draft, caller: Caller, scope: string | null, answer: T): T => {
  const stamp = caller.request
  if (stamp === null) return answer
  const record: RememberedAnswer = {
    fingerprint: stamp.fingerprint,
    // Good for the whole of its last millisecond.
    expiresAt: draft.now + lifetimeMs + 1,
    sealed: service.vault.seal(JSON.stringify(answer), stamp.id)
  }
  for (const { key, value } of expiring(keys.request(scope, stamp.id), record)) draft.put(key, value)
  return answer
}

/** The answer given before, if any. Errors: `idempotency_key_reused` when the contents differ. */
export const findAnswer = async (service: Service, scope: string | null, stamp: RequestStamp): Promise<{ answer: unknown } | undefined> => {
  const { record } = (await findLive<RememberedAnswer>(service, keys.request(scope, stamp.id))) ?? {}
  if (record === undefined) return undefined
  if (record.fingerprint !== stamp.fingerprint) throw new ServiceError('idempotency_key_reused')
  return { answer: JSON.parse(service.vault.open(record.sealed, stamp.id)) }
}
