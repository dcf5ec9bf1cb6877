/** Temporary folders of jobs. They contain people's files, so they exist only as long as a job runs. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Prefix of the folder names. The process id of the node follows, to identify its owner. */
const prefix = 'agmd-node-'

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Removes the folders of nodes that were killed. Folders of other users are skipped, because this user cannot remove them. */
export const removeLeftFolders = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}
