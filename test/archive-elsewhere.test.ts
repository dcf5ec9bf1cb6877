/** Export and import where the documents are in PostgreSQL and the assets in a bucket. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAccount } from '../server/domain/accounts/accounts.ts'
import { openSession } from '../server/domain/accounts/sessions.ts'
import { folderOf, removeFolders } from './support/archives.ts'
import { png } from './support/media.ts'
import { startObjectStore } from './support/object-store.ts'
import { runAdmin } from './support/operator.ts'
import { freshSchema, noPostgres, sharedCluster } from './support/postgres.ts'
import { removeAll } from './support/start.ts'
import { startWorld } from './support/world.ts'

describe.skipIf(noPostgres !== undefined)('PostgreSQL and a bucket', () => {
  test('[IMPORT-20] a vault is imported, exported and imported again without loss, next to the running servers', async () => {
    const [cluster, bucket] = [await sharedCluster(), await startObjectStore()]
    onTestFinished(() => bucket.stop())
    onTestFinished(removeFolders)
    const place = async (name: string): Promise<Record<string, string>> => {
      const schema = freshSchema()
      const folder = await mkdtemp(join(tmpdir(), 'agmd-elsewhere-'))
      onTestFinished(() => removeAll(folder))
      onTestFinished(() => cluster.sql(`drop schema if exists ${schema} cascade`))
      return { AGMD_DATA_DIR: folder, AGMD_STORAGE: cluster.address(schema), AGMD_BLOBS: bucket.address(name) }
    }
    const [from, to] = [await place('from'), await place('to')]
    const begin = async (env: Record<string, string>) => {
      const world = await startWorld({ folder: env['AGMD_DATA_DIR'] ?? '', env })
      onTestFinished(() => world.stop())
      const account = await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })
      return { world, token: (await openSession(world.service, account?.id ?? '', 'app', 'a test')).token }
    }
    const [first, second] = [await begin(from), await begin(to)]
    const vault = await folderOf({ 'a.md': '# Fox ![p](p.png)\n\nto [[b]]\n', 'b.md': '# Den\n', 'p.png': png() }, 'vault')
    await runAdmin(['import', vault, '--owner', 'ana@example.org', '--write'], from)
    const archive = join(from['AGMD_DATA_DIR'] ?? '', 'all.zip')
    await runAdmin(['export', archive], from)
    await runAdmin(['import', archive, '--write'], to)
    for (const { world, token } of [first, second]) {
      const headers = { Authorization: `Bearer ${token}` }
      const { docs } = (await world.ask('GET', '/api/docs?query=fox', { headers })).json
      expect(docs).toHaveLength(1)
      const content = await (await fetch(`${world.url}/d/${docs[0].id}.md`, { headers })).text()
      const asset = /\((\/f\/[^)]+)\)/.exec(content)?.[1] ?? ''
      expect(Buffer.from(await (await fetch(`${world.url}${asset}`)).arrayBuffer()).equals(Buffer.from(png()))).toBe(true)
    }
    for (const env of [from, to])
      expect(JSON.parse((await runAdmin(['verify', '--json'], env)).output)).toMatchObject({ ok: true, blobs: 1 })
  })
})
