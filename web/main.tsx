/** Every page starts here; each loads only what it needs. */
import { render, type JSX } from 'preact'
import { addFaces, facesAtHand, fetchFacesAhead } from './base/faces.ts'
import { isCovered, leaveBar } from './first/take-over.ts'
import { whenIdle } from './base/idle.ts'
import { newVersion, registerWorker } from './register-worker.ts'
import { route } from './base/route.ts'
import { turn } from './base/steps.ts'
import { loadWords, t } from './text/t.ts'
import { offer, Toasts } from './ui/toast.tsx'

/** Whether the pages are kept on this device. */
const isKept = (): boolean => navigator.serviceWorker?.controller != null

async function page(): Promise<JSX.Element> {
  const asked = route(location.pathname)
  if (asked.page === 'document') {
    // While the text that came with the page is read, nothing keeps the browser from scrolling it for long.
    const rest = isCovered() ? turn : () => undefined
    const { DocumentPage, openSession } = await import('./document/page.tsx')
    await rest()
    const session = openSession(asked.id)
    await rest()
    return <DocumentPage session={session} />
  }
  if (asked.page === 'unknown') {
    const { Refused } = await import('./document/refused.tsx')
    return <Refused refusal={{ kind: 'no_page' }} />
  }
  const { HomePage, NewPage } = await import('./home/home.tsx')
  return asked.page === 'new' ? <NewPage /> : <HomePage />
}

/** Milliseconds of a first visit after which the pages are kept on this device. */
const workerAfterMs = 1000

const root = document.getElementById('app')
if (root !== null) {
  addFaces()
  await loadWords()
  // At a first visit they came with the text, or cannot be waited for.
  const faces = isKept() ? facesAtHand('write') : undefined
  const shown = await page()
  await faces
  render(
    <>
      {shown}
      <Toasts />
    </>,
    root
  )
  leaveBar()
  whenIdle(fetchFacesAhead)
}

newVersion.subscribe((use) => {
  if (use !== undefined) offer(t('A new version of agmd is ready.'), t('Reload'), use)
})
// The first time it fetches every file of the pages: not while a person waits for his text.
if (isKept() && document.readyState === 'complete') void registerWorker()
else if (isKept()) addEventListener('load', () => void registerWorker())
else setTimeout(() => whenIdle(() => void registerWorker()), workerAfterMs)
