import { chmod, cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Finding } from '../server/admin/examining.ts'
import { png } from './support/media.ts'
import { runAdmin, startAdmin } from './support/operator.ts'
import { startProcess } from './support/start.ts'
import { createDocument, putMarkdown } from './support/typist.ts'
import { ask } from './support/world.ts'

const golden = join(import.meta.dirname, 'golden/format-1')

const goldenCopy = async (): Promise<string> => {
  const base = await mkdtemp(join(tmpdir(), 'agmd-operating-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const folder = join(base, 'data')
  await cp(golden, folder, { recursive: true })
  await chmod(folder, 0o700)
  await chmod(join(folder, 'secret'), 0o600)
  return folder
}

const examined = async (env: Record<string, string>): Promise<{ exitCode: number | undefined; findings: Finding[] }> => {
  const { output, exitCode } = await runAdmin(['doctor', '--json'], { AGMD_PORT: '0', ...env })
  return { exitCode, findings: JSON.parse(output).findings }
}
const found = (findings: readonly Finding[], part: string): string[] =>
  findings.filter((finding) => finding.part === part).map(({ state, message }) => `${state}: ${message}`)

test('[DOCTOR-1] [DOCTOR-4] [RETAIN-9] doctor finds no problem in an intact installation, even while its server runs', async () => {
  const server = await startProcess({ env: { AGMD_STORAGE: '' } })
  onTestFinished(() => server.stop())
  await createDocument(server.url, 'one\n')
  const env = { AGMD_DATA_DIR: server.folder, AGMD_PORT: String(server.port) }
  const place = join(server.folder, '..', `${server.port}.tar`)
  onTestFinished(() => rm(place, { force: true }))
  expect((await startAdmin(['backup', '--to', place], env).outcome).code).toBe(0)
  const { code, out } = await startAdmin(['doctor', '--json'], { ...env, AGMD_BACKUP: place, AGMD_HISTORY_DAYS: '30' }).outcome
  const { findings } = JSON.parse(out) as { findings: Finding[] }
  expect(code).toBe(0)
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([])
  expect(findings.find(({ part }) => part === 'history')?.message).toContain('older than 30 days')
  expect(findings.map(({ part }) => part)).toEqual([
    'program',
    'settings',
    'data folder',
    'disk',
    'secret',
    'store',
    'history',
    'backups',
    'server',
    'address'
  ])
})

test.each<[string, string, (folder: string) => Promise<Record<string, string>>, string]>([
  ['a wrong setting', 'settings', async () => ({ AGMD_PORT: 'x' }), 'problem: AGMD_PORT is "x"'],
  ['an unknown setting', 'settings', async () => ({ AGMD_PROT: '1' }), 'warning: AGMD_PROT is not a setting'],
  [
    'an administrator without an account',
    'administrators',
    async () => ({ AGMD_ADMINS: 'ghost@example.org' }),
    'warning: AGMD_ADMINS names ghost'
  ],
  ['a missing folder', 'data folder', async (folder) => ({ AGMD_DATA_DIR: `${folder}-none` }), 'warning: '],
  ['an open folder', 'data folder', async (folder) => (await chmod(folder, 0o755), {}), 'warning: Other users'],
  [
    'a folder of a newer format',
    'data folder',
    async (folder) => (await writeFile(join(folder, 'instance.json'), '{"format":9,"instance":"x"}'), {}),
    'problem: '
  ],
  [
    'a secret that others can read',
    'secret',
    async (folder) => (await chmod(join(folder, 'secret'), 0o644), {}),
    'warning: Other users can read'
  ],
  ['a missing secret', 'secret', async (folder) => (await rm(join(folder, 'secret')), {}), 'problem: '],
  ['a damaged store', 'store', async (folder) => (await writeFile(join(folder, 'store', 'data.mdb'), 'x'.repeat(9000)), {}), 'problem: '],
  [
    'an unreachable PostgreSQL',
    'store',
    async () => ({ AGMD_STORAGE: 'postgres://a@127.0.0.1:1/b' }),
    'problem: PostgreSQL cannot be reached'
  ],
  [
    'an unreachable bucket',
    'store',
    async () => ({ AGMD_BLOBS: 's3://a:b@127.0.0.1:1/bucket?tls=off' }),
    'problem: The object store cannot be reached'
  ],
  [
    'no backup',
    'backups',
    async (folder) => (await mkdir(join(folder, '..', 'none')), { AGMD_BACKUP: join(folder, '..', 'none') }),
    'problem: '
  ],
  [
    'a damaged newest backup',
    'backups',
    async (folder) => {
      const place = join(folder, '..', 'place')
      await runAdmin(['backup', '--to', place], { AGMD_DATA_DIR: folder })
      const [newest] = await readdir(join(place, 'snapshots'))
      await writeFile(join(place, 'snapshots', newest!), 'x')
      return { AGMD_BACKUP: place }
    },
    'problem: The newest backup in'
  ],
  ['no TLS', 'address', async () => ({ AGMD_BASE_URL: 'http://docs.invalid' }), 'warning: http://docs.invalid is not encrypted'],
  ['no trusted proxy', 'address', async () => ({ AGMD_BASE_URL: 'https://docs.invalid' }), 'warning: AGMD_BASE_URL uses https']
])('[DOCTOR-2] doctor reports %s with the next step', { timeout: 60_000 }, async (_what, part, change, says) => {
  const folder = await goldenCopy()
  const { exitCode, findings } = await examined({ AGMD_DATA_DIR: folder, ...(await change(folder)) })
  const finding = findings.find((each) => each.part === part && each.state !== 'ok')
  expect(found(findings, part).join('\n')).toContain(says)
  expect(finding?.next).toBeTruthy()
  expect(exitCode).toBe(findings.some(({ state }) => state === 'problem') ? 1 : 0)
})

test('[DOCTOR-3] doctor distinguishes a free port from a port that another program uses', async () => {
  const folder = await goldenCopy()
  const other = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const env = { AGMD_DATA_DIR: folder, AGMD_PORT: String((other.address() as AddressInfo).port) }
  other.on('connection', (socket) => socket.destroy())
  expect(found((await examined(env)).findings, 'server').join()).toContain('problem: Another program uses port')
  await new Promise((resolve) => other.close(resolve))
  expect(found((await examined(env)).findings, 'server').join()).toContain('warning: The server does not run')
})

test('[ADMIN-6] config --dump prints every setting with its source, and masks secrets', async () => {
  const secret = 'a secret of more than 32 characters'
  const env = { AGMD_PORT: '81', AGMD_SECRET: secret, AGMD_STORAGE: 'postgres://u:pass%40word@db:5432/docs', AGMD_BACKUP: '/mnt/backups' }
  const { output, exitCode } = await runAdmin(['config', '--dump', '--json'], env)
  const { settings } = JSON.parse(output) as { settings: { name: string; value: string | null; source: string }[] }
  expect(exitCode).toBe(0)
  expect(settings.filter(({ source }) => source !== 'default')).toEqual([
    { name: 'AGMD_PORT', value: '81', source: 'environment' },
    { name: 'AGMD_STORAGE', value: 'postgres://***@db:5432/docs', source: 'environment' },
    { name: 'AGMD_SECRET', value: '***', source: 'environment' },
    { name: 'AGMD_BACKUP', value: '/mnt/backups', source: 'environment' }
  ])
  expect(settings).toContainEqual({ name: 'AGMD_HOST', value: '127.0.0.1', source: 'default' })
  const wrong = await runAdmin(['config', '--dump'], { AGMD_PORT: 'x' })
  expect(wrong).toMatchObject({ exitCode: 78, output: expect.stringContaining('AGMD_PORT is "x"') })
})

test('[GC-1] gc lists blobs without a record and remains of interrupted writes, removes them only with --delete, and spares new uploads', async () => {
  const base = await mkdtemp(join(tmpdir(), 'agmd-gc-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const folder = join(base, 'data')
  const server = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  const target = await createDocument(server.url, 'one\n')
  await ask(server.url, 'POST', `/api/docs/${target.doc}/assets`, { key: target.key, body: png(), type: 'image/png' })
  const [old, fresh] = ['oldoldoldoldoldoldoldold', 'freshfreshfreshfreshfres']
  for (const name of [old, fresh]) {
    await mkdir(join(folder, 'blobs', name.slice(0, 2)), { recursive: true })
    await writeFile(join(folder, 'blobs', name.slice(0, 2), name), 'x')
  }
  await writeFile(join(folder, 'blobs', 'new', 'upload'), 'x')
  for (const path of [join(folder, 'blobs', 'ol', old), join(folder, 'blobs', 'new', 'upload')]) await utimes(path, 1, 1)
  const names = async (): Promise<string[]> =>
    (await readdir(join(folder, 'blobs'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
  const env = { AGMD_DATA_DIR: folder, AGMD_STORAGE: '' }
  const listed = await startAdmin(['gc', '--json'], env).outcome
  expect(JSON.parse(listed.out).garbage.map(({ name }: { name: string }) => name)).toEqual([`blob ${old}`, 'blobs/new/upload'])
  expect(await names()).toHaveLength(4)
  await startAdmin(['gc', '--delete'], env).outcome
  expect(await names()).toHaveLength(2)
  expect(await names()).toContain(fresh)
  await server.stop()
})

test('[GC-2] [LOG-11] gc removes old backups with everything that only they use, and the remaining ones can still be restored', async () => {
  const folder = await goldenCopy()
  const [env, place] = [{ AGMD_DATA_DIR: folder }, join(folder, '..', 'place')]
  await runAdmin(['backup', '--to', place], env)
  const server = await startProcess({ folder, env: { AGMD_STORAGE: '', AGMD_LOG_LEVEL: 'info' } })
  await putMarkdown(await createDocument(server.url, 'one\n'), 'two\n')
  await server.kill('SIGTERM')
  await expect.poll(() => server.output()).toContain('"message":"stopped"')
  // A full backup does not need the chunks of the first one.
  await runAdmin(['backup', '--to', place, '--full'], env)
  const collect = async (...words: string[]): Promise<string[]> =>
    JSON.parse((await runAdmin(['gc', '--backups', place, '--keep', '1', '--json', ...words], env)).output).garbage.map(
      ({ name }: { name: string }) => name
    )
  const garbage = await collect()
  expect(garbage.map((name) => name.split('/')[0])).toEqual(['snapshots', 'chunks'])
  expect(await collect('--delete')).toEqual(garbage)
  expect(await collect()).toEqual([])
  expect(JSON.parse((await runAdmin(['verify', place, '--json'], env)).output)).toMatchObject({ ok: true })
  // The setting names the place, too.
  const bySetting = await runAdmin(['gc', '--keep', '1', '--json'], { ...env, AGMD_BACKUP: place })
  expect(JSON.parse(bySetting.output)).toMatchObject({ garbage: [] })
  await expect(runAdmin(['gc', '--keep', '1'], env)).rejects.toThrow('set AGMD_BACKUP')
  await rm(join(place, 'snapshots'), { recursive: true })
  await expect(collect('--delete')).rejects.toMatchObject({ exitCode: 1 })
  for (const keep of ['0', '-1'])
    await expect(runAdmin(['gc', '--backups', place, '--keep', keep], env)).rejects.toMatchObject({
      exitCode: 64,
      message: 'Set --keep to the number of backups to keep, at least 1.'
    })
})
