/** Opening the zip archive of a downloaded document. */
import { randomBytes } from 'node:crypto'
import { zipSync, type Zippable } from 'fflate'
import { expect, test } from 'vitest'
import { indexFiles } from '../shared/files/linked-files.ts'
import { limits } from '../shared/limits.ts'
import { linksInto, linksTo, openArchive, unpackText } from '../web/home/archive.ts'
import { rewritten } from '../shared/markdown/links-in-text.ts'
import { listZip, unpack } from '../web/home/zip.ts'
import { png } from './support/media.ts'

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const zipped = (files: Zippable): Uint8Array<ArrayBuffer> => new Uint8Array(zipSync(files))
const fileOf = (bytes: Uint8Array<ArrayBuffer>): File => new File([bytes], 'lakes.zip')

/** Returns the message with which an archive, or a file in it, is refused. */
const refusal = (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  openArchive(fileOf(bytes)).then(
    (archive) =>
      Promise.all(archive.texts.map((text) => unpackText(archive, text))).then(
        () => 'opened',
        (error: unknown) => (error as Error).message
      ),
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
  const [{ name } = { name: '' }] = archive.texts
  const files = await Promise.all(archive.texts.map((each) => unpackText(archive, each)))
  expect(files.map((file) => file.name)).toEqual(['in/Lakes of the North.md'])
  expect(await files[0]?.text()).toBe(text)
  const links = linksInto(archive, name, text)
  expect(links.map(({ from, to, entry, written }) => [text.slice(from, to), entry.name, written('')])).toEqual([
    ['files/a%20b.png', 'in/files/a b.png', ''],
    ['<../über.jpeg#x>', 'über.jpeg', '#x']
  ])
  const [picture, other] = await Promise.all(links.map(({ entry }) => unpack(archive.blob, entry)))
  expect(picture).toEqual(png())
  expect(other).toEqual(bytesOf('u'.repeat(1000)))
})

test('[EXPORT-7] an archive without a Markdown file is refused, with the next step', async () => {
  expect(await refusal(zipped({ 'a.png': png() }))).toMatch(/“lakes.zip” contains no Markdown file. Choose an archive/)
})

test('[IMPORT-23] an archive has several texts; a damaged one is named, and the others can be read', async () => {
  const bytes = zipped({ 'a.md': bytesOf('![p](p.png)'), 'b/c.markdown': [bytesOf('![p](../p.png)'), { level: 0 }], 'p.png': png() })
  bytes.set(bytesOf('?'), Buffer.from(bytes.buffer).indexOf('../p.png'))
  const archive = await openArchive(fileOf(bytes))
  const [one, other] = archive.texts
  if (one === undefined || other === undefined) throw new Error('too few texts')
  expect(await (await unpackText(archive, one)).text()).toBe('![p](p.png)')
  await expect(unpackText(archive, other)).rejects.toThrow('“b/c.markdown”: The file is damaged.')
  expect(linksInto(archive, 'b/c.markdown', '![p](../p.png)').map(({ entry }) => entry.name)).toEqual(['p.png'])
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
  expect(linksInto(archive, 'one.md', text)).toEqual([])
})

test.each([
  ['[b](sub/beta.md) [c](../c.md)', '[b](/d/B) [c](../c.md)'],
  ['[b](./sub/beta.md?x=1#a-part) [p](<sub/beta.md#a (part)>)', '[b](/d/B#a-part) [p](/d/B#a%20%28part%29)'],
  ['[b]\n\n[b]: sub/beta.md "B"', '[b]\n\n[b]: /d/B "B"'],
  ['<a href="sub/beta.md#x">b</a> [me](alpha.md#top)', '<a href="/d/B#x">b</a> [me](/d/A#top)'],
  ['`[b](sub/beta.md)` ![b](sub/beta.md) [b](https://a.example/beta.md) [#](#x)', undefined],
  ['[b](/sub/beta.md) [b](SUB/Beta.md) [b](sub/beta)', '[b](/d/B) [b](/d/B) [b](/d/B)']
])('[IMPORT-25] in a file of an archive, %j becomes %j', (content, expected) => {
  const documents = new Map([
    ['alpha.md', 'A'],
    ['sub/beta.md', 'B']
  ])
  const files = indexFiles([...documents.keys()].map((path) => ({ path })))
  expect(rewritten(content, linksTo(documents, files, 'alpha.md', content))).toBe(expected ?? content)
})

test.each([
  ['See [[beta]] and [[Beta#First part|the part]].', 'See [beta](/d/B) and [the part](/d/B#first-part).'],
  ['[[sub/beta#A#B]] ![[beta]] | [[beta\\|b]] |', '[sub/beta › A › B](/d/B#b) [beta](/d/B) | [b](/d/B) |'],
  ['![[lake.png|300]] [[lake.png]]', '![lake|300](/f/1.png) [lake.png](/f/1.png)'],
  [
    '![[lake.png|The lake]] ![[lake.png|The lake|300x20]] ![[lake.png]]',
    '![The lake](/f/1.png) ![The lake|300x20](/f/1.png) ![lake](/f/1.png)'
  ],
  ['| ![[lake.png\\|300]] | 7 |', '| ![lake\\|300](/f/1.png) | 7 |'],
  ['![[lake.png|Lake 7]]', '![Lake 7](/f/1.png)'],
  ['[[Gamma]] `[[beta]]` [[#Here]] [[beta#^block]]', '[[Gamma]] `[[beta]]` [[#Here]] [beta](/d/B)']
])('[IMPORT-26] in a file of a vault, %j becomes %j', async (content, expected) => {
  const bytes = zipped({ 'alpha.md': bytesOf(content), 'sub/beta.md': bytesOf('# Beta'), 'img/lake.png': png() })
  const archive = await openArchive(fileOf(bytes))
  const documents = new Map([['sub/beta.md', 'B']])
  const media = linksInto(archive, 'alpha.md', content).map(({ from, to, written }) => ({ from, to, insert: written('/f/1.png') }))
  const changes = [...media, ...linksTo(documents, archive.files, 'alpha.md', content)].toSorted((one, other) => one.from - other.from)
  expect(rewritten(content, changes)).toBe(expected)
})
