/** Temporary folders for jobs and for the engines that do them. They contain people's files, so each exists only while its job runs. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Prefix of the folder names. The node's process id follows it and shows which node owns the folder. */
const prefix = 'agmd-node-'

/** Calls `use` with the path of a new folder, and removes the folder when `use` has ended. Throws the errors of `use` and of the disk. */
export const withFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Removes folders that killed nodes left behind. Folders of other users are skipped, because this user cannot remove them. */
export const removeLeftFolders = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}
