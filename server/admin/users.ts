/** `npm start -- admin users`: lists, disables and deletes accounts. */
import type { Person } from '../domain/operator/people.ts'
import { AdminError } from './error.ts'
import { bytesText, columns, listOptions, nextLine, numberOf, subcommand, subcommands, textOf, timeText } from './subcommands.ts'

const stateOf = ({ admin, disabledAt }: Person): string => (disabledAt === null ? (admin ? 'admin' : '') : 'disabled')

const row = (person: Person): string[] => [
  person.email ?? person.id,
  person.name,
  stateOf(person),
  timeText(person.lastUsedAt),
  String(person.documents),
  bytesText(person.bytes)
]

const about = `ACCOUNT is an email address or the id of an account. Nobody can use a disabled account, but links still open its documents. When you
delete an account, --to gives its documents to another account. Otherwise, links still open its documents (--documents keep, the default), or the
documents go to the trash (--documents trash). Documents that nobody could open go to the trash anyway. Documents that are in the trash already stay
there; with --to, they are then in the trash of the other account, which can restore them.`

const documentsAfter = (value: string | undefined): 'keep' | 'trash' => {
  if (value !== undefined && value !== 'keep' && value !== 'trash') throw new AdminError('--documents must be keep or trash.')
  return value ?? 'keep'
}

export const users = subcommands('users', {
  summary: 'list, disable and delete accounts',
  about,
  entries: {
    list: subcommand({
      act: 'listPeople',
      usage: '[QUERY]',
      summary: 'list accounts whose name or address contains a string',
      options: listOptions,
      input: (query, { limit, after }) => ({ query, limit: numberOf(limit), after: textOf(after) }),
      show: ({ people, nextAfter }) =>
        columns([['ACCOUNT', 'NAME', 'STATE', 'LAST USED', 'DOCUMENTS', 'BYTES'], ...people.map(row)]) + nextLine(nextAfter)
    }),
    show: subcommand({
      act: 'readPerson',
      usage: 'ACCOUNT',
      summary: 'show one account',
      input: (account = '') => ({ account }),
      show: (person) => columns(Object.entries(person).map(([name, value]) => [name, String(value ?? '-')]))
    }),
    sessions: subcommand({
      act: 'endSessions',
      usage: 'ACCOUNT',
      summary: 'end all sessions, tokens and nodes of an account',
      input: (account = '') => ({ account }),
      show: ({ ended }) => `Ended ${ended} sessions, and all tokens and nodes.`
    }),
    disable: subcommand({
      act: 'disable',
      usage: 'ACCOUNT',
      summary: 'disable an account and end all its access',
      input: (account = '') => ({ account }),
      show: ({ email, id }) => `Disabled ${email ?? id}.`
    }),
    enable: subcommand({
      act: 'enable',
      usage: 'ACCOUNT',
      summary: 'let a disabled account sign in again',
      input: (account = '') => ({ account }),
      show: ({ email, id }) => `Enabled ${email ?? id}.`
    }),
    delete: subcommand({
      act: 'deletePerson',
      usage: 'ACCOUNT',
      summary: 'delete an account',
      options: { to: { type: 'string' }, documents: { type: 'string' } },
      irreversible: true,
      input: (account = '', { to, documents }) => ({ account, to: textOf(to), documents: documentsAfter(textOf(documents)) }),
      show: ({ id, moved, movedInTrash, inTrash }) =>
        `Deleted the account ${id}.${moved === 0 ? '' : ` Handed over ${moved} documents.`}${movedInTrash === 0 ? '' : ` ${movedInTrash} documents are now in the trash of the new owner.`}${inTrash === 0 ? '' : ` ${inTrash} documents stay in the trash until they expire and are erased.`}`
    })
  }
})
