/** An S3-compatible object store in a temporary folder, behind a proxy that can answer wrongly, slowly or in part. */
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'

/** The fault of an answer: the proxy sends its own answer, or only the first bytes of the real answer, or answers late. Undefined means no fault. */
export type Fault =
  | { readonly status: number; readonly body?: string }
  | { readonly cutAfter: number }
  | { readonly afterMs: number }
  | undefined

export interface ObjectStore {
  /** The value of AGMD_BLOBS for a folder of the bucket. */
  address(folder: string): string
  /** Returns the fault of the answer to a request. `index` counts the requests since `fault` was set, from 0. */
  fault: (request: IncomingMessage, index: number) => Fault
  /** Method, path and headers of every request. */
  readonly requests: IncomingMessage[]
  stop(): Promise<void>
}

export const bucket = 'agmd-test'

export async function startObjectStore(): Promise<ObjectStore> {
  const directory = await mkdtemp(join(tmpdir(), 'agmd-s3-'))
  const store = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets: [{ name: bucket }] })
  const { port } = await store.run()
  const requests: IncomingMessage[] = []
  let decide: ObjectStore['fault'] = () => undefined
  let index = 0

  const answer = (asked: IncomingMessage, response: ServerResponse): void => {
    requests.push(asked)
    const fault = decide(asked, index++)
    if (fault !== undefined && 'status' in fault) {
      asked.resume()
      response.writeHead(fault.status, { 'content-type': 'application/xml' }).end(fault.body ?? '')
      return
    }
    const { method, url: path, headers } = asked
    const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (original) => {
      response.writeHead(original.statusCode ?? 500, original.headers)
      if (fault === undefined || 'afterMs' in fault) {
        setTimeout(() => original.pipe(response), fault?.afterMs ?? 0)
        return
      }
      let sent = 0
      original.on('data', (chunk: Buffer) => {
        const left = fault.cutAfter - sent
        sent += chunk.length
        if (left > 0) response.write(chunk.subarray(0, left), () => sent >= fault.cutAfter && response.destroy())
      })
    })
    forwarded.on('error', () => response.destroy())
    asked.pipe(forwarded)
  }
  const proxy = createServer(answer)
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const at = (proxy.address() as AddressInfo).port
  return {
    address: (folder) => `s3://S3RVER:S3RVER@127.0.0.1:${at}/${bucket}/${folder}?tls=off`,
    get fault() {
      return decide
    },
    set fault(value) {
      decide = value
      index = 0
    },
    requests,
    async stop() {
      proxy.closeAllConnections()
      proxy.close()
      await store.close()
      await rm(directory, { recursive: true, force: true })
    }
  }
}
