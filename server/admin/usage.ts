/** `npm start -- admin usage`: shows the storage that documents use, by owner. */
import { type Command, parseWords } from './command.ts'
import { operate } from './operate.ts'
import { retentionText } from './retention.ts'
import { bytesText, columns, numberOf } from './subcommands.ts'

const help = `usage: npm start -- admin usage [--limit N] [--json]

Prints the number of documents, the storage that they use (without assets), and the owners that use the most storage. Also prints
which old versions the server removes.

  --limit N  the maximum number of owners (50 if absent)
  --json     print the result as JSON`

export const usage: Command = {
  usage: '',
  summary: 'show how much storage documents use, by owner',
  help,
  async run(words, { settings, version }) {
    const { values } = parseWords(help, words, { limit: { type: 'string' }, json: { type: 'boolean' } })
    const answer = await operate(settings(), version, 'readUsage', { limit: numberOf(values.limit) })
    if (values.json === true) return { output: JSON.stringify(answer) }
    const rows = answer.owners.map(({ kind, id, email, documents, bytes }) => [email ?? id, kind, String(documents), bytesText(bytes)])
    const total = `${answer.documents} documents use ${bytesText(answer.bytes)}. ${retentionText(answer.retention)}`
    return { output: rows.length === 0 ? total : `${columns([['OWNER', 'KIND', 'DOCUMENTS', 'BYTES'], ...rows])}\n\n${total}` }
  }
}
