/** Small files of every kind that may be uploaded. They are as short as the format allows, or contain only its beginning. */
import { deflateSync, crc32 } from 'node:zlib'

export type Bytes = Uint8Array<ArrayBuffer>

const bytes = (...parts: (string | number[] | Uint8Array)[]): Bytes =>
  new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)))))

const u32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const u32le = (value: number): number[] => u32(value).toReversed()

const chunk = (type: string, data: Uint8Array): Bytes => {
  const body = bytes(type, data)
  return bytes(u32(data.length), body, u32(crc32(body)))
}

/** Creates a complete PNG of one color. */
export const png = (width = 1, height = 1, [red, green, blue]: readonly [number, number, number] = [0, 128, 128]): Bytes => {
  const row = bytes(
    [0],
    new Uint8Array(width * 3).map((_, index) => [red, green, blue][index % 3] ?? 0)
  )
  const rows = Buffer.concat(Array.from({ length: height }, () => row))
  return bytes(
    [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10],
    chunk('IHDR', bytes(u32(width), u32(height), [8, 2, 0, 0, 0])),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', new Uint8Array())
  )
}

const box = (type: string, data: Uint8Array): Bytes => bytes(u32(data.length + 8), type, data)
const brand = (name: string, ...more: string[]): Bytes => bytes(box('ftyp', bytes(name, u32(0), name, ...more)), box('mdat', bytes('film')))

const riff = (type: string, data: Uint8Array): Bytes => bytes('RIFF', u32le(data.length + 4), type, data)
const ebml = (docType: string): Bytes =>
  bytes([0x1a, 0x45, 0xdf, 0xa3, 0x80 + docType.length + 3, 0x42, 0x82, 0x80 + docType.length], docType, [0x18, 0x53, 0x80, 0x67, 0x80])

export const samples: Readonly<Record<string, { readonly type: string; readonly bytes: Bytes }>> = {
  png: { type: 'image/png', bytes: png() },
  jpg: { type: 'image/jpeg', bytes: bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], 'JFIF\0', [1, 1, 0, 0, 1, 0, 1, 0, 0, 0xff, 0xd9]) },
  gif: {
    type: 'image/gif',
    bytes: bytes('GIF89a', [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b])
  },
  webp: { type: 'image/webp', bytes: riff('WEBP', bytes('VP8L', u32le(6), [0x2f, 0, 0, 0, 0, 0])) },
  avif: { type: 'image/avif', bytes: brand('avif', 'mif1') },
  mp4: { type: 'video/mp4', bytes: brand('isom', 'mp42') },
  webm: { type: 'video/webm', bytes: ebml('webm') },
  mp3: { type: 'audio/mpeg', bytes: bytes('ID3', [4, 0, 0, 0, 0, 0, 0], [0xff, 0xfb, 0x90, 0x64], new Uint8Array(413)) },
  ogg: {
    type: 'audio/ogg',
    bytes: bytes('OggS', [0, 2], new Uint8Array(8), u32le(7), u32le(0), u32le(0), [1, 19], 'OpusHead', [1, 1], new Uint8Array(9))
  },
  wav: {
    type: 'audio/wav',
    bytes: riff('WAVE', bytes('fmt ', u32le(16), [1, 0, 1, 0], u32le(8000), u32le(8000), [1, 0, 8, 0], 'data', u32le(2), [128, 128]))
  },
  flac: { type: 'audio/flac', bytes: bytes('fLaC', [0x80, 0, 0, 34], new Uint8Array(34)) },
  m4a: { type: 'audio/mp4', bytes: brand('M4A ', 'mp42') }
}

/** The bytes of files that the service does not accept, by kind. */
export const foreign: Readonly<Record<string, Bytes>> = {
  html: bytes('<!doctype html><script>alert(1)</script>'),
  svg: bytes('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  xml: bytes('<?xml version="1.0"?><a/>'),
  pdf: bytes('%PDF-1.7\n%%EOF'),
  zip: bytes([0x50, 0x4b, 3, 4], new Uint8Array(30)),
  javascript: bytes('GIF89=1;alert(1)'),
  text: bytes('plain words'),
  mkv: ebml('matroska'),
  nothing: bytes(new Uint8Array(64))
}

export const joined = (...parts: Uint8Array[]): Bytes => bytes(...parts)
