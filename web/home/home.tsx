/** The first page. A person can start writing, add files, or open a known document of this device or the account. */
import { signal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { language, languages, setLanguage, t, tn } from '../text/t.ts'
import { Icon, Logo } from '../ui/icons.tsx'
import { toast } from '../ui/toast.tsx'
import { AskToDelete } from '../trash/ask.tsx'
import { ClaimOffer } from './claim-offer.tsx'
import { openLibrary, type Library } from './library.ts'
import { Documents } from './documents.tsx'
import { SignedOutOffer } from './signed-out-offer.tsx'
import { StartFailure, startDocument } from './start.ts'
import { TrashView } from './trash-view.tsx'

/** The error messages, each shown on its own line. */
const failures = signal<readonly string[]>([])
/** Number of documents that the last attempt created, although it has error messages. */
const created = signal(0)
const busy = signal(false)
/** Whether the last attempt failed because nobody is signed in. */
const needsAccount = signal(false)

async function attempt(work: () => Promise<void>): Promise<void> {
  failures.value = []
  created.value = 0
  needsAccount.value = false
  busy.value = true
  try {
    await work()
  } catch (error) {
    needsAccount.value = error instanceof StartFailure && error.needsAccount
    failures.value = [error instanceof StartFailure ? error.message : t('That did not work. Try again.')]
  } finally {
    busy.value = false
  }
}

const createdWords = (count: number): string => tn(count, '1 document created', '{count} documents created')

const bring = (files: readonly File[]): Promise<void> =>
  attempt(async () => {
    const { importFiles } = await import('./import-files.ts')
    const { ids, refused } = await importFiles(files)
    failures.value = refused
    if (refused.length > 0) created.value = ids.length
    else toast(createdWords(ids.length))
  })

function Failures(): JSX.Element {
  const [first, ...more] = failures.value
  return (
    <div role='alert'>
      {created.value > 0 && <p class='notice created'>{createdWords(created.value)}</p>}
      {first !== undefined && (
        <div class='notice danger' dir='auto'>
          {more.length === 0 ? (
            <p>{first}</p>
          ) : (
            <ul>
              {[first, ...more].map((words) => (
                <li key={words}>{words}</li>
              ))}
            </ul>
          )}
          {needsAccount.value && (
            <a class='button' href={`/sign-in?return_to=${encodeURIComponent(location.pathname)}`}>
              {t('Sign in')}
            </a>
          )}
        </div>
      )}
    </div>
  )
}

/** Lets a person drop files anywhere on the page. Returns whether files are being dragged over it. */
function useDrop(): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(false)
      const files = [...event.dataTransfer.files]
      if (files.length > 0) void bring(files)
    }
    addEventListener('dragover', drag)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', drag)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return over
}

function OpenFile(): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const chosen = (): void => {
    const files = [...(input.current?.files ?? [])]
    // Clearing the field lets the person choose the same file again.
    if (input.current !== null) input.current.value = ''
    if (files.length > 0) void bring(files)
  }
  return (
    <>
      <button type='button' class='button large' disabled={busy.value} onClick={() => input.current?.click()}>
        <Icon name='upload' />
        {t('Open a Markdown file')}
      </button>
      <input
        ref={input}
        type='file'
        accept='.md,.markdown,.txt,.zip,text/markdown,text/plain'
        multiple
        hidden
        aria-label={t('Markdown files')}
        onChange={chosen}
      />
    </>
  )
}

function Actions(): JSX.Element {
  return (
    <div class='actions'>
      <button type='button' class='button primary large' disabled={busy.value} onClick={() => void attempt(startDocument)}>
        <Icon name='pen' />
        {t('Start writing')}
      </button>
      <OpenFile />
    </div>
  )
}

function Top({ library }: { library: Library }): JSX.Element {
  return (
    <div class='home-top'>
      <span class='brand'>
        <Logo size={32} />
        agmd
      </span>
      <a class='button quiet' href={library.looksSignedIn.value ? '/account' : '/sign-in?return_to=%2F'}>
        {library.looksSignedIn.value ? t('Account') : t('Sign in')}
      </a>
    </div>
  )
}

/** The part of the address that shows the trash on this page. */
const trashHash = '#trash'

function TrashHead(): JSX.Element {
  return (
    <header class='home-head known'>
      <h1>{t('Trash')}</h1>
      <a class='button' href='#documents'>
        {t('Back to documents')}
      </a>
    </header>
  )
}

function TrashLink({ count }: { count: number }): JSX.Element {
  return (
    <p class='trash-link'>
      <a class='button quiet' href={trashHash}>
        <Icon name='trash' size={18} />
        {count === 0 ? t('Trash') : t('Trash ({count})', { count })}
      </a>
    </p>
  )
}

/** Shows an introduction to new visitors, and a short heading to people who have documents. */
function Head({ library }: { library: Library }): JSX.Element {
  if (!library.isEmpty.value)
    return (
      <header class='home-head known'>
        <h1>{t('Documents')}</h1>
        <Actions />
      </header>
    )
  return (
    <header class='home-head'>
      <h1>{t('Markdown that people and agents write together.')}</h1>
      <p class='lead'>{t('Documents are plain text, live for everyone, and available on your device when you are offline.')}</p>
      <Actions />
    </header>
  )
}

function Foot(): JSX.Element {
  return (
    <footer class='muted home-foot'>
      <p>
        {t('Anyone with the owner link owns the document. Agents use links too.')}{' '}
        <span class='home-links'>
          <a href='/docs'>{t('Documentation')}</a> · <a href='/agents.md'>{t('Agent guide')}</a> · <a href='/openapi.json'>{t('API')}</a>
        </span>
      </p>
      <p class='languages'>
        {languages.map(({ tag, name }) => (
          <button
            key={tag}
            type='button'
            lang={tag}
            class='button quiet'
            aria-pressed={language() === tag}
            onClick={() => setLanguage(tag)}
          >
            {name}
          </button>
        ))}
      </p>
    </footer>
  )
}

function Body({ library, inTrash }: { library: Library; inTrash: boolean }): JSX.Element {
  return (
    <>
      {inTrash ? <TrashHead /> : <Head library={library} />}
      <Failures />
      {inTrash ? (
        <TrashView library={library} />
      ) : (
        <>
          <ClaimOffer library={library} />
          <SignedOutOffer library={library} />
          <Documents library={library} />
          {(library.signedIn.value === true || library.trash.value.length > 0) && <TrashLink count={library.trash.value.length} />}
        </>
      )}
      <AskToDelete />
      <Foot />
    </>
  )
}

export function HomePage(): JSX.Element {
  const over = useDrop()
  const library = useMemo(openLibrary, [])
  useSignalEffect(() => {
    // The session of this page was ended elsewhere, which a reload reveals.
    if (needsAccount.value) void library.load()
  })
  const [inTrash, setInTrash] = useState(location.hash === trashHash)
  useEffect(() => {
    document.title = 'agmd · Markdown'
    void library.load()
    const moved = (): void => setInTrash(location.hash === trashHash)
    addEventListener('hashchange', moved)
    // A page that the browser restores still shows its earlier state.
    const shown = ({ persisted }: PageTransitionEvent): void => {
      busy.value = false
      if (persisted) void library.load()
    }
    addEventListener('pageshow', shown)
    const retry = (): void => {
      if (library.failure.peek() !== undefined) void library.load()
    }
    addEventListener('online', retry)
    document.addEventListener('visibilitychange', retry)
    return () => {
      removeEventListener('online', retry)
      document.removeEventListener('visibilitychange', retry)
      removeEventListener('hashchange', moved)
      removeEventListener('pageshow', shown)
    }
  }, [])
  return (
    <main class={over ? 'home dropping' : 'home'}>
      <Top library={library} />
      {!library.isComing.value && <Body library={library} inTrash={inTrash} />}
      {over && <div class='drop-hint'>{t('Drop files to create documents')}</div>}
    </main>
  )
}

export function NewPage(): JSX.Element {
  useEffect(() => {
    document.title = `${t('New document')} · agmd`
  }, [])
  const submit = (event: Event): void => {
    event.preventDefault()
    void attempt(startDocument)
  }
  return (
    <main class='plain'>
      <Logo size={40} />
      <h1>{t('Create a new document?')}</h1>
      <p>{t('Only you have the link until you share it.')}</p>
      <form method='post' action='/new' onSubmit={submit}>
        <p class='actions'>
          <button class='button primary large' disabled={busy.value}>
            {t('Create document')}
          </button>
          <a class='button large' href='/'>
            {t('Cancel')}
          </a>
        </p>
      </form>
      <Failures />
    </main>
  )
}
