/** A server at another address. No page may send a request to this server. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Elsewhere {
  readonly url: string
  /** The path of each request. A test may add other evidence that a page has contacted the server. */
  readonly asked: string[]
  stop(): void
}

export async function startElsewhere(): Promise<Elsewhere> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('Access-Control-Allow-Origin', '*').end('seen')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, stop: () => server.close() }
}
