/** The list of known documents, with search, filters and sorting. A person can open documents, delete them, or remove them from this device. */
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { failureWords } from '../client/failure.ts'
import type { Access } from '../client/operation.ts'
import { removeFromDevice } from '../device/remove.ts'
import { forget, remember } from '../device/recent.ts'
import { roleWords } from '../sharing/role-words.ts'
import { locale, t, tn } from '../text/t.ts'
import { agoWords } from '../text/when.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Icon } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'
import { moveToTrash } from '../trash/trash.ts'
import { RenameDialog } from './rename-dialog.tsx'
import { AskToRemove, RowMenu, type RowDialog } from './row-menu.tsx'
import { duplicateFrom, StartFailure } from './start.ts'
import { addressOf, filters, orders, type Entry, type Filter, type Library, type Order } from './library.ts'
import { Choice } from '../ui/choice.tsx'
import { RecentList } from './recent-list.tsx'

interface DocumentsInput {
  readonly library: Library
}

function Row({ entry, library }: { entry: Entry; library: Library }): JSX.Element {
  const [open, setOpen] = useState<'menu' | RowDialog | undefined>(undefined)
  const first = useRef<HTMLButtonElement>(null)
  const firstLink = useRef<HTMLAnchorElement>(null)
  const more = useRef<HTMLButtonElement>(null)
  const row = useRef<HTMLLIElement>(null)
  const { id, title, role, key, inAccount, onDevice, published } = entry
  const wasOpen = useRef(false)
  // When a dialog opens, the focus moves to the row's first control. It returns to the menu button only after the dialog is gone.
  useLayoutEffect(() => {
    if (open !== undefined) (first.current ?? firstLink.current)?.focus()
    else if (wasOpen.current) more.current?.focus()
    wasOpen.current = open !== undefined
  }, [open])
  // A signed-in owner sends no key. With a key, the lower of the account's role and the key's role would count.
  const access: Access = { id, key: inAccount ? '' : key }
  const close = (): void => setOpen(undefined)
  /** Returns a function that focuses a neighboring row, because the focused row is about to disappear. */
  const besides = (): (() => void) => {
    const next = row.current?.nextElementSibling ?? row.current?.previousElementSibling
    return () => next?.querySelector('a')?.focus()
  }
  const remove = (): void => {
    besides()()
    forget(id)
    void removeFromDevice(id)
  }
  const duplicate = (): void => {
    close()
    duplicateFrom(access, title).catch((error: unknown) => toast(error instanceof StartFailure ? error.message : failureWords(error)))
  }
  const putInTrash = (): void => {
    const next = besides()
    close()
    const changed = (): void => {
      next()
      if (inAccount) void library.load()
    }
    void moveToTrash({ ...access, title }, changed, changed)
  }
  return (
    <li class='recent' ref={row}>
      <a class='recent-link' href={addressOf(entry)}>
        <Icon name='file' />
        <span class='recent-title' dir='auto'>
          {title}
        </span>
        <span class='muted recent-when'>
          {published && <span class='tag'>{t('published')}</span>}
          {library.signedIn.value === true && role === 'owner' && (
            <span class='tag'>{inAccount ? t('in your account') : t('on this device')}</span>
          )}
          {role !== null && role !== 'owner' && <span class='tag'>{t(roleWords[role])}</span>}
          <time dateTime={new Date(entry.at).toISOString()} title={new Date(entry.at).toLocaleString(locale)}>
            {entry.edited ? t('Edited {when}', { when: agoWords(entry.at) }) : t('Opened {when}', { when: agoWords(entry.at) })}
          </time>
        </span>
      </a>
      <IconButton
        icon='ellipsis'
        label={t('More for “{title}”', { title })}
        title={t('More')}
        size={18}
        class='recent-more'
        button={more}
        aria-expanded={open !== undefined}
        onClick={() => setOpen(open === undefined ? 'menu' : undefined)}
      />
      {open === 'menu' && (
        <RowMenu
          entry={entry}
          access={access}
          first={first}
          firstLink={firstLink}
          onOpen={setOpen}
          onDuplicate={duplicate}
          onDelete={putInTrash}
          onClose={close}
        />
      )}
      {open === 'rename' && (
        <RenameDialog
          document={access}
          title={title}
          onRenamed={({ title: now, givenTitle }) => {
            if (onDevice) remember(id, { title: now, givenTitle: givenTitle ?? '' })
            if (inAccount) void library.load()
          }}
          onClose={close}
        />
      )}
      {open === 'remove' && <AskToRemove entry={entry} first={first} onRemove={remove} onClose={close} />}
    </li>
  )
}

/** How long typing must pause before the page asks the service, in milliseconds. */
const searchAfterMs = 250

function Tools({ library }: { library: Library }): JSX.Element {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const search = (event: Event): void => {
    library.query.value = (event.target as HTMLInputElement).value
    clearTimeout(timer.current)
    // The page also asks while the sign-in state is unknown: the list that is still loading belongs to an earlier query.
    if (library.signedIn.value !== false) timer.current = setTimeout(() => void library.load(), searchAfterMs)
  }
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // The same keys find documents on the page of a document.
    const keyed = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event
      if (!/^[ko]$/i.test(key) || !(ctrlKey || metaKey) || altKey || shiftKey || document.querySelector('dialog:modal') !== null) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    addEventListener('keydown', keyed)
    return () => removeEventListener('keydown', keyed)
  }, [])
  return (
    <form class='find' role='search' onSubmit={(event: Event) => event.preventDefault()}>
      <label class='field grow'>
        <span>{library.signedIn.value === true ? t('Search titles and text') : t('Search titles')}</span>
        <input ref={field} type='search' autocomplete='off' maxLength={200} value={library.query.value} onInput={search} />
      </label>
      <label class='field'>
        <span>{t('Show')}</span>
        <Choice
          value={library.filter.value}
          values={Object.keys(filters) as Filter[]}
          words={(name) => t(filters[name])}
          onChoose={(name) => (library.filter.value = name)}
        />
      </label>
      <label class='field'>
        <span>{t('Order')}</span>
        <Choice
          value={library.order.value}
          values={Object.keys(orders) as Order[]}
          words={(name) => t(orders[name])}
          onChoose={(name) => (library.order.value = name)}
        />
      </label>
    </form>
  )
}

export function Documents({ library }: DocumentsInput): JSX.Element {
  const entries = library.entries.value
  if (library.isEmpty.value)
    return (
      <section aria-label={t('Documents')}>
        <p class='empty'>{t('Nothing here yet. Start writing, or open a Markdown file.')}</p>
      </section>
    )
  return (
    <section class='documents' aria-label={t('Documents')}>
      <Tools library={library} />
      {library.failure.value !== undefined && (
        <p class='notice warn' role='alert'>
          {library.signedIn.value === true
            ? t('The documents in your account could not be loaded.')
            : t('Only the documents on this device are shown.')}{' '}
          {failureWords(library.failure.value)}
          <button type='button' class='button' onClick={() => void library.load()}>
            {t('Try again')}
          </button>
        </p>
      )}
      <p class='sr-only' role='status'>
        {tn(entries.length, '1 document', '{count} documents')}
      </p>
      <RecentList
        entries={entries}
        empty={t('No documents match.')}
        row={(entry) => <Row key={entry.id} entry={entry} library={library} />}
      />
      {library.hasMore.value && (
        <p class='actions'>
          <button type='button' class='button' onClick={() => void library.more()}>
            {t('Show more')}
          </button>
        </p>
      )}
    </section>
  )
}
