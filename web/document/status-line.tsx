/** Words, and how the document is open. */
import type { JSX } from 'preact'
import type { Mode, View } from './page.tsx'

const modeWords: Readonly<Record<Mode, string>> = { live: 'Markdown, live', source: 'Markdown source', read: 'Reading' }

export function StatusLine({ view }: { view: View }): JSX.Element {
  const role = view.session.role.value
  return (
    <footer class='status-line tabular'>
      <span>{view.words.value}</span>
      <span class='spread' />
      {role !== null && role !== 'owner' && <span>You can {role === 'view' ? 'read' : role}</span>}
      <span>{modeWords[view.mode.value]}</span>
    </footer>
  )
}
