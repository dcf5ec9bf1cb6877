/** Describes the service's responses as text. Text written by other people is made harmless and put on one line. */
import type { OperationName, Output } from '../shared/operations/index.ts'
import { columns, harmless, maskedLink, oneLine } from './terminal.ts'

/** Functions that describe the responses of some operations. The responses of all other operations are printed as JSON. */
type Words = { readonly [Name in OperationName]?: (answer: Output<Name>) => string }

const date = (instant: string): string => instant.slice(0, 16).replace('T', ' ')

/** Describes the changes that a command would make without `--dry-run`. */
const wouldChange = (diff: string): string => (diff === '' ? 'There is nothing to change.' : harmless(diff))

const list = (rows: readonly (readonly string[])[], nothing: string): string => (rows.length === 0 ? nothing : columns(rows))

type Comment = Output<'listComments'>['comments'][number]
type Suggestion = Output<'listSuggestions'>['suggestions'][number]
type Task = Output<'readTask'>['task']

const place = ({ line, anchored, target }: Comment): string => {
  if (target.kind === 'document') return 'document'
  return anchored ? `line ${line}` : 'gone'
}

const commentRow = (comment: Comment): string[] => [
  comment.id,
  comment.status,
  oneLine(comment.author, 24),
  place(comment),
  oneLine(`${comment.body}${comment.replies.length === 0 ? '' : ` (+${comment.replies.length})`}`)
]

const change = ({ operation, original, text }: Suggestion): string => {
  if (operation === 'insert') return `+ ${oneLine(text, 100)}`
  return operation === 'delete' ? `− ${oneLine(original, 100)}` : `${oneLine(original, 60)} → ${oneLine(text, 60)}`
}

const matchRow = ({ line, column, section, excerpt }: Output<'searchDocument'>['matches'][number]): string[] => [
  `${line}:${column}`,
  oneLine(section.at(-1) ?? '', 30),
  oneLine(excerpt, 120)
]

const suggestionRow = (suggestion: Suggestion): string[] => [
  suggestion.id,
  suggestion.status,
  oneLine(suggestion.author, 24),
  suggestion.line === null ? '-' : `line ${suggestion.line}`,
  change(suggestion)
]

const repliesIn = (replies: Comment['replies'] = []): string =>
  replies.map(({ id, author, body, createdAt }) => `\n\n${oneLine(author, 24)}, ${date(createdAt)}, ${id}\n${harmless(body)}`).join('')

const commentLines = (comment: Comment): string =>
  `${columns([
    ['id', comment.id],
    ['status', comment.status],
    ['author', oneLine(comment.author, 24)],
    ['place', place(comment)],
    ...(comment.target.quote === '' ? [] : [['on', oneLine(comment.target.quote)]])
  ])}\n\n${harmless(comment.body)}${repliesIn(comment.replies)}`

const suggestionLines = (suggestion: Suggestion): string =>
  `${columns([
    ['id', suggestion.id],
    ['status', suggestion.status],
    ['author', oneLine(suggestion.author, 24)],
    ['place', suggestion.line === null ? '-' : `line ${suggestion.line}`],
    ['change', change(suggestion)],
    ...(suggestion.note === null ? [] : [['why', oneLine(suggestion.note)]])
  ])}${repliesIn(suggestion.replies)}`

const taskLines = (task: Task): string =>
  columns([
    ['id', task.id],
    ['status', task.status],
    ['title', oneLine(task.title)],
    ['version', task.startingVersion],
    ...(task.share === undefined ? [] : [['link', task.share.url]]),
    ...(task.startedBy === null ? [] : [['started by', oneLine(task.startedBy.name ?? task.startedBy.id)]]),
    ...(task.report === null
      ? []
      : [
          [
            'reported',
            `${date(task.report.reportedAt)}${task.report.stale ? ', on an older version' : ''}: ${oneLine(task.report.summary)}`
          ],
          ['outputs', `${task.report.commentIds.length} comments, ${task.report.suggestionIds.length} suggestions`]
        ])
  ]) + (task.instructions === '' ? '' : `\n\n${harmless(task.instructions)}`)

const about =
  (masked: boolean) =>
  (task: Task): string => {
    const shown = masked && task.share !== undefined ? { ...task, share: { ...task.share, url: maskedLink(task.share.url) } } : task
    return taskLines(shown)
  }

/** Returns the descriptions of responses. If `masked` is true, keys in links are hidden. */
export const wordsFor = (masked: boolean): Words => {
  const link = (url: string): string => (masked ? maskedLink(url) : url)
  const task = about(masked)
  return {
    readMe: ({ kind, user }) =>
      `${oneLine(user.name)}${user.email === null ? '' : ` <${oneLine(user.email)}>`}${kind === 'agent' ? ', an agent' : ''}`,
    listSessions: ({ sessions }) =>
      list(
        sessions.map(({ id, kind, name, lastUsedAt, current }) => [
          id,
          kind,
          date(lastUsedAt),
          `${oneLine(name)}${current ? ' (this one)' : ''}`
        ]),
        'No sessions.'
      ),
    revokeSession: () => 'Ended the session.',
    revokeSessions: ({ revoked }) => `Ended ${revoked} sessions, including this one.`,
    createToken: ({ secret }) => secret,
    listTokens: ({ tokens }) =>
      list(
        tokens.map(({ id, kind, role, docs, lastUsedAt, expiresAt, name, host }) => [
          id,
          kind,
          role,
          docs === null ? 'all documents' : `${docs.length} documents`,
          lastUsedAt === null ? 'never used' : date(lastUsedAt),
          `until ${date(expiresAt)}`,
          oneLine(host === null ? name : `${name} (${host})`)
        ]),
        'No tokens.'
      ),
    revokeToken: () => 'Revoked.',
    listDocuments: ({ docs, nextBefore }) =>
      list(
        docs.map(({ id, updatedAt, title }) => [id, date(updatedAt), oneLine(title)]),
        'No documents.'
      ) + (nextBefore === null ? '' : `\nMore: --before ${nextBefore}`),
    claimDocument: ({ doc }) => `“${oneLine(doc.title)}” is yours now.`,
    deleteDocument: ({ restorableUntil }) =>
      restorableUntil === null
        ? 'Permanently deleted.'
        : `Moved to the trash. Restore it until ${restorableUntil.slice(0, 10)} with: agmd docs undelete`,
    updateDocument: ({ title }) => `The title is “${oneLine(title)}”.`,
    undeleteDocument: ({ doc }) => `“${oneLine(doc.title)}” is restored.`,
    listTrash: ({ docs, nextBefore }) =>
      list(
        docs.map(({ id, restorableUntil, title }) => [id, `until ${restorableUntil.slice(0, 10)}`, oneLine(title)]),
        'The trash is empty.'
      ) + (nextBefore === null ? '' : `\nMore: --before ${nextBefore}`),
    readDocument: ({ id, title, role, version, updatedAt, published, owner, url }) =>
      columns([
        ['id', id],
        ['title', oneLine(title)],
        ['role', role],
        ['version', version],
        ['updated', date(updatedAt)],
        ['owner', oneLine(owner.name ?? owner.kind)],
        ['published', published ? 'yes' : 'no'],
        ['link', link(url)]
      ]),
    readOutline: ({ title, lines, headings }) =>
      `${oneLine(title)} (${lines} lines)\n${headings.map((heading) => `${'  '.repeat(heading.level - 1)}${'#'.repeat(heading.level)} ${oneLine(heading.title)}  ${heading.line}–${heading.lastLine}`).join('\n')}`,
    searchDocument: ({ matches, nextAfter }) =>
      list(matches.map(matchRow), 'Nothing found.') + (nextAfter === null ? '' : `\nMore: --after ${nextAfter}`),
    searchDocuments: ({ docs, capped, nextBefore }) =>
      list(
        docs.flatMap(({ id, title, matches }) => [[id, '', oneLine(title)], ...matches.map((match) => ['', ...matchRow(match)])]),
        'Nothing found.'
      ) +
      (capped ? '\nThe search ended early.' : '') +
      (nextBefore === null ? '' : `\nMore: --before ${nextBefore}`),
    readAttribution: ({ lines }) =>
      list(
        lines.map(({ line, lastLine, author, at }) => [
          line === lastLine ? String(line) : `${line}–${lastLine}`,
          at === null ? '' : date(at),
          oneLine(author ?? '')
        ]),
        'No lines.'
      ),
    listComments: ({ comments }) => list(comments.map(commentRow), 'No comments.'),
    readComment: ({ comment }) => commentLines(comment),
    createComment: ({ id, anchored, comment }) =>
      `${id}${anchored || comment.target.kind === 'document' ? '' : '  (without an anchor: the document does not contain these words)'}`,
    replyToComment: ({ id }) => id,
    resolveComment: ({ comment }) => `${comment.id} is ${comment.status}.`,
    editComment: ({ comment }) => `Changed ${comment.id}.`,
    deleteComment: () => 'Deleted.',
    editReply: () => 'Changed.',
    deleteReply: () => 'Deleted.',
    listSuggestions: ({ suggestions }) => list(suggestions.map(suggestionRow), 'No suggestions.'),
    readSuggestion: ({ suggestion }) => suggestionLines(suggestion),
    createSuggestion: ({ id }) => id,
    replyToSuggestion: ({ id }) => id,
    decideSuggestion: ({ suggestion, diff }) =>
      diff === undefined
        ? `${suggestion.id} is ${suggestion.status}${suggestion.reason === undefined ? '' : `: ${oneLine(suggestion.reason, 200)}`}.`
        : wouldChange(diff),
    decideSuggestions: ({ results, diff }) =>
      diff === undefined
        ? list(
            results.map(({ suggestionId, ok, message }) => [suggestionId, ok ? 'done' : (message ?? 'refused')]),
            'There is nothing to decide.'
          )
        : wouldChange(diff),
    listShares: ({ shares }) =>
      list(
        shares.map(({ id, role, revoked, lastUsedAt, label, url }) => [
          id,
          revoked ? `${role}, revoked` : role,
          lastUsedAt === null ? 'unused' : date(lastUsedAt),
          `${oneLine(label ?? '')}  ${link(url)}`.trim()
        ]),
        'No links.'
      ),
    readShare: ({ share: { id, role, label, createdAt, expiresAt, lastUsedAt, revoked, url } }) =>
      columns([
        ['id', id],
        ['role', revoked ? `${role}, revoked` : role],
        ['label', oneLine(label ?? '')],
        ['created', date(createdAt)],
        ['ends', expiresAt === null ? 'never' : date(expiresAt)],
        ['used', lastUsedAt === null ? 'never' : date(lastUsedAt)],
        ['link', link(url)]
      ]),
    createShare: ({ url }) => url,
    changeShare: ({ url }) => url,
    revokeShare: ({ ended }) => (ended.length === 0 ? 'Revoked.' : `Revoked the link and ${ended.length} links made through it.`),
    listRevisions: ({ revisions }) =>
      list(
        revisions.map(({ id, createdAt, cause, added, removed, author, label }) => [
          `${id}`,
          date(createdAt),
          cause,
          `+${added} −${removed}`,
          oneLine(`${author ?? ''}  ${label ?? ''}`)
        ]),
        'No revisions.'
      ),
    labelRevision: ({ id, label }) =>
      label === null ? `Removed the name of revision ${id}.` : `Revision ${id} is now named “${oneLine(label)}”.`,
    publishDocument: ({ published, url }) => (published ? url : 'Not published.'),
    uploadAsset: ({ markdown }) => harmless(markdown),
    cancelJob: ({ jobId, status }) => `${jobId} is ${status}.`,
    readRelayStatus: ({ nodes, capabilities, voices }) =>
      nodes === 0
        ? 'No compute node is connected.'
        : `${nodes} connected: ${capabilities.join(', ') || 'no engines'}.${voices.length === 0 ? '' : `\nVoices: ${harmless(voices.join(' '))}`}`,
    createNode: ({ token }) => token,
    listNodes: ({ nodes }) =>
      list(
        nodes.map(({ id, connected, shared, lastSeenAt, name }) => [
          id,
          connected ? 'connected' : lastSeenAt === null ? 'never seen' : date(lastSeenAt),
          shared ? 'for everybody' : 'for you',
          oneLine(name)
        ]),
        'No nodes.'
      ),
    revokeNode: () => 'Revoked.',
    createTask: ({ task: made }) => task(made),
    readTask: ({ task: found }) => task(found),
    startTask: ({ task: started }) => task(started),
    reportTask: ({ task: reported }) => task(reported),
    closeTask: ({ task: closed }) => `${closed.id} is ${closed.status}.`,
    listTasks: ({ tasks, nextBefore }) =>
      list(
        tasks.map(({ id, status, createdAt, title }) => [id, status, date(createdAt), oneLine(title)]),
        'No assignments.'
      ) + (nextBefore === null ? '' : `\nMore: --before ${nextBefore}`)
  }
}

type InboxItem = Output<'readInbox'>['items'][number]

/** Formats an inbox item in two lines: its text, and the next call. */
const inboxLines = ({ cursor, at, reason, actor, doc, text, quote, next }: InboxItem): string =>
  `${cursor}  ${date(at)}  ${reason}  ${oneLine(actor ?? '', 30)}  ${oneLine(doc.title, 40)}: ${oneLine(text)}${quote === undefined ? '' : `  (on “${oneLine(quote, 40)}”)`}\n  → agmd api ${next.method} ${oneLine(next.path, 200)}`

export const inboxWords = ({ items, latest }: Output<'readInbox'>): string =>
  [...(items.length === 0 ? ['There is nothing new for you.'] : items.map(inboxLines)), `latest ${latest}`].join('\n')

type Event = Output<'listEvents'>['events'][number]

export const eventLine = ({ seq, at, kind, actor, version }: Event): string =>
  `${String(seq).padStart(5)}  ${date(at)}  ${kind.padEnd(20)}  ${oneLine(actor ?? '', 30)}${version === undefined ? '' : `  ${version}`}`
