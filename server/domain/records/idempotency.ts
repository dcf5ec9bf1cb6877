/**
 * Retries. The commit that writes the effect of a request with an Idempotency-Key also stores the response. The server replays the response for 24
 * hours (docs/api.md, Retries). It is encrypted because it can contain a key.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Caller, RequestStamp } from '../rights/caller.ts'
import { type Expiring, expiring, findLive } from './expiry.ts'
import { keys } from './keys.ts'
import type { Transaction } from './transaction.ts'
import { withAnnotationsRead } from '../review/annotated-document.ts'
import { showComment, showReply, showSuggestion } from '../review/annotations-shown.ts'
import type { Service } from '../service.ts'

interface RememberedAnswer extends Expiring {
  readonly fingerprint: string
  readonly sealed: string
  /** Present if the response contains suggestions and comments only by id. Each replay reads them again. */
  readonly isBrief?: true
}

const shownKeys = new Set(['suggestion', 'comment', 'reply'])

/** Returns the response with ids in place of its suggestions, comments and replies, which have their own records. */
const briefly = (answer: unknown): string =>
  JSON.stringify(answer, (key, value: unknown) => {
    const isShown = shownKeys.has(key) && typeof value === 'object' && value !== null && 'id' in value
    if (isShown) return value.id
    if (key !== 'suggestions' || !Array.isArray(value)) return value
    return value.map((each: { readonly id?: string }) => ({ suggestion: each.id }))
  })

/** Returns the response with the current records in place of their ids. Deleted records are left out. */
const atLength = (service: Service, doc: string, text: string): Promise<unknown> =>
  withAnnotationsRead(service, doc, (opened) => {
    const { suggestion, comment } = opened.annotations
    const show = (key: string, id: string): unknown => {
      const [suggested, said] = [suggestion.get(id), comment.get(id)]
      if (key === 'suggestion') return suggested && showSuggestion(opened, suggested)
      if (key === 'comment') return said && showComment(opened, said)
      for (const records of [suggestion, comment])
        for (const { replies = [] } of records.values()) {
          const reply = replies.find((each) => each.id === id)
          if (reply !== undefined) return showReply(reply)
        }
      return undefined
    }
    const revive = (key: string, value: unknown): unknown => {
      if (shownKeys.has(key) && typeof value === 'string') return show(key, value)
      if (key !== 'suggestions' || !Array.isArray(value)) return value
      return value.flatMap((each: { readonly suggestion?: unknown }) => each.suggestion ?? [])
    }
    return Promise.resolve(JSON.parse(text, revive))
  })

const lifetimeMs = limits.idempotencyHours * 3600 * 1000

/**
 * Stores the response to a request in the commit that writes the request's effect. Call it inside the change. Does nothing for a request without an
 * Idempotency-Key.
 */
export const remember = <T>(service: Service, tx: Transaction, caller: Caller, scope: string | null, answer: T): T => {
  const stamp = caller.request
  if (stamp === null) return answer
  const full = JSON.stringify(answer)
  const isBrief = scope !== null && full.length > limits.idempotencyAnswerUnitsMax
  const record: RememberedAnswer = {
    fingerprint: stamp.fingerprint,
    // The record must still be valid in its last millisecond.
    expiresAt: tx.now + lifetimeMs + 1,
    sealed: service.vault.seal(isBrief ? briefly(answer) : full, stamp.id),
    ...(isBrief && { isBrief })
  }
  for (const { key, value } of expiring(keys.request(scope, stamp.id), record)) tx.put(key, value)
  return answer
}

/** Returns the earlier response, if there is one. Throws `idempotency_key_reused` if the contents of the two requests differ. */
export const findAnswer = async (service: Service, scope: string | null, stamp: RequestStamp): Promise<{ answer: unknown } | undefined> => {
  const { record } = (await findLive<RememberedAnswer>(service, keys.request(scope, stamp.id))) ?? {}
  if (record === undefined) return undefined
  if (record.fingerprint !== stamp.fingerprint) throw new ServiceError('idempotency_key_reused')
  const text = service.vault.open(record.sealed, stamp.id)
  return { answer: record.isBrief === true && scope !== null ? await atLength(service, scope, text) : JSON.parse(text) }
}

/**
 * Waits until no other node carries out a request with the same id. Resolves to a function that lets other nodes carry out the next one. Call it
 * before `findAnswer`. Throws `rate_limited` if another node takes too long, and `storage_unavailable`.
 */
export const claimRequest = async ({ storage: { nodes } }: Service, { id }: RequestStamp): Promise<() => void> => {
  if (nodes === undefined) return () => undefined
  const until = performance.now() + limits.idempotencyWaitMs
  for (;;) {
    const end = await nodes.claim(`request ${id}`)
    if (end !== undefined) {
      // The other node may have just written the response.
      await nodes.heard()
      return end
    }
    if (performance.now() > until) throw new ServiceError('rate_limited', { retryAfterSeconds: 1 })
    await new Promise((resolve) => setTimeout(resolve, limits.idempotencyLookMs))
  }
}
