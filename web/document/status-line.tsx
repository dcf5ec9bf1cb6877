/** The line with the word count and the person's rights in the document. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { Role } from '../../shared/roles.ts'
import { t, term } from '../text/t.ts'
import { loadCount, loadLinkEnd } from './later-parts.ts'
import type { Page } from '../commands/page.ts'
import { Later } from '../view/later.tsx'
import type { Mode } from '../view/view.ts'

const modeWords: Readonly<Record<Mode, string>> = {
  live: term('Markdown, live'),
  source: term('Markdown source'),
  read: term('Reading')
}

/** The text of the status line for each role. For an owner there is none. */
const roleWords: Readonly<Partial<Record<Role, string>>> = {
  view: term('You can read'),
  comment: term('You can comment'),
  suggest: term('You can suggest'),
  edit: term('You can edit')
}

function WordCount({ view }: { view: Page }): JSX.Element {
  const isOpen = useSignal(false)
  return (
    <>
      <button type='button' class='status-button' popovertarget='count' title={t('Word count')}>
        {view.words.value}
      </button>
      <div
        id='count'
        class='menu count'
        popover='auto'
        role='dialog'
        aria-label={t('Word count')}
        onBeforeToggle={({ newState }: Pick<ToggleEvent, 'newState'>) => (isOpen.value = newState === 'open')}
      >
        {isOpen.value && <Later load={loadCount} view={view} />}
      </div>
    </>
  )
}

export function StatusLine({ view }: { view: Page }): JSX.Element {
  const role = view.session.role.value
  const words = role === null || view.session.link.ended.value !== undefined ? undefined : roleWords[role]
  return (
    <footer class='status-line tabular'>
      <WordCount view={view} />
      <span class='spread' />
      {words !== undefined && (
        <span>
          {t(words)}
          {(view.session.linkEnd.value ?? Infinity) < Infinity && <Later load={loadLinkEnd} view={view} />}
        </span>
      )}
      {view.session.link.ended.value === undefined && <span class='status-mode'>{t(modeWords[view.mode.value])}</span>}
    </footer>
  )
}
