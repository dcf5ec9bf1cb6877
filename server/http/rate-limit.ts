/**
 * Token buckets for each address and credential, and their headers (RateLimit and RateLimit-Policy, IETF draft 10). `way.ts` chooses the bucket for
 * each call.
 */
import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '../../shared/errors.ts'
import { limits, type RateLimitName, rateLimits } from '../../shared/limits.ts'
import type { Clock } from '../domain/ports.ts'

interface Bucket {
  tokens: number
  /** Time of the last refill, in milliseconds. */
  at: number
}

export interface RateState {
  readonly name: RateLimitName
  readonly remaining: number
  readonly resetSeconds: number
}

export interface RateLimiter {
  /** Takes one token. Throws `rate_limited` with `retryAfterSeconds` if none is left. */
  take(name: RateLimitName, who: string): RateState | undefined
  /** Takes one token. Returns false if none is left. */
  tryTake(name: RateLimitName, who: string): boolean
  /** Throws like `take`, without taking a token. */
  check(name: RateLimitName, who: string): void
  /** Forgets the bucket, so that it is full again. */
  clear(name: RateLimitName, who: string): void
}

const policyOf = (name: RateLimitName): string =>
  `"${name}";q=${rateLimits[name].burst};w=${Math.ceil(rateLimits[name].burst / rateLimits[name].perSecond)}`

/** Returns the two headers for the response to a counted request. */
export const rateHeaders = (state: RateState): Record<string, string> => ({
  RateLimit: `"${state.name}";r=${state.remaining};t=${state.resetSeconds}`,
  'RateLimit-Policy': policyOf(state.name)
})

/**
 * The number of buckets that are checked for each new entry. Full buckets are removed, so the table shrinks faster than it grows, without a sweep.
 */
const lookedAt = 4

// The hash is keyed, so that nobody can choose whose bucket they share.
const secret = randomBytes(16)

const sharedName = (who: string): string =>
  `shared ${createHash('sha256').update(secret).update(who).digest().readUInt32LE() % limits.rateBucketsShared}`

interface Buckets {
  /** Returns the current bucket, or a full one if there is none yet. */
  of(who: string): Bucket
  has(who: string): boolean
  delete(who: string): void
}

/**
 * The buckets of one limit. A full bucket is equivalent to no bucket, so it can be forgotten. Other buckets are never forgotten; otherwise a flood
 * of addresses would reset them. While the table is full, new entries share a few buckets.
 */
const createBuckets = (name: RateLimitName, clock: Clock): Buckets => {
  const { burst, perSecond } = rateLimits[name]
  const buckets = new Map<string, Bucket>()
  const shared = new Map<string, Bucket>()
  let hand = buckets.entries()

  const fill = (bucket: Bucket): Bucket => {
    const now = clock.now()
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    return bucket
  }
  const forgetFull = (): void => {
    for (let looked = 0; looked < lookedAt; looked++) {
      const next = hand.next()
      if (next.done === true) {
        hand = buckets.entries()
        return
      }
      const [who, bucket] = next.value
      if (fill(bucket).tokens >= burst) buckets.delete(who)
    }
  }
  const added = (to: Map<string, Bucket>, who: string): Bucket => {
    const bucket = { tokens: burst, at: clock.now() }
    to.set(who, bucket)
    return bucket
  }
  return {
    of(who) {
      const found = buckets.get(who)
      if (found !== undefined) return fill(found)
      forgetFull()
      if (buckets.size < limits.rateBucketsMax) return added(buckets, who)
      const together = sharedName(who)
      const known = shared.get(together)
      return known === undefined ? added(shared, together) : fill(known)
    },
    has: (who) => buckets.has(who) || (shared.size > 0 && shared.has(sharedName(who))),
    delete: (who) => void buckets.delete(who)
  }
}

export const createRateLimiter = (clock: Clock, enabled: boolean): RateLimiter => {
  const tables = new Map<RateLimitName, Buckets>()
  const tableOf = (name: RateLimitName): Buckets => {
    const table = tables.get(name) ?? createBuckets(name, clock)
    tables.set(name, table)
    return table
  }

  const refuseEmpty = (name: RateLimitName, { tokens }: Bucket): void => {
    if (tokens < 1)
      throw new ServiceError('rate_limited', { limit: name, retryAfterSeconds: Math.ceil((1 - tokens) / rateLimits[name].perSecond) })
  }

  return {
    tryTake(name, who) {
      if (!enabled) return true
      const bucket = tableOf(name).of(who)
      if (bucket.tokens < 1) return false
      bucket.tokens -= 1
      return true
    },
    take(name, who) {
      if (!enabled) return undefined
      const bucket = tableOf(name).of(who)
      refuseEmpty(name, bucket)
      bucket.tokens -= 1
      const { burst, perSecond } = rateLimits[name]
      return { name, remaining: Math.floor(bucket.tokens), resetSeconds: Math.ceil((burst - bucket.tokens) / perSecond) }
    },
    check(name, who) {
      if (enabled && tableOf(name).has(who)) refuseEmpty(name, tableOf(name).of(who))
    },
    clear(name, who) {
      tableOf(name).delete(who)
    }
  }
}
