import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { type Bytes, foreign, joined, png, samples } from '../support/media.ts'
import { startObjectStore } from '../support/object-store.ts'
import { type Answer, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const upload = (
  person: Person,
  body: Bytes,
  type: string | undefined,
  more: { query?: Record<string, string>; headers?: Record<string, string> } = {}
): Promise<Answer> => person.ask('POST', '/assets', { body, ...(type === undefined ? {} : { type }), ...more })

const fetchAsset = (asset: Json, headers: Record<string, string> = {}): Promise<Response> => fetch(asset.url, { headers })

const bytesOf = async (answer: Response): Promise<Bytes> => new Uint8Array(await answer.arrayBuffer())

/** Returns the blob files in the data folder, including unfinished ones. */
const files = async (): Promise<string[]> => {
  const found = await readdir(join(world.folder, 'blobs'), { recursive: true, withFileTypes: true })
  return found.filter((entry) => entry.isFile()).map(({ name }) => name)
}

const png1 = png()

describe.each(Object.entries(samples))('%s', (extension, { type, bytes }) => {
  test('[ASSET-1] is accepted, returned with its address and Markdown, and can be read without a key', async () => {
    const owner = await world.create('text')
    const answer = await upload(owner, bytes, type, { query: { name: 'a picture' } })
    expect(answer.status).toBe(201)
    const { id, url, markdown, kind, size, name, contentType } = answer.json
    expect({ kind, size, name, contentType }).toEqual({
      kind: type.split('/')[0],
      size: bytes.length,
      name: 'a picture',
      contentType: type
    })
    expect(url).toBe(`${world.url}/f/${id}.${extension}`)
    expect(markdown).toBe(`![a picture](/f/${id}.${extension})`)
    const read = await fetchAsset(answer.json)
    expect(read.headers.get('content-type')).toBe(type)
    expect(await bytesOf(read)).toEqual(bytes)
  })
})

test.each([
  ['image/jpg', 'jpg'],
  ['IMAGE/PNG; charset=binary', 'png'],
  ['audio/mp3', 'mp3'],
  ['audio/x-wav', 'wav'],
  ['audio/x-m4a', 'm4a'],
  ['application/ogg', 'ogg'],
  ['audio/webm;codecs=opus', 'webm'],
  ['audio/mp4', 'mp4']
])('[ASSET-1] %s is an alias', async (type, sample) => {
  const owner = await world.create('text')
  expect((await upload(owner, samples[sample]?.bytes as Bytes, type)).status).toBe(201)
})

test.each([
  ...Object.entries(foreign).flatMap(([what, bytes]) => [
    [`${what} called image/png`, bytes, 'image/png'],
    [`${what} called audio/mpeg`, bytes, 'audio/mpeg']
  ]),
  ['a JPEG called image/png', samples['jpg']?.bytes, 'image/png'],
  ['an MP3 called video/mp4', samples['mp3']?.bytes, 'video/mp4'],
  ['an SVG as what it is', foreign['svg'], 'image/svg+xml'],
  ['a page as what it is', foreign['html'], 'text/html'],
  ['a PDF as what it is', foreign['pdf'], 'application/pdf'],
  ['a PNG without a type', png1, undefined],
  ['a PNG as octets', png1, 'application/octet-stream'],
  ['a PNG as JSON', png1, 'application/json'],
  ['a PNG with a page behind it', joined(png1, foreign['html'] as Bytes), 'image/png'],
  ['a GIF with an archive behind it', joined(samples['gif']?.bytes as Bytes, foreign['zip'] as Bytes), 'image/gif'],
  ['a WebP with a page behind it', joined(samples['webp']?.bytes as Bytes, foreign['html'] as Bytes), 'image/webp'],
  ['a page with a PNG behind it', joined(foreign['html'] as Bytes, png1), 'image/png'],
  ['half a PNG', png1.slice(0, 40), 'image/png'],
  ['half a GIF', samples['gif']?.bytes.slice(0, 20), 'image/gif']
] as [string, Bytes, string | undefined][])('[ASSET-2] %s is refused, and leaves nothing behind', async (_what, bytes, type) => {
  const owner = await world.create('text')
  const before = await files()
  const answer = await upload(owner, bytes, type)
  expect({ status: answer.status, code: answer.json?.code }).toEqual({ status: 415, code: 'unsupported_media_type' })
  expect(await files()).toEqual(before)
})

test('[ASSET-2] an empty body and a compressed one are refused', async () => {
  const owner = await world.create('text')
  expect(await upload(owner, new Uint8Array(), 'image/png')).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  expect((await upload(owner, png1, 'image/png', { headers: { 'Content-Encoding': 'gzip' } })).status).toBe(415)
})

test('[ASSET-2] a refusal names the accepted types and what to send instead', async () => {
  const owner = await world.create('text')
  for (const type of ['image/svg+xml', undefined, 'image/jpeg']) {
    const { json } = await upload(owner, png1, type)
    expect(json.takes).toContain('image/png')
    expect(json.hint).toContain('one of the types in takes')
  }
})

const ofSize = (size: number): Bytes => joined(samples['flac']?.bytes as Bytes, new Uint8Array(size - (samples['flac']?.bytes.length ?? 0)))

test('[ASSET-3] an oversize body is skipped, and the next request on the connection is answered', async () => {
  const owner = await world.create('text')
  const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(1024 * 1024), Buffer.from('\r\n')])
  const answers = await world.raw(
    Buffer.concat([
      Buffer.from(`POST /api/docs/${owner.doc}/assets HTTP/1.1\r\nHost: x\r\nX-Share-Key: ${owner.key}\r\n`),
      Buffer.from('Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n'),
      ...Array.from({ length: 13 }, () => chunk),
      Buffer.from('0\r\n\r\nGET /api/health HTTP/1.1\r\nHost: x\r\n\r\n')
    ]),
    (answer) => answer.includes('"status":"ok"')
  )
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
})

test('[ASSET-3] exactly 10 MiB is accepted, one byte more is not, with and without a length', async () => {
  const owner = await world.create('text')
  expect((await upload(owner, ofSize(limits.assetBytesMax), 'audio/flac')).json).toMatchObject({ size: limits.assetBytesMax })
  const before = await files()
  const larger = ofSize(limits.assetBytesMax + 1)
  expect(await upload(owner, larger, 'audio/flac')).toMatchObject({
    status: 413,
    json: { code: 'body_too_large', bodyBytesMax: limits.assetBytesMax }
  })
  const chunked = await fetch(`${world.url}/api/docs/${owner.doc}/assets`, {
    method: 'POST',
    headers: { 'X-Share-Key': owner.key, 'Content-Type': 'audio/flac' },
    body: new Blob([larger]).stream(),
    duplex: 'half'
  } as RequestInit)
  expect(chunked.status).toBe(413)
  expect(await files()).toEqual(before)
})

test('[ASSET-3] the assets of a document have a quota', async () => {
  const small = await startWorld({ env: { AGMD_ASSET_MEGABYTES: '1' } })
  try {
    const owner = await small.create('text')
    expect((await upload(owner, ofSize(700_000), 'audio/flac')).status).toBe(201)
    const refused = await upload(owner, ofSize(400_000), 'audio/flac')
    expect(refused).toMatchObject({ status: 413, json: { code: 'asset_quota_exceeded', assetBytes: 700_000, assetBytesMax: 1024 * 1024 } })
    const others = await readdir(join(small.folder, 'blobs'), { recursive: true, withFileTypes: true })
    expect(others.filter((entry) => entry.isFile())).toHaveLength(1)
    // Another document has its own quota.
    expect((await upload(await small.create('text'), ofSize(400_000), 'audio/flac')).status).toBe(201)
  } finally {
    await small.stop()
  }
})

test('[ASSET-4] a connection that ends during an upload leaves nothing behind and disturbs nobody', async () => {
  const owner = await world.create('text')
  const before = await files()
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(
    `POST /api/docs/${owner.doc}/assets HTTP/1.1\r\nHost: x\r\nX-Share-Key: ${owner.key}\r\nContent-Type: image/png\r\nContent-Length: 5000\r\n\r\n`
  )
  socket.write(png1)
  await until(async () => (await files()).length > before.length, 'a file under way')
  socket.destroy()
  await until(async () => (await files()).length === before.length, 'the file to go')
  expect((await upload(owner, png1, 'image/png')).status).toBe(201)
  expect(world.lines.filter((line) => line.includes('request failed'))).toEqual([])
})

test('[ASSET-5] the address has headers that prevent anything in it from running', async () => {
  const owner = await world.create('text')
  const asset = (await upload(owner, png1, 'image/png', { query: { name: 'x"\u202e.html' } })).json
  const { headers } = await fetchAsset(asset)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
  expect(headers.get('content-disposition')).toMatch(/^inline; filename="image-[\w-]{8}\.png"$/)
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
})

test('[ASSET-6] ranges are answered as RFC 9110 says', async () => {
  const owner = await world.create('text')
  const all = samples['wav']?.bytes as Bytes
  const asset = (await upload(owner, all, 'audio/wav')).json
  const part = async (
    range: string,
    more: Record<string, string> = {}
  ): Promise<{ status: number; range: string | null; bytes: Bytes }> => {
    const answer = await fetchAsset(asset, { Range: range, ...more })
    return { status: answer.status, range: answer.headers.get('content-range'), bytes: await bytesOf(answer) }
  }
  const size = all.length
  expect(await part('bytes=0-3')).toEqual({ status: 206, range: `bytes 0-3/${size}`, bytes: all.slice(0, 4) })
  expect(await part('bytes=4-')).toEqual({ status: 206, range: `bytes 4-${size - 1}/${size}`, bytes: all.slice(4) })
  expect(await part('bytes=-5')).toEqual({ status: 206, range: `bytes ${size - 5}-${size - 1}/${size}`, bytes: all.slice(-5) })
  expect(await part('bytes=0-99999')).toMatchObject({ status: 206, bytes: all })
  for (const outside of [`bytes=${size}-`, 'bytes=-0']) expect(await part(outside)).toMatchObject({ status: 416, range: `bytes */${size}` })
  for (const ignored of ['bytes=5-2', 'lines=1-2', 'bytes=0-1,3-4', 'bytes=a-b'])
    expect(await part(ignored)).toMatchObject({ status: 200, bytes: all })
  const { headers } = await fetchAsset(asset)
  const etag = headers.get('etag') ?? ''
  expect((await part('bytes=0-3', { 'If-Range': etag })).status).toBe(206)
  expect((await part('bytes=0-3', { 'If-Range': '"another"' })).status).toBe(200)
  expect((await fetchAsset(asset, { 'If-None-Match': etag })).status).toBe(304)
  const head = await fetch(asset.url, { method: 'HEAD' })
  expect({ status: head.status, length: head.headers.get('content-length') }).toEqual({ status: 200, length: String(size) })
})

test.each([
  '/f/',
  '/f/..%2f..%2fsecret.png',
  '/f/../instance.json',
  '/f/....//secret.png',
  '/f/%2e%2e/secret.png',
  '/f/AAAAAAAAAAAAAAAAAAAAAAAA.png',
  '/f/AAAAAAAAAAAAAAAAAAAAAAAA',
  '/f/new.png',
  '/f/con.png'
])('[ASSET-7] %s leads nowhere', async (path) => {
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  expect(answer).toMatch(/^HTTP\/1\.1 40[04] /)
})

test('[ASSET-7] the extension is part of the address', async () => {
  const owner = await world.create('text')
  const { id } = (await upload(owner, png1, 'image/png')).json
  expect((await fetch(`${world.url}/f/${id}.html`)).status).toBe(404)
  expect((await fetch(`${world.url}/f/${id}.png`)).status).toBe(200)
})

test('[ASSET-8] deleting the document removes its assets: addresses at once, files with the document', async () => {
  const owner = await world.create('text')
  const assets = [(await upload(owner, png1, 'image/png')).json, (await upload(owner, samples['wav']?.bytes as Bytes, 'audio/wav')).json]
  const another = await world.create('text')
  const kept = (await upload(another, png1, 'image/png')).json
  await owner.ask('DELETE', '')
  for (const asset of assets) expect((await fetchAsset(asset)).status).toBe(404)
  await owner.ask('DELETE', '', { query: { permanent: 1 } })
  expect(await files()).not.toEqual(expect.arrayContaining([assets[0].id]))
  expect((await fetchAsset(kept)).status).toBe(200)
})

test('[BLOB-14] with a bucket, uploads are stored there, served in ranges and removed with their document', async () => {
  const store = await startObjectStore()
  onTestFinished(() => store.stop())
  const cloud = await startWorld({ env: { AGMD_BLOBS: store.address('assets') } })
  onTestFinished(() => cloud.stop())
  const owner = await cloud.create('text')
  const all = samples['wav']?.bytes as Bytes
  const asset = (await upload(owner, all, 'audio/wav')).json
  expect(await bytesOf(await fetchAsset(asset))).toEqual(all)
  const part = await fetchAsset(asset, { Range: 'bytes=4-9' })
  expect([part.status, await bytesOf(part)]).toEqual([206, all.slice(4, 10)])
  const files = await readdir(join(cloud.folder, 'blobs'), { recursive: true, withFileTypes: true })
  expect(files.filter((entry) => entry.isFile()).map(({ name }) => name)).toEqual(['in-bucket'])
  expect(await cloud.service.blobs.list()).toEqual([asset.id])
  // If the object store fails, the service refuses the asset but continues to run.
  store.fault = () => ({ status: 503 })
  expect((await fetchAsset(asset)).status).toBe(503)
  store.fault = () => undefined
  await owner.ask('DELETE', '', { query: { permanent: 1 } })
  expect(await cloud.service.blobs.list()).toEqual([])
})

test('[ASSET-9] the feed reports it, and a retry with the same key does not create a second asset', async () => {
  const owner = await world.create('text')
  const before = (await files()).length
  const headers = { 'Idempotency-Key': 'once' }
  const first = await upload(owner, png1, 'image/png', { headers })
  const again = await upload(owner, png1, 'image/png', { headers })
  expect(again.json).toEqual(first.json)
  expect((await files()).length).toBe(before + 1)
  expect((await upload(owner, png(2, 2), 'image/png', { headers })).json).toMatchObject({ code: 'idempotency_key_reused' })
  const { events } = await owner.events()
  expect(events.filter(({ kind }: Json) => kind === 'asset.created').map(({ payload }: Json) => payload.id)).toEqual([first.json.id])
})

test('[ASSET-10] the next start removes files that a crash left without a record', async () => {
  const stray = 'AbCdEfGhIjKlMnOpQrStUvWx'
  const owner = await world.create('text')
  const asset = (await upload(owner, png1, 'image/png')).json
  const { blobs } = world.service
  const stream = (): AsyncIterable<Uint8Array> => new Blob([png1]).stream() as unknown as AsyncIterable<Uint8Array>
  await (await blobs.receive(stream())).keep(stray)
  await blobs.receive(stream())
  expect(await readdir(join(world.folder, 'blobs', 'new'))).toHaveLength(1)
  world = await world.restart()
  expect(await world.service.blobs.list()).not.toContain(stray)
  expect(await bytesOf(await fetch(`${world.url}/f/${asset.id}.png`))).toEqual(png1)
  expect(await readdir(join(world.folder, 'blobs', 'new'))).toEqual([])
})
