/** Token buckets per address and credential, and the headers that tell of them (RateLimit and RateLimit-Policy, IETF draft 10). */
import { ServiceError } from '../../shared/errors.ts'
import { type RateLimitName, rateLimits } from '../../shared/limits.ts'
import type { Clock } from '../domain/ports.ts'

interface Bucket {
  tokens: number
  /** Milliseconds. */
  at: number
}

export interface RateState {
  readonly name: RateLimitName
  readonly remaining: number
  readonly resetSeconds: number
}

export interface RateLimiter {
  /** Takes one token. Errors: `rate_limited` with `retryAfterSeconds`. */
  take(name: RateLimitName, who: string): RateState | undefined
  /** Errors like `take`, without taking a token. */
  check(name: RateLimitName, who: string): void
  /** Forgets what was counted. */
  clear(name: RateLimitName, who: string): void
}

// Oldest first out: a flood of addresses must not fill the memory.
const bucketsMax = 100_000

const policyOf = (name: RateLimitName): string =>
  `"${name}";q=${rateLimits[name].burst};w=${Math.ceil(rateLimits[name].burst / rateLimits[name].perSecond)}`

/** The two headers for an answer that was counted. */
export const rateHeaders = (state: RateState): Record<string, string> => ({
  RateLimit: `"${state.name}";r=${state.remaining};t=${state.resetSeconds}`,
  'RateLimit-Policy': policyOf(state.name)
})

export const createRateLimiter = (clock: Clock, enabled: boolean): RateLimiter => {
  const buckets = new Map<string, Bucket>()

  const fill = (name: RateLimitName, who: string): Bucket => {
    const id = `${name} ${who}`
    const { burst, perSecond } = rateLimits[name]
    const now = clock.now()
    const found = buckets.get(id)
    const bucket = found ?? { tokens: burst, at: now }
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    if (found === undefined) {
      buckets.set(id, bucket)
      if (buckets.size > bucketsMax) buckets.delete(buckets.keys().next().value as string)
    }
    return bucket
  }

  const refuseEmpty = (name: RateLimitName, { tokens }: Bucket): void => {
    if (tokens < 1)
      throw new ServiceError('rate_limited', { limit: name, retryAfterSeconds: Math.ceil((1 - tokens) / rateLimits[name].perSecond) })
  }

  return {
    take(name, who) {
      if (!enabled) return undefined
      const bucket = fill(name, who)
      refuseEmpty(name, bucket)
      bucket.tokens -= 1
      const { burst, perSecond } = rateLimits[name]
      return { name, remaining: Math.floor(bucket.tokens), resetSeconds: Math.ceil((burst - bucket.tokens) / perSecond) }
    },
    check(name, who) {
      if (enabled && buckets.has(`${name} ${who}`)) refuseEmpty(name, fill(name, who))
    },
    clear(name, who) {
      buckets.delete(`${name} ${who}`)
    }
  }
}
