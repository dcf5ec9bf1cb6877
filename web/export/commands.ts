/** Commands that export the document to a file or print it. */
import { term } from '../text/t.ts'
import { fetched, type Command } from '../view/command.ts'

export const exportCommands: readonly Command[] = [
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
    run: fetched(async ({ session }) => (await import('./page-file.ts')).downloadPage(session))
  },
  {
    id: 'print',
    title: term('Print'),
    group: 'document',
    icon: 'printer',
    words: term('paper PDF'),
    run: fetched(async ({ session }) => (await import('./print.ts')).printDocument(session))
  }
]
