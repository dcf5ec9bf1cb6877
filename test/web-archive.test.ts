/** Opening the zip archive of a downloaded document. */
import { randomBytes } from 'node:crypto'
import { zipSync, type Zippable } from 'fflate'
import { expect, test } from 'vitest'
import { limits } from '../shared/limits.ts'
import { linksInto, openArchive } from '../web/home/archive.ts'
import { listZip, unpack } from '../web/home/zip.ts'
import { png } from './support/media.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const zipped = (files: Zippable): Uint8Array<ArrayBuffer> => new Uint8Array(zipSync(files))
const fileOf = (bytes: Uint8Array<ArrayBuffer>): File => new File([bytes], 'lakes.zip')

/** Returns the message with which an archive is refused. */
const refusal = (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  openArchive(fileOf(bytes)).then(
    () => 'opened',
    (error: unknown) => (error as Error).message
  )

/** Changes the size that the directory states for its last file. */
const stating = (bytes: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> => {
  const copy = bytes.slice()
  const at = Buffer.from(copy.buffer).lastIndexOf('PK\u0001\u0002')
  new DataView(copy.buffer).setUint32(at + 24, size, true)
  return copy
}

test('[EXPORT-6] an archive is its one Markdown file and the media that the text links to, by paths relative to the text', async () => {
  const text = '![a](files/a%20b.png) ![b](<../über.jpeg#x>) [c](notes.pdf) ![d](gone.png) ![e](/files/a.png) `![f](files/a%20b.png)`'
  const archive = await openArchive(
    fileOf(
      zipped({
        'in/Lakes of the North.md': bytesOf(text),
        'in/files/a b.png': [png(), { level: 0 }],
        'über.jpeg': bytesOf('u'.repeat(1000)),
        'in/notes.pdf': bytesOf('notes'),
        '__MACOSX/in/Lakes of the North.md': bytesOf('Mac'),
        'in/.hidden.md': bytesOf('hidden'),
        'folder.md/': new Uint8Array()
      })
    )
  )
  expect(archive.markdown.name).toBe('Lakes of the North.md')
  expect(await archive.markdown.text()).toBe(text)
  const links = linksInto(archive, text)
  expect(links.map(({ from, to, rest, entry }) => [text.slice(from, to), entry.name, rest])).toEqual([
    ['files/a%20b.png', 'in/files/a b.png', ''],
    ['<../über.jpeg#x>', 'über.jpeg', '#x']
  ])
  const [picture, other] = await Promise.all(links.map(({ entry }) => unpack(archive.blob, entry)))
  expect(picture).toEqual(png())
  expect(other).toEqual(bytesOf('u'.repeat(1000)))
})

test('[EXPORT-7] an archive without exactly one Markdown file is refused, with the next step', async () => {
  expect(await refusal(zipped({ 'a.png': png() }))).toMatch(/“lakes.zip” contains no Markdown file. Choose an archive/)
  expect(await refusal(zipped({ 'a.md': bytesOf('a'), 'b/c.markdown': bytesOf('b') }))).toMatch(/contains 2 Markdown files.*Unpack it/)
})

test('[EXPORT-7] an archive that states too much or has too many files is refused before a file is unpacked', async () => {
  const large = limits.archiveBytesMax + limits.importTextBytesMax
  expect(await refusal(stating(zipped({ 'a.md': bytesOf('a') }), large + 1))).toMatch(/larger than 116 MiB when unpacked. Unpack it/)
  expect(await refusal(stating(zipped({ 'a.md': bytesOf('a'), 'b.png': png() }), large))).toMatch(/larger than 116 MiB/)
  const names = Array.from({ length: limits.archiveFilesMax }, (_, index) => `${index}.png`)
  const most = Object.fromEntries(names.map((name) => [name, bytesOf('')]))
  expect(await refusal(zipped({ ...most, 'a.md': bytesOf('a') }))).toBe('opened')
  expect(await refusal(zipped({ ...most, 'a.md': bytesOf('a'), 'one.png': bytesOf('') }))).toMatch(/more than 501 files/)
})

test('[EXPORT-7] unpacking stops when a file exceeds its stated size, packed or not', async () => {
  const archive = new Blob([zipped({ 'a.md': bytesOf(randomBytes(512 * 1024).toString('hex')) })])
  const [whole] = await listZip(archive)
  if (whole === undefined) throw new Error('the archive has no files')
  // The packed file is cut off, which is noticed only if all of it is unpacked.
  const cut = { ...whole, packedBytes: whole.packedBytes - 1000 }
  await expect(unpack(archive, { ...cut, bytes: 1000 })).rejects.toThrow('longer than stated')
  await expect(unpack(archive, cut)).rejects.toThrow('damaged')
  expect(await refusal(stating(zipped({ 'a.md': [bytesOf('four'), { level: 0 }] }), 3))).toMatch(/is damaged/)
  expect(await refusal(stating(zipped({ 'a.md': bytesOf('four') }), 5))).toMatch(/is damaged/)
})

test('[EXPORT-7] a damaged archive is refused', async () => {
  const whole = zipped({ 'a.md': [bytesOf('Words'), { level: 0 }] })
  expect(await refusal(bytesOf('no archive'))).toMatch(/is damaged, encrypted or not a zip archive. Download it again/)
  expect(await refusal(whole.slice(0, -30))).toMatch(/is damaged/)
  const changed = whole.slice()
  changed.set(bytesOf('w'), Buffer.from(changed.buffer).indexOf('Words'))
  expect(await refusal(changed)).toMatch(/is damaged/)
  const encrypted = whole.slice()
  encrypted[Buffer.from(encrypted.buffer).lastIndexOf('PK\u0001\u0002') + 8] = 1
  expect(await refusal(encrypted)).toMatch(/is damaged/)
})

test('[EXPORT-7] names that lead out of the archive are ignored, and so are links', async () => {
  const text = '![a](../a.png) ![b](/b.png) ![c](..%2Fa.png) ![d](C:/d.png)'
  const archive = await openArchive(
    fileOf(
      zipped({
        'one.md': bytesOf(text),
        '../two.md': bytesOf('two'),
        '/three.md': bytesOf('three'),
        'C:\\four.md': bytesOf('four'),
        '..\\five.md': bytesOf('five'),
        '../a.png': png(),
        '/b.png': png(),
        'a.png': png(),
        'C:/d.png': png()
      })
    )
  )
  expect([...archive.entries.keys()]).toEqual(['one.md', 'a.png'])
  expect(linksInto(archive, text)).toEqual([])
})
