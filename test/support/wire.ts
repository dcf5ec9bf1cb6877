/** A TCP proxy between a server and its PostgreSQL. It can go silent, as a firewall does that drops a connection, and lead to another server. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface Wire {
  readonly port: number
  /** The port to which new connections lead. */
  target: number
  /** New connections whose greeting contains this text are closed. */
  refused: string | undefined
  /** Stops passing bytes on the present connections whose first message contains this text. They stay open. Returns how many they are. */
  silence(text: string): number
  stop(): Promise<void>
}

export const startWire = async (target: number): Promise<Wire> => {
  const pairs = new Map<Socket, { readonly far: Socket; readonly greeting: string }>()
  const silent: Socket[] = []
  const server = createServer((near) => {
    const far = connect(wire.target, '127.0.0.1')
    near.once('data', (greeting: Buffer) => {
      const words = greeting.toString('latin1')
      if (wire.refused !== undefined && words.includes(wire.refused)) {
        near.destroy()
        return
      }
      pairs.set(near, { far, greeting: words })
      far.write(greeting)
      near.pipe(far).pipe(near)
    })
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => {
        pairs.delete(near)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const wire: Wire = {
    port: (server.address() as AddressInfo).port,
    target,
    refused: undefined,
    silence(text) {
      const those = [...pairs].filter(([, { greeting }]) => greeting.includes(text))
      for (const [near, { far }] of those) {
        // Its bytes are discarded, so that its end is still seen. Otherwise PostgreSQL would run out of connections.
        near.unpipe(far).resume()
        far.unpipe(near).pause()
        pairs.delete(near)
        silent.push(near, far)
      }
      return those.length
    },
    async stop() {
      for (const socket of silent) socket.destroy()
      for (const [near, { far }] of pairs) {
        near.destroy()
        far.destroy()
      }
      server.close()
      await once(server, 'close')
    }
  }
  return wire
}
