/** Refuses commands that would lock the server out of its own files. */
import { statSync } from 'node:fs'
import { AdminError } from './error.ts'

/** Throws `AdminError` if root runs a command for the data folder of another user. The server could not read the files that root creates. */
export const requireOwner = (folder: string): void => {
  const owner = statSync(folder, { throwIfNoEntry: false })?.uid
  if (process.getuid?.() !== 0 || owner === undefined || owner === 0) return
  throw new AdminError(
    `${folder} belongs to the user with the id ${owner}. Run the command as this user, for example with: setpriv --reuid ${owner} --clear-groups COMMAND`,
    {
      exitCode: 1
    }
  )
}
