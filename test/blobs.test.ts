/** The stores of blobs: files of the data folder, and objects of a bucket, which the npm package `s3rver` serves. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AwsV4Signer } from 'aws4fetch'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDiskBlobs } from '../server/blobs/disk.ts'
import { openBlobs } from '../server/blobs/open.ts'
import { parseS3Address } from '../server/blobs/s3/address.ts'
import { openS3Blobs, partBytes } from '../server/blobs/s3/store.ts'
import type { Blobs } from '../server/domain/ports.ts'
import { type ObjectStore, startObjectStore } from './support/object-store.ts'

let store: ObjectStore
beforeAll(async () => {
  store = await startObjectStore()
})
afterAll(() => store.stop())
beforeEach(() => {
  store.fault = () => undefined
})

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-blobs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

let folders = 0
/** Returns the address of a folder of the bucket that no other test uses. */
const newAddress = (): string => store.address(`folder-${folders++}/assets`)

const openBucket = async (text = newAddress(), instance = 'one', folder?: string): Promise<Blobs> => {
  const address = parseS3Address(text)
  if (address === undefined) throw new Error(`not an address: ${text}`)
  return openS3Blobs(address, folder ?? (await temporaryFolder()), instance)
}

async function* chunksOf(bytes: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const put = async (blobs: Blobs, name: string, bytes: Uint8Array): Promise<void> => (await blobs.receive(chunksOf(bytes))).keep(name)

const read = async (blobs: Blobs, name: string, from: number, to: number): Promise<Buffer | undefined> => {
  const blob = await blobs.open(name)
  return blob && Buffer.concat(await Array.fromAsync(blob.read(from, to)))
}

const contract = (name: string, factory: () => Promise<Blobs>): void => {
  describe(name, () => {
    test('[BLOB-1] a kept blob is read back byte for byte, whole and in ranges', async () => {
      const blobs = await factory()
      const bytes = randomBytes(300_000)
      await put(blobs, 'abc', bytes)
      expect((await read(blobs, 'abc', 0, bytes.length - 1))?.equals(bytes)).toBe(true)
      expect((await read(blobs, 'abc', 99_999, 200_001))?.equals(bytes.subarray(99_999, 200_002))).toBe(true)
      expect(await read(blobs, 'abc', 7, 7)).toEqual(bytes.subarray(7, 8))
      await put(blobs, 'empty', new Uint8Array())
      expect(await blobs.open('empty').then((blob) => blob?.close())).toBeUndefined()
      expect((await blobs.list()).sort()).toEqual(['abc', 'empty'])
    })

    test('[BLOB-2] an upload that is discarded or whose source fails leaves nothing', async () => {
      const blobs = await factory()
      const upload = await blobs.receive(chunksOf(randomBytes(1000)))
      expect(upload.bytes).toBe(1000)
      await upload.discard()
      const failing = async function* (): AsyncGenerator<Uint8Array> {
        yield randomBytes(10)
        throw new Error('the sender is gone')
      }
      await expect(blobs.receive(failing())).rejects.toThrow('the sender is gone')
      expect(await blobs.list()).toEqual([])
    })

    test('[BLOB-3] a deleted blob is gone; an unknown name has no blob and can be deleted', async () => {
      const blobs = await factory()
      await put(blobs, 'abc', randomBytes(10))
      await blobs.delete('abc')
      await blobs.delete('abc')
      expect(await blobs.open('abc')).toBeUndefined()
      expect(await blobs.list()).toEqual([])
    })
  })
}

contract('data folder', async () => openDiskBlobs(await temporaryFolder()))
contract('bucket', () => openBucket())

test('[BLOB-4] a large upload reaches the bucket in parts; one that fails leaves neither an object nor a file', async () => {
  const folder = await temporaryFolder()
  const blobs = await openBucket(newAddress(), 'one', folder)
  const bytes = randomBytes(partBytes * 2 + 12_345)
  await put(blobs, 'large', bytes)
  expect((await read(blobs, 'large', partBytes - 5, partBytes + 5))?.equals(bytes.subarray(partBytes - 5, partBytes + 6))).toBe(true)
  expect((await read(blobs, 'large', 0, bytes.length - 1))?.equals(bytes)).toBe(true)
  expect(await readdir(folder)).toEqual([])

  store.fault = ({ method, url }) => (method === 'PUT' && url?.includes('partNumber=2') ? { status: 403 } : undefined)
  const upload = await blobs.receive(chunksOf(bytes))
  await expect(upload.keep('failed')).rejects.toMatchObject({ code: 'storage_unavailable' })
  await upload.discard()
  expect(store.requests.at(-1)).toMatchObject({ method: 'DELETE', url: expect.stringContaining('uploadId=') as string })
  expect(await blobs.list()).toEqual(['large'])
  expect(await readdir(folder)).toEqual([])
})

test('[BLOB-5] if only the last response to a large upload is lost, the upload counts as complete', async () => {
  const blobs = await openBucket()
  const bytes = randomBytes(partBytes + 1)
  store.fault = ({ method, url }) => (method === 'POST' && url?.includes('uploadId=') ? { cutAfter: 1 } : undefined)
  await put(blobs, 'large', bytes)
  store.fault = () => undefined
  expect((await read(blobs, 'large', 0, bytes.length - 1))?.equals(bytes)).toBe(true)
})

test('[BLOB-6] failed requests are retried, and an interrupted read continues at the next byte', async () => {
  const blobs = await openBucket()
  const bytes = randomBytes(200_000)
  store.fault = (_request, index) => (index < 2 ? { status: 500 } : undefined)
  await put(blobs, 'abc', bytes)
  store.fault = ({ method }, index) => (method === 'GET' && index < 4 ? { cutAfter: 50_000 } : undefined)
  expect((await read(blobs, 'abc', 1, bytes.length - 1))?.equals(bytes.subarray(1))).toBe(true)
})

test('[BLOB-7] a bucket that stays unavailable is reported, and nothing is stored', async () => {
  const blobs = await openBucket()
  await put(blobs, 'abc', randomBytes(10))
  store.fault = () => ({ status: 503 })
  await expect(put(blobs, 'other', randomBytes(10))).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(blobs.open('abc')).rejects.toMatchObject({ code: 'storage_unavailable' })
  await expect(blobs.list()).rejects.toMatchObject({ code: 'storage_unavailable' })
  store.fault = () => undefined
  expect(await blobs.list()).toEqual(['abc'])
})

test('[BLOB-8] all pages of a list are read, and names are unescaped', async () => {
  const blobs = await openBucket(
    's3://S3RVER:S3RVER@' + new URL(store.address('x').replace('s3:', 'http:')).host + '/agmd-test/pages?tls=off'
  )
  const page = (names: readonly string[], next?: string): string => {
    const contents = names.map((name) => `<Contents><Key>pages/${name}</Key><Size>1</Size></Contents>`).join('')
    const more =
      next === undefined
        ? '<IsTruncated>false</IsTruncated>'
        : `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`
    return `<?xml version="1.0"?><ListBucketResult><Name>agmd-test</Name>${more}${contents}</ListBucketResult>`
  }
  store.fault = ({ url }) => {
    const token = new URL(url ?? '', 'http://localhost').searchParams.get('continuation-token')
    return {
      status: 200,
      body: token === null ? page(['a', 'agmd-instance'], '1/a&amp;=+') : token === '1/a&=+' ? page(['b'], '2') : page(['c&#x26;&quot;'])
    }
  }
  expect(await blobs.list()).toEqual(['a', 'b', 'c&"'])
})

test('[BLOB-9] a folder of another installation, or with other files, is refused', async () => {
  const address = newAddress()
  await put(await openBucket(address, 'one'), 'abc', randomBytes(1))
  expect(await (await openBucket(address, 'one')).list()).toEqual(['abc'])
  await expect(openBucket(address, 'two')).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining('another installation') as string
  })
  const outer = address.replace('/assets', '')
  await expect(openBucket(outer, 'one')).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining('"assets/') as string })
})

test('[BLOB-10] for a wrong address, key or clock, the server prints a sentence without the secret, and exits with a code', async () => {
  const refused = (code: string, status: number) => async (): Promise<unknown> => {
    store.fault = () => ({ status, body: `<Error><Code>${code}</Code><Message>no</Message></Error>` })
    return openBucket().catch((error: unknown) => error)
  }
  const cases: [() => Promise<unknown>, number, RegExp][] = [
    [refused('NoSuchBucket', 404), 78, /^There is no such bucket \(bucket agmd-test at 127\.0\.0\.1:\d+, folder [^)]+\)\. Create it/],
    [refused('SignatureDoesNotMatch', 403), 78, /rejects the access key/],
    [refused('AccessDenied', 403), 78, /s3:ListBucket/],
    [refused('RequestTimeTooSkewed', 403), 78, /clock/],
    [() => openBucket('s3://key:topsecret@127.0.0.1:1/agmd-test?tls=off').catch((error: unknown) => error), 1, /cannot be reached/]
  ]
  for (const [open, exitCode, words] of cases) {
    const error = await open()
    expect(error).toMatchObject({ name: 'S3Error', exitCode })
    expect((error as Error).message).toMatch(words)
    expect((error as Error).message).not.toMatch(/topsecret|S3RVER/)
  }
})

test('[BLOB-11] an address names a server, a bucket and both keys; unknown parameters are refused', () => {
  expect(parseS3Address('s3://a:b%2Fc@s3.example.org/docs/team/one?region=eu-west-1')).toMatchObject({
    bucketUrl: 'https://s3.example.org/docs',
    prefix: 'team/one/',
    region: 'eu-west-1',
    secretAccessKey: 'b/c',
    exposed: false
  })
  expect(parseS3Address('s3://a:b@s3.example.org:80/docs')).toMatchObject({ bucketUrl: 'https://s3.example.org:80/docs', prefix: '' })
  expect(parseS3Address('s3://a:b@10.0.0.1:9000/docs/?tls=off')).toMatchObject({ bucketUrl: 'http://10.0.0.1:9000/docs', exposed: true })
  for (const wrong of [
    's3://docs/folder',
    's3://a@s3.example.org/docs',
    's3://a:b@s3.example.org',
    's3://a:b@s3.example.org/docs/../other',
    's3://a:b@s3.example.org/docs?regoin=x',
    's3://a:b@s3.example.org/docs?tls=maybe',
    's3://a:b@s3.example.org/Docs_1',
    'https://a:b@s3.example.org/docs'
  ])
    expect(parseS3Address(wrong), wrong).toBeUndefined()
})

test('[BLOB-12] the first start with a bucket moves the assets of the data folder there; without AGMD_BLOBS it then refuses to start', async () => {
  const folder = await temporaryFolder()
  const moved: number[] = []
  const open = (address: string | null): Promise<Blobs> =>
    openBlobs({ address, folder, instance: 'one', onWarning: expect.fail, onMoved: (count) => moved.push(count) })
  const disk = await open(null)
  const bytes = randomBytes(1000)
  for (const name of ['abc', 'def']) await put(disk, name, bytes)
  const address = newAddress()
  const blobs = await open(address)
  expect(moved).toEqual([2])
  expect(await disk.list()).toEqual([])
  expect((await read(blobs, 'def', 0, 999))?.equals(bytes)).toBe(true)
  await open(address)
  expect(moved).toEqual([2])
  await expect(open(null)).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining('Set AGMD_BLOBS') as string })
})

test('[BLOB-13] requests are signed as in Amazon’s example, and the signature covers the hash of the body', async () => {
  // “Example: GET Object” of the Amazon S3 API Reference, “Authenticating Requests: Using the Authorization Header”.
  const { headers } = await new AwsV4Signer({
    method: 'GET',
    url: 'https://examplebucket.s3.amazonaws.com/test.txt',
    headers: { range: 'bytes=0-9', 'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    service: 's3',
    region: 'us-east-1',
    datetime: '20130524T000000Z',
    allHeaders: true
  }).sign()
  expect(headers.get('authorization')).toContain('Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41')
  const blobs = await openBucket()
  await put(blobs, 'abc', new TextEncoder().encode('hello'))
  const sent = store.requests.findLast(({ method }) => method === 'PUT')
  expect(sent?.headers['x-amz-content-sha256']).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824')
  expect(sent?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=S3RVER\/\d{8}\/us-east-1\/s3\/aws4_request/)
})
