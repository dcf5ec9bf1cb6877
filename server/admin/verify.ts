/** `npm start -- admin verify`: checks an installation, even while its server runs, or a backup. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { createVault } from '../domain/secrets.ts'
import { checkStore } from '../storage/check.ts'
import { snapshotOfBackup } from './backups/backup-storage.ts'
import { blobName, secretName } from './backups/format.ts'
import { openRepository, readManifest } from './backups/repositories.ts'
import { readBlob } from './blob-records.ts'
import { type Command, type CommandResult, parseWords } from './command.ts'
import { nameOfSecret, openInstallation } from './installation.ts'
import { requireOwner } from './owner.ts'
import type { OnProgress } from './progress.ts'
import { type Report, verify } from './verifying.ts'

const help = `usage: npm start -- admin verify [WHAT] [--snapshot ID] [--json]

Checks that nothing is missing or damaged. Replays the journal of each document and compares the result with its checkpoint, canonical text and
revisions. Checks the checksum of each record, the counters and links of documents, and the bytes of each asset. It works while the server runs, and
changes nothing.

  WHAT           a data folder, or the place of a backup (a folder, FILE.tar or s3://…); by default the data folder in AGMD_DATA_DIR
  --snapshot ID  the backup to check; by default the newest
  --json         print the result as JSON, and the progress as lines of JSON on standard error

The exit code is 3 if there is a problem.`

const verifyInstallation = async (config: Config, onProgress: OnProgress): Promise<Report> => {
  // A damaged LMDB file can crash the process that reads it, so a child process reads it first.
  if (config.storage === null) await checkStore(config.dataDir)
  const installation = await openInstallation(config)
  try {
    const { snapshot, blobs, secret } = installation
    return await verify({ snapshot, readBlob: (blob) => readBlob(blobs, blob), vault: createVault(secret), onProgress })
  } finally {
    await installation.close()
  }
}

const verifyBackup = async (text: string, id: string | undefined, config: Config, onProgress: OnProgress): Promise<Report> => {
  const repository = await openRepository(text)
  try {
    const manifest = await readManifest(repository, id)
    const file = await repository.find(secretName(manifest.secret))
    const inPlace = file && Buffer.from(Buffer.from(file).toString().trim(), 'base64url')
    const isWrong = inPlace !== undefined && nameOfSecret(inPlace) !== manifest.secret
    const secret = inPlace ?? (config.secret === null ? null : Buffer.from(config.secret))
    const report = await verify({
      snapshot: snapshotOfBackup(repository, manifest),
      readBlob: async (blob) => repository.find(blobName(blob.name)),
      vault: secret === null || isWrong ? null : createVault(secret),
      onProgress
    })
    if (manifest.secretIn !== 'file' || (inPlace !== undefined && !isWrong)) return report
    const problem = `The secret ${secretName(manifest.secret)} is ${isWrong ? 'damaged' : 'missing'}, and a restore needs it. Keep the file secret of the data folder: restore can read it with --secret FILE.`
    return { ...report, problemCount: report.problemCount + 1, problems: [problem, ...report.problems] }
  } finally {
    await repository.close()
  }
}

const hints = {
  installation: 'Keep this copy, and restore a backup without problems: npm start -- admin restore --help',
  backup:
    'This backup is damaged. Check an older one (npm start -- admin verify PLACE --snapshot ID), and make a new one with all parts: npm start -- admin backup --full'
} as const

const resultOf = (report: Report, json: boolean, what: keyof typeof hints): CommandResult => {
  const { records, documents, blobs, problemCount, problems } = report
  const exitCode = problemCount === 0 ? 0 : 3
  if (json) return { output: JSON.stringify({ ok: exitCode === 0, ...report }), exitCode }
  const checked = `Checked ${records} records, ${documents} documents and ${blobs} assets.`
  if (problemCount === 0) return { output: `${checked} No problems were found.`, exitCode }
  const more = problemCount > problems.length ? [`… and ${problemCount - problems.length} more.`] : []
  const count = problemCount === 1 ? 'There is 1 problem:' : `There are ${problemCount} problems:`
  return { output: [`${checked} ${count}`, ...problems, ...more, hints[what]].join('\n'), exitCode }
}

const run: Command['run'] = async (words, { settings, progress }) => {
  const { values, positionals } = parseWords(help, words, { snapshot: { type: 'string' }, json: { type: 'boolean' } }, 1)
  const config = settings()
  const { json = false } = values
  const onProgress = progress(json)
  const [what] = positionals
  const isInstallation = what === undefined || existsSync(join(resolve(what), 'instance.json'))
  if (isInstallation) {
    const dataDir = what === undefined ? config.dataDir : resolve(what)
    requireOwner(dataDir)
    return resultOf(await verifyInstallation({ ...config, dataDir }, onProgress), json, 'installation')
  }
  return resultOf(await verifyBackup(what, values.snapshot, config, onProgress), json, 'backup')
}

export const verifyCommand: Command = {
  usage: '[WHAT]',
  summary: 'check an installation or a backup for damage',
  help,
  run
}
