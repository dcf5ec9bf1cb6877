import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readInstance, writeInstance } from '../server/storage/data-folder.ts'
import { openDatabase, readIdentity } from '../server/storage/lmdb-database.ts'
import { type UpgradeStep, upgradeStore } from '../server/storage/lmdb-upgrade.ts'

const goldenCopy = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-upgrade-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await cp(join(import.meta.dirname, 'golden/format-1'), folder, { recursive: true })
  return folder
}

const mark = Buffer.from(' upgraded\0')
const key = Buffer.from('\0instance')

/** Upgrades the store with these steps, as a start does. Returns its format and the mark of the step. */
const upgraded = async (folder: string, steps: readonly UpgradeStep[]) => {
  const database = openDatabase(join(folder, 'store'), false)
  try {
    const { format } = readIdentity(database)!
    // The format in instance.json may be newer than the one of this program, which only these tests allow.
    const instance = JSON.parse(JSON.stringify(await readInstance(folder).catch(() => ({ ...first, format: 2 })))) as typeof first
    const error = await upgradeStore({ folder, instance, database, identity: { key, format }, steps }).catch((reason: unknown) => reason)
    return { error, format: readIdentity(database)?.format, mark: database.getBinary(mark)?.toString() }
  } finally {
    await database.close()
  }
}
const first = (await readInstance(join(import.meta.dirname, 'golden/format-1')))!
const write =
  (text: string): UpgradeStep =>
  (database) => {
    database.putSync(mark, Buffer.from(text))
  }

test('[UPGRADE-1] a step and the new format are one commit, even after an error and after kill -9', async () => {
  const folder = await goldenCopy()
  const failing: UpgradeStep = (database) => {
    write('half')(database)
    throw new Error('the step failed')
  }
  expect(await upgraded(folder, [failing])).toMatchObject({ error: expect.any(Error), format: 1, mark: undefined })
  const killed = spawnSync(process.execPath, [join(import.meta.dirname, 'support/upgrading-process.ts'), folder])
  expect(killed.signal).toBe('SIGKILL')
  expect(await upgraded(folder, [])).toMatchObject({ format: 1, mark: undefined })
  expect(await upgraded(folder, [write('once')])).toMatchObject({ error: undefined, format: 2, mark: 'once' })
  await expect(readInstance(folder), 'this version refuses the newer format').rejects.toMatchObject({ exitCode: 4 })
})

test('[UPGRADE-2] after a kill between the store and instance.json, only instance.json is written', async () => {
  const folder = await goldenCopy()
  await upgraded(folder, [write('once')])
  await writeInstance(folder, { ...first, format: 1 })
  expect(await upgraded(folder, [write('twice')])).toMatchObject({ error: undefined, format: 2, mark: 'once' })
  await expect(readInstance(folder)).rejects.toMatchObject({ exitCode: 4 })
})
