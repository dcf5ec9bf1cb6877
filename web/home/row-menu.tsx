/** The menu of a document in the list, for opening, renaming, removing or deleting the document. */
import type { JSX, RefObject } from 'preact'
import { includesRole } from '../../shared/roles.ts'
import type { Access } from '../client/operation.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icons.tsx'
import { t } from '../text/t.ts'
import { addressOf, type Entry } from './library.ts'

/** A dialog that the menu opens. */
export type RowDialog = 'rename' | 'remove'

const onEscape =
  (close: () => void) =>
  (event: KeyboardEvent): void => {
    if (event.key === 'Escape') close()
  }

interface RowMenuInput {
  readonly entry: Entry
  /** The access that the menu uses for its requests. */
  readonly access: Access
  /** The button that takes the focus when a dialog has replaced the menu. If it is missing, the link takes the focus. */
  readonly first: RefObject<HTMLButtonElement | null>
  readonly firstLink: RefObject<HTMLAnchorElement | null>
  onOpen(dialog: RowDialog): void
  onDuplicate(): void
  onDelete(): void
  onClose(): void
}

export function RowMenu({ entry, access, first, firstLink, onOpen, onDuplicate, onDelete, onClose }: RowMenuInput): JSX.Element {
  const { id, title, role, inAccount, onDevice } = entry
  const mayRename = inAccount || includesRole(role, 'edit')
  const mayRemove = onDevice && !inAccount
  const mayDelete = inAccount || role === 'owner'
  return (
    <div class='recent-ask' role='group' aria-label={t('More for “{title}”', { title })} onKeyDown={onEscape(onClose)}>
      <span class='actions'>
        {mayRename && (
          <button type='button' class='button' ref={first} onClick={() => onOpen('rename')}>
            <Icon name='pen' size={18} />
            {t('Rename…')}
          </button>
        )}
        <a class='button' href={addressOf(entry)} target='_blank' rel='noopener' ref={mayRename ? undefined : firstLink} onClick={onClose}>
          <Icon name='book-open' size={18} />
          {t('Open in a new tab')}
        </a>
        <CopyButton
          text={`${location.origin}/d/${id}${access.key === '' ? '' : `?key=${access.key}`}`}
          what={t('Link')}
          words={access.key !== '' && role === 'owner' ? t('Copy owner link') : t('Copy link')}
          note={access.key === '' ? t('Link copied. Only you can open it. To give others access, press Share in the document.') : undefined}
        />
        <button type='button' class='button' onClick={onDuplicate}>
          <Icon name='copy' size={18} />
          {t('Duplicate')}
        </button>
        {mayRemove && (
          <button type='button' class='button' onClick={() => onOpen('remove')}>
            <Icon name='x' size={18} />
            {t('Remove from this device…')}
          </button>
        )}
        {mayDelete && (
          <button type='button' class='button' onClick={onDelete}>
            <Icon name='trash' size={18} />
            {t('Move to trash')}
          </button>
        )}
      </span>
    </div>
  )
}

interface AskToRemoveInput {
  readonly entry: Entry
  readonly first: RefObject<HTMLButtonElement | null>
  onRemove(): void
  onClose(): void
}

export function AskToRemove({ entry, first, onRemove, onClose }: AskToRemoveInput): JSX.Element {
  const { id, title, role, key } = entry
  return (
    <div class='recent-ask' role='group' aria-label={t('Remove “{title}” from this device', { title })} onKeyDown={onEscape(onClose)}>
      <p class='muted'>{t('This removes the link and the copy from this device. Save the link elsewhere if you might need it again.')}</p>
      <span class='actions'>
        {key !== '' && (
          <CopyButton
            text={`${location.origin}/d/${id}?key=${key}`}
            what={t('Link')}
            words={role === 'owner' ? t('Copy owner link') : t('Copy link')}
          />
        )}
        <button type='button' class='button danger' onClick={onRemove}>
          {t('Remove')}
        </button>
        <button type='button' class='button' ref={first} onClick={onClose}>
          {t('Cancel')}
        </button>
      </span>
    </div>
  )
}
