/** Every page starts here; each loads only what it needs. */
import { render, type JSX } from 'preact'
import { addFaces } from './faces.ts'
import { whenIdle } from './idle.ts'
import { newVersion, registerWorker } from './offline/register.ts'
import { Refused } from './refused/refused.tsx'
import { route } from './route.ts'
import { loadWords, t } from './text/t.ts'
import { offer, Toasts } from './ui/toast.tsx'

async function page(): Promise<JSX.Element> {
  const asked = route(location.pathname)
  if (asked.page === 'document') {
    const { DocumentPage } = await import('./document/page.tsx')
    return <DocumentPage id={asked.id} />
  }
  if (asked.page === 'unknown') return <Refused refusal={{ kind: 'no_page' }} />
  const { HomePage, NewPage } = await import('./home/home.tsx')
  return asked.page === 'new' ? <NewPage /> : <HomePage />
}

/** Milliseconds of a first visit after which the pages are kept on this device. */
const workerAfterMs = 1000

const root = document.getElementById('app')
if (root !== null) {
  addFaces()
  await loadWords()
  const shown = await page()
  render(
    <>
      {shown}
      <Toasts />
    </>,
    root
  )
}

newVersion.subscribe((use) => {
  if (use !== undefined) offer(t('A new version of agmd is ready.'), t('Reload'), use)
})
// The first time it fetches every file of the pages: not while a person waits for his text.
const isKept = navigator.serviceWorker?.controller != null
if (isKept && document.readyState === 'complete') void registerWorker()
else if (isKept) addEventListener('load', () => void registerWorker())
else setTimeout(() => whenIdle(() => void registerWorker()), workerAfterMs)
