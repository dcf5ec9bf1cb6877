/**
 * The envelope around each record in an LMDB store. It detects damage and holds the version of the entry.
 *
 *     offset 0    1 byte     envelope format, 1
 *     offset 1    4 bytes    crc32 (as in zlib) of all bytes that follow, big-endian
 *     offset 5    8 bytes    version of the entry: float64, big-endian, a positive integer
 *     offset 13   rest       the value
 */
import { crc32 } from 'node:zlib'
import { ServiceError } from '../../shared/errors.ts'
import type { Entry, Key } from '../domain/ports.ts'

const envelopeFormat = 1
const checksumAt = 1
const versionAt = 5
const headerBytes = 13

/** Returns the entry in an envelope. Throws `storage_corrupt` with the key if the envelope is damaged. */
export function decodeEntry(key: Key, envelope: Uint8Array): Entry {
  const bytes = soundBytes(key, envelope)
  return { key, version: bytes.readDoubleBE(versionAt), value: new Uint8Array(bytes.subarray(headerBytes)) }
}

/** Returns the bytes of an intact envelope, which are valid until the next read. Throws like `decodeEntry`. */
function soundBytes(key: Key, envelope: Uint8Array): Buffer {
  // `envelope` is LMDB's only read buffer, and only its `length` is set for this entry. This code therefore reads exactly `length` bytes, and
  // `decodeEntry` copies the value.
  const bytes = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.length)
  const sound =
    bytes.length >= headerBytes && bytes[0] === envelopeFormat && crc32(bytes.subarray(versionAt)) === bytes.readUInt32BE(checksumAt)
  if (!sound) throw new ServiceError('storage_corrupt', { key })
  return bytes
}

/** Returns the version of the entry in an envelope. Throws like `decodeEntry`. */
export const versionIn = (key: Key, envelope: Uint8Array): number => soundBytes(key, envelope).readDoubleBE(versionAt)

/** Returns an envelope without its version and checksum, because the version is known only inside the transaction. */
export function wrap(value: Uint8Array): Buffer {
  const envelope = Buffer.allocUnsafe(headerBytes + value.length)
  envelope[0] = envelopeFormat
  envelope.set(value, headerBytes)
  return envelope
}

/** Writes the version and checksum into an envelope from `wrap`, and returns the envelope. */
export function stamp(envelope: Buffer, version: number): Buffer {
  envelope.writeDoubleBE(version, versionAt)
  envelope.writeUInt32BE(crc32(envelope.subarray(versionAt)), checksumAt)
  return envelope
}
