/** Installs the service worker once the page is shown, and reports when a newer version waits. */
import { signal } from '@preact/signals'
import { trustedScript } from './base/trusted-script.ts'

/** Set when a new version is ready: call it to reload into it. */
export const newVersion = signal<(() => void) | undefined>(undefined)

/** Time between two looks for a newer version on a page that stays open, in milliseconds. */
const lookMs = 3_600_000

function offer(registration: ServiceWorkerRegistration): void {
  if (registration.waiting === null || navigator.serviceWorker.controller === null) return
  // Once: a still newer version that comes before the person reloads takes the place of this one.
  newVersion.value ??= () => {
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true })
    registration.waiting?.postMessage('use-new-version')
  }
}

/** Looks for a newer version when the person comes back to a page that stayed open. */
function lookAgain(registration: ServiceWorkerRegistration): void {
  let lookedAt = Date.now()
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden' || Date.now() - lookedAt < lookMs) return
    lookedAt = Date.now()
    // Without the network there is none.
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
    // Without it everything works but opening without the network.
    console.warn('agmd: pages are not kept on this device', error)
  }
}
