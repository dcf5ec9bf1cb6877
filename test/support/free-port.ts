import { createServer } from 'node:net'
import { promisify } from 'node:util'

/**
 * The range lies below the ports that systems give to outgoing connections (from 32768 on Linux, from 49152 elsewhere). A port of that range could be
 * taken by any connection before the server listens.
 */
const [firstPort, ports] = [10_000, 22_000] as const

/** Returns the port if it is free. */
const tryPort = async (port: number): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  await promisify(server.close.bind(server))()
  return port
}

/** Returns a free port, for a server whose address must be known before it starts. */
export const freePort = async (): Promise<number> => {
  for (let attempts = 0; attempts < 20; attempts++) {
    const port = await tryPort(firstPort + Math.floor(Math.random() * ports)).catch(() => 0)
    if (port !== 0) return port
  }
  throw new Error('no free port was found')
}
