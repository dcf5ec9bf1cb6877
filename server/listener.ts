/** The HTTP server below the app: time limits for clients, and the end of connections that violate the protocol or the limits. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limits } from '../shared/limits.ts'

const statusOf = ({ code }: NodeJS.ErrnoException): string => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return '408 Request Timeout'
  return code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
}

/**
 * Answers and ends a connection. `end` closes only one direction: a client that never closes the other direction would keep the connection open. A
 * client that is still sending gets a moment, because cutting a connection with unread bytes would lose the response (RFC 9112 §9.6).
 */
export const endConnection = (socket: Duplex, status: string): void => {
  if (!socket.writable) return void socket.destroy()
  const timer = setTimeout(() => socket.destroy(), limits.connectionLingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  return undefined
}

/** Whether a request may become a WebSocket. HTTP/1.0 has no upgrades (RFC 9110 §7.8). */
export const mayUpgrade = ({ httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && httpVersionMinor === 1

export const createListener = (): Server => {
  const server = createServer({
    connectionsCheckingInterval: limits.connectionCheckMs,
    headersTimeout: limits.headersSecondsMax * 1000,
    requestTimeout: limits.requestSecondsMax * 1000,
    keepAliveTimeout: limits.keepAliveSeconds * 1000,
    maxHeaderSize: limits.headerBytesMax
  })
  // An upgraded socket can break before its handler begins.
  server.on('upgrade', (_request, socket) => socket.on('error', () => socket.destroy()))
  return server.on('clientError', (error, socket) => endConnection(socket, statusOf(error)))
}

/** Connections that another process has accepted for this server. */
export interface HandedConnections {
  /** Serves a connection, whose first bytes have already been read. */
  accept(socket: Socket, first: Uint8Array): void
  /** Resolves when all of them have ended. The server's `close` does not wait for them. */
  ended(): Promise<void>
}

export const createHandedConnections = (server: Server): HandedConnections => {
  const open = new Set<Socket>()
  let onEmpty = (): void => undefined
  return {
    accept(socket, first) {
      open.add(socket)
      socket.once('close', () => {
        open.delete(socket)
        if (open.size === 0) onEmpty()
      })
      socket.setNoDelay(true)
      socket.unshift(first)
      server.emit('connection', socket)
    },
    ended: () => new Promise((resolve) => (open.size === 0 ? resolve() : (onEmpty = resolve)))
  }
}
