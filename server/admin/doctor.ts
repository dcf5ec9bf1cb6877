/** `npm start -- admin doctor`: checks an installation and prints the next step for each problem. */
import { systemClock } from '../clock.ts'
import { type Command, parseWords } from './command.ts'
import { examine, type Finding } from './examining.ts'

const help = `usage: npm start -- admin doctor [--json]

Checks the settings, the data folder, the secret, the disk, the store, the bucket, the backups, the port and the public address, and prints the next step
for each problem. It works while the server runs, and changes nothing.

  --json  print the result as JSON

The exit code is 1 if there is a problem, and 0 if there are only warnings.`

const marks = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const

const lineOf = ({ part, state, message, next }: Finding): string =>
  `${marks[state]}  ${part}: ${message}${next === undefined ? '' : `\n         → ${next}`}`

const run: Command['run'] = async (words, { env, version }) => {
  const { values } = parseWords(help, words, { json: { type: 'boolean' } })
  const findings: Finding[] = []
  for await (const finding of examine(env, version, systemClock.now())) findings.push(finding)
  const problems = findings.filter(({ state }) => state === 'problem').length
  const exitCode = problems === 0 ? 0 : 1
  if (values.json === true) return { output: JSON.stringify({ ok: problems === 0, findings }), exitCode }
  return { output: findings.map(lineOf).join('\n'), exitCode }
}

export const doctorCommand: Command = {
  usage: '',
  summary: 'check the installation, and print the next step for each problem',
  help,
  run
}
