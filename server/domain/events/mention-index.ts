/** Finds the mentions in a document's chats, and groups them by identity. Has no side effects. */
import { hash } from 'node:crypto'
import { parseChat } from '../../../shared/fences/chat.ts'
import { fencesOf } from '../../../shared/fences/fences.ts'
import { limits } from '../../../shared/limits.ts'
import { mentionsOf } from '../../../shared/mentions.ts'

/** A message that mentions somebody. */
export interface MentioningMessage {
  readonly author: string
  readonly at: string
  readonly text: string
  readonly name: string
  /** Line number, counted from 1. */
  readonly line: number
}

/** Messages, grouped first by author, time and mentioned name, then by their text. */
export type MentionIndex = ReadonlyMap<string, ReadonlyMap<string, MentioningMessage>>

/** Matches text that can contain a chat. */
const mayHold = /(?:```|~~~)[ \t]*chat/

export const mentionIndex = (content: string): MentionIndex => {
  const index = new Map<string, Map<string, MentioningMessage>>()
  if (!mayHold.test(content)) return index
  for (const fence of fencesOf(content).filter(({ kind }) => kind === 'chat')) {
    for (const entry of parseChat(fence).entries) {
      if (entry.kind !== 'message' || entry.imported) continue
      const { author, at, text } = entry
      for (const name of mentionsOf(text).slice(0, limits.mentionEventsMax)) {
        const id = hash('sha256', JSON.stringify([author, at, name.toLowerCase()]), 'base64url').slice(0, 22)
        const known = index.get(id) ?? new Map<string, MentioningMessage>()
        if (!known.has(text)) known.set(text, { author, at, text, name, line: fence.line + entry.index + 2 })
        index.set(id, known)
      }
    }
  }
  return index
}
