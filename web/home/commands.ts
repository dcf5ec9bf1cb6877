/** Commands that create a document. */
import { term } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { fetched, type Command } from '../view/command.ts'

export const homeCommands: readonly Command[] = [
  {
    id: 'duplicate',
    title: term('Duplicate'),
    group: 'document',
    icon: 'copy',
    words: term('copy of this document'),
    when: (page) => page.session.state.value === 'open',
    run: fetched(async ({ session }) => {
      const { duplicateDocument, StartFailure } = await import('./start.ts')
      await duplicateDocument(session.title.value, session.text.toString()).catch((error: unknown) => {
        if (!(error instanceof StartFailure)) throw error
        toast(error.message)
      })
    })
  }
]
