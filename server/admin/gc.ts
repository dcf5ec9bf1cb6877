/** `npm start -- admin gc`: lists or removes objects that nothing needs, in an installation or in a repository with backups. */
import { systemClock } from '../clock.ts'
import { openRepositoryToWrite, repositoryForms, repositoryAddress } from './backups/repositories.ts'
import { type Garbage, garbageOf, garbageOfBackups } from './collecting.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { openInstallation } from './installation.ts'

const help = `usage: npm start -- admin gc [--delete] [--json]
       npm start -- admin gc [--backups PLACE] --keep NUMBER [--delete] [--json]

Lists the assets that no document uses, and the remains of interrupted writes. With --keep, lists all backups except the newest NUMBER, and the
objects that only they need. Removes the listed objects only with --delete. It works while the server runs.

${repositoryForms}

  --backups PLACE  the place of the backups
  --keep NUMBER    work on backups instead of the data folder; keep this number of them, at least 1
  --delete         remove the listed objects
  --json           print the result as JSON

Do not run this command on a bucket while a backup writes to it. A folder has a lock, which refuses the second command.`

const keepOf = (text: string | undefined): number => {
  const keep = Number(text)
  if (!Number.isSafeInteger(keep) || keep < 1) throw new AdminError('Set --keep to the number of backups to keep, at least 1.')
  return keep
}

const run: Command['run'] = async (words, { settings, progress }) => {
  const { values } = parseWords(help, words, {
    backups: { type: 'string' },
    keep: { type: 'string' },
    delete: { type: 'boolean' },
    json: { type: 'boolean' }
  })
  const { json = false, delete: removes = false } = values
  const config = settings()
  const isOnBackups = values.backups !== undefined || values.keep !== undefined
  const backups = isOnBackups ? repositoryAddress('--backups', values.backups, config.backup) : undefined
  const keep = backups === undefined ? 0 : keepOf(values.keep)
  const installation = await openInstallation(config)
  try {
    if (backups === undefined) return await resultOf(await garbageOf(installation, systemClock.now()), removes, json)
    const repository = await openRepositoryToWrite(backups, installation.instance.instance)
    try {
      const { garbage, damaged } = await garbageOfBackups(repository, keep, progress(json))
      return await resultOf(garbage, removes, json, damaged)
    } finally {
      await repository.close()
    }
  } finally {
    await installation.close()
  }
}

/** `damaged` contains the names of manifests that were skipped. */
const resultOf = async (garbage: readonly Garbage[], removes: boolean, json: boolean, damaged: readonly string[] = []) => {
  if (removes) for (const { remove } of garbage) await remove()
  const listed = garbage.map(({ name, reason }) => ({ name, reason }))
  if (json) return { output: JSON.stringify({ ok: true, deleted: removes, garbage: listed, ...(damaged.length > 0 && { damaged }) }) }
  const lines = listed.map(({ name, reason }) => `${name}  (${reason})`)
  const end = removes
    ? `Removed ${garbage.length} objects.`
    : garbage.length === 0
      ? 'There is nothing to remove.'
      : `Nothing was removed. To remove these ${garbage.length} objects, add --delete.`
  const skipped = damaged.map((name) => `${name} is damaged and was skipped. Remove this file.`)
  return { output: [...lines, ...skipped, end].join('\n') }
}

export const gcCommand: Command = {
  usage: '[--delete]',
  summary: 'list or remove assets and backups that nothing needs',
  help,
  run
}
