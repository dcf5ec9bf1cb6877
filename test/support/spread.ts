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

let stopped: Promise<void> | undefined

export const startFront = async (wanted: number): Promise<Front> => {
  await (stopped ??= stopReusing())
  let nodes: readonly URL[] = []
  let turn = 0
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const { port = 1, hostname = '127.0.0.1' } = nodes[turn++ % nodes.length] ?? {}
    const far = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroySoon()
      })
    }
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
