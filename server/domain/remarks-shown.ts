/** How comments and suggestions are shown: in answers, and to open pages. */
import type { Output } from '../../shared/operations/index.ts'
import { nameOfAuthor } from './caller.ts'
import type { Author, Comment, Reply } from './keys.ts'
import type { Opened, Written } from './remarks.ts'

type ShownComment = Output<'resolveComment'>['comment']
type ShownReply = Output<'replyToComment'>['reply']

const instant = (ms: number): string => new Date(ms).toISOString()
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

const shownAuthor = (author: Author): Pick<ShownComment, 'author' | 'authorKind' | 'guest'> => ({
  author: nameOfAuthor(author),
  authorKind: author.kind,
  guest: author.kind === 'guest'
})

export const showReply = ({ id, body, author, createdAt }: Reply): ShownReply => ({
  id,
  body,
  ...shownAuthor(author),
  createdAt: instant(createdAt)
})

export const showComment = ({ remarks }: Opened, comment: Comment): ShownComment => {
  const range = remarks.rangeOf(comment.id)
  return {
    id: comment.id,
    body: comment.body,
    ...shownAuthor(comment.author),
    target: { ...comment.target },
    anchor: range === undefined ? null : { from: range.from, to: range.to },
    line: range === undefined ? null : remarks.lines.at(range.from),
    anchored: range !== undefined,
    orphaned: comment.pin !== null && range === undefined,
    status: comment.resolvedAt === null ? 'open' : 'resolved',
    resolved: comment.resolvedAt !== null,
    resolvedAt: instantOrNull(comment.resolvedAt),
    resolvedBy: comment.resolvedBy && nameOfAuthor(comment.resolvedBy),
    createdAt: instant(comment.createdAt),
    updatedAt: instant(comment.updatedAt),
    version: comment.version,
    ...(comment.task === null ? {} : { taskId: comment.task }),
    replies: comment.replies.map(showReply)
  }
}

/** Takes what is on disk now, and tells every open page. */
export const settle = (opened: Opened, written: readonly Written[]): void => {
  const { service, doc, remarks } = opened
  for (const each of written) {
    if (each.record === undefined) {
      remarks.forget(each.kind, each.id)
      service.live.announce(doc, { type: 'comment.deleted', commentId: each.id })
    } else {
      remarks.keep(each.kind, each.record, each.bytes)
      service.live.announce(doc, { type: 'comment', comment: showComment(opened, each.record as Comment) })
    }
  }
}
