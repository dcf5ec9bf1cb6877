/** Runs the local programs that do a job's work. */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { nodeFailures } from '../../shared/relay.ts'
import type { Work } from './engine.ts'

/** The reason why a job failed, as it is reported to the service. */
export class JobFailure extends Error {
  readonly code: (typeof nodeFailures)[number]

  constructor(code: (typeof nodeFailures)[number], message: string) {
    super(message)
    this.code = code
  }
}

/** Longest output of a program that is read, in bytes. This is slightly more than the longest text in a response. */
const outputBytesMax = 2 * 1024 * 1024

/** Returns a program's path; undefined if the program is not installed. */
export const find = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * Runs a program without a shell. The program is killed when the job ends. The program puts its own temporary files into `folder`: espeak-ng, for
 * example, creates a folder for PulseAudio and never removes it. Throws `JobFailure` if the program cannot be run, or the reason of `signal` if the
 * signal is aborted.
 */
export const run = (program: string, words: readonly string[], { folder, signal }: Pick<Work, 'folder' | 'signal'>): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const output = { stdout: '', stderr: '' }
    const env = { ...process.env, TMPDIR: folder, XDG_RUNTIME_DIR: folder }
    const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' })
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (output[stream].length < outputBytesMax) output[stream] += text
      })
    child.once('error', (error) => {
      if (!signal.aborted || child.pid === undefined) reject(new JobFailure('engine_unavailable', `${program}: ${error.message}`))
      // The killed program may write until it has ended. Its folder is removed after that.
      else child.once('exit', () => reject(signal.reason as Error))
    })
    child.once('close', (code) => resolve({ code, ...output }))
  })

/** Shortens a path to its last part. */
const withoutFolders = (path: string): string => {
  const [from, to] = [path.indexOf('/'), path.lastIndexOf('/')]
  return from < to ? path.slice(0, from) + path.slice(to + 1) : path
}

/** Returns the end of a failed program's output, without paths on this machine. */
export const lastWords = ({ code, stderr, stdout }: Ran): string =>
  (stderr.trim() || stdout.trim())
    .split('\n')
    .slice(-3)
    .join(' ')
    .replaceAll(/[\w.+/-]+/g, withoutFolders)
    .slice(0, 300) || `it ended with ${code}`
