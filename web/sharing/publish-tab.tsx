/** The tab that publishes the document as a page which anyone may read. */
import { useSignal } from '@preact/signals'
import type { JSX, TargetedMouseEvent } from 'preact'
import { useRef } from 'preact/hooks'
import { authorIn } from '../../shared/names.ts'
import { t } from '../text/t.ts'
import { dayWords } from '../text/when.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Icon } from '../ui/icons.tsx'
import type { TabInput } from './tab.ts'
import { nameAuthor } from './name-author.ts'
import { publishingOf, type Publishing } from './publishing.ts'
import type { Publication } from './requests.ts'
import { personName } from '../presence/person.ts'

/** Matches the opening of a chat. Its messages show the names of their authors. */
const chatMark = /^[ \t>]{0,40}(?:`{3,}|~{3,})[ \t]{0,40}chat\b/m

function Address({ publication }: { publication: Publication }): JSX.Element {
  const { url, markdownUrl } = publication
  return (
    <>
      <div class='share-copy'>
        <input
          type='text'
          readOnly
          aria-label={t('Address of the published page')}
          value={url}
          onFocus={(event: FocusEvent) => (event.target as HTMLInputElement).select()}
        />
        <CopyButton text={url} what={t('Address')} words={t('Copy address')} class='button primary' />
      </div>
      <p class='actions'>
        <a class='button' href={url} target='_blank' rel='noreferrer'>
          <Icon name='book-open' size={18} />
          {t('Open the published page')}
        </a>
        <a class='button' href={markdownUrl} target='_blank' rel='noreferrer'>
          <Icon name='file' size={18} />
          {t('As Markdown')}
        </a>
      </p>
    </>
  )
}

function Switch({ publishing, disabled }: { publishing: Publishing; disabled: boolean }): JSX.Element {
  const asking = useSignal(false)
  const published = publishing.state.value?.published === true
  const locked = disabled || publishing.busy.value
  const element = useRef<HTMLButtonElement>(null)
  const turn = (): void => {
    if (locked) return
    if (published) asking.value = !asking.value
    else void publishing.set({ published: true })
  }
  // The focused button disappears together with the question.
  const answered = (): void => {
    asking.value = false
    element.current?.focus()
  }
  return (
    <>
      <button ref={element} type='button' class='switch' role='switch' aria-checked={published} aria-disabled={locked} onClick={turn}>
        <span class='switch-track' aria-hidden='true' />
        <span>
          <strong>{t('Publish this document')}</strong>
          <span class='muted'>
            {t('Anyone with the address can read the text without an account. Readers see changes when they load the page again.')}
          </span>
        </span>
      </button>
      {asking.value && published && (
        <div class='share-ask' role='group' aria-label={t('Unpublish')}>
          <p>{t('The page goes offline immediately. It keeps its address if you publish again.')}</p>
          <div class='share-actions'>
            <button
              type='button'
              class='button danger'
              aria-disabled={locked}
              onClick={() => !locked && void publishing.set({ published: false }).then(answered)}
            >
              {t('Unpublish')}
            </button>
            <button type='button' class='button' onClick={answered}>
              {t('Cancel')}
            </button>
          </div>
        </div>
      )}
    </>
  )
}

export function PublishTab({ view, disabled }: TabInput): JSX.Element {
  const publishing = publishingOf(view.session)
  const owner = view.session.role.value === 'owner'
  const locked = disabled || publishing.busy.value
  const publication = publishing.state.value
  const named = useSignal(0)
  // The tab shows the text as it is now.
  void named.value
  if (publication === undefined)
    return <p class='muted'>{disabled ? t('You are offline, so the publishing status is unknown.') : t('Loading…')}</p>
  const { unsigned, ownerName } = publication
  const text = view.session.text.toString()
  const author = authorIn(text) ?? (unsigned === true ? undefined : ownerName)
  /** The name that the person can put on the page. */
  const offered = author === undefined && owner && view.editor.value !== undefined ? personName.value : ''
  const since = publication.publishedAt === null ? undefined : dayWords(Date.parse(publication.publishedAt))
  return (
    <>
      {owner ? (
        <Switch publishing={publishing} disabled={disabled} />
      ) : (
        <p>
          {publication.published
            ? t('The owner has published this document.')
            : t('This document is not published. Only its owner can publish it.')}
        </p>
      )}
      {(owner || publication.published) && (
        <p class='muted share-note'>
          {author === undefined ? t('The page names no author.') : t('The page names {name} as the author.', { name: author })}
          {chatMark.test(text) && ` ${t('It shows the names in its chats.')}`}
          {author === undefined && owner && ownerName !== undefined && ` ${t('To name {name}, publish it again.', { name: ownerName })}`}
        </p>
      )}
      {offered !== '' && (
        <p class='actions'>
          <button
            type='button'
            class='button'
            aria-disabled={disabled}
            onClick={({ currentTarget }: TargetedMouseEvent<HTMLButtonElement>) => {
              if (disabled) return
              nameAuthor(view, offered)
              // The focused button is about to disappear.
              currentTarget.closest('.share-panel')?.querySelector<HTMLElement>('[role=switch]')?.focus()
              named.value += 1
            }}
          >
            {t('Name {name} as the author', { name: offered })}
          </button>
        </p>
      )}
      {publication.published && (
        <>
          {since !== undefined && <p class='muted share-note'>{t('Published {day}', { day: since })}</p>}
          <Address publication={publication} />
          {owner && (
            <label class='check'>
              <input
                type='checkbox'
                checked={publication.indexed}
                aria-disabled={locked}
                onClick={(event: Event) => locked && event.preventDefault()}
                onChange={(event: Event) => void publishing.set({ published: true, indexed: (event.target as HTMLInputElement).checked })}
              />
              <span>{t('Let search engines index the page')}</span>
            </label>
          )}
        </>
      )}
    </>
  )
}
