/**
 * Reads zip archives. An archive ends with a directory, which states the name, the sizes and the place of each file (APPNOTE.TXT 4.3). All numbers
 * are little-endian:
 *
 * | record | signature | fields, with their offsets in bytes |
 * |---|---|---|
 * | end of the archive | 0x06054b50 | number of files 10 (2), size of the directory 12 (4), its place 16 (4) |
 * | file in the directory | 0x02014b50 | flags 8 (2), method 10 (2), checksum 16 (4), packed size 20 (4), size 24 (4), lengths of name, extra field and comment 28 (3 × 2), place 42 (4), name 46 |
 * | file | 0x04034b50 | lengths of name and extra field 26 (2 × 2), both 30, then the packed bytes |
 *
 * Archives above 4 GiB state 0xffffffff in the places and sizes (ZIP64). Callers refuse such sizes.
 *
 * fflate writes our archives but does not read them. It checks no checksums, opens encrypted files, and cuts off a file that exceeds its stated size.
 * For large files it starts workers from blobs, which the Content-Security-Policy refuses.
 */

/** A file of an archive, as the directory states it. */
export interface ZipEntry {
  /** The name, with slashes. It may be anything, so it must not be used as a path. */
  readonly name: string
  /** Size when unpacked, in bytes. */
  readonly bytes: number
  readonly packedBytes: number
  /** Place of the file in the archive, in bytes. */
  readonly at: number
  /** The compression method: 0 is none, 8 is Deflate. */
  readonly method: number
  readonly encrypted: boolean
  readonly checksum: number
}

/** An archive, or a file in it, that cannot be read. */
export class ZipFailure extends Error {}

const endBytes = 22
const commentBytesMax = 0xffff
const entryBytes = 46
const fileBytes = 30

const viewOf = async (blob: Blob): Promise<DataView<ArrayBuffer>> => new DataView(await blob.arrayBuffer())

/** Returns the record at the end of the archive. A comment can follow it. */
async function endOf(archive: Blob): Promise<DataView> {
  const tail = await viewOf(archive.slice(-(endBytes + commentBytesMax)))
  for (let at = tail.byteLength - endBytes; at >= 0; at--)
    if (tail.getUint32(at, true) === 0x06054b50) return new DataView(tail.buffer, at, endBytes)
  throw new ZipFailure('no end of the archive')
}

/** Returns the files and folders of an archive, without unpacking anything. Throws `ZipFailure`. */
export async function listZip(archive: Blob): Promise<readonly ZipEntry[]> {
  const end = await endOf(archive)
  const [count, size, place] = [end.getUint16(10, true), end.getUint32(12, true), end.getUint32(16, true)]
  const directory = await viewOf(archive.slice(place, place + size))
  const entries: ZipEntry[] = []
  for (let at = 0; entries.length < count;) {
    if (at + entryBytes > directory.byteLength || directory.getUint32(at, true) !== 0x02014b50) throw new ZipFailure('no such entry')
    const short = (offset: number): number => directory.getUint16(at + offset, true)
    const long = (offset: number): number => directory.getUint32(at + offset, true)
    const from = at + entryBytes
    const next = from + short(28) + short(30) + short(32)
    if (next > directory.byteLength) throw new ZipFailure('an entry is cut off')
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(directory.buffer, from, short(28))).replaceAll('\\', '/'),
      bytes: long(24),
      packedBytes: long(20),
      at: long(42),
      method: short(10),
      encrypted: (short(8) & 1) === 1,
      checksum: long(16)
    })
    at = next
  }
  return entries
}

const remainders = Uint32Array.from({ length: 256 }, (_, value) => {
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** Returns the CRC-32 of the bytes. */
const checksumOf = (bytes: Uint8Array): number =>
  (bytes.reduce((sum, byte) => (remainders[(sum ^ byte) & 255] ?? 0) ^ (sum >>> 8), -1) ^ -1) >>> 0

/** Reads a stream of at most `size` bytes. It stops at the first byte above that, because a directory may state less than a file unpacks to. */
async function collect(stream: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(size)
  const reader = stream.getReader()
  for (let length = 0; ;) {
    const { done, value } = await reader.read()
    // The checksum of a shorter file does not match.
    if (done) return bytes
    if (length + value.length > size) {
      await reader.cancel()
      throw new ZipFailure('the file is longer than stated')
    }
    bytes.set(value, length)
    length += value.length
  }
}

/** Unpacks a file of the archive. Throws `ZipFailure`. The caller limits `bytes` of the entry. */
export async function unpack(
  archive: Blob,
  { at, bytes, packedBytes, method, encrypted, checksum }: ZipEntry
): Promise<Uint8Array<ArrayBuffer>> {
  const head = await viewOf(archive.slice(at, at + fileBytes))
  if (encrypted || (method !== 0 && method !== 8) || head.byteLength < fileBytes || head.getUint32(0, true) !== 0x04034b50)
    throw new ZipFailure('the file cannot be unpacked')
  const from = at + fileBytes + head.getUint16(26, true) + head.getUint16(28, true)
  const packed = archive.slice(from, from + packedBytes).stream()
  const unpacked = await collect(method === 0 ? packed : packed.pipeThrough(new DecompressionStream('deflate-raw')), bytes).catch(
    (error: unknown) => {
      throw error instanceof ZipFailure ? error : new ZipFailure('the file is damaged', { cause: error })
    }
  )
  if (checksumOf(unpacked) !== checksum) throw new ZipFailure('the checksum does not match')
  return unpacked
}
