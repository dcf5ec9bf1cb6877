import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { joined, samples } from '../support/media.ts'
import { type ProcessWorld, startProcess } from '../support/start.ts'
import { createDocument, putMarkdown, readMarkdown, TokenLedger, Typist } from '../support/typist.ts'
import { ask, until } from '../support/world.ts'

/** Mounts a disk of 8 MB. If this machine does not allow that, returns the reason. */
const smallDisk = async (): Promise<{ folder: string; unmount: () => void } | string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-full-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])
  if (mounted.status === 0) return { folder, unmount: () => void spawnSync('umount', [folder]) }
  await rm(folder, { recursive: true, force: true })
  return `a tmpfs cannot be mounted here (${mounted.error?.message ?? mounted.stderr.toString().trim()})`
}

interface SmallDisk {
  readonly server: ProcessWorld
  /** The data folder of the server, on the disk. */
  readonly folder: string
  /** The file that fills the disk. */
  readonly ballast: string
}

/** Runs `use` with a server whose data is on a small disk. Skips the test if this machine cannot mount a small disk. */
const onSmallDisk = async (skip: (reason: string) => void, use: (disk: SmallDisk) => Promise<void>): Promise<void> => {
  const disk = await smallDisk()
  if (typeof disk === 'string') return skip(disk)
  const folder = join(disk.folder, 'data')
  await mkdir(folder)
  const server = await startProcess({ folder })
  try {
    await use({ server, folder, ballast: join(disk.folder, 'ballast') })
  } finally {
    await server.stop()
    disk.unmount()
    await rm(disk.folder, { recursive: true, force: true })
  }
}

test('[FAULT-6] [HEALTH-4] a full disk refuses writes, acknowledges nothing, still answers reads, and accepts writes again once there is space', async ({
  skip
}) => {
  await onSmallDisk(skip, async ({ server, ballast }) => {
    const ledger = new TokenLedger()
    const target = await createDocument(server.url, 'before\n')
    const typist = new Typist('c0', target, ledger)
    typist.connect()
    await typist.whenSynced()
    typist.typeToken(0)
    await typist.whenSettled()
    await writeFile(ballast, Buffer.alloc(8 * 1024 * 1024)).catch(() => undefined)
    let refused = await putMarkdown(target, 'x'.repeat(500_000))
    for (let tries = 0; refused.status === 200 && tries < 20; tries++) refused = await putMarkdown(target, `${tries}`.repeat(500_000))
    expect(refused.status).toBe(507)
    // This text is larger than the space that may still be free inside the file.
    typist.text.insert(0, 'y'.repeat(600_000))
    const late = typist.typeToken(0)
    await typist.until(() => typist.closes.length > 0, 'the close')
    expect([...ledger.acknowledged]).not.toContain(late)
    expect((await readMarkdown(target)).content).not.toContain(late)
    expect(await ask(server.url, 'GET', '/readyz')).toMatchObject({ status: 503, json: { reason: 'full', code: 'storage_full' } })
    await unlink(ballast)
    await until(async () => (await ask(server.url, 'GET', '/readyz')).status === 200, 'readiness')
    await typist.whenSettled(30)
    const { content, version } = await readMarkdown(target)
    expect(content).toContain(late)
    expect((await putMarkdown(target, `${content}after\n`, version)).status).toBe(200)
    typist.destroy()
  })
})

test('[FAULT-8] a disk that fills up during an upload: 507, no partial asset, nothing left behind, and uploads work again once there is space', async ({
  skip
}) => {
  await onSmallDisk(skip, async ({ server, folder, ballast }) => {
    const blobs = async (): Promise<number> => {
      const entries = await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).length
    }
    const { doc, key } = await createDocument(server.url, 'before\n')
    const sound = joined(samples['flac']?.bytes as Uint8Array, new Uint8Array(3 * 1024 * 1024))
    const send = (): ReturnType<typeof ask> => ask(server.url, 'POST', `/api/docs/${doc}/assets`, { key, body: sound, type: 'audio/flac' })
    await writeFile(ballast, Buffer.alloc(5 * 1024 * 1024))
    expect(await send()).toMatchObject({ status: 507, json: { code: 'storage_full' } })
    expect(await blobs()).toBe(0)
    await unlink(ballast)
    const taken = await send()
    expect(taken.status).toBe(201)
    expect((await fetch(taken.json.url)).headers.get('content-length')).toBe(String(sound.length))
  })
})
