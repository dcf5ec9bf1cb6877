/** The kinds of event of the feed (docs/api.md, Events and inbox). */
export const eventKinds = [
  'doc.created',
  'doc.claimed',
  'doc.renamed',
  'doc.published',
  'doc.unpublished',
  'doc.deleted',
  'doc.restored',
  'content.changed',
  'content.replaced',
  'content.restored',
  'chat.mentioned',
  'comment.created',
  'comment.mentioned',
  'comment.replied',
  'comment.edited',
  'comment.resolved',
  'comment.reopened',
  'comment.deleted',
  'suggestion.created',
  'suggestion.edited',
  'suggestion.replied',
  'suggestion.accepted',
  'suggestion.rejected',
  'suggestion.reopened',
  'share.created',
  'share.changed',
  'share.revoked',
  'asset.created',
  'media.done',
  'media.failed',
  'task.created',
  'task.started',
  'task.reported',
  'task.closed'
] as const

export type EventKind = (typeof eventKinds)[number]

/** A change of text by whole lines: `removed` lines at `line` (counted from 1) of the old text became `added`. */
export interface Hunk {
  readonly line: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}
