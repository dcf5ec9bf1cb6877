/** `npm start -- admin backup`: makes a backup, even while the server runs, or lists the backups in a repository. */
import { isAbsolute, relative, resolve } from 'node:path'
import { ServiceError } from '../../shared/errors.ts'
import { systemClock } from '../clock.ts'
import { checkStore } from '../storage/check.ts'
import { DataFolderError } from '../storage/data-folder.ts'
import { type Made, makeBackup } from './backups/make.ts'
import type { Manifest } from './backups/format.ts'
import {
  readSnapshots,
  openRepository,
  openRepositoryToWrite,
  openStreamToWrite,
  repositoryForms,
  repositoryAddress,
  streamAddress
} from './backups/repositories.ts'
import { type Command, type CommandContext, type CommandResult, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { openInstallation } from './installation.ts'
import { bytesText, columns, timeText } from './subcommands.ts'

const help = `usage: npm start -- admin backup [--to PLACE] [--full] [--without-secret] [--list] [--json]

Makes a backup of all documents, accounts and assets. It works while the server runs. The backup is a snapshot of one instant: it contains everything
that the server acknowledged before the command began.

${repositoryForms}

  --to PLACE        where to put the backup; - writes a tar file to standard output, and the result to standard error
  --full            write all records instead of the changes since an earlier backup. Deleted text stays in older parts until then. It also
                    reads the parts that it uses again, and replaces damaged ones
  --without-secret  leave out the file secret, which the backup includes by default. Anyone who can read a backup with the secret can open every
                    document. Keep a copy of the secret elsewhere: without it, links and sessions do not work after a restore
  --list            list the backups in the place, without making one
  --json            print the result as JSON, and the progress as lines of JSON on standard error

You can interrupt the command, even with kill -9. Earlier backups do not change. The next backup uses the data that was already written.

Examples:
  npm start -- admin backup --to /mnt/backups/agmd
  npm start -- admin backup --to agmd-$(date +%F).tar
  npm --silent start -- admin backup --to - | age -r RECIPIENT > agmd.tar.age`

const kindOf = ({ changes }: Manifest): 'full' | 'incremental' => (changes === undefined ? 'full' : 'incremental')

const resultOf = ({ manifest, writtenBytes, unchangedSince }: Made, shown: string, json: boolean, isStream: boolean): CommandResult => {
  const { id, records, bytes, blobs, damagedBlobs, secretIn, createdAt } = manifest
  const exitCode = damagedBlobs.length > 0 ? 3 : 0
  if (json)
    return {
      output: JSON.stringify({
        ok: exitCode === 0,
        id,
        kind: kindOf(manifest),
        place: shown,
        createdAt,
        records,
        bytes,
        blobs,
        writtenBytes,
        secretIn,
        damagedBlobs
      }),
      exitCode
    }
  const secret = {
    file: 'It includes the secret, so anyone who can read it can open every document.',
    'left out': 'It does not include the secret. Keep a copy of the file secret elsewhere.',
    AGMD_SECRET: 'It does not include AGMD_SECRET. Keep a copy of this setting elsewhere.'
  }[secretIn]
  const where = isStream ? 'went to' : 'is in'
  const done = `The ${kindOf(manifest)} backup ${id} ${where} ${shown}: ${records} records, ${blobs.count} assets, ${writtenBytes} bytes written.`
  const same = unchangedSince === undefined ? '' : ` Nothing has changed since ${unchangedSince}; the backup wrote 0 bytes.`
  const lines = [`${done}${same} ${secret}`]
  if (damagedBlobs.length > 0)
    lines.push(
      `These assets are missing or damaged in the installation, and are not in the backup: ${damagedBlobs.join(', ')}. Run: npm start -- admin verify`
    )
  return { output: lines.join('\n'), exitCode }
}

const list = async (text: string, json: boolean): Promise<CommandResult> => {
  const repository = await openRepository(text)
  try {
    const snapshots = await readSnapshots(repository)
    const ids = snapshots.map(({ id }) => id)
    const damaged = snapshots.filter(({ manifest }) => manifest === undefined).map(({ id }) => id)
    if (json) return { output: JSON.stringify({ ok: damaged.length === 0, place: repository.shown, backups: ids, damaged }) }
    if (ids.length === 0) return { output: `There is no complete backup in ${repository.shown}.` }
    const rows: string[][] = []
    for (const { id, manifest } of snapshots) {
      if (manifest === undefined) {
        rows.push([id, '', 'damaged', '', '', '', ''])
        continue
      }
      const { createdAt, records, bytes, blobs, secretIn } = manifest
      rows.push([
        id,
        timeText(createdAt),
        kindOf(manifest),
        String(records),
        String(blobs.count),
        bytesText(bytes + blobs.bytes),
        secretIn === 'file' ? 'yes' : 'no'
      ])
    }
    return { output: columns([['BACKUP', 'MADE (UTC)', 'KIND', 'RECORDS', 'ASSETS', 'SIZE', 'SECRET'], ...rows]) }
  } finally {
    await repository.close()
  }
}

/** Rethrows the error. If the store is damaged, explains this to the operator and sets exit code 3. */
const explained = (error: unknown): never => {
  const isDamaged =
    (error instanceof ServiceError && error.code === 'storage_corrupt') || (error instanceof DataFolderError && error.exitCode === 3)
  if (!isDamaged) throw error
  const reason = error instanceof DataFolderError ? error.message : 'The store has a damaged record.'
  const next = 'No backup was made, and earlier backups have not changed. Restore one: npm start -- admin restore --help'
  throw new AdminError(`${reason} To see the damage: npm start -- admin verify. ${next}`, { exitCode: 3, cause: error })
}

/** Throws `AdminError` if the repository is inside the data folder. Such a backup would be lost together with the data. */
const refuseInside = (folder: string, repository: string): void => {
  const path = relative(folder, resolve(repository))
  if (repository === streamAddress || repository.startsWith('s3:') || path.startsWith('..') || isAbsolute(path)) return
  throw new AdminError(`${repository} is inside the data folder. Choose a place on another disk or machine.`)
}

const refuseTerminal = (to: string, { isTTY = false }: CommandContext['stdout']): void => {
  if (to === streamAddress && isTTY)
    throw new AdminError('A backup is binary data. Redirect standard output to a file or to another program.')
}

const run: Command['run'] = async (words, { settings, version, progress, stdout }) => {
  const { values } = parseWords(help, words, {
    to: { type: 'string' },
    full: { type: 'boolean' },
    'without-secret': { type: 'boolean' },
    list: { type: 'boolean' },
    json: { type: 'boolean' }
  })
  const config = settings()
  const { json = false, full = false } = values
  const to = repositoryAddress('--to', values.to, config.backup)
  if (values.list === true) return list(to, json)
  refuseTerminal(to, stdout)
  refuseInside(config.dataDir, to)
  // A damaged LMDB file can crash the process that reads it, so a child process reads it first.
  if (config.storage === null) await checkStore(config.dataDir).catch(explained)
  const now = systemClock.now()
  const installation = await openInstallation(config)
  try {
    const { instance } = installation.instance
    const onStderr = to === streamAddress
    const repository = onStderr ? await openStreamToWrite(stdout, instance) : await openRepositoryToWrite(to, instance)
    try {
      const withSecret = values['without-secret'] !== true
      const onProgress = progress(json)
      const made = await makeBackup({ installation, repository, version, withSecret, full, onProgress, now }).catch(explained)
      return { ...resultOf(made, repository.shown, json, onStderr), onStderr }
    } finally {
      await repository.close()
    }
  } finally {
    await installation.close()
  }
}

export const backupCommand: Command = {
  usage: '[--to PLACE]',
  summary: 'back up everything while the server runs, or list the backups',
  help,
  run
}
