/** The events in the activity panel. */
import { expect, test } from 'vitest'
import { isTidying } from '../web/activity/event.ts'
import { actorWords, eventWords, excerptOf, subjectOf } from '../web/activity/event-words.ts'
import { agreeIn } from '../web/activity/verbs.ts'
import { setPersonName } from '../web/presence/person.ts'
import { groupByDay, undoneRestores, withoutRepeats } from '../web/activity/groups.ts'
import type { EventFields } from '../shared/events.ts'
import type { FeedEvent } from '../web/activity/event.ts'

const noon = new Date(2026, 4, 4, 12).getTime()

/** Creates text changes, newest first. Each line has the author and the minutes before noon. Two names mean that both wrote. */
const feed = (...lines: readonly (readonly [who: string, minutes: number, kind?: string])[]): FeedEvent[] =>
  lines.map(([who, minutes, kind = 'content.changed'], index) => {
    const actors = who.split('+')
    const of =
      actors.length === 1 ? { actor: who, actorKind: 'guest', payload: {} } : { actor: null, actorKind: 'system', payload: { actors } }
    return { seq: lines.length - index, ts: noon - minutes * 60_000, kind, ...of } as unknown as FeedEvent
  })

const shown = (events: readonly FeedEvent[], seen = 0): string[] =>
  groupByDay(events, seen).flatMap(({ entries }) =>
    entries.map(({ events: all, latest }) => `${latest.actor ?? (latest.payload as EventFields).actors?.join('+')} ${all.length}`)
  )

test('[ACTIVITY-5] changes by two people at the same time are one line each', () => {
  expect(shown(feed(['Ana', 0], ['Bea', 1], ['Ana', 2], ['Bea', 3], ['Ana', 4]))).toEqual(['Ana 3', 'Bea 2'])
  expect(shown(feed(['Ana+Bea', 0], ['Ana', 1], ['Bea+Ana', 2], ['Ana', 3]))).toEqual(['Ana+Bea 2', 'Ana 2'])
  // A pause of half an hour begins a new entry.
  expect(shown(feed(['Ana', 0], ['Bea', 10], ['Bea', 20], ['Ana', 31], ['Ana', 50]))).toEqual(['Ana 1', 'Bea 2', 'Ana 2'])
  // A comment separates the changes before and after it, and so does the mark of new events.
  expect(shown(feed(['Ana', 0], ['Bea', 1, 'comment.created'], ['Ana', 2], ['Ana', 3]))).toEqual(['Ana 1', 'Bea 1', 'Ana 2'])
  expect(shown(feed(['Ana', 0], ['Bea', 1], ['Ana', 2], ['Bea', 3]), 2)).toEqual(['Ana 1', 'Bea 1', 'Ana 1', 'Bea 1'])
  // Midnight separates days.
  expect(groupByDay(feed(['Ana', 11 * 60 + 50], ['Ana', 12 * 60 + 10]), 0)).toHaveLength(2)
})

test('[ACTIVITY-13] changes of a suggestion soon after its last version are not listed', () => {
  const kept = (seen: number, ...lines: readonly (readonly [who: string, minutes: number, kind: string, suggestion?: string])[]) => {
    const events = lines.map(
      ([actor, minutes, kind, suggestionId = 'one'], index) =>
        ({
          seq: lines.length - index,
          ts: noon - minutes * 60_000,
          kind: `suggestion.${kind}`,
          actor,
          actorKind: 'guest',
          payload: { suggestionId }
        }) as unknown as FeedEvent
    )
    return withoutRepeats(events, seen).map(({ kind, payload }) => `${kind.slice(11)} ${(payload as EventFields).suggestionId}`)
  }
  expect(kept(0, ['Ana', 0, 'edited'], ['Ana', 1, 'edited'], ['Ana', 2, 'created'])).toEqual(['created one'])
  // Other events between them do not matter, unless they are about the same suggestion.
  expect(kept(0, ['Ana', 0, 'edited'], ['Bea', 1, 'created', 'two'], ['Ana', 2, 'created'])).toEqual(['created two', 'created one'])
  const replied = kept(0, ['Ana', 0, 'edited'], ['Ana', 1, 'edited'], ['Bea', 2, 'replied'], ['Ana', 3, 'created'])
  expect(replied).toEqual(['edited one', 'replied one', 'created one'])
  expect(kept(0, ['Bea', 0, 'edited'], ['Ana', 1, 'created'])).toEqual(['edited one', 'created one'])
  // Later changes are listed once.
  expect(kept(0, ['Ana', 0, 'edited'], ['Ana', 5, 'edited'], ['Ana', 40, 'created'])).toEqual(['edited one', 'created one'])
  // A new change of a version that was seen before is listed.
  expect(kept(1, ['Ana', 0, 'edited'], ['Ana', 1, 'edited'], ['Ana', 2, 'created'])).toEqual(['edited one', 'created one'])
})

test('[ACTIVITY-20] a comment that mentions somebody is one line, which names the mention', () => {
  const kept = (...lines: readonly (readonly [kind: string, payload?: EventFields, actor?: string])[]): string[] => {
    const events = lines.map(
      ([kind, payload = {}, actor = 'Ana'], index) =>
        ({
          seq: lines.length - index,
          ts: noon,
          kind: `comment.${kind}`,
          actor,
          actorKind: 'guest',
          payload: { commentId: 'one', ...payload }
        }) as unknown as FeedEvent
    )
    return withoutRepeats(events, 0).map(({ kind }) => kind.slice(8))
  }
  expect(kept(['mentioned'], ['created'])).toEqual(['mentioned'])
  expect(kept(['mentioned'], ['edited'], ['mentioned'], ['created'])).toEqual(['mentioned', 'mentioned'])
  const replyId = 'reply'
  expect(kept(['mentioned', { replyId }], ['replied', { replyId }], ['created'])).toEqual(['mentioned', 'created'])
  // An event about another text is not left out.
  expect(kept(['mentioned', { commentId: 'two' }], ['created'])).toEqual(['mentioned', 'created'])
  expect(kept(['mentioned', { replyId }], ['created'])).toEqual(['mentioned', 'created'])
  expect(kept(['mentioned'], ['created', {}, 'Bea'])).toEqual(['mentioned', 'created'])
})

test('[ACTIVITY-8] what the server tidied is told as such, and other changes by the server are not', () => {
  const told = (kind: string, actorKind: string, payload: EventFields) => {
    const event = { kind, actor: null, actorKind, payload } as unknown as FeedEvent
    return [actorWords(event, (names) => names.join(' and ')), eventWords(event), isTidying(event)]
  }
  expect(told('content.changed', 'system', { actors: [] })).toEqual(['The server', 'tidied a board, a chat or a sheet', true])
  expect(told('content.changed', 'system', { actors: ['system'] })).toEqual(['The server', 'edited the text', false])
  expect(told('content.changed', 'system', { actors: ['Ana', 'Bo'] })).toEqual(['Ana and Bo', 'edited the text', false])
  expect(told('content.changed', 'guest', {})).toEqual(['Guest', 'edited the text', false])
})

test('[ACTIVITY-12] an edit by a program is told as a replacement only if it replaced the entire text unread', () => {
  const told = (payload: EventFields): string => eventWords({ kind: 'content.replaced', payload: payload as object })
  const added = { line: 3, removed: ['Last.'], added: ['Last.', '', 'More.'] }
  const changed = { line: 1, removed: ['One.'], added: ['Two.'] }
  expect(told({ hunks: [added] })).toBe('added text')
  expect(told({ hunks: [{ line: 1, removed: [''], added: ['First.'] }] })).toBe('added text')
  expect(told({ hunks: [added, changed] })).toBe('edited the text')
  expect(told({ hunks: [changed], unguarded: true, partial: true })).toBe('edited the text')
  expect(told({ hunks: [added], unguarded: true })).toBe('replaced the text')
})

test('[ACTIVITY-10] an event shows the text that it is about, also if only the page knows that text', () => {
  const shows = (kind: string, payload: EventFields, known?: EventFields) => {
    const { text, removed, reason } = excerptOf({ kind, payload } as unknown as FeedEvent, known)
    return [removed && `-${removed}`, text, reason && `(${reason})`].filter((part) => part !== '').join(' ')
  }
  expect(shows('comment.created', { body: 'Which one?', quote: 'One' })).toBe('Which one?')
  expect(shows('comment.resolved', {}, { body: 'Which one?' })).toBe('Which one?')
  expect(shows('suggestion.created', { quote: 'One', replacement: 'Two', body: 'It is shorter.' })).toBe('-One Two')
  expect(shows('suggestion.accepted', { quote: 'One' })).toBe('-One')
  expect(shows('suggestion.replied', { quote: 'One', replacement: 'Two', body: 'Why?' })).toBe('Why?')
  expect(shows('content.changed', { hunks: [{ line: 1, removed: ['One.'], added: [] }] })).toBe('-One.')
  expect(shows('doc.published', {})).toBe('')
  expect(shows('suggestion.created', { replacement: 'Two' })).toBe('Two')
  expect(shows('suggestion.rejected', { quote: 'One', replacement: 'Two', reason: 'One is right.' })).toBe('-One Two (One is right.)')
  expect(shows('suggestion.accepted', { quote: 'the detail', replacement: 'the **detail**' })).toBe('the detail')
  expect(shows('comment.created', { body: 'Not *this*, but [that](https://a.example/).' })).toBe('Not this, but that.')
  expect(shows('content.changed', { hunks: [{ line: 1, removed: [], added: ['## A **great** year'] }] })).toBe('A great year')
})

test('[ACTIVITY-21] decisions on the own suggestions', () => {
  setPersonName('Sue')
  for (const verb of ['accepted', 'rejected', 'reopened'] as const) {
    const told = (author: string): string => eventWords({ kind: `suggestion.${verb}`, payload: { author } as object })
    expect([told('Sue'), told('Bea')]).toEqual([`${verb} your suggestion`, `${verb} a suggestion by \u2068Bea\u2069`])
  }
  setPersonName('')
})

test('[REVIEW-165] the activity panel shows a mentioned person under the name as on the card', () => {
  const nameOf = (mention: string) => (mention === 'Olga-Owner' ? 'Olga Owner' : undefined)
  const body = 'See `@Olga-Owner`, @Olga-Owner and @Bea.'
  const payload = { body, names: ['Olga-Owner', 'Bea'] }
  const event = { kind: 'comment.mentioned', payload } as unknown as FeedEvent
  expect(excerptOf(event, {}, nameOf).text).toBe('See @Olga-Owner, @Olga Owner and @Bea.')
  expect(eventWords(event, 'Cora', nameOf)).toContain('Olga Owner and Bea')
  expect(eventWords(event, 'Olga Owner', nameOf)).toBe('mentioned you in a comment')
})

test('[ACTIVITY-14] the undo of a restore is told apart from a restore', () => {
  const restore = (seq: number, revision: number, revisionId: number, actor = 'Ana', kind = 'content.restored') =>
    ({ seq, ts: noon, kind, actor, actorKind: 'guest', payload: { revision, revisionId } }) as unknown as FeedEvent
  const undone = (...events: readonly FeedEvent[]) => [...undoneRestores(events)].map(({ seq }) => seq)
  // Version 5 was there. Restoring version 2 created version 6, and its undo restored version 5.
  expect(undone(restore(2, 5, 7), restore(1, 2, 6))).toEqual([2])
  // Others may have written in between.
  expect(undone(restore(3, 5, 8), restore(2, 0, 7, 'Bea', 'content.replaced'), restore(1, 2, 6))).toEqual([3])
  expect(undone(restore(2, 4, 7), restore(1, 2, 6))).toEqual([])
  expect(undone(restore(2, 5, 7, 'Bea'), restore(1, 2, 6))).toEqual([])
  expect(undone(restore(1, 5, 7))).toEqual([])
})

test('[ACTIVITY-15] the reader is “You” among several people, and the verb agrees with its subject', () => {
  setPersonName('Olga')
  const line = (actors: readonly string[], isOwn = false) => {
    const event = { kind: 'content.changed', actor: null, actorKind: 'system', payload: { actors } } as unknown as FeedEvent
    const { words, subject } = subjectOf(event, isOwn, (names) => names.join(' and '))
    return `${words} ${agreeIn('de', subject, 'hat den Text bearbeitet')}`
  }
  expect(line(['Guest 43', 'Olga'])).toBe('You and Guest 43 habt den Text bearbeitet')
  expect(line(['Ben', 'Guest 43'])).toBe('Ben and Guest 43 haben den Text bearbeitet')
  expect(line(['Olga'])).toBe('You hast den Text bearbeitet')
  expect(line(['system'])).toBe('The server hat den Text bearbeitet')
  expect(line([])).toBe('The server hat den Text bearbeitet')
  expect(agreeIn('de', 'many', 'konnte kein Bild erzeugen')).toBe('konnten kein Bild erzeugen')
  expect(agreeIn('en', 'you and others', 'edited the text')).toBe('edited the text')
  setPersonName('')
})

test('[WORDS-20] a message in a chat is described as such, without its source', () => {
  const head = '[2026-11-20T10:02Z] @Ana Lee:'
  const told = (hunks: EventFields['hunks']): string[] =>
    (['content.changed', 'content.replaced'] as const).flatMap((kind) => [
      eventWords({ kind, payload: { hunks } as object }),
      excerptOf({ kind, payload: { hunks } } as unknown as FeedEvent).text
    ])
  const chatted = ['wrote in a chat', 'Can we ship?', 'wrote in a chat', 'Can we ship?']
  expect(told([{ added: [`${head} Can we ship?`, '  Soon'], removed: [] }] as unknown as EventFields['hunks'])).toEqual(chatted)
  expect(told([{ added: [`${head} Hi`, 'Text'], removed: [] }] as unknown as EventFields['hunks'])).toEqual([
    'edited the text',
    'Hi',
    'added text',
    'Hi'
  ])
})
