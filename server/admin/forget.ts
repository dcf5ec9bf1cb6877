/** `npm start -- admin forget`: removes a secret from a document’s entire history. */
import type { Forgotten } from '../domain/operator/forgetting.ts'
import { type Command, parseWords } from './command.ts'
import { AdminError } from './error.ts'
import { operate } from './operate.ts'

const help = `usage: npm start -- admin forget DOC --yes [--json] < FILE

Removes text, such as a password, from a document’s entire history: from its versions, comments, suggestions, assignments and events. Blocks of the
same length replace it, so all versions, revisions and comments stay valid. The command reads the text from standard input, so that the history of your
shell does not contain it. A line break at the end does not count. The document itself must no longer contain the text.
The document’s activity list says that an operator removed text, but not which text.

  --yes   confirm the command; it cannot be undone
  --json  print the result as JSON

The command does not change earlier backups and exports, responses that programs have received, or data that pages have stored on other
devices. It works while the server runs, and nobody's page is interrupted.

Examples:
  npm start -- admin forget DOC --yes < secret.txt
  read -rs SECRET && printf %s "$SECRET" | npm start -- admin forget DOC --yes`

const options = { yes: { type: 'boolean' }, json: { type: 'boolean' } } as const

const number = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

const shown = ({ characters, records, revisions, revisionsChanged }: Forgotten): string => {
  if (characters === 0 && records === 0) return 'The history does not contain this text.'
  const lines = [
    `Removed ${number(characters, 'character', 'characters')} from the history, and changed ${number(records, 'record', 'records')}.`,
    ...(revisionsChanged === 0 ? [] : [`These revisions now have different text: ${revisions.map(({ version }) => version).join(', ')}.`]),
    ...(revisionsChanged > revisions.length ? [`There are ${revisionsChanged - revisions.length} more.`] : [])
  ]
  return [...lines, 'Older backups still contain the text. Remove them, or let them expire.'].join('\n')
}

export const forgetCommand: Command = {
  usage: 'DOC',
  summary: 'remove a secret from the history of a document',
  help,
  async run(words, { settings, version, input }) {
    const { values, positionals } = parseWords(help, words, options, 1)
    const [doc] = positionals
    if (doc === undefined) throw new AdminError(help)
    if (values.yes !== true) throw new AdminError(`This cannot be undone. To confirm it, add --yes.\n\n${help}`)
    const text = (await input()).replace(/\r?\n$/, '')
    const answer = await operate(settings(), version, 'forget', { doc, text })
    return { output: values.json === true ? JSON.stringify(answer) : shown(answer) }
  }
}
