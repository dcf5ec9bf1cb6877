/** `npm start -- admin config --dump`: prints the effective settings, and where each one comes from. */
import { ConfigError, readConfig, showSettings } from '../config.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'

const help = `usage: npm start -- admin config --dump [--json]

Prints all settings as the server would use them, and where each one comes from: the environment (which includes the file .env), a file (NAME_FILE), or the
default. Secrets are masked. The exit code is 78 if a setting is invalid.

  --json  print the result as JSON`

const run: Command['run'] = async (words, { env }) => {
  const { values } = parseWords(help, words, { dump: { type: 'boolean' }, json: { type: 'boolean' } })
  if (values.dump !== true) throw new AdminError(help)
  const settings = showSettings(env)
  const problem = problemOf(env)
  const exitCode = problem === null ? 0 : 78
  if (values.json === true) return { output: JSON.stringify({ ok: problem === null, settings, problem }), exitCode }
  const width = Math.max(...settings.map(({ name, value }) => `${name}=${value ?? ''}`.length))
  const lines = settings.map(({ name, value, source }) => `${`${name}=${value ?? ''}`.padEnd(Math.min(width, 60))}  # ${source}`)
  return { output: [...lines, ...(problem === null ? [] : [problem])].join('\n'), exitCode }
}

const problemOf = (env: Parameters<typeof readConfig>[0]): string | null => {
  try {
    readConfig(env, { isTty: false })
    return null
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}

export const configCommand: Command = {
  usage: '--dump',
  summary: 'print the effective settings, with secrets masked',
  help,
  run
}
