/** Commands that create a document. */
import { term, t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { fetched, type Command } from '../view/command.ts'
import type * as Start from './start.ts'

/** How long the message about a missing account offers to sign in, in milliseconds. */
const offeredMs = 10_000

/** Creates a document, or tells the person why that is impossible. */
async function createBy(work: (start: typeof Start) => Promise<void>): Promise<void> {
  const start = await import('./start.ts')
  try {
    await work(start)
  } catch (error) {
    if (!(error instanceof start.StartFailure)) throw error
    const signIn = (): void => location.assign(`/sign-in?return_to=${encodeURIComponent(location.pathname)}`)
    toast(error.message, error.needsAccount ? { name: t('Sign in'), run: signIn, milliseconds: offeredMs } : undefined)
  }
}

export const homeCommands: readonly Command[] = [
  {
    id: 'new',
    title: term('New document'),
    group: 'document',
    icon: 'file',
    words: term('create start writing'),
    run: fetched(() => createBy(({ startDocument }) => startDocument()))
  },
  {
    id: 'duplicate',
    title: term('Duplicate'),
    group: 'document',
    icon: 'copy',
    words: term('copy of this document'),
    when: (page) => page.session.state.value === 'open',
    run: fetched(({ session }) => createBy(({ duplicateDocument }) => duplicateDocument(session.title.value, session.text.toString())))
  }
]
