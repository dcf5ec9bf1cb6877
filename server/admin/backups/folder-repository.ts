/** A folder that holds backups. */
import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lockFolder, syncFolder } from '../../storage/data-folder.ts'
import { AdminError } from '../error.ts'
import { isObjectName, stampName } from './format.ts'
import type { ObjectKind, Repository } from './repository.ts'

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Runs `work`, which reads or writes files of a backup. Converts its errors to an `AdminError` with exit code 1 and a next step. */
export const onFiles = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AdminError) throw error
    const code = codeOf(error)
    const isFull = code === 'ENOSPC' || code === 'EDQUOT'
    const advice = isFull ? 'Free some space there and run the command again.' : 'Check that the path is right and writable.'
    const reason = isFull ? 'the disk is full' : error instanceof Error ? error.message : String(error)
    throw new AdminError(`${path} cannot be used: ${reason}. ${advice} Earlier backups have not changed.`, { exitCode: 1, cause: error })
  }
}

export const ifMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (codeOf(error) === 'ENOENT') return value
    throw error
  }

/** Whether a name belongs to a file that is still being written. No object has such a name. */
const isTemporary = (name: string): boolean => /^\.new-[0-9a-f]{16}$/.test(name)

/**
 * Opens a folder with backups. With `create`, creates a missing folder, and refuses a folder that contains files other than backups. Throws
 * `AdminError`.
 */
export const openFolderRepository = async (folder: string, { create = false } = {}): Promise<Repository> => {
  // Two commands that write to the same folder would remove each other's files.
  if (create) await onFiles(folder, () => refuseOtherFiles(folder))
  const release = create ? await lockFolder(folder) : undefined
  if (create)
    await onFiles(folder, () => prepare(folder)).catch(async (error: unknown) => {
      await release?.()
      throw error
    })
  const pathOf = (name: string): string => {
    if (!isObjectName(name)) throw new Error(`${name} is not the name of a backup object`)
    return join(folder, name)
  }
  const known = new Set<string>()

  const makeFolder = async (path: string): Promise<void> => {
    if (known.has(path)) return
    const created = await mkdir(path, { recursive: true, mode: 0o700 })
    if (created !== undefined) await syncFolder(dirname(created))
    known.add(path)
  }

  const names = (kind: ObjectKind): Promise<string[]> =>
    onFiles(folder, async () => {
      const found = await readdir(join(folder, kind), { recursive: true, withFileTypes: true }).catch(ifMissing([]))
      const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      return paths.filter(isObjectName).sort()
    })

  return {
    shown: folder,
    names,
    async sizes(kind) {
      const sizes = new Map<string, number>()
      for (const name of await names(kind)) sizes.set(name, (await onFiles(folder, () => stat(pathOf(name)))).size)
      return sizes
    },
    find: (name) => onFiles(folder, () => readFile(pathOf(name)).catch(ifMissing(undefined))),
    write: (name, content) =>
      onFiles(folder, async () => {
        const parent = dirname(pathOf(name))
        await makeFolder(parent)
        const temporary = join(folder, `.new-${randomBytes(8).toString('hex')}`)
        try {
          await writeSynced(temporary, content)
          await rename(temporary, pathOf(name))
        } catch (error) {
          await rm(temporary, { force: true })
          throw error
        }
        await syncFolder(parent)
      }),
    remove: (name) => onFiles(folder, () => rm(pathOf(name), { force: true })),
    finish: () => Promise.resolve(),
    close: async () => release?.()
  }
}

/** Writes a new file that only its owner can read, and waits until it is on disk. */
export const writeSynced = async (path: string, content: Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Returns the names in a folder. Throws `AdminError` if some of them are not from a backup. */
const refuseOtherFiles = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(ifMissing([]))
  const others = names.filter((name) => !isTemporary(name) && name !== 'lock')
  if (others.length > 0 && !others.includes(stampName))
    throw new AdminError(
      `${folder} has files that are not from a backup, such as ${JSON.stringify(others[0])}. Choose an empty or new folder.`,
      {
        exitCode: 1
      }
    )
  return names
}

const prepare = async (folder: string): Promise<void> => {
  const names = await refuseOtherFiles(folder)
  // An interrupted backup left these files behind.
  for (const name of names.filter(isTemporary)) await rm(join(folder, name), { force: true })
}
