/** `npm start -- admin docs`: finds documents, moves them to another owner, and takes them down. */
import type { FoundDocument } from '../domain/operator/documents.ts'
import { bytesText, columns, listOptions, nextLine, numberOf, subcommand, subcommands, textOf, timeText } from './subcommands.ts'

const ownerOf = ({ owner }: FoundDocument): string => owner.name ?? owner.id ?? owner.kind

const row = (found: FoundDocument): string[] => [
  found.id,
  found.title,
  ownerOf(found),
  found.state === 'open' ? (found.published ? 'published' : '') : found.state.replace('_', ' '),
  timeText(found.updatedAt),
  bytesText(found.bytes),
  bytesText(found.assetBytes)
]

const about = `DOC is the id of a document. These commands show titles, owners and sizes, but no text. When a document is taken down, everybody who
had access gets the status 451, and open pages are disconnected. The document keeps its contents, and you can restore it.`

export const docs = subcommands('docs', {
  summary: 'find documents, change their owner, take them down',
  about,
  entries: {
    list: subcommand({
      act: 'findDocuments',
      usage: '[QUERY]',
      summary: 'list documents by title, id or owner (an account)',
      options: { owner: { type: 'string' }, ...listOptions },
      input: (query, { owner, limit, after }) => ({ query, owner: textOf(owner), limit: numberOf(limit), after: textOf(after) }),
      show: ({ documents, nextAfter }) =>
        columns([['DOC', 'TITLE', 'OWNER', 'STATE', 'CHANGED', 'BYTES', 'ASSETS'], ...documents.map(row)]) + nextLine(nextAfter)
    }),
    show: subcommand({
      act: 'readDocument',
      usage: 'DOC',
      summary: 'show one document without its text',
      input: (doc = '') => ({ doc }),
      show: (found) => columns(Object.entries({ ...found, owner: ownerOf(found) }).map(([name, value]) => [name, String(value ?? '-')]))
    }),
    transfer: subcommand({
      act: 'transfer',
      usage: 'DOC',
      summary: 'give a document to another account',
      options: { to: { type: 'string' } },
      input: (doc = '', { to }) => ({ doc, to: textOf(to) ?? '' }),
      show: (found) => `${found.title} belongs to ${ownerOf(found)} now.`
    }),
    takedown: subcommand({
      act: 'takeDown',
      usage: 'DOC',
      summary: 'take a document down',
      input: (doc = '') => ({ doc }),
      show: ({ title }) => `Took down ${title}.`
    }),
    restore: subcommand({
      act: 'restore',
      usage: 'DOC',
      summary: 'restore a document that was taken down',
      input: (doc = '') => ({ doc }),
      show: ({ title, state }) => `${title} is ${state === 'trash' ? 'back in its owner’s trash' : 'open again'}.`
    })
  }
})
