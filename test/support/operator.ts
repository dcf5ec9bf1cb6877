/** An operator who runs admin commands: in a separate process, as `npm start -- admin` does, or in the process of the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { PassThrough, Readable } from 'node:stream'
import { admin } from '../../server/admin.ts'
import type { CommandContext, CommandResult } from '../../server/admin/command.ts'
import type { OnProgress } from '../../server/admin/progress.ts'
import { readConfig } from '../../server/config.ts'
import { serverMain } from './server-main.ts'

export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

type Env = Readonly<Record<string, string>>

/** Starts a command in a separate process, which may read the store of a running server. */
export const startAdmin = (words: readonly string[], env: Env): { child: ChildProcess; outcome: Promise<Outcome> } => {
  const child = spawn(process.execPath, [serverMain, 'admin', ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  const outcome = new Promise<Outcome>((resolve) => child.once('close', (code) => resolve({ code, out, err })))
  return { child, outcome }
}

/** Returns an empty standard input, and a standard output that nobody reads. */
export const emptyStreams = (): Pick<CommandContext, 'stdin' | 'stdout'> => ({ stdin: Readable.from([]), stdout: new PassThrough() })

/** Runs a command in this process. Use it only for data folders that no server in this process has open. Throws the errors of the command. */
export const runAdmin = (
  words: readonly string[],
  env: Env,
  onProgress: OnProgress = () => undefined,
  input = '',
  streams: Partial<Pick<CommandContext, 'stdin' | 'stdout'>> = {}
): Promise<CommandResult> =>
  admin(words, {
    env,
    version: 'test',
    progress: () => onProgress,
    input: async () => input,
    ...emptyStreams(),
    ...streams,
    settings: () => readConfig(env, { isTty: false }).config
  })
