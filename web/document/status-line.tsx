/** Words, and how the document is open. */
import type { JSX } from 'preact'
import type { View } from './page.tsx'

export function StatusLine({ view }: { view: View }): JSX.Element {
  const role = view.session.role.value
  return (
    <footer class='status-line tabular'>
      <span>{view.words.value}</span>
      <span class='spread' />
      {role !== null && role !== 'owner' && <span>You can {role === 'view' ? 'read' : role}</span>}
      <span>{view.mode.value === 'live' ? 'Markdown, live' : 'Markdown source'}</span>
    </footer>
  )
}
