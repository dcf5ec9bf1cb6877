/** The part of the y-websocket server that the benchmarks use. The package has no types for it. */
declare module 'y-websocket/bin/utils' {
  import type { IncomingMessage } from 'node:http'
  import type { WebSocket } from 'ws'

  export const setupWSConnection: (socket: WebSocket, request: IncomingMessage) => void
}
