/**
 * Opens idle sockets: `npm run soak sockets [count]`, 10,000 by default. Each keeps a document open, like a page in the background. The script prints
 * the server's memory while they connect. It exits with 1 if the server uses more than 512 MiB, closes a socket, or takes longer than 10 s to stop.
 */
import { readFileSync } from 'node:fs'
import * as encoding from 'lib0/encoding'
import { WebSocket } from 'ws'
import { frameOf } from '../../test/support/world.ts'
import { type ProcessWorld, startProcess } from '../../test/support/start.ts'
import { createDocument, pause, type Target } from '../../test/support/typist.ts'

const count = Number(process.argv[2] ?? 10_000)
const perDocument = 50
const mebibytesMax = 512
const stopSecondsMax = 10
/** How long the sockets stay open, in seconds, so that pings are exchanged. */
const idleSeconds = 60

const mebibytesOf = ({ child }: ProcessWorld): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024

const say = (text: string): void => console.log(text)

let closed = 0
const opened = async ({ url, doc, key }: Target): Promise<WebSocket> => {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/collab`, { perMessageDeflate: false })
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () =>
      socket.send(frameOf(doc, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, key))))
    )
    socket.once('message', () => resolve())
    socket.once('close', (code) => reject(new Error(`closed with ${code}`)))
  })
  socket.once('close', () => closed++)
  return socket
}

const server = await startProcess({ env: { AGMD_LOG_LEVEL: 'info' } })
const url = server.url.replace('localhost', '127.0.0.1')
say(`server without sockets: ${mebibytesOf(server).toFixed(0)} MiB`)
const documents: Target[] = []
for (let made = 0; made < Math.ceil(count / perDocument); made++) documents.push(await createDocument(url, `# Document ${made}\n`))
const sockets: WebSocket[] = []
const begun = performance.now()
for (const target of documents) {
  const here = Math.min(perDocument, count - sockets.length)
  sockets.push(...(await Promise.all(Array.from({ length: here }, () => opened(target)))))
  if (sockets.length % 1000 === 0) say(`${sockets.length} sockets: ${mebibytesOf(server).toFixed(0)} MiB`)
}
say(`${sockets.length} sockets came within ${((performance.now() - begun) / 1000).toFixed(0)} s`)
let most = mebibytesOf(server)
for (let second = 0; second < idleSeconds; second++) {
  await pause(1000)
  most = Math.max(most, mebibytesOf(server))
}
const lost = closed
say(`after ${idleSeconds} s: ${mebibytesOf(server).toFixed(0)} MiB, at most ${most.toFixed(0)} MiB; ${lost} sockets were closed`)
const stopping = performance.now()
const code = await server.kill('SIGTERM')
const stopSeconds = (performance.now() - stopping) / 1000
say(`stopped with ${code} within ${stopSeconds.toFixed(1)} s`)
await server.stop()
process.exit(most <= mebibytesMax && lost === 0 && code === 0 && stopSeconds <= stopSecondsMax ? 0 : 1)
