/** `npm start -- admin links`, `tokens` and `nodes`: list and revoke links, and revoke the access of programs and compute nodes. */
import { AdminError } from './error.ts'
import { columns, listOptions, nextLine, numberOf, subcommand, subcommands, textOf, timeText } from './subcommands.ts'

/** Returns the time of the last use; "now" while something uses it. */
const useText = ({ lastUsedAt, inUse }: { readonly lastUsedAt: string | null; readonly inUse: boolean }): string =>
  inUse ? 'now' : timeText(lastUsedAt)

const docAndLink = (text = ''): { doc: string; link: string } => {
  const [doc = '', link = ''] = text.split('/')
  if (doc === '' || link === '') throw new AdminError('Write the link as DOC/ID, as the list shows it.')
  return { doc, link }
}

export const links = subcommands('links', {
  summary: 'list and revoke the links of documents',
  about: `LINK is a link as the list shows it: DOC/ID. The list never contains a link’s secret. When you revoke a link, the links that were made
through it end, too, and their open pages are disconnected.`,
  entries: {
    list: subcommand({
      act: 'listLinks',
      usage: '',
      summary: 'list valid links: of one document (--doc), of the documents of an account (--owner), or all',
      options: { doc: { type: 'string' }, owner: { type: 'string' }, ...listOptions },
      input: (_first, { doc, owner, limit, after }) => ({
        doc: textOf(doc),
        account: textOf(owner),
        limit: numberOf(limit),
        after: textOf(after)
      }),
      show: ({ found, nextAfter }) =>
        columns([
          ['LINK', 'DOCUMENT', 'NAME', 'ROLE', 'CREATED', 'LAST USED', 'ENDS'],
          ...found.map((link) => [
            `${link.doc}/${link.id}`,
            link.title,
            link.label ?? '-',
            link.role,
            timeText(link.createdAt),
            useText(link),
            timeText(link.expiresAt)
          ])
        ]) + nextLine(nextAfter)
    }),
    revoke: subcommand({
      act: 'revokeLink',
      usage: 'LINK',
      summary: 'revoke a link, and end its connections',
      irreversible: true,
      input: docAndLink,
      show: ({ ended }) => (ended === 1 ? 'Revoked the link.' : `Revoked ${ended} links: this one, and the ones made through it.`)
    })
  }
})

export const tokens = subcommands('tokens', {
  summary: 'list and revoke tokens and authorized programs',
  about: 'ID is a token’s id in the list. A token’s secret is shown only once, to the person who creates it.',
  entries: {
    list: subcommand({
      act: 'listTokens',
      usage: '',
      summary: 'list tokens and authorized programs of all accounts',
      options: listOptions,
      input: (_first, { limit, after }) => ({ limit: numberOf(limit), after: textOf(after) }),
      show: ({ found, nextAfter }) =>
        columns([
          ['ID', 'NAME', 'ACCOUNT', 'ROLE', 'LAST USED', 'ENDS'],
          ...found.map(({ id, name, account, role, lastUsedAt, inUse, expiresAt }) => [
            id,
            name,
            account,
            role,
            useText({ lastUsedAt, inUse }),
            timeText(expiresAt)
          ])
        ]) + nextLine(nextAfter)
    }),
    revoke: subcommand({
      act: 'revokeToken',
      usage: 'ID',
      summary: 'revoke a token and end its connections',
      irreversible: true,
      input: (token = '') => ({ token }),
      show: () => 'Revoked the token.'
    })
  }
})

export const nodes = subcommands('nodes', {
  summary: 'list and revoke compute nodes',
  about: 'ID is a node’s id in the list.',
  entries: {
    list: subcommand({
      act: 'listNodes',
      usage: '',
      summary: 'list the compute nodes of all accounts',
      options: listOptions,
      input: (_first, { limit, after }) => ({ limit: numberOf(limit), after: textOf(after) }),
      show: ({ found, nextAfter }) =>
        columns([
          ['ID', 'NAME', 'ACCOUNT', 'CONNECTED', 'LAST SEEN'],
          ...found.map(({ id, name, account, connected, lastSeenAt }) => [
            id,
            name,
            account,
            connected ? 'yes' : 'no',
            timeText(lastSeenAt)
          ])
        ]) + nextLine(nextAfter)
    }),
    revoke: subcommand({
      act: 'revokeNode',
      usage: 'ID',
      summary: 'revoke a node’s token and disconnect it',
      irreversible: true,
      input: (node = '') => ({ node }),
      show: () => 'Revoked the node’s token.'
    })
  }
})
