/**
 * Mentions in comments and replies, which become `comment.mentioned` events. Each name is notified once per text, however often the text is edited.
 */
import type { EventPayload } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import { mentionsOf } from '../../../shared/mentions.ts'
import { actorOf, authorOf, type Caller } from '../rights/caller.ts'
import type { Draft } from '../records/draft.ts'
import { sameMention as same } from '../events/notices.ts'

/** Notifies the people whom a text mentions, except those in `heard`. Returns everyone notified so far. */
export const tellMentions = (
  draft: Draft,
  caller: Caller,
  payload: Omit<EventPayload<'comment.mentioned'>, 'names'>,
  text: string,
  heard: readonly string[] = []
): readonly string[] => {
  const news = new Map<string, string>()
  for (const name of mentionsOf(text)) if (!heard.includes(same(name)) && !news.has(same(name))) news.set(same(name), name)
  const names = [...news.values()].slice(0, limits.mentionEventsMax)
  if (names.length === 0) return heard
  const event = draft.event('comment.mentioned', actorOf(caller), { ...payload, names })
  draft.notify(event, { by: authorOf(caller), names: names.map(same) })
  return [...heard, ...news.keys()]
}
