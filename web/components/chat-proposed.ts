/** The messages that open suggestions add to a chat, change or delete. */
import { computed, type ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { type Message, parseChat } from '../../shared/fences/chat.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { ComponentInput } from './input.ts'
import { useSuggestions } from './suggestions.ts'

export interface ProposedMessages {
  /** The new text of a message, by the index of the message. It is '' if the message would be deleted. */
  readonly texts: ReadonlyMap<number, string>
  readonly added: readonly { readonly id: string; readonly message: Message }[]
}

const messagesIn = (fence: Fence): readonly Message[] => parseChat(fence).entries.filter((entry) => entry.kind === 'message')

const nameOf = ({ author, at, text }: Message): string => JSON.stringify([author, at, text])

/** Returns the messages of `one` that `other` lacks. */
function beyond(one: readonly Message[], other: readonly Message[]): readonly Message[] {
  const there = new Set(other.map(nameOf))
  return one.filter((message) => !there.has(nameOf(message)))
}

export function useProposedMessages(input: ComponentInput): ReadonlySignal<ProposedMessages> {
  const { changed } = useSuggestions(input)
  return useMemo(
    () =>
      computed(() => {
        const texts = new Map<number, string>()
        const added: { id: string; message: Message }[] = []
        for (const { id, before, after } of changed.value) {
          const [were, are] = [messagesIn(before), messagesIn(after)]
          const [gone, come] = [beyond(were, are), beyond(are, were)]
          const isChange = gone.length === come.length
          for (const [at, { index }] of gone.entries()) texts.set(index, (isChange && come[at]?.text) || '')
          if (!isChange) added.push(...come.map((message) => ({ id, message })))
        }
        return { texts, added }
      }),
    [changed]
  )
}
