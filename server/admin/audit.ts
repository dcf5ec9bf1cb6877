/** `npm start -- admin audit`: prints the audit log as lines of JSON. */
import type { ActInput } from '../domain/operator/acts.ts'
import { auditKinds } from '../domain/records/audit.ts'
import { limits } from '../../shared/limits.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { operate } from './operate.ts'

const recordsDefault = 1000

const help = `usage: npm start -- admin audit [--kind KIND] [--account ACCOUNT] [--doc DOC] [--limit N]

Prints the audit log as lines of JSON, newest first. The log contains ids, but no names, secrets or text. AGMD_AUDIT_DAYS sets how many days
records are kept.

  --kind KIND        only records of this kind: ${auditKinds.join(', ')}
  --account ACCOUNT  only records by or about this account (an id or an email address)
  --doc DOC          only records about this document
  --limit N          at most this many records (${recordsDefault} if absent)

Example:
  npm start -- admin audit --kind sign-in.failed --limit 20`

const inputOf = (values: Readonly<Record<string, string | undefined>>): ActInput<'listAudit'> => {
  const { kind, account, doc } = values
  const known = auditKinds.find((each) => each === kind)
  if (kind !== undefined && known === undefined) throw new AdminError(`There is no kind ${JSON.stringify(kind)}.\n\n${help}`)
  return { kind: known, account, doc }
}

export const auditCommand: Command = {
  usage: '',
  summary: 'print the audit log as lines of JSON',
  help,
  async run(words, { settings, version }) {
    const text = { type: 'string' } as const
    const { limit = String(recordsDefault), ...values } = parseWords(help, words, {
      kind: text,
      account: text,
      doc: text,
      limit: text
    }).values
    if (!/^[1-9]\d{0,8}$/.test(limit)) throw new AdminError('--limit must be a whole number, at least 1.')
    const config = settings()
    const lines: string[] = []
    for (let before: string | undefined; lines.length < Number(limit);) {
      const most = Math.min(limits.auditPageMax, Number(limit) - lines.length)
      const page = await operate(config, version, 'listAudit', { ...inputOf(values), before, limit: most })
      lines.push(...page.records.map((record) => JSON.stringify(record)))
      if (page.nextBefore === null) break
      before = page.nextBefore
    }
    return { output: lines.join('\n') }
  }
}
