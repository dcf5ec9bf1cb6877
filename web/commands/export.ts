/** Taking the document along: as a file, on paper. */
import type { Page } from './page.ts'
import { t, term } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import type { Command } from './command.ts'

/** The code for it is fetched when it is asked for. */
const fetched =
  (work: (page: Page) => Promise<void>) =>
  (page: Page): void => {
    work(page).catch(() => toast(t('This part of the page could not be loaded. It loads when you are back online.')))
  }

export const exportCommands: readonly Command[] = [
  {
    id: 'duplicate',
    title: term('Duplicate'),
    group: 'document',
    icon: 'copy',
    words: term('copy of this document'),
    when: (page) => page.session.state.value === 'open',
    run: fetched(async ({ session }) => {
      const { duplicateDocument, StartFailure } = await import('../home/start.ts')
      await duplicateDocument(session.title.value, session.text.toString()).catch((error: unknown) => {
        if (!(error instanceof StartFailure)) throw error
        toast(error.message)
      })
    })
  },
  {
    id: 'download',
    title: term('Download as Markdown'),
    group: 'document',
    icon: 'download',
    words: term('export save file'),
    run: (page) => page.session.download()
  },
  {
    id: 'download.page',
    title: term('Download as web page'),
    group: 'document',
    icon: 'download',
    words: term('export HTML file'),
    run: fetched(async ({ session }) => (await import('../export/page-file.ts')).downloadPage(session))
  },
  {
    id: 'print',
    title: term('Print'),
    group: 'document',
    icon: 'printer',
    words: term('paper PDF'),
    run: fetched(async ({ session }) => (await import('../export/print.ts')).printDocument(session))
  }
]
