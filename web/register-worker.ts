/** Installs the service worker once the page is visible, and reports when a newer version is ready. */
import { signal } from '@preact/signals'
import { trustedScript } from './base/trusted-script.ts'

/** Reloads the page into the new version. Undefined until a new version is ready. */
export const newVersion = signal<(() => void) | undefined>(undefined)

/** Shortest time between two checks for a newer version on a page that stays open, in milliseconds. */
const lookMs = 3_600_000

function offer(registration: ServiceWorkerRegistration): void {
  if (registration.waiting === null || navigator.serviceWorker.controller === null) return
  // Set only once. If a still newer version arrives before the person reloads, it replaces the waiting one.
  newVersion.value ??= () => {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
    registration.waiting?.postMessage('use-new-version')
  }
}

/** Checks for a newer version when the person returns to a page that has stayed open. */
function lookAgain(registration: ServiceWorkerRegistration): void {
  let lookedAt = Date.now()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' || Date.now() - lookedAt < lookMs) return
    lookedAt = Date.now()
    // The check fails without a network. The next one will succeed.
    registration.update().catch(() => undefined)
  })
}

export async function registerWorker(): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  try {
    const registration: ServiceWorkerRegistration | undefined = await navigator.serviceWorker.register(trustedScript('/sw.js'), {
      updateViaCache: 'none'
    })
    if (registration === undefined) return
    offer(registration)
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', () => offer(registration))
    })
    lookAgain(registration)
  } catch (error) {
    // Everything works without the service worker, except opening documents offline.
    console.warn('agmd: pages are not kept on this device', error)
  }
}
