/**
 * A server with OpenAI's interface for pictures, in a separate process. It renders a picture of the requested size in a color that depends on the
 * prompt.
 */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { png } from './media.ts'

/** Returns the color of the picture for a prompt. */
export const colourOf = (prompt: string): [number, number, number] => {
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(prompt).digest()
  return [red, green, blue]
}

interface Asked {
  readonly prompt: string
  readonly size: string
  readonly response_format: string
}

if (import.meta.main) {
  const server = createServer((request, response) => {
    const answer = (status: number, body: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    }
    const generate = async (): Promise<void> => {
      const { prompt, size, response_format: format } = (await json(request)) as Asked
      const [width = 0, height = 0] = size.split('x').map(Number)
      if (request.headers.authorization !== 'Bearer key') return answer(401, { error: { message: 'no key' } })
      if (prompt === 'refuse') return answer(400, { error: { message: 'This prompt is not allowed.' } })
      if (format !== 'b64_json') return answer(400, { error: { message: 'b64_json only' } })
      return answer(200, { data: [{ b64_json: Buffer.from(png(width, height, colourOf(prompt))).toString('base64') }] })
    }
    if (request.url === '/v1/models') return answer(200, { data: [{ id: 'painter' }] })
    if (request.url === '/v1/images/generations') return void generate()
    return answer(404, { error: { message: 'nothing here' } })
  })
  server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`))
}
