/**
 * The order in which a page handles live messages while it sends requests. The response to a request may be older than a message that arrives before
 * it, so the message waits for the response. Later messages wait behind it, because a record must not be replaced by an earlier version of itself.
 */
import type { LiveMessage } from '../../../shared/live-protocol.ts'

interface MessageOrderInput {
  /** Whether a request is in progress. */
  readonly isSending: () => boolean
  /** Whether the request in progress may concern a comment or suggestion. */
  readonly isConcerned: (id: string) => boolean
  readonly handle: (message: LiveMessage) => void
}

export interface MessageOrder {
  /** Handles a message, or keeps it until `release`. */
  hear(message: LiveMessage): void
  /** Handles the messages that were kept, in the order of their arrival, unless a request is in progress. */
  release(): void
}

/** Returns the id of the comment or suggestion that a message changes. */
export function recordOf(message: LiveMessage): string | undefined {
  if (message.type === 'comment') return message.comment.id
  if (message.type === 'suggestion') return message.suggestion.id
  return message.type === 'comment.deleted' ? message.commentId : undefined
}

export function orderMessages({ isSending, isConcerned, handle }: MessageOrderInput): MessageOrder {
  let kept: LiveMessage[] = []
  const hear = (message: LiveMessage): void => {
    const record = recordOf(message)
    const mustWait = isSending() && (kept.length > 0 || (record !== undefined && isConcerned(record)))
    if (mustWait) kept.push(message)
    else handle(message)
  }
  return {
    hear,
    release() {
      if (isSending()) return
      const messages = kept
      kept = []
      for (const message of messages) handle(message)
    }
  }
}
