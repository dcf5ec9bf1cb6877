/**
 * The rules that cannot hold when the connections of a test go to two nodes in turn (`npm run soak nodes`), each with the reason. A key is the id of
 * a rule, or the group of its rules.
 */
const perNode = 'Each node counts separately, so a client can send twice as much.'
const oneProcess = 'The test looks into one process, and the other node did the work.'
const lmdb = 'The test reads the files of LMDB.'

export const notSpread: Readonly<Record<string, string>> = {
  'AGENT-4': perNode,
  BUDGET: perNode,
  'DEVICE-10': perNode,
  'MCP-15': perNode,
  'MCP-43': perNode,
  'MEDIA-20': perNode,
  'OAUTH-13': perNode,
  'PROGRAM-6': perNode,
  'PUBLISH-13': perNode,
  'QUOTA-5': perNode,
  RATE: perNode,
  'SHARE-5': perNode,
  'SOCKET-2': perNode,
  'SOCKET-3': perNode,
  'SOCKET-6': perNode,
  'SOCKET-7': perNode,
  'SOCKET-8': perNode,
  'SSE-5': perNode,
  'OAUTH-14': 'Each node caches the documents of clients, so the document is requested twice.',
  'OAUTH-15': 'Each node caches refusals of client documents, and limits the requests for them.',
  'AUDIT-6': 'The test sweeps while the other node sweeps too, and both remove the oldest records.',
  'INBOX-8': 'Each node counts the entries after which it trims an inbox.',
  'SOCKET-10': 'Bytes that arrive while PostgreSQL loads the document count against another limit.',
  'SUGGEST-23': 'Two nodes are slower than one, so people type into more of the words before the suggestions arrive.',
  'OPERATOR-9': 'A node shows "now" as the last use only for its own connections.',
  'SOCKET-4': 'The front reads for a client that does not read.',
  'EVENT-17': 'A document that is deleted permanently can be erased before the other node has read its last event.',
  'ADMINPAGE-7': 'PostgreSQL reports the size of its tables with a delay.',
  ERASE: lmdb,
  'EVENT-11': oneProcess,
  HEALTH: oneProcess,
  'LIVE-4': oneProcess,
  METRIC: oneProcess,
  'START-1': lmdb
}

/** Returns the reason why a test cannot pass on several nodes; undefined if it must pass. `title` begins with the ids of the rules. */
export const whyNotSpread = (title: string): string | undefined => {
  const ids = [...title.matchAll(/\[([A-Z]+)-(\d+)\]/g)]
  return ids.map(([id, group = '']) => notSpread[id.slice(1, -1)] ?? notSpread[group]).find((reason) => reason !== undefined)
}
