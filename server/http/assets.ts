/**
 * `/f/{id}.{ext}`: assets, for anyone who knows the address. Range requests are supported, so that people can seek in videos (RFC 9110, section
 * 14).
 */
import { Readable } from 'node:stream'
import { ServiceError } from '../../shared/errors.ts'
import { openAsset } from '../domain/media/assets.ts'
import type { Asset } from '../domain/records/keys.ts'
import type { Context, Http } from './context.ts'
import { namesTag } from './etag.ts'
import type { Routers } from './routers.ts'

// An asset must not run or load anything, no matter where it is opened. It needs no cookie, so other sites can show it.
const headers = (asset: Asset): Record<string, string> => ({
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Disposition': `inline; filename="${asset.kind}-${asset.id.slice(0, 8)}.${asset.extension}"`,
  'Accept-Ranges': 'bytes',
  'X-Robots-Tag': 'noindex',
  // The bytes never change. The maximum age of an hour limits how long a browser shows an asset whose document has been deleted.
  'Cache-Control': 'private, max-age=3600, immutable'
})

interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Returns the requested range; null if it is outside the file. Undefined means the entire file. That includes requests for several ranges or in an
 * unknown unit, which RFC 9110 lets a server ignore.
 */
const spanOf = (header: string, size: number): Span | null | undefined => {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? []
  if (first === '' && last === '') return undefined
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const to = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < from) return undefined
  return from >= size || (first === '' && Number(last) === 0) ? null : { from, to }
}

/** Returns the requested range, unless `If-Range` names different bytes. */
const rangeOf = (ctx: Context, { hash, size }: Asset): Span | null | undefined => {
  const condition = ctx.get('If-Range')
  return condition === '' || condition === `"${hash}"` ? spanOf(ctx.get('Range'), size) : undefined
}

export const bindAssets = ({ service }: Http, { of }: Routers): void => {
  of('/f').get(/^\/f\/([A-Za-z0-9_-]{24})\.([a-z0-9]+)$/, async (koa) => {
    const ctx = koa as unknown as Context
    const [, id = '', extension = ''] = /^\/f\/([^.]+)\.(.+)$/.exec(ctx.path) ?? []
    const { asset, open } = await openAsset(service, id, extension)
    ctx.set(headers(asset))
    ctx.set('ETag', `"${asset.hash}"`)
    ctx.type = asset.contentType
    ctx.status = 200
    if (namesTag(ctx, asset.hash)) {
      ctx.status = 304
      return
    }
    const range = rangeOf(ctx, asset)
    if (range === null) {
      ctx.set('Content-Range', `bytes */${asset.size}`)
      throw new ServiceError('range_not_satisfiable', { size: asset.size })
    }
    const span = range ?? { from: 0, to: asset.size - 1 }
    if (range !== undefined) {
      ctx.status = 206
      ctx.set('Content-Range', `bytes ${span.from}-${span.to}/${asset.size}`)
    }
    ctx.length = span.to - span.from + 1
    if (ctx.method === 'HEAD') return
    const blob = await open()
    ctx.body = Readable.from(blob.read(span.from, span.to), { objectMode: false })
    ctx.type = asset.contentType
    ctx.length = span.to - span.from + 1
  })
}
