/** Tells people who type into text that they may not change what they may do instead. */
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import type { Role } from '../../../shared/roles.ts'
import { t, term } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import type { View } from '../../view/view.ts'

const readOnlyWords: Readonly<Partial<Record<Role, string>>> = {
  view: term('You can view but not edit this.'),
  comment: term('You can comment but not edit this.')
}

type ReadOnlyHandlers = {
  beforeinput(event: unknown, view: Pick<EditorView, 'state'>): void
  blur(): void
}

/** Calls `say` for the first key only, until the person leaves the text or the role changes. */
export function readOnlyHandlers({ role, link }: Pick<View['session'], 'role' | 'link'>, say: (words: string) => void): ReadOnlyHandlers {
  let told: Role | null = null
  return {
    beforeinput(_event, { state: { readOnly } }) {
      const now = role.peek()
      const words = now === null ? undefined : readOnlyWords[now]
      // If the access has ended, the page already says so.
      if (!readOnly || words === undefined || link.ended.peek() !== undefined) told = null
      else if (now !== told) {
        told = now
        say(t(words))
      }
    },
    blur: () => void (told = null)
  }
}

export const explainReadOnly = (session: View['session']): Extension => EditorView.domEventHandlers(readOnlyHandlers(session, toast))
