/** `npm start -- admin …`: lists the commands for operators and prints their overview. Each command has a file in `server/admin/`. */
import { backupCommand } from './admin/backup.ts'
import type { Command, CommandContext, CommandResult } from './admin/command.ts'
import { configCommand } from './admin/config.ts'
import { doctorCommand } from './admin/doctor.ts'
import { AdminError } from './admin/error.ts'
import { forgetCommand } from './admin/forget.ts'
import { gcCommand } from './admin/gc.ts'
import { exportCommand } from './admin/export.ts'
import { importCommand } from './admin/import.ts'
import { invite, reset } from './admin/links.ts'
import { docs } from './admin/docs.ts'
import { links, nodes, tokens } from './admin/access.ts'
import { auditCommand } from './admin/audit.ts'
import { usage } from './admin/usage.ts'
import { users } from './admin/users.ts'
import { migrateCommand } from './admin/migrate.ts'
import { restoreCommand } from './admin/restore.ts'
import { verifyCommand } from './admin/verify.ts'

/** The commands by name, in the order of the overview. */
export const commands: Readonly<Record<string, Command>> = {
  invite,
  reset,
  users,
  docs,
  links,
  tokens,
  nodes,
  usage,
  audit: auditCommand,
  backup: backupCommand,
  restore: restoreCommand,
  verify: verifyCommand,
  doctor: doctorCommand,
  gc: gcCommand,
  forget: forgetCommand,
  config: configCommand,
  export: exportCommand,
  import: importCommand,
  migrate: migrateCommand
}

const overview = (): string => {
  const rows = Object.entries(commands).map(([name, { usage, summary }]) => [`${name} ${usage}`.trim(), summary] as const)
  const width = Math.max(...rows.map(([left]) => left.length))
  const lines = rows.map(([left, summary]) => `  ${left.padEnd(width)}  ${summary}`)
  return [
    'usage: npm start -- admin COMMAND …',
    '',
    ...lines,
    '',
    'npm start -- admin COMMAND --help explains a command. All commands except restore and migrate work while the server runs.'
  ].join('\n')
}

/** Runs one command. Throws `AdminError`, and the command's errors. */
export const admin = async ([name = '', ...words]: readonly string[], context: CommandContext): Promise<CommandResult> => {
  if (name === '--help' || name === 'help') return { output: overview() }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) throw new AdminError(`${name === '' ? '' : `There is no command ${JSON.stringify(name)}.\n\n`}${overview()}`)
  return words.includes('--help') ? { output: command.help } : command.run(words, context)
}
