/** The first page: start writing, bring a file, or go back to what was opened on this device. */
import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ago } from '../../shared/ago.ts'
import { removeKeptDatabase } from '../offline/remove.ts'
import { forget, recentDocuments, type RecentDocument } from '../recent.ts'
import { Icon, Logo } from '../ui/icons.tsx'
import { importFile, startDocument } from './start.ts'

const failure = signal<string | undefined>(undefined)
const busy = signal(false)

async function attempt(work: () => Promise<void>): Promise<void> {
  failure.value = undefined
  busy.value = true
  try {
    await work()
  } catch (error) {
    failure.value = error instanceof Error ? error.message : 'That did not work.'
  } finally {
    busy.value = false
  }
}

function Failure(): JSX.Element {
  return <div role='alert'>{failure.value !== undefined && <p class='notice danger'>{failure.value}</p>}</div>
}

function Recent({ entry }: { entry: RecentDocument }): JSX.Element {
  const [asking, setAsking] = useState(false)
  const title = entry.title || 'Untitled'
  const remove = (): void => {
    forget(entry.id)
    void removeKeptDatabase(entry.id)
  }
  return (
    <li class='recent'>
      <a class='recent-link' href={`/d/${entry.id}`}>
        <Icon name='file' />
        <span class='recent-title'>{title}</span>
        <span class='muted recent-when'>
          {entry.role !== null && entry.role !== 'owner' && <span class='tag'>{entry.role}</span>}
          <time dateTime={new Date(entry.openedAt).toISOString()}>{ago(entry.openedAt, Date.now())}</time>
        </span>
      </a>
      {asking ? (
        <span class='recent-ask'>
          <button type='button' class='button danger' onClick={remove}>
            Remove
          </button>
          <button type='button' class='button quiet' onClick={() => setAsking(false)}>
            Keep
          </button>
        </span>
      ) : (
        <button
          type='button'
          class='button quiet icon-only'
          aria-label={`Remove “${title}” from this device`}
          title='Remove from this device'
          onClick={() => setAsking(true)}
        >
          <Icon name='x' size={18} />
        </button>
      )}
      {asking && (
        <p class='muted recent-warning'>
          This removes the link and the copy from this device. Keep the link elsewhere if you need it again.
        </p>
      )}
    </li>
  )
}

function useDrop(): boolean {
  const [over, setOver] = useState(false)
  useEffect(() => {
    const drag = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      setOver(false)
      const file = event.dataTransfer?.files[0]
      if (file !== undefined) void attempt(() => importFile(file))
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
    const file = input.current?.files?.[0]
    if (file !== undefined) void attempt(() => importFile(file))
  }
  return (
    <>
      <button type='button' class='button large' disabled={busy.value} onClick={() => input.current?.click()}>
        <Icon name='upload' />
        Open a Markdown file
      </button>
      <input
        ref={input}
        type='file'
        accept='.md,.markdown,.txt,text/markdown,text/plain'
        hidden
        aria-label='Markdown file'
        onChange={chosen}
      />
    </>
  )
}

function RecentList(): JSX.Element {
  const list = recentDocuments.value
  return (
    <section aria-labelledby='recent-title'>
      <h2 id='recent-title'>On this device</h2>
      {list.length === 0 ? (
        <p class='empty'>Nothing here yet. Start writing, or drop a Markdown file.</p>
      ) : (
        <ul class='recents'>
          {list.map((entry) => (
            <Recent key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
    </section>
  )
}

export function HomePage(): JSX.Element {
  const over = useDrop()
  useEffect(() => {
    document.title = 'agmd · live Markdown'
    // A page that the browser brings back still shows what it did when it was left.
    const shown = (): void => {
      busy.value = false
    }
    addEventListener('pageshow', shown)
    return () => removeEventListener('pageshow', shown)
  }, [])
  return (
    <main class={over ? 'home dropping' : 'home'}>
      <header class='home-head'>
        <div class='home-top'>
          <span class='brand'>
            <Logo size={32} />
            agmd
          </span>
          <a class='button quiet' href='/account'>
            Account
          </a>
        </div>
        <h1>Markdown that people and agents write together.</h1>
        <p class='lead'>Plain text underneath, live for everyone, on your device when there is no network.</p>
        <div class='actions'>
          <button type='button' class='button primary large' disabled={busy.value} onClick={() => void attempt(() => startDocument())}>
            <Icon name='pen' />
            Start writing
          </button>
          <OpenFile />
        </div>
        <Failure />
      </header>
      <RecentList />
      <footer class='muted home-foot'>
        <p>
          No account needed: a document belongs to whoever holds its link. Agents use the same links, see{' '}
          <a href='/openapi.json'>the interface</a>.
        </p>
      </footer>
      {over && <div class='drop-hint'>Drop the file to make it a document</div>}
    </main>
  )
}

export function NewPage(): JSX.Element {
  useEffect(() => {
    document.title = 'New document · agmd'
  }, [])
  const submit = (event: Event): void => {
    event.preventDefault()
    void attempt(() => startDocument())
  }
  return (
    <main class='plain'>
      <Logo size={40} />
      <h1>Create a new document?</h1>
      <p>It gets a private link that only you have, until you share it.</p>
      <form method='post' action='/new' onSubmit={submit}>
        <p class='actions'>
          <button class='button primary large' disabled={busy.value}>
            Create document
          </button>
          <a class='button large' href='/'>
            Cancel
          </a>
        </p>
      </form>
      <Failure />
    </main>
  )
}
