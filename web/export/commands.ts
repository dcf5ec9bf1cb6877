/** Commands that export the document to a file or print it. */
import { term } from '../text/t.ts'
import { fetched, type Command } from '../view/command.ts'

const load = () => import('./exports.ts')

export const exportCommands: readonly Command[] = [
  {
    id: 'download',
    title: term('Download as Markdown'),
    group: 'document',
    icon: 'download',
    words: term('export save file'),
    run({ session }) {
      // A page without a connection can load neither this code nor the pictures.
      load()
        .then(({ downloadText }) => downloadText(session))
        .catch(() => session.download())
    }
  },
  {
    id: 'download.page',
    title: term('Download as web page'),
    group: 'document',
    icon: 'download',
    words: term('export HTML file'),
    run: fetched(async ({ session }) => (await load()).downloadPage(session))
  },
  {
    id: 'print',
    title: term('Print'),
    group: 'document',
    icon: 'printer',
    words: term('paper PDF'),
    run: fetched(async ({ session }) => (await load()).printDocument(session))
  }
]
