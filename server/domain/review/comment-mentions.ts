/**
 * Turns mentions in comments and replies into `comment.mentioned` events. Each text notifies a name only once, even if the text is edited
 * repeatedly.
 */
import type { EventPayload } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import { mentionsOf } from '../../../shared/mentions.ts'
import { actorOf, authorOf, type Caller } from '../rights/caller.ts'
import type { Transaction } from '../records/transaction.ts'
import { sameMention as same } from '../events/notices.ts'

/** Notifies the people whom the text mentions, except those in `heard`. Returns everyone notified so far. */
export const tellMentions = (
  tx: Transaction,
  caller: Caller,
  payload: Omit<EventPayload<'comment.mentioned'>, 'names'>,
  text: string,
  heard: readonly string[] = []
): readonly string[] => {
  const news = new Map<string, string>()
  for (const name of mentionsOf(text)) if (!heard.includes(same(name)) && !news.has(same(name))) news.set(same(name), name)
  const names = [...news.values()].slice(0, limits.mentionEventsMax)
  if (names.length === 0) return heard
  const event = tx.event('comment.mentioned', actorOf(caller), { ...payload, names })
  tx.notify(event, { by: authorOf(caller), names: names.map(same) })
  return [...heard, ...news.keys()]
}
