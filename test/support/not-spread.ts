/**
 * The rules that cannot hold when the connections of a test go to two nodes in turn (`npm run soak nodes`), each with the reason. A key is the id of
 * a rule, or the group of its rules.
 */
const perNode = 'Each node counts separately, so a client can send twice as much.'
const oneProcess = 'The test looks into one process, and the other node did the work.'
const readOnly = 'PostgreSQL has no lasting read-only mode.'
const size = 'PostgreSQL reports the size of its tables with a delay.'
const front = 'The buffers of the front take bytes that the node or the client does not read.'
const starting = 'The front leads to nodes that run, and not to one that starts or stops.'
const traces = 'Each node sends its own traces, and warns about the collector for itself.'

export const notSpread: Readonly<Record<string, string>> = {
  'ADMINPAGE-7': size,
  'AGENT-4': 'Each node caches the keys of the issuer for itself.',
  'BUDGET-2': perNode,
  'BUDGET-5': perNode,
  'BUDGET-6': perNode,
  'BUDGET-7': perNode,
  'BUDGET-12': perNode,
  'DEVICE-10': perNode,
  'EDIT-30': 'In the test, a change waits for a change on the other node, which waits for its turn (NODES-29).',
  ERASE: 'The test reads the files of LMDB.',
  'EVENT-11': 'The other node has the edits in memory, and announces them itself (NODES-16).',
  'HEALTH-2': starting,
  'HEALTH-3': readOnly,
  'HEALTH-6': 'Each node tests the store with a write of its own, and counts requests for itself.',
  'LIVE-4': oneProcess,
  'LIVE-35': oneProcess,
  'LIVE-36': 'A node that has not written leaves this work to the node that wrote.',
  'MCP-15': perNode,
  'MCP-43': perNode,
  'MEDIA-20': perNode,
  'MEDIA-52': 'A node prefers its own compute nodes to those of the other node.',
  'METRIC-4': oneProcess,
  'METRIC-5': oneProcess,
  'METRIC-6': oneProcess,
  'METRIC-7': size,
  'METRIC-8': oneProcess,
  'OAUTH-13': perNode,
  'PROGRAM-6': perNode,
  'PUBLISH-13': 'Each node limits the pictures that it stores at the same time for itself.',
  'QUOTA-5': perNode,
  RATE: perNode,
  'SHARE-5': 'Each node notes the uses of a link for itself, and writes them down once a minute.',
  'SOCKET-3': front,
  'SOCKET-4': front,
  'SOCKET-6': perNode,
  'SOCKET-7': perNode,
  'SOCKET-8': perNode,
  'SSE-5': perNode,
  'START-1': starting,
  'TRACE-8': traces,
  'TRACE-9': traces
}

/** Returns the reason why a test cannot pass on several nodes; undefined if it must pass. `title` begins with the ids of the rules. */
export const whyNotSpread = (title: string): string | undefined => {
  const ids = [...title.matchAll(/\[([A-Z]+)-(\d+)\]/g)]
  return ids.map(([id, group = '']) => notSpread[id.slice(1, -1)] ?? notSpread[group]).find((reason) => reason !== undefined)
}
