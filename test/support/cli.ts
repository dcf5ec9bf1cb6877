/** People and programs at a command line. They use the built client in their own home folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { build } from 'vite'
import type { Json } from './world.ts'

const root = join(import.meta.dirname, '..', '..')

let built: Promise<string> | undefined

/** Builds the client from the current sources, in a folder of this process. */
export const buildClient = (): Promise<string> =>
  (built ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agmd-client-'))
    process.once('exit', () => execFileSync('rm', ['-rf', folder]))
    await build({ configFile: join(root, 'cli', 'vite.config.ts'), build: { outDir: folder, emptyOutDir: true } })
    return join(folder, 'agmd')
  })())

/** Returns the Node versions of this machine on which the client must run: that of the tests, and the installed one. */
export const nodes = (): string[] => {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const own = [...folders, '/usr/bin', '/usr/local/bin'].map((folder) => join(folder, 'node')).find((path) => existsSync(path))
  return [...new Set([process.execPath, ...(own === undefined ? [] : [own])])]
}

export interface Ran {
  readonly code: number | NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** The result with `--json`, or else the error. */
  readonly json: Json
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** A command that is still running. */
export interface Running {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  ended: Promise<Ran>
}

/** A home folder with the client on its PATH. */
export interface Machine {
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  agmd(...words: string[]): Promise<Ran>
  run(words: readonly string[], options?: RunOptions): Promise<Ran>
  start(words: readonly string[], options?: RunOptions): Running
  /** Runs a line in `sh`, with `agmd` on the PATH. */
  shell(line: string, options?: RunOptions): Promise<Ran>
  /** Runs a command on a terminal. */
  onTerminal(words: readonly string[], options?: RunOptions): Promise<Ran>
  path(name: string): string
  has(name: string): boolean
  read(name: string): string
  write(name: string, text: string): string
  remove(): Promise<void>
}

const jsonIn = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

const startProgram = (
  program: string,
  words: readonly string[],
  env: Record<string, string>,
  { input, cwd }: RunOptions,
  home: string
): Running => {
  const child = spawn(program, words, { cwd: cwd ?? home, env, stdio: ['pipe', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
  // A program that does not read its input may exit before all of it has been written.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? signal, stdout, stderr, json: jsonIn(stdout) ?? jsonIn(stderr) }))
  })
  return { child, stdout: () => stdout, stderr: () => stderr, ended }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Creates a home folder. `url` is the service in `AGMD_URL`. */
export const newMachine = async (url?: string): Promise<Machine> => {
  const client = await buildClient()
  const home = await mkdtemp(join(tmpdir(), 'agmd-home-'))
  const bin = join(home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'agmd'), readFileSync(client), { mode: 0o755 })
  // The first line of the client, `env node`, then finds the Node version of the tests.
  symlinkSync(process.execPath, join(bin, 'node'))
  const env: Record<string, string> = {
    HOME: home,
    PATH: `${bin}${delimiter}/usr/bin${delimiter}/bin`,
    LANG: 'C.UTF-8',
    TMPDIR: tmpdir(),
    ...(url === undefined ? {} : { AGMD_URL: url })
  }
  const start = (words: readonly string[], options: RunOptions = {}): Running =>
    startProgram(process.execPath, [join(bin, 'agmd'), ...words], { ...env, ...options.env }, options, home)
  return {
    home,
    env,
    agmd: (...words) => start(words).ended,
    run: (words, options) => start(words, options).ended,
    start,
    shell: (line, options = {}) => startProgram('/bin/sh', ['-eu', '-c', line], { ...env, ...options.env }, options, home).ended,
    onTerminal(words, options = {}) {
      const line = ['agmd', ...words].map(quoted).join(' ')
      return startProgram('script', ['-qec', line, '/dev/null'], { ...env, TERM: 'xterm', ...options.env }, options, home).ended
    },
    path: (name) => join(home, name),
    has: (name) => existsSync(join(home, name)),
    read: (name) => readFileSync(join(home, name), 'utf8'),
    write(name, text) {
      writeFileSync(join(home, name), text)
      return name
    },
    remove: () => rm(home, { recursive: true, force: true })
  }
}
