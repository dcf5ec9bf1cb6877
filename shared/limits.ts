/** Every number of the service: value, unit, source. Queues, bodies, lists, waits and retries all have one here. */
export const limits = {
  /** Largest text of a document, in UTF-16 units (as `Y.Text` counts). Ours; editors stay quick up to here. */
  contentUnitsMax: 4 * 1024 * 1024,
  /** Largest body of a request that carries a document, in bytes: every unit may take 3 bytes, JSON escapes some. */
  contentBodyBytesMax: 16 * 1024 * 1024,
  /** Largest other JSON body, in bytes. */
  bodyBytesMax: 64 * 1024,
  /** Longest title, in characters. */
  titleCharsMax: 300,
  /** Longest label of a link or revision, in characters. */
  labelCharsMax: 200,
  /** Longest author name, in characters. */
  authorCharsMax: 80,
  /** Live links of one document. */
  sharesMax: 200,

  /** Longest `wait` of the event feed, in seconds. Below the 60 s idle limit common to proxies (specification, Limits). */
  eventWaitSecondsMax: 55,
  /** Events on one page of the feed (api.md, Events). */
  eventPageMax: 200,
  /** Long polls that one document may hold open. */
  eventWaitersMax: 500,
  /** Size of the hunks in an event or of the diff in an error, in characters (api.md, Events and Documents). */
  diffCharsMax: 8 * 1024,
  /** Entries on a page of any other list, when the caller names no number. */
  pageDefault: 50,
  /** Entries that any listing returns at most. */
  listMax: 1000,

  /** Largest asset, in bytes (specification, Limits). */
  assetBytesMax: 10 * 1024 * 1024,

  /** Ids in each list of a task report (specification, Review assignments, rule 2). */
  taskIdsMax: 100,
  /** Assignments on a page of the list (specification, Limits). */
  taskPageMax: 50,
  /** Longest instructions of an assignment, and longest summary of its report, in characters. Both fit `bodyBytesMax` in any script. */
  taskTextCharsMax: 16_000,
  /** Longest `requestId`, in characters. */
  requestIdCharsMax: 200,
  /** Longest id of a comment, suggestion or assignment that is looked up, in characters. */
  idCharsMax: 100,

  /** Longest comment, reply or note of a suggestion, in bytes of UTF-8. */
  remarkBytesMax: 10 * 1024,
  /** Longest text that a comment or suggestion is on, and longest that a suggestion brings, in UTF-16 units. */
  targetUnitsMax: 64 * 1024,
  /** Longest text before or after a target that tells which of several is meant, in UTF-16 units. */
  targetContextUnitsMax: 1000,
  /** Comments, and suggestions, of one document. */
  remarksMax: 10_000,
  /** All comments and suggestions of one document, in bytes of JSON: they are in memory while the document is open. */
  remarksBytesMax: 32 * 1024 * 1024,
  /** Replies to one comment. */
  repliesMax: 500,
  /** Comments or suggestions on a page of a list: when the caller names no number, and at most. */
  remarkPageDefault: 200,
  remarkPageMax: 2000,
  /** Operations of one edit (field: what editing tools of models send). */
  editOperationsMax: 100,
  /** Suggestions that one request makes or decides. */
  suggestionsAtOnceMax: 100,

  /** How long the answer to an `Idempotency-Key` is kept, in hours (api.md, Retries). */
  idempotencyHours: 24,
  /** Longest `Idempotency-Key`, in characters. */
  idempotencyKeyCharsMax: 200,

  /** Largest WebSocket message, in bytes. A long offline session arrives as one message: four times the largest document. */
  socketMessageBytesMax: 16 * 1024 * 1024,
  /** Largest message before the socket has opened a document, in bytes. */
  socketHelloBytesMax: 16 * 1024,
  /** Bytes of one socket that may wait for its credentials to be checked: a stranger must not fill the memory. */
  socketQueueBytesMax: 256 * 1024,
  /** Time for a new socket to open its first document, in seconds. */
  socketHelloSecondsMax: 10,
  /** Largest awareness message, in bytes. */
  awarenessBytesMax: 8 * 1024,
  /** Largest state of one person, in characters of JSON. */
  awarenessStateCharsMax: 4 * 1024,
  /** Documents that one socket may hold open. */
  socketDocumentsMax: 20,
  /** Sockets of one address, and of one document. */
  socketsPerAddressMax: 400,
  socketsPerDocumentMax: 1000,
  /** Bytes that may wait for a reader before it is dropped. */
  socketBufferBytesMax: 32 * 1024 * 1024,
  /** Time between pings, in seconds; a socket that missed one is dropped at the next. */
  socketPingSeconds: 25,
  /** Messages that a socket may send at once, and per second over time. */
  socketMessagesBurst: 4000,
  socketMessagesPerSecond: 1000,
  /** Malformed or refused updates cost a client its socket; a state vector of more than this many bytes is one. */
  stateVectorBytesMax: 1024 * 1024,
  /** Client ids that one connection may bring along (its earlier page loads, offline). */
  updateClientsMax: 10_000,

  /** Journal records, and bytes, that are gathered into a compressed history segment with a checkpoint. */
  journalRecordsMax: 500,
  journalBytesMax: 1024 * 1024,
  /** History bytes after which another keyframe is kept, so that old versions are rebuilt in bounded time. */
  keyframeBytesMin: 1024 * 1024,
  /** Time from an edit to its `content.changed`, in milliseconds. */
  announceMs: 1_000,
  /** Quiet time after which the canonical text is projected, in milliseconds, and the longest it may be put off. */
  projectQuietMs: 5_000,
  projectMaxMs: 30_000,
  /** Quiet time after which unsaved text becomes a revision, in milliseconds, and the longest it may be put off. */
  autosaveQuietMs: 60_000,
  autosaveMaxMs: 600_000,
  /** A single update that deletes more than this share, and this many units, is preceded by a revision. */
  wipeShare: 0.5,
  wipeUnitsMin: 1_000,
  /** Authors that a revision names. */
  revisionAuthorsMax: 50,
  /** Attempts to commit a change that another node overtook. */
  commitAttemptsMax: 20,
  /** A link's `lastUsedAt` is written at most this often, in seconds. */
  lastUsedSeconds: 60,

  /** Longest text that is rendered where it is asked for, in UTF-16 units; longer ones are rendered in a thread of their own (measured: 44 ms for 100 KB). */
  renderInlineUnitsMax: 200 * 1024,
  /** Time for a thread to render a text, in seconds; afterwards the page shows the source. */
  renderSecondsMax: 10,
  /** Published pages kept in memory, in bytes with their compressed forms. */
  publishedCacheBytesMax: 64 * 1024 * 1024,

  /** Time for a clean stop, in seconds; afterwards the journal heals the rest at the next start. */
  stopSecondsMax: 10
} as const

/** Token buckets: `burst` at once, then `perSecond`. `cost` of each class is one request. */
export const rateLimits = {
  /** Requests of one address without a valid credential. */
  address: { burst: 600, perSecond: 100 },
  /** Writes of one key or session. */
  write: { burst: 200, perSecond: 50 },
  /** Anonymous documents created from one address. */
  create: { burst: 60, perSecond: 60 / 3600 },
  /** Wrong keys from one address. */
  failedKey: { burst: 60, perSecond: 0.5 }
} as const

export type RateLimitName = keyof typeof rateLimits
