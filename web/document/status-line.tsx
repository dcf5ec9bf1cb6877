/** Words, and how the document is open. */
import type { JSX } from 'preact'
import type { Role } from '../../shared/roles.ts'
import { t, term } from '../text/t.ts'
import type { Mode, View } from './page.tsx'

const modeWords: Readonly<Record<Mode, string>> = { live: term('Markdown, live'), source: term('Markdown source'), read: term('Reading') }

const rights: Readonly<Record<Role, string>> = {
  view: term('You can read'),
  comment: term('You can comment'),
  suggest: term('You can suggest'),
  edit: term('You can edit'),
  owner: ''
}

export function StatusLine({ view }: { view: View }): JSX.Element {
  const role = view.session.role.value
  return (
    <footer class='status-line tabular'>
      <span>{view.words.value}</span>
      <span class='spread' />
      {role !== null && role !== 'owner' && <span>{t(rights[role])}</span>}
      <span>{t(modeWords[view.mode.value])}</span>
    </footer>
  )
}
