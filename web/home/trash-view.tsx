/** The trash: the person's deleted documents, which can be restored or deleted permanently. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { limits } from '../../shared/limits.ts'
import { failureWords } from '../client/failure.ts'
import { t, tn } from '../text/t.ts'
import { erase, restore } from '../trash/trash.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Icon } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'
import type { Library, TrashEntry } from './library.ts'
import { RecentList } from './recent-list.tsx'

const dayMs = 24 * 3600 * 1000

function Row({ entry, library }: { entry: TrashEntry; library: Library }): JSX.Element {
  const [asking, setAsking] = useState(false)
  const { title, until } = entry
  const act = (work: (entry: TrashEntry) => Promise<void>, words: string): void => {
    void work(entry).then(
      () => {
        toast(words)
        if (library.signedIn.value === true) void library.load()
      },
      (error: unknown) => toast(failureWords(error))
    )
  }
  return (
    <li class='recent'>
      <span class='recent-link'>
        <Icon name='file' />
        <span class='recent-title' dir='auto'>
          {title}
        </span>
        <span class='muted recent-when'>{tn(Math.max(1, Math.ceil((until - Date.now()) / dayMs)), '1 day left', '{count} days left')}</span>
      </span>
      <button
        type='button'
        class='button'
        aria-label={t('Restore “{title}”', { title })}
        onClick={() => act(restore, t('“{title}” restored.', { title }))}
      >
        {t('Restore')}
      </button>
      <IconButton
        icon='trash'
        label={t('Delete “{title}” for good', { title })}
        title={t('Delete for good')}
        size={18}
        class='recent-delete'
        aria-expanded={asking}
        onClick={() => setAsking(!asking)}
      />
      {asking && (
        <div class='recent-ask' role='group' aria-label={t('Delete “{title}” for good', { title })}>
          <p class='muted'>{t('This erases the document with its history and comments. You cannot undo it.')}</p>
          <span class='actions'>
            <button type='button' class='button danger' onClick={() => act(erase, t('“{title}” deleted for good.', { title }))}>
              {t('Delete for good')}
            </button>
            <button type='button' class='button' onClick={() => setAsking(false)}>
              {t('Keep')}
            </button>
          </span>
        </div>
      )}
    </li>
  )
}

export function TrashView({ library }: { library: Library }): JSX.Element {
  const entries = library.trash.value
  return (
    <section class='documents' aria-label={t('Trash')}>
      <p class='muted'>{t('Documents in the trash are deleted for good after {days} days.', { days: limits.trashDays })}</p>
      <RecentList
        entries={entries}
        empty={t('The trash is empty.')}
        row={(entry) => <Row key={entry.id} entry={entry} library={library} />}
      />
    </section>
  )
}
