/** Folders of jobs: they contain people's files only as long as a job runs. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The process id follows, to identify the owner. */
const prefix = 'agmd-node-'

export const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Removes folders of nodes that were killed. It cannot remove the folders of other users, and need not. */
export const removeLeftFolders = async (): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined)
  }
}
