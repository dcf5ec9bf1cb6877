/** Refuses commands that would lock the server out of its own files. */
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AdminError } from './error.ts'

/** Returns the nearest existing folder: the folder itself, or one above it. */
const existing = (folder: string): string =>
  statSync(folder, { throwIfNoEntry: false }) === undefined && dirname(folder) !== folder ? existing(dirname(folder)) : folder

/**
 * Throws `AdminError` if root runs a command for the data folder of another user. The server could not read the files that root creates. With
 * `orParent`, a folder that does not exist yet belongs to the owner of the folder above it.
 */
export const requireOwner = (folder: string, { orParent = false } = {}): void => {
  const found = orParent ? existing(folder) : folder
  const owner = statSync(found, { throwIfNoEntry: false })?.uid
  if (process.getuid?.() !== 0 || owner === undefined || owner === 0) return
  throw new AdminError(
    `${found} belongs to the user with the id ${owner}. Run the command as this user, for example with: setpriv --reuid ${owner} --clear-groups COMMAND`,
    {
      exitCode: 1
    }
  )
}
