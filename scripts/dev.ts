/**
 * Runs `npm run dev [-- FOLDER]`: the server in watch mode, with Vite in front of it. A change to a server file restarts the server. A change to a
 * page file reaches the open page immediately. Both use one address, so cookies, links and the Origin check work as they do in `npm start`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createListener } from 'node:net'
import { join, resolve } from 'node:path'
import { createLogger, createServer, type Logger, type ProxyOptions } from 'vite'

const root = resolve(import.meta.dirname, '..')
const web = join(root, 'web')
const host = '127.0.0.1'
// `npm start` uses another port. If both used the same port, the service worker of the built pages would respond instead of Vite.
const port = Number(process.env['AGMD_PORT'] ?? 5173)
const address = process.env['AGMD_BASE_URL'] ?? `http://localhost:${port}`
// The folder can only be set as an argument, so that development never changes the documents of `npm start`.
const dataFolder = resolve(process.argv[2] ?? join(root, 'data-dev'))

/** Returns a free port. The server uses the same port after a restart. */
async function freePort(): Promise<number> {
  const listener = createListener().listen(0, host)
  await once(listener, 'listening')
  const found = listener.address()
  listener.close()
  await once(listener, 'close')
  if (found === null || typeof found === 'string') throw new Error('no port is free')
  return found.port
}

/** Pages that the browser renders. The server renders all other pages: sign-in, account and published pages. */
const shellPage = /^\/(?:new|d\/[^/.]+)?$/
/** Virtual addresses of Vite. */
const viteAddress = /^\/(?:@|node_modules\/)/

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

/** Returns the address under which Vite handles a request. Returns undefined if the server handles the request, and false if neither does. */
function viteTakes({ method, url = '/', headers }: IncomingMessage): string | false | undefined {
  // Vite reports changes to open pages through a separate socket.
  if (headers.upgrade !== undefined) return headers['sec-websocket-protocol']?.startsWith('vite-') === true ? url : undefined
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const path = url.split('?')[0] ?? '/'
  // The service worker of the last build would serve the old pages.
  if (path === '/sw.js') return false
  if (shellPage.test(path)) return headers.accept?.includes('text/html') === true ? '/index.html' : undefined
  return viteAddress.test(path) || isFile(join(web, path)) || isFile(join(web, 'public', path)) ? url : undefined
}

const proxyTo = (target: string): ProxyOptions => ({
  target,
  ws: true,
  bypass: viteTakes,
  configure: (proxy) => {
    // While the server restarts, pages get a 503 and try again.
    proxy.on('error', (_error, _request, response) => {
      if (!('writeHead' in response) || response.headersSent) return
      const answer = response as ServerResponse
      answer.writeHead(503, { 'Content-Type': 'text/plain', 'Retry-After': '1' }).end('The server restarts.\n')
    })
  }
})

/** Logs Vite's warnings and errors, except those about requests that arrived while the server restarted. */
function quietLogger(): Logger {
  const logger = createLogger('warn', { allowClearScreen: false })
  return { ...logger, error: (text, options) => void (text.includes('proxy error') || logger.error(text, options)) }
}

function startServer(serverPort: number): ChildProcess {
  return spawn(process.execPath, ['--watch', '--watch-preserve-output', 'server/main.ts'], {
    cwd: root,
    stdio: 'inherit',
    env: {
      AGMD_LOG_LEVEL: 'warn',
      AGMD_RATE_LIMITS: 'off',
      ...process.env,
      AGMD_PORT: String(serverPort),
      AGMD_HOST: host,
      AGMD_BASE_URL: address,
      AGMD_DATA_DIR: dataFolder
    }
  })
}

/** Resolves when the server responds. Rejects if the server process has exited. */
async function answers(serverPort: number, server: ChildProcess): Promise<void> {
  for (;;) {
    if (server.exitCode !== null) throw new Error('the server ended; its message is above')
    const response = await fetch(`http://${host}:${serverPort}/api/health`).catch(() => undefined)
    if (response !== undefined) return
    await new Promise((wake) => setTimeout(wake, 100))
  }
}

const serverPort = await freePort()
const vite = await createServer({
  configFile: join(web, 'vite.config.ts'),
  customLogger: quietLogger(),
  server: {
    host,
    port,
    strictPort: true,
    proxy: { '^/': proxyTo(`http://${host}:${serverPort}`) },
    // The frame that draws diagrams has the origin `null` and loads its scripts from this address.
    cors: { origin: [address, 'null'] }
  }
})
await vite.listen().catch((error: Error) => {
  process.stderr.write(`agmd: ${error.message}. Set AGMD_PORT to another one.\n`)
  process.exit(1)
})
const server = startServer(serverPort)

async function stop(signal: NodeJS.Signals): Promise<void> {
  const ended = server.exitCode === null ? once(server, 'exit') : undefined
  server.kill(signal)
  await Promise.all([vite.close(), ended])
  process.exit(0)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop('SIGTERM'))
// The launcher holds the other end of the IPC channel, so a disconnect means that the launcher was killed.
process.once('disconnect', () => void stop('SIGTERM'))

await answers(serverPort, server)
process.stdout.write(`agmd: ${address}, documents in ${dataFolder}. Ctrl+C ends it.\n`)
