/// <reference lib="webworker" />
/**
 * The service worker. It stores the pages on this device, so that a document that was opened before also opens offline.
 *
 * - It stores the files of one build, in a cache named after the build's version, and nothing else.
 * - Navigations to `/`, `/new` and `/d/{id}` get the stored shell, regardless of their query. It therefore never stores an address with `?key=`.
 * - Requests for `/api`, `/collab`, `/pub`, `/d/{id}.md` and everything unknown go to the network unchanged.
 * - A new build waits until the person reloads or the last page of the old build closes.
 *
 * The text of documents is in IndexedDB and not here.
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
  // If one file fails, nothing is stored, because a shell without its scripts would be worse than the old one.
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

/**
 * Returns the shell as the server sends it for a document, where a person may dictate. The stored shell is that of `/`, where the microphone is not
 * allowed.
 */
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
  // The cache stores one response for each path, and ignores its `Vary` header. A program that requests `/` gets a different response from the
  // server. If the browser has evicted the cache, the request goes to the network.
  return (await cache.match(path, { ignoreVary: true })) ?? fetch(request)
}

/**
 * Routes these requests past the worker if the browser supports that. Otherwise, requests that a closing page sends would be lost if the worker had
 * not started yet.
 */
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
