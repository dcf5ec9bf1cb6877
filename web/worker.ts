/// <reference lib="webworker" />
/**
 * The service worker: keeps the pages on this device, so that a document opened before opens without the network.
 * - What is kept is the list of one build, in one cache named by its version; nothing else is ever stored.
 * - Navigations to `/`, `/new` and `/d/{id}` get the one shell, whatever their query: an address with `?key=` is never stored.
 * - `/api`, `/collab`, `/pub`, `/d/{id}.md` and everything unknown go to the network untouched.
 * - A new build waits until the person reloads, or the last page of the old one is closed. Text is not here but in IndexedDB.
 */
declare const __AGMD_PRECACHE__: { readonly version: string; readonly paths: readonly string[] }

const worker = self as unknown as ServiceWorkerGlobalScope
const { version, paths } = __AGMD_PRECACHE__
const cachePrefix = 'agmd-shell-'
const cacheName = cachePrefix + version
const kept = new Set(paths)
const shell = '/'

async function install(): Promise<void> {
  const cache = await caches.open(cacheName)
  // All or nothing: a shell without its scripts is worse than the old one.
  await cache.addAll(
    paths.map(
      (path) =>
        new Request(path, {
          cache: path.startsWith('/assets/') ? 'default' : 'reload',
          headers: { accept: path === shell ? 'text/html' : '*/*' }
        })
    )
  )
}

async function activate(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((name) => name.startsWith(cachePrefix) && name !== cacheName).map((name) => caches.delete(name)))
  await worker.clients.claim()
}

const wantsShell = (path: string): boolean => path === '/' || path === '/new' || /^\/d\/[\w-]+\/?$/.test(path)

/** As the server sends the shell for a document: there a person may dictate. The stored shell is that of `/`, where they may not. */
async function withMicrophone(shellOfHome: Response): Promise<Response> {
  const headers = new Headers(shellOfHome.headers)
  const policy = headers.get('permissions-policy')
  if (policy !== null) headers.set('permissions-policy', policy.replace('microphone=()', 'microphone=(self)'))
  return new Response(await shellOfHome.blob(), { status: shellOfHome.status, headers })
}

async function shellFor(path: string, request: Request): Promise<Response> {
  const found = await fromCache(shell, request)
  return path.startsWith('/d/') && found.ok ? withMicrophone(found) : found
}

async function fromCache(path: string, request: Request): Promise<Response> {
  const cache = await caches.open(cacheName)
  // One form of each path is kept, whatever its `Vary` says: a program that asks for `/` gets another. The browser may have
  // evicted the cache; then the network decides.
  return (await cache.match(path, { ignoreVary: true })) ?? fetch(request)
}

/** Bypasses this worker if the browser can: requests that a closing page sends would be lost in a worker that has yet to start. */
const pastWorker = [{ condition: { urlPattern: new URLPattern({ pathname: '/api/*' }) }, source: 'network' }]

worker.addEventListener('install', (event) => {
  event.waitUntil(install())
  const { addRoutes } = event as { addRoutes?: (routes: typeof pastWorker) => Promise<void> }
  if (addRoutes !== undefined) event.waitUntil(addRoutes.call(event, pastWorker))
})

worker.addEventListener('activate', (event) => event.waitUntil(activate()))

worker.addEventListener('message', (event) => {
  if (event.data === 'use-new-version') event.waitUntil(worker.skipWaiting())
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== location.origin) return
  if (request.mode === 'navigate') {
    if (wantsShell(url.pathname)) event.respondWith(shellFor(url.pathname, request))
    return
  }
  if (url.pathname !== shell && kept.has(url.pathname)) event.respondWith(fromCache(url.pathname, request))
})
