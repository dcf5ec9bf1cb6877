/** Detects the type of a file from its bytes. */
import { fileTypeFromBuffer } from 'file-type'

/** The number of bytes at the beginning of a file that identify its type. */
export const headBytes = 4100
/** The number of bytes at the end of a file that are checked. */
export const tailBytes = 12

/** Returns the media type in lower case, without parameters; undefined if the bytes match no known type. */
export const sniff = async (head: Uint8Array): Promise<string | undefined> =>
  (await fileTypeFromBuffer(head))?.mime.split(';')[0]?.trim().toLowerCase()

const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex')

/**
 * Whether the file ends where its format says it should. This is false for a truncated picture, and for a picture to which another file (a page, an
 * archive) was appended. It is always true for formats to which real devices append data (JPEG), and for formats that have no defined end.
 */
export const endsWell = (type: string | undefined, head: Uint8Array, tail: Uint8Array, bytes: number): boolean => {
  if (type === 'image/png' || type === 'image/apng') return pngEnd.equals(tail)
  if (type === 'image/gif') return tail.at(-1) === 0x3b
  if (type === 'image/webp') {
    const told = Buffer.from(head.buffer, head.byteOffset, head.byteLength).readUInt32LE(4) + 8
    return told === bytes
  }
  return true
}
