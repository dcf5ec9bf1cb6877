/** Pages that are rendered once and sent many times. They are compressed, and cached in memory. */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Context } from './context.ts'

/** The body of a response, uncompressed and compressed. */
export interface Packed {
  readonly plain: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

/** A cache of compressed responses. When it is full, the least recently requested response is removed. */
export class CompressedCache<Entry extends Packed> {
  readonly #entries = new Map<string, Promise<Entry>>()
  readonly #sizes = new Map<string, number>()
  readonly #bytesMax: number

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get(name: string, make: () => Promise<Entry>): Promise<Entry> {
    const found = this.#entries.get(name) ?? make()
    this.#entries.delete(name)
    this.#entries.set(name, found)
    found.then(
      (entry) => this.#weigh(name, entry.plain.length + entry.br.length + entry.gzip.length),
      () => this.#drop(name)
    )
    return found
  }

  #drop(name: string): void {
    this.#entries.delete(name)
    this.#sizes.delete(name)
  }

  #weigh(name: string, bytes: number): void {
    if (this.#entries.has(name)) this.#sizes.set(name, bytes)
    let total = 0
    for (const size of this.#sizes.values()) total += size
    for (const oldest of this.#entries.keys()) {
      if (total <= this.#bytesMax) return
      total -= this.#sizes.get(oldest) ?? 0
      this.#drop(oldest)
    }
  }
}

/** Sends the bytes in an encoding that the client accepts. */
export const sendPacked = (ctx: Context, { plain, br, gzip: zipped }: Packed, type: string): void => {
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity')
  const coded = encoding === 'br' ? br : encoding === 'gzip' ? zipped : plain
  ctx.vary('Accept-Encoding')
  ctx.status = 200
  ctx.type = type
  if (coded !== plain) ctx.set('Content-Encoding', String(encoding))
  ctx.body = coded
}

export const pack = async (text: string): Promise<Packed> => {
  const plain = Buffer.from(text)
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
  const [br, gzipped] = await Promise.all([promisify(brotliCompress)(plain, quality), promisify(gzip)(plain, { level: 6 })])
  return { plain, br, gzip: gzipped }
}
