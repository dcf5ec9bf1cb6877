/** `npm start -- admin restore`: restores a backup into an empty data folder, and into an empty PostgreSQL store if AGMD_STORAGE names one. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Repository } from './backups/repository.ts'
import { openRepository, repositoryForms, repositoryAddress, readManifest, streamAddress } from './backups/repositories.ts'
import { prepareTarget, restoreBackup } from './backups/restore.ts'
import { openTarInput } from './backups/tar-repository.ts'
import { type Command, type CommandContext, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { requireOwner } from './owner.ts'

const help = `usage: npm start -- admin restore [--from PLACE] [--to FOLDER] [--snapshot ID] [--secret FILE] [--json]

Restores a backup into a new or empty data folder. If AGMD_STORAGE is set, the documents go into that PostgreSQL store, which must be empty, and only the
secret and the assets go into the folder. If AGMD_BLOBS is set, the first start moves the assets to the bucket.

${repositoryForms}

  --from PLACE    the place of the backup; - reads a tar file from standard input
  --to FOLDER     the data folder; by default the one in AGMD_DATA_DIR
  --snapshot ID   the backup to restore; by default the newest. npm start -- admin backup --list shows all
  --secret FILE   the file secret, if the backup was made with --without-secret
  --json          print the result as JSON, and the progress as lines of JSON on standard error

A failed restore removes everything that it wrote. After kill -9, run the same command again. Versions, links, sessions and history are restored. Later
changes are lost, except those that open pages still have: pages send them again when they reconnect.

A backup from standard input is first stored in the data folder, so the restore needs space for the data twice.

Examples:
  npm start -- admin restore --from /mnt/backups/agmd --to ./data
  age -d -i KEY agmd.tar.age | npm --silent start -- admin restore --from - --to ./data`

/** Opens the repository of the backup. A used data folder is refused before standard input is read. */
const openSource = async (from: string, folder: string, stdin: CommandContext['stdin']): Promise<Repository> => {
  if (from !== streamAddress) return openRepository(from)
  await prepareTarget(folder)
  return openTarInput(stdin, folder)
}

/** The next step after a restore. Operators often restore as root, although another user runs the server. */
const nextStep = (folder: string, config: Config): string => {
  const start = folder === config.dataDir ? 'Start the server.' : `Start the server with AGMD_DATA_DIR=${folder}.`
  if (process.getuid?.() !== 0) return start
  return `All files belong to root. If another user runs the server, run: chown -R USER ${folder}\n${start}`
}

const secretOf = async (file: string | undefined, config: Config): Promise<Uint8Array | undefined> => {
  if (config.secret !== null) return Buffer.from(config.secret)
  if (file === undefined) return undefined
  try {
    return Buffer.from((await readFile(file, 'utf8')).trim(), 'base64url')
  } catch (error) {
    throw new AdminError(`${file} cannot be read. Pass the file \`secret\` of the data folder with --secret FILE.`, { cause: error })
  }
}

const run: Command['run'] = async (words, { settings, version, progress, stdin }) => {
  const { values } = parseWords(help, words, {
    from: { type: 'string' },
    to: { type: 'string' },
    snapshot: { type: 'string' },
    secret: { type: 'string' },
    json: { type: 'boolean' }
  })
  const config = settings()
  const { json = false } = values
  const folder = values.to === undefined ? config.dataDir : resolve(values.to)
  requireOwner(folder, { orParent: true })
  const repository = await openSource(repositoryAddress('--from', values.from, config.backup), folder, stdin)
  try {
    const manifest = await readManifest(repository, values.snapshot)
    const secret = await secretOf(values.secret, config)
    const onProgress = progress(json)
    const restored = await restoreBackup({ repository, manifest, folder, url: config.storage, secret, version, onProgress })
    const { records, blobs, missingBlobs } = restored
    if (json)
      return { output: JSON.stringify({ ok: true, id: manifest.id, createdAt: manifest.createdAt, folder, records, blobs, missingBlobs }) }
    const missing = missingBlobs.length === 0 ? '' : ` The backup did not have ${missingBlobs.length} damaged assets.`
    const done = `Restored the backup of ${manifest.createdAt} into ${folder}: ${records} records, ${blobs} assets.${missing}`
    return { output: `${done} ${nextStep(folder, config)}` }
  } finally {
    await repository.close()
  }
}

export const restoreCommand: Command = {
  usage: '[--from PLACE] [--to FOLDER]',
  summary: 'restore a backup into an empty data folder',
  help,
  run
}
