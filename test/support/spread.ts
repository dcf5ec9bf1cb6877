/** A front that distributes connections to several nodes in turn, so that a test works only if every node can handle any request. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The number of nodes of each world (`AGMD_TEST_NODES`, with `AGMD_TEST_STORAGE=postgres`). */
export const nodesOfTests = Number(process.env['AGMD_TEST_NODES'] ?? 1)

export interface Front {
  readonly port: number
  /** Sets the addresses of the nodes, which start after the front because they need its address. */
  spreadOver(nodes: readonly URL[]): void
  close(): Promise<void>
}

/** Makes `fetch` open a connection for each request, so that the requests of a test go to the nodes in turn. */
const stopReusing = async (): Promise<void> => {
  const name = Symbol.for('undici.globalDispatcher.1')
  const global = globalThis as unknown as Record<symbol, { readonly constructor: new (options: object) => object } | undefined>
  // Node creates its dispatcher with the first request.
  await fetch('data:,')
  const Agent = global[name]?.constructor
  if (Agent !== undefined) Object.assign(globalThis, { [name]: new Agent({ pipelining: 0 }) })
}

/**
 * Returns the start of a request without the wish of `fetch` to close the connection. A node closes such a connection as soon as it has answered,
 * even if it has not read the whole body, and the answer is then lost.
 */
const keptAlive = (first: Buffer): Buffer => {
  const text = first.toString('latin1')
  const at = text.indexOf('\r\nconnection: close\r\n')
  return at === -1 || at > text.indexOf('\r\n\r\n')
    ? first
    : Buffer.from(text.replace('\r\nconnection: close\r\n', '\r\nconnection: keep-alive\r\n'), 'latin1')
}

/** How long a node has to answer a client that has closed its half of the connection, in milliseconds. Node itself drops such a request. */
const halfClosedMs = 300

let stopped: Promise<void> | undefined

export const startFront = async (wanted: number): Promise<Front> => {
  await (stopped ??= stopReusing())
  let nodes: readonly URL[] = []
  let turn = 0
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const { port = 1, hostname = '127.0.0.1' } = nodes[turn++ % nodes.length] ?? {}
    const far = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    near.once('data', (first: Buffer) => {
      far.write(keptAlive(first))
      near.pipe(far, { end: false })
    })
    near.once('end', () => setTimeout(() => far.end(), halfClosedMs))
    far.pipe(near)
    near.on('error', () => far.destroy())
    near.on('close', () => far.destroySoon())
    // A node that answers before it has read the whole request closes its connection. If the front then closed this one with unread bytes, the
    // client would get a reset instead of the answer.
    far.on('error', () => undefined)
    far.on('close', () => near.end().resume())
  })
  server.listen(wanted)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    spreadOver: (all) => void (nodes = all),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    }
  }
}
