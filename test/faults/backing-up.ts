/** Makes backups one after another while people type and programs write, and compares each restored backup with the acknowledged tokens. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAdmin } from '../support/operator.ts'
import { startProcess } from '../support/start.ts'
import { appendingAgent, countAllTokens, wrongTokens } from '../support/tokens.ts'
import { createDocument, pause, seeded, type Target, TokenLedger, Typist } from '../support/typist.ts'

export interface BackupLoad {
  readonly typists: number
  readonly programs: number
  readonly backups: number
  /** The shortest time from the beginning of one backup to the beginning of the next, in seconds. */
  readonly everySeconds: number
}

/** One backup, after it was restored into an empty folder. */
export interface Round {
  /** The number of tokens that were acknowledged before the backup began. */
  readonly acknowledged: number
  /** The number of tokens that were acknowledged while the command ran. The backup may contain any of them. */
  readonly meanwhile: number
  /** Tokens that were acknowledged before the backup began, but that the restored documents lack. */
  readonly lost: readonly string[]
  /** Tokens that the restored documents contain twice. */
  readonly twice: readonly string[]
  /** The number of tokens in the restored documents. */
  readonly found: number
  /** The number of problems that `admin verify` found in the restored folder. */
  readonly problems: number
  readonly backupSeconds: number
  readonly writtenBytes: number
}

const documentsCount = 4

/** Runs a command and returns its JSON. Throws if the command fails. */
const command = async (words: readonly string[], folder: string): Promise<Record<string, unknown>> => {
  const { code, out, err } = await startAdmin([...words, '--json'], { AGMD_DATA_DIR: folder, AGMD_STORAGE: '' }).outcome
  if (code !== 0 && words[0] !== 'verify') throw new Error(`${words.join(' ')} ended with ${code}: ${err.slice(-500)}`)
  return JSON.parse(out) as Record<string, unknown>
}

/** Restores the newest backup into a new folder, verifies it and counts the tokens that a server reads there. */
const restored = async (place: string, folder: string, targets: readonly Target[]) => {
  await command(['restore', '--from', place, '--to', folder], folder)
  const { problemCount } = await command(['verify', folder], folder)
  const server = await startProcess({ folder, env: { AGMD_STORAGE: '' } })
  const counts = await countAllTokens(targets.map((target) => ({ ...target, url: server.url })))
  await server.stop()
  await rm(folder, { recursive: true, force: true })
  return { problems: Number(problemCount), counts }
}

const oneRound = async (base: string, ledger: TokenLedger, targets: readonly Target[]): Promise<Round> => {
  const place = join(base, 'place')
  const before = new Set(ledger.acknowledged)
  const begun = performance.now()
  const { writtenBytes } = await command(['backup', '--to', place], join(base, 'data'))
  const backupSeconds = (performance.now() - begun) / 1000
  const meanwhile = ledger.acknowledged.size - before.size
  const { problems, counts } = await restored(place, join(base, 'restored'), targets)
  const wrong = wrongTokens(before, counts)
  return { acknowledged: before.size, meanwhile, ...wrong, found: counts.size, problems, backupSeconds, writtenBytes: Number(writtenBytes) }
}

/** Makes the backups, and calls `onRound` after each. Backup, restore and verification run in processes of their own. */
export const backUpUnderLoad = async (load: BackupLoad, onRound: (round: Round) => void = () => undefined): Promise<Round[]> => {
  const base = await mkdtemp(join(tmpdir(), 'agmd-backups-'))
  const server = await startProcess({ folder: join(base, 'data'), env: { AGMD_STORAGE: '' } })
  const ledger = new TokenLedger()
  const random = seeded(1)
  const makeTargets = () => Promise.all(Array.from({ length: documentsCount }, () => createDocument(server.url, '')))
  // People and programs use different documents. A program that always loses against typing would never get a change acknowledged.
  const [typed, replaced] = [await makeTargets(), await makeTargets()]
  const typists = Array.from({ length: load.typists }, (_, at) => new Typist(`c${at}`, typed[at % documentsCount] as Target, ledger))
  for (const typist of typists) typist.connect()
  for (const typist of typists) await typist.whenSynced(60)
  let isRunning = true
  const typing = typists.map(async (typist) => {
    while (isRunning) {
      typist.typeToken(random(typist.text.length + 1))
      await pause(100 + random(200))
    }
  })
  const asking = Array.from({ length: load.programs }, async (_, at) => {
    const agent = appendingAgent(`p${at}`, ledger)
    while (isRunning) {
      await agent.append(replaced[at % documentsCount] as Target)
      await pause(50 + random(100))
    }
  })
  const rounds: Round[] = []
  try {
    await typists[0]?.until(() => ledger.acknowledged.size > 2 * (load.typists + load.programs), 'acknowledged tokens')
    while (rounds.length < load.backups) {
      const [round] = await Promise.all([
        oneRound(base, ledger, [...typed, ...replaced]),
        rounds.length + 1 < load.backups ? pause(load.everySeconds * 1000) : undefined
      ])
      rounds.push(round)
      onRound(round)
    }
  } finally {
    isRunning = false
    await Promise.allSettled([...typing, ...asking])
    for (const typist of typists) typist.destroy()
    await server.stop()
    await rm(base, { recursive: true, force: true })
  }
  return rounds
}
