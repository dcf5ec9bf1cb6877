/** Starts the page for the current address. Each page loads only the code that it needs. */
import { render, type JSX } from 'preact'
import { addFaces, facesAtHand, fetchFacesAhead } from './base/faces.ts'
import { isCovered, leaveBar } from './first/take-over.ts'
import { whenIdle } from './base/idle.ts'
import { newVersion, registerWorker } from './register-worker.ts'
import { route } from './base/route.ts'
import { turn } from './base/steps.ts'
import { loadWords, t } from './text/t.ts'
import { offer, Toasts } from './ui/toast.tsx'

/** Whether the service worker already serves the pages, so that they work offline. */
const isKept = (): boolean => navigator.serviceWorker?.controller != null

async function page(): Promise<JSX.Element> {
  const asked = route(location.pathname)
  if (asked.page === 'document') {
    // While the person reads the text that came with the page, no task may block scrolling for long.
    const rest = isCovered() ? turn : () => undefined
    const { DocumentPage, openSession } = await import('./document/page.tsx')
    await rest()
    const session = openSession(asked.id)
    await rest()
    return <DocumentPage session={session} />
  }
  if (asked.page === 'unknown') {
    const { Refused } = await import('./document/refused.tsx')
    return <Refused refusal={asked} />
  }
  const { HomePage, NewPage } = await import('./home/home.tsx')
  return asked.page === 'new' ? <NewPage /> : <HomePage />
}

/** Delay on a first visit before the service worker stores the pages on this device, in milliseconds. */
const workerAfterMs = 1000

const root = document.getElementById('app')
if (root !== null) {
  addFaces()
  await loadWords()
  // On a first visit, the faces either came with the text, or waiting for them would take too long.
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
// The first registration fetches every file of the pages, so it waits until the person has the text.
if (isKept() && document.readyState === 'complete') void registerWorker()
else if (isKept()) addEventListener('load', () => void registerWorker())
else setTimeout(() => whenIdle(() => void registerWorker()), workerAfterMs)
