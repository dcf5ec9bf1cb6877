/** `npm start -- admin tokens` and `nodes`: list and revoke the access of programs and compute nodes. */
import { columns, listOptions, nextLine, numberOf, subcommand, subcommands, textOf, timeText } from './subcommands.ts'

export const tokens = subcommands('tokens', {
  summary: 'list and revoke tokens and authorized programs',
  about: 'ID is the id of a token in the list. The secret of a token is shown only once, to the person who creates it.',
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
          ...found.map(({ id, name, account, role, lastUsedAt, expiresAt }) => [
            id,
            name,
            account,
            role,
            timeText(lastUsedAt),
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
  about: 'ID is the id of a node in the list.',
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
      summary: 'revoke the token of a node and disconnect it',
      irreversible: true,
      input: (node = '') => ({ node }),
      show: () => 'Revoked the token of the node.'
    })
  }
})
