/** The rules of chats that need no page: the state of one person's session (shared/components/chat.ts). */
import { expect, test } from 'vitest'
import {
  authorsOf,
  beginChat,
  type ChatEvent,
  chatKey,
  type ChatOutcome,
  chatShown,
  type ChatState,
  chatStep,
  editsOf,
  isOwn,
  messagesOf,
  othersThan,
  sentKey,
  signEdits,
  speakerOf
} from '../shared/components/chat.ts'
import { resultOf } from '../shared/components/result.ts'
import { type Chat, type Message, parseChat } from '../shared/fences/chat.ts'
import { applyEdits } from '../shared/text/diff.ts'
import { fenceIn, fenceOf } from './support/components.ts'

const read = (text: string): Chat => parseChat(fenceOf(text))
const chatOf = (...lines: readonly string[]): Chat => parseChat(fenceIn('chat', ...lines))
/** Returns the lines of a chat, without its fence. */
const linesOf = ({ fence }: Chat): string[] => fence.lines.map(({ text }) => text).filter((text) => text !== '')
const messageOf = (chat: Chat, text: string): Message => {
  const found = messagesOf(chat).find((each) => each.text === text)
  if (found === undefined) throw new Error(`nobody wrote ${text}`)
  return found
}

const kim = speakerOf('Kim', {}, ['Ana'])
const guest = speakerOf('Guest', { isUnnamed: true }, ['Ana'])
const [first, mine, last] = ['[2026-11-20T10:02Z] @Ana: Can we ship?', '[2026-11-20T10:03Z] @Kim: Yes', '[2026-11-20T10:04Z] @Ana: Good']
const time = Date.parse('2026-11-21T09:00Z')

/** A chat in which a person and others write. It writes the changes that a step requests, and notifies the session of every change. */
class Talk {
  state: ChatState
  readonly announcements: ChatOutcome['announcement'][] = []
  readonly holds: (string | null)[] = []
  readonly sent = new Set<string>()
  focus: ChatOutcome['focus']
  undo: ChatOutcome['undo']
  isEmptied = false
  /** Whether the text refuses edits. */
  isLocked = false

  constructor(...lines: readonly string[]) {
    this.state = beginChat(chatOf(...lines))
  }

  /** Changes the chat as others do. */
  others(...lines: readonly string[]): this {
    return this.step({ kind: 'changed', chat: chatOf(...lines) })
  }

  step(event: ChatEvent, now = this.state.chat): this {
    const outcome = chatStep(this.state, event)
    this.state = outcome.state
    const { change, announcement, hold, sent, focus, empties = false } = outcome
    if (announcement !== undefined) this.announcements.push(announcement)
    if (hold !== undefined) this.holds.push(hold)
    if (sent !== undefined) this.sent.add(sent)
    this.focus = focus ?? this.focus
    this.undo = outcome.undo ?? this.undo
    this.isEmptied ||= empties
    if (change === undefined) return this
    const edits = editsOf(now, change)
    const result = resultOf(edits, !this.isLocked)
    if (result === 'done' && edits !== undefined) this.step({ kind: 'changed', chat: read(applyEdits(now.fence.source, edits)) })
    return this.step({ kind: 'written', change, result })
  }

  edit(text: string): this {
    return this.step({ kind: 'edit', message: messageOf(this.state.chat, text) }).step({ kind: 'typed' })
  }

  save(text: string): this {
    return this.step({ kind: 'save', text, time, by: kim })
  }
}

test('[COMP-7] a message goes to the current end of the chat, with all its lines', () => {
  const talk = new Talk(first, '--- 2026-11-21')
  const now = chatOf(first, '--- 2026-11-21', last)
  talk.step({ kind: 'send', text: 'Yes, **today**\nor tomorrow', time, by: kim }, now)
  expect(linesOf(talk.state.chat)).toEqual([first, '--- 2026-11-21', last, '[2026-11-21T09:00Z] @Kim: Yes, **today**', '  or tomorrow'])
  expect([talk.announcements, talk.isEmptied]).toEqual([['sent'], true])
})

test('[COMP-7] text that cannot be sent stays in its field', () => {
  const talk = new Talk(first)
  talk.isLocked = true
  talk.step({ kind: 'send', text: 'Yes', time, by: kim })
  expect([talk.announcements, talk.isEmptied]).toEqual([[], false])
})

test('[COMP-7] people change and delete their own message at its current position', () => {
  const talk = new Talk(first, mine, last).edit('Yes')
  expect(talk.focus).toBe('draft')
  talk.step({ kind: 'save', text: ' No ', time, by: kim }, chatOf(mine, first, last))
  expect(linesOf(talk.state.chat)).toEqual([mine.replace('Yes', 'No'), first, last])
  expect(talk.state.draft).toBeUndefined()
  talk.step({ kind: 'delete', message: messageOf(talk.state.chat, 'No'), by: kim })
  expect(linesOf(talk.state.chat)).toEqual([first, last])
  expect(talk.announcements).toEqual(['changed', 'deleted'])
  // Others see which message is being edited, and at the end they see that none is.
  expect(talk.holds).toEqual([...Array(2).fill(JSON.stringify(['Kim', '2026-11-20T10:03Z', 'Yes'])), null])
})

test('[COMP-92] a deleted message returns to its place, once, no matter what has been written since', () => {
  const long = `${mine}\n  of course`
  const talk = new Talk(first, ...long.split('\n'), last)
  const message = messageOf(talk.state.chat, 'Yes\nof course')
  talk.step({ kind: 'delete', message, by: kim })
  expect([linesOf(talk.state.chat), talk.undo]).toEqual([[first, last], { kind: 'restore', message, by: kim }])
  talk.step({ kind: 'send', text: 'Later', time, by: kim }).step({ kind: 'restore', message, by: kim })
  expect(linesOf(talk.state.chat)).toEqual([first, ...long.split('\n'), last, '[2026-11-21T09:00Z] @Kim: Later'])
  talk.step({ kind: 'restore', message, by: kim })
  expect(messagesOf(talk.state.chat)).toHaveLength(4)
  expect(talk.announcements).toEqual(['deleted', 'sent', 'restored'])
})

test('[COMP-7] a message that others deleted is neither changed nor deleted, which is announced', () => {
  const talk = new Talk(first, mine)
  talk.step({ kind: 'delete', message: messageOf(talk.state.chat, 'Yes'), by: kim }, chatOf(first))
  talk.edit('Yes').step({ kind: 'save', text: 'No', time, by: kim }, chatOf(first))
  expect(talk.announcements).toEqual(['changed by others', 'changed by others'])
  // The typed text stays.
  expect(talk.state.draft).toBeDefined()
})

test('[COMP-7] messages from others, and those in another form, are not the person’s own', () => {
  const chat = chatOf(first, mine, '{{Kim|Imported|10:05}}')
  const own = (speaker: typeof kim): string[] => messagesOf(chat).flatMap((each) => (isOwn(each, speaker, new Set()) ? [each.text] : []))
  expect(own(kim)).toEqual(['Yes'])
  expect(own(speakerOf('Ana', {}, ['Kim']))).toEqual(['Can we ship?'])
})

test('[COMP-7] Enter sends, other keys with it do not, and Esc gives up a change', () => {
  const key = (name: string, held: object = {}, mayCancel = true) =>
    chatKey({ key: name, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...held }, mayCancel)
  expect(key('Enter')).toBe('send')
  for (const held of ['shiftKey', 'altKey', 'ctrlKey', 'metaKey']) expect(key('Enter', { [held]: true })).toBeUndefined()
  expect([key('Escape'), key('Escape', {}, false), key('a')]).toEqual(['cancel', undefined, undefined])
})

test('[COMP-10] the authors of a chat are suggested, the latest first, but not the person themselves', () => {
  const authors = authorsOf(chatOf('[2026-11-20T10:02Z] @Kim Bo: Yes', first, '--- 2026-11-21', '[2026-11-20T10:04Z] @Clara: No'))
  expect(authors).toEqual(['Clara', 'Ana', 'Kim Bo'])
  expect(othersThan(speakerOf('Kim Bo', {}, []), ['Clara', 'Kim-Bo', 'Kim'])).toEqual(['Clara', 'Kim'])
})

test('[COMP-28] the draft follows its message, wherever others move it, and is saved there', () => {
  const talk = new Talk(first, mine, last).edit('Yes').others(last, first, '--- 2026-11-21', mine).save('Yes, today')
  expect(linesOf(talk.state.chat)).toEqual([last, first, '--- 2026-11-21', mine.replace('Yes', 'Yes, today')])
})

test('[COMP-28] if a message was changed, the page asks which text stays', () => {
  const theirs = mine.replace('Yes', 'No')
  const asked = (): Talk => new Talk(first, mine, last).edit('Yes').others(theirs, last).save(' Yes, today ')
  expect(asked().state).toMatchObject({ asked: 'Yes, today', draft: { message: { text: 'No' }, isGone: false } })
  expect(linesOf(asked().state.chat)).toEqual([theirs, last])
  const kept = asked().step({ kind: 'keep mine', by: kim })
  expect(linesOf(kept.state.chat)).toEqual([mine.replace('Yes', 'Yes, today'), last])
  const dropped = asked().step({ kind: 'cancel' })
  expect(linesOf(dropped.state.chat)).toEqual([theirs, last])
  for (const { state } of [kept, dropped]) expect([state.draft, state.asked]).toEqual([undefined, undefined])
  // The person continues to type, so the question appears again at the next attempt to save.
  const typed = asked().step({ kind: 'typed' })
  expect(typed.state.asked).toBeUndefined()
  expect(typed.save('Yes, now').state.asked).toBe('Yes, now')
})

test('[COMP-28] nothing is asked if only one of the two changed the text, or both did alike', () => {
  const talk = (): Talk => new Talk(first, mine).edit('Yes').others(first, mine.replace('Yes', 'No'))
  for (const text of ['Yes', 'No']) {
    const { state } = talk().save(text)
    expect([state.draft, state.asked, linesOf(state.chat)]).toEqual([undefined, undefined, [first, mine.replace('Yes', 'No')]])
  }
})

test('[COMP-28] the text for a removed message stays, and can be sent again', () => {
  const talk = new Talk(first, mine, last).edit('Yes').others(first, last)
  expect(talk.state.draft).toMatchObject({ isGone: true, begun: { text: 'Yes' } })
  // The form takes the position of the message, which no longer has any text.
  expect(chatShown(talk.state.chat, talk.state.draft, 100).formAt).toBe(1)
  expect(talk.step({ kind: 'typed' }).holds).toHaveLength(2)
  talk.isLocked = true
  expect(talk.save('Tomorrow').state.draft).toBeDefined()
  talk.isLocked = false
  talk.save('Tomorrow')
  expect(linesOf(talk.state.chat)).toEqual([first, last, '[2026-11-21T09:00Z] @Kim: Tomorrow'])
  expect([talk.state.draft, talk.announcements, talk.isEmptied]).toEqual([undefined, ['sent'], false])
})

test('[COMP-28] a message that returns takes its draft back', () => {
  const talk = new Talk(first, mine).edit('Yes').others(first).others(first, last, mine)
  expect(talk.state.draft).toMatchObject({ isGone: false, message: { index: 2 } })
})

test('[COMP-28] an edit that cannot be written keeps its text', () => {
  const talk = new Talk(first, mine).edit('Yes')
  talk.isLocked = true
  expect(talk.save('Yes, today').state.draft).toBeDefined()
  talk.isLocked = false
  talk.save('Yes, today')
  expect([talk.state.draft, linesOf(talk.state.chat)]).toEqual([undefined, [first, mine.replace('Yes', 'Yes, today')]])
})

test('[COMP-73] another message cannot be edited before a touched draft is saved or canceled', () => {
  const again = mine.replace('Yes', 'Soon')
  const talk = new Talk(first, mine, again).edit('Yes')
  talk.step({ kind: 'edit', message: messageOf(talk.state.chat, 'Soon') })
  expect([talk.announcements, talk.focus, talk.state.draft?.message.text]).toEqual([['still open'], 'draft', 'Yes'])
  talk.step({ kind: 'cancel' }).step({ kind: 'edit', message: messageOf(talk.state.chat, 'Yes') })
  talk.step({ kind: 'edit', message: messageOf(talk.state.chat, 'Soon') })
  expect(talk.state.draft?.message.text).toBe('Soon')
})

test('[COMP-28] another’s message is never mistaken for the one being edited', () => {
  const { state } = new Talk(first, mine, last).edit('Yes').others(first, mine.replace('@Kim', '@Ana'), last)
  expect(state.draft?.isGone).toBe(true)
})

test('[COMP-28] the draft is drawn even if its message is not among the latest', () => {
  const { state } = new Talk(mine, first, last).edit('Yes')
  expect(chatShown(state.chat, state.draft, 2)).toMatchObject({ left: 1, formAt: 0 })
  expect(chatShown(state.chat, state.draft, 3)).toMatchObject({ left: 0, formAt: undefined })
  expect(chatShown(state.chat, undefined, 2).entries).toHaveLength(2)
})

test('[COMP-36] while two people have the same name, neither owns the messages of that name', () => {
  const message = messageOf(chatOf(mine), 'Yes')
  const names = [['Ana'], ['Kim'], ['Ana', ' Kim: ']]
  expect(names.map((others) => isOwn(message, speakerOf('Kim', {}, others), new Set()))).toEqual([true, false, false])
})

test('[COMP-49] a name that looks like the number of a guest gives no right to the messages of that guest', () => {
  const message = messageOf(chatOf('[2026-11-21T09:00Z] @Guest 27: Yes'), 'Yes')
  expect(isOwn(message, speakerOf('Guest 27', { isGuest: true }, []), new Set())).toBe(false)
})

test('[COMP-49] a person without a name owns the messages that this device has sent, and the cards made from them', () => {
  const talk = new Talk('[2026-11-21T09:00Z] @Guest: Not mine')
  const own = (): string[] => messagesOf(talk.state.chat).flatMap((each) => (isOwn(each, guest, talk.sent) ? [each.text] : []))
  talk.step({ kind: 'send', text: 'First', time, by: guest })
  expect(own()).toEqual(['First'])
  talk.edit('First').step({ kind: 'save', text: 'Second\n line', time, by: guest })
  expect(own()).toEqual(['Second\n line'])
  // With a name, the messages belong to that name.
  expect(talk.step({ kind: 'send', text: 'Third', time, by: kim }).sent.size).toBe(2)
})

test('[COMP-49] messages that a guest sent on this device stay theirs after they sign in, and the name alone gives nobody access', () => {
  const ana = speakerOf('Ana', { isGuest: true }, [])
  const account = speakerOf('ana.lee', {}, [])
  const talk = new Talk('[2026-11-21T09:00Z] @Ana: Of another Ana').step({ kind: 'send', text: 'Hello', time, by: ana })
  const own = (speaker: typeof ana, sent = talk.sent): string[] =>
    messagesOf(talk.state.chat).flatMap((each) => (isOwn(each, speaker, sent) ? [each.text] : []))
  expect(own(account)).toEqual(['Hello'])
  // On another device, the account has no right to the messages, regardless of its name.
  expect(own(account, new Set())).toEqual([])
  // The account keeps its right to a message after editing it.
  talk.edit('Hello').step({ kind: 'save', text: 'Hello all', time, by: account })
  expect(own(account)).toEqual(['Hello all'])
  // Messages of an account do not pass to the next account that signs in on the device.
  talk.step({ kind: 'send', text: 'Mine', time, by: account })
  expect(own(speakerOf('Bo', {}, []))).toEqual(['Hello all'])
})

test('[COMP-152] the name of a guest goes on the messages that the guest sent without a name, and on no others', () => {
  const sent = new Set<string>()
  const lines = ['[2026-11-21T09:00Z] @Guest 27: Hi @Bo:', '  more', '[2026-11-21T09:01Z] @Guest 27: Of another', first, mine]
  const chat = chatOf(...lines)
  for (const { author, time: at, text } of messagesOf(chat).filter(({ text }) => text !== 'Of another')) sent.add(sentKey(author, at, text))
  const { source } = chat.fence
  const expected = lines.map((line, index) => (index === 0 ? line.replace('Guest 27', 'Kim Lee') : line))
  expect(linesOf(read(applyEdits(source, signEdits(chat, sent, 'Kim: Lee'))))).toEqual(expected)
})
