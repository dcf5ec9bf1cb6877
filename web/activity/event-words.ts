/** The sentences that describe events, one per kind. This module has no user interface code. */
import type { EventFields, EventKind, EventWords, ShownPayload } from '../../shared/events.ts'
import type { JobKind } from '../../shared/media-jobs.ts'
import { mentionOf, mentionPlaces } from '../../shared/mentions.ts'
import { displayName } from '../presence/people.ts'
import { isOwnName } from '../presence/signature.ts'
import { plainWords } from '../review/cards/comment-markdown.ts'
import { roleWords } from '../sharing/role-words.ts'
import { locale, t, term, tn } from '../text/t.ts'
import type { FeedEvent } from './event.ts'
import type { Subject } from './verbs.ts'

/** Isolates a person's text within a sentence, so that the text keeps its own direction (Unicode bidirectional isolates). */
const isolated = (text: string): string => `\u2068${text}\u2069`

const plain = (sentence: string) => (): string => t(sentence)
const titled =
  (sentence: string) =>
  ({ title = '' }: EventFields): string =>
    t(sentence, { title: isolated(title) })

const linked =
  (named: string, unnamed: string) =>
  ({ label, role }: EventFields): string => {
    const may = role === undefined ? '' : t(roleWords[role])
    return label ? t(named, { name: isolated(label), role: may }) : t(unnamed, { role: may })
  }

/** Describes a decision on a suggestion, with the author of the suggestion if the feed has one. */
const decided =
  (yours: string, ofSomebody: string, ofNobody: string) =>
  ({ author }: EventFields): string => {
    if (!author) return t(ofNobody)
    return isOwnName(author) ? t(yours) : t(ofSomebody, { name: isolated(displayName(author)) })
  }

const ofJob =
  (sentences: Readonly<Record<JobKind, string>>) =>
  ({ kind }: ShownPayload<'media.done'>): string =>
    t(kind === undefined ? term('finished a media job') : sentences[kind])

/** Returns the name of a mentioned person as that person writes it. Undefined if the page does not know the person. */
type NameOf = (mention: string) => string | undefined
const asWritten: NameOf = (mention) => mention

/** Returns text with the names of mentioned people as these people write them. */
const withNames = (text: string, nameOf: NameOf): string => {
  let [named, end] = ['', 0]
  for (const { name, from, to } of mentionPlaces(text)) {
    named += `${text.slice(end, from)}@${nameOf(name) ?? name}`
    end = to
  }
  return named + text.slice(end)
}

const mentioned =
  (you: string, others: string) =>
  ({ names = [] }: EventFields, own: string | undefined, nameOf: NameOf): string => {
    const me = own === undefined ? undefined : mentionOf(own).toLowerCase()
    if (names.some((name) => name.toLowerCase() === me)) return t(you)
    return t(others, { names: isolated(new Intl.ListFormat(locale).format(names.map((name) => nameOf(name) ?? name))) })
  }

/** Matches the head of a chat message in the source of the text (shared/fences/chat.ts). */
const messageHead = /^\[[^\]\n]{0,40}\][ \t]{1,4}@[^:\n]{1,100}:[ \t]?/

type Hunks = NonNullable<EventFields['hunks']>

const addedLines = ({ added, removed }: Hunks[number]): readonly string[] =>
  added.filter((line) => line.trim() !== '' && !removed.includes(line))

/** Whether a change only added messages to chats. The lines of a message after the first one are indented. */
function isChatting(hunks: Hunks): boolean {
  const lines = hunks.flatMap(addedLines)
  return (
    hunks.every(({ added, removed }) => removed.every((line) => line.trim() === '' || added.includes(line))) &&
    lines.some((line) => messageHead.test(line)) &&
    lines.every((line) => messageHead.test(line) || line.startsWith('  '))
  )
}

/** A program may edit parts of the text, or send all of it. Only the latter may lose changes, if the program has not read the text before. */
const replaced = ({ hunks = [], unguarded, partial }: ShownPayload<'content.replaced'>): string => {
  if (unguarded && !partial) return t('replaced the text')
  if (isChatting(hunks)) return t('wrote in a chat')
  const isAdded =
    hunks.length > 0 && hunks.every(({ added, removed }) => removed.every((line) => line.trim() === '' || added.includes(line)))
  return isAdded ? t('added text') : t('edited the text')
}

const words: { readonly [Kind in EventKind]: (payload: ShownPayload<Kind>, own: string | undefined, nameOf: NameOf) => string } = {
  'doc.created': plain(term('created the document')),
  'doc.claimed': plain(term('added the document to an account')),
  'doc.renamed': ({ title = '', givenTitle }) =>
    givenTitle ? t('renamed the document to {title}', { title: isolated(title) }) : t('reset the title'),
  'doc.published': plain(term('published the document')),
  'doc.unpublished': plain(term('unpublished the document')),
  'doc.restored': plain(term('restored the document from the trash')),
  'doc.deleted': plain(term('deleted the document')),
  'doc.redacted': plain(term('removed text from the history as an operator')),
  'content.changed': ({ actors, hunks = [] }) => {
    if (actors?.length === 0) return t('tidied a board, a chat or a sheet')
    return isChatting(hunks) ? t('wrote in a chat') : t('edited the text')
  },
  'content.replaced': replaced,
  'content.restored': plain(term('restored an earlier version')),
  'chat.mentioned': mentioned(term('mentioned you in a chat'), term('mentioned {names} in a chat')),
  'comment.created': plain(term('commented')),
  'comment.mentioned': mentioned(term('mentioned you in a comment'), term('mentioned {names} in a comment')),
  'comment.replied': plain(term('replied to a comment')),
  'comment.edited': ({ replyId }) => (replyId === undefined ? t('edited a comment') : t('edited a reply')),
  'comment.resolved': plain(term('resolved a comment')),
  'comment.reopened': plain(term('reopened a comment')),
  'comment.deleted': ({ replyId }) => (replyId === undefined ? t('deleted a comment') : t('deleted a reply')),
  'suggestion.created': plain(term('suggested a change')),
  'suggestion.edited': plain(term('changed a suggestion')),
  'suggestion.replied': plain(term('replied to a suggestion')),
  'suggestion.accepted': decided(term('accepted your suggestion'), term('accepted a suggestion by {name}'), term('accepted a suggestion')),
  'suggestion.rejected': (payload) =>
    payload.withdrawn
      ? t('withdrew a suggestion')
      : decided(term('rejected your suggestion'), term('rejected a suggestion by {name}'), term('rejected a suggestion'))(payload),
  'suggestion.reopened': decided(term('reopened your suggestion'), term('reopened a suggestion by {name}'), term('reopened a suggestion')),
  'share.created': linked(term('created a link for {name}: {role}'), term('created a link: {role}')),
  'share.changed': linked(term('changed the link of {name}: {role}'), term('changed a link: {role}')),
  'share.revoked': linked(term('revoked the link of {name}'), term('revoked a link: {role}')),
  'asset.created': ({ name = '' }) => t('added the file {name}', { name: isolated(name) }),
  'media.done': ofJob({
    image: term('generated a picture'),
    speech: term('read text aloud'),
    transcription: term('transcribed a recording'),
    ocr: term('read text from a picture')
  }),
  'media.failed': ofJob({
    image: term('could not generate a picture'),
    speech: term('could not read text aloud'),
    transcription: term('could not transcribe a recording'),
    ocr: term('could not read text from a picture')
  }),
  'task.created': titled(term('requested a review: {title}')),
  'task.started': titled(term('started the review: {title}')),
  'task.reported': titled(term('finished the review: {title}')),
  'task.closed': titled(term('closed the review: {title}'))
}

/** Returns the verb phrase that follows the name of the event's actor. `own` is the reader's name. `nameOf` returns the name of a mentioned person. */
export const eventWords = <Kind extends EventKind>(
  { kind, payload }: { readonly kind: Kind; readonly payload: ShownPayload<Kind> },
  own?: string,
  nameOf = asWritten
): string => words[kind](payload, own, nameOf)

const excerptUnitsMax = 140
/** Longest text that is searched for marks, in UTF-16 units. */
const markedUnitsMax = 1000

/** Returns the beginning of Markdown text without its marks. */
function excerpt(markdown: string): string {
  const text = plainWords(markdown.slice(0, markedUnitsMax)).trim()
  return text.length > excerptUnitsMax ? `${text.slice(0, excerptUnitsMax).toWellFormed()}…` : text
}

const first = (lines: readonly string[]): string => (lines.find((line) => line.trim() !== '') ?? '').trim().replace(messageHead, '')

/** The beginnings of old and new text, and of the reason for a rejection. Each is '' if there is none. */
interface Excerpt {
  readonly removed: string
  readonly text: string
  readonly reason: string
}

const nothing: Excerpt = { removed: '', text: '', reason: '' }

/** Returns the first words that were added, or else the first that were removed. */
function excerptOfHunks(hunks: Hunks): Excerpt {
  for (const hunk of hunks) {
    // A line that was also removed has only moved, so it does not count as added.
    const came = first(addedLines(hunk))
    if (came !== '') return { ...nothing, text: excerpt(came) }
  }
  for (const { added, removed } of hunks) {
    const went = first(removed.filter((line) => !added.includes(line)))
    if (went !== '') return { ...nothing, removed: excerpt(went) }
  }
  return nothing
}

/**
 * Returns the text of the comment, the old and the new text of the suggestion with the reason for its rejection, or the first words that the change
 * added or removed. `known` has the text that belongs to the event, because messages do not contain it.
 */
export function excerptOf({ kind, payload }: Pick<FeedEvent, 'kind' | 'payload'>, known: EventWords = {}, nameOf = asWritten): Excerpt {
  const { hunks = [], text, reason = '', body, replacement = '', quote = '' }: EventFields = { ...known, ...payload }
  const isChange = kind.startsWith('suggestion.') && kind !== 'suggestion.replied'
  const said = text ?? (isChange || body === undefined ? undefined : withNames(body, nameOf))
  if (said !== undefined) return { ...nothing, text: excerpt(said) }
  if (!isChange) return excerptOfHunks(hunks)
  const [old, made] = [excerpt(quote), excerpt(replacement)]
  // Words that get only another format are there once.
  return { removed: old === made ? '' : old, text: made, reason: excerpt(reason) }
}

/** Returns the number of changes as a phrase. */
export const countWords = (count: number): string => tn(count, '1 change', '{count} changes')

type ActorFields = Pick<FeedEvent, 'actor' | 'actorKind' | 'payload'>
type Join = (names: string[]) => string

/** Returns the stored names of the people who changed the text together. The list is empty for all other events. */
const togetherOf = ({ actor, actorKind, payload }: ActorFields): readonly string[] => {
  const { actors = [] }: EventFields = payload
  return actorKind === 'system' && !actor ? actors.filter((name) => name !== 'system') : []
}

/** Names the actor: an account, an agent, a guest under the chosen name, or several people. */
export function actorWords(event: ActorFields, join: Join): string {
  const { actor, actorKind, payload } = event
  if (actor) return displayName(actor)
  const { author }: EventFields = payload
  const names = togetherOf(event)
  if (actorKind === 'system') return names.length > 0 ? join(names.map(displayName)) : author || t('The server')
  return t('Guest')
}

/** Returns the subject of an event's line, in words and as a grammatical person. A reader who acted is called "You" and comes first. */
export function subjectOf(event: ActorFields, isOwn: boolean, join: Join): { readonly words: string; readonly subject: Subject } {
  const names = togetherOf(event)
  const others = [...new Set(names.filter((name) => !isOwnName(name)).map(displayName))]
  if (isOwn || (names.length > 0 && others.length === 0)) return { words: t('You'), subject: 'you' }
  if (names.some(isOwnName)) return { words: join([t('You'), ...others]), subject: 'you and others' }
  return { words: actorWords(event, join), subject: others.length > 1 ? 'many' : 'one' }
}
