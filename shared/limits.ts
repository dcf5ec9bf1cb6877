/**
 * The limits of the service, each with its unit. A limit that only one module uses may be defined in that module. `UnitsMax` counts UTF-16 units,
 * `CharsMax` code points, and `BytesMax` bytes.
 */
export const limits = {
  /** Longest text of a document, in UTF-16 units (as `Y.Text` counts). Editors stay responsive up to this length. */
  contentUnitsMax: 4 * 1024 * 1024,
  /** Largest request body that carries a document, in bytes. A UTF-16 unit can take 3 bytes, and JSON escapes some characters. */
  contentBodyBytesMax: 16 * 1024 * 1024,
  /** Largest body of any other JSON request, in bytes. */
  bodyBytesMax: 64 * 1024,
  /**
   * Maximum number of values (fields and items) in a JSON body. It is three times the largest request of any operation: 1,000 runs of characters with
   * three numbers each.
   */
  jsonValuesMax: 10_000,
  /** Maximum nesting depth of a JSON body. */
  jsonDepthMax: 64,
  /** Longest field name in a JSON body, in bytes. It is many times the longest name that any operation uses. */
  jsonNameBytesMax: 4096,
  /** JSON bodies below this size, in bytes, are not checked for values, depth and names: they are too small to take much time. */
  jsonCheckedBytesMin: 8 * 1024,
  /** Maximum number of fields in an object of a request, or in a form. It is several times what any operation needs. */
  fieldsMax: 200,
  /** Longest title, in UTF-16 units. */
  titleUnitsMax: 300,
  /** Longest label of a link or revision, in UTF-16 units. */
  labelUnitsMax: 200,
  /** Longest author name, in UTF-16 units. */
  authorUnitsMax: 80,
  /** Maximum number of valid links to a document, without the links for review assignments. */
  sharesMax: 200,
  /** Maximum number of valid links for the review assignments of a document. */
  taskSharesMax: 1000,
  /** Maximum number of links on one page of their list. */
  sharePageMax: 200,

  /** Longest `wait` for the event feed, in seconds. It is below the usual idle timeout of proxies, 60 s. */
  eventWaitSecondsMax: 55,
  /** Maximum number of events on a page of the feed (docs/api.md, Events and inbox). */
  eventPageMax: 200,
  /** Maximum number of long polls and streams that may be open on a document. */
  eventWaitersMax: 500,
  /** Maximum number of event streams that one caller may hold open on a document. */
  eventStreamsMax: 10,
  /** Time between two heartbeats of an event stream, in seconds. It is below the usual idle timeout of proxies, 60 s. */
  eventStreamBeatSeconds: 15,
  /** How long a reader may take to accept data from its stream, in seconds. After that, the server closes the stream. */
  eventStreamStallSecondsMax: 20,
  /** Time after which a client that lost its stream reconnects, in milliseconds. */
  eventStreamRetryMs: 3000,
  /** Longest comment, reply, note or replacement in an event, in UTF-16 units. */
  eventBodyUnitsMax: 1000,
  /** Longest annotated text in an event, in UTF-16 units. */
  eventQuoteUnitsMax: 300,
  /** Maximum number of entries in the inbox of an account or agent. */
  inboxEntriesMax: 1000,
  /** How long an inbox entry is stored, in days. */
  inboxDays: 90,
  /** Number of new entries after which an inbox is trimmed to its limit. */
  inboxTrimEvery: 64,
  /** Maximum number of items on a page of an inbox. */
  inboxPageMax: 50,
  /** Maximum number of stored entries that the server reads for one page of an inbox. */
  inboxReadMax: 200,
  /** Maximum number of people in a comment thread who are notified of a reply. */
  inboxPeopleMax: 100,
  /** Longest diff in an event or an error, in UTF-16 units (docs/api.md, Events and inbox). */
  diffUnitsMax: 8 * 1024,
  /**
   * Maximum number of separate edits for one replacement of the text. If there are more, the closest ones are combined. Yjs shifts the entire
   * document for each edit (measured: 20,000 edits take 0.8 s, 1,000 take 40 ms).
   */
  editsAtOnceMax: 1000,
  /** Longest reported difference between two versions, in UTF-16 units. The report says whether it was shortened. */
  comparisonUnitsMax: 1024 * 1024,
  /** Maximum number of hunks in a reported difference between two versions. */
  comparisonHunksMax: 5000,
  /** Longest merged text that an error may contain, in UTF-16 units. With `onConflict=merge`, the service itself merges even longer text. */
  mergeUnitsMax: 1024 * 1024,
  /** Default number of entries on a page of any other list. */
  pageDefault: 50,
  /** Maximum number of entries that any listing returns. */
  listMax: 1000,

  /** Largest asset, in bytes. */
  assetBytesMax: 10 * 1024 * 1024,

  // Media jobs
  /** Longest text for a speech job, in UTF-16 units. */
  speechUnitsMax: 2400,
  /** Largest recording for a transcription job, in bytes. */
  transcriptionBytesMax: 25 * 1024 * 1024,
  /** Largest picture for an OCR job, in bytes. It equals the limit for assets. */
  ocrBytesMax: 10 * 1024 * 1024,
  /** Longest description of a picture to generate, in UTF-16 units. */
  promptUnitsMax: 4000,
  /** Smallest width or height of a generated picture, in pixels. */
  imagePixelsMin: 64,
  /** Largest width or height of a generated picture, in pixels. */
  imagePixelsMax: 2048,
  /** Default width and height of a generated picture, in pixels. */
  imagePixelsDefault: 1024,
  /** Largest picture or recording that a node may return, in bytes. Results can become assets, so this is the limit for assets. */
  mediaResultBytesMax: 10 * 1024 * 1024,
  /** Longest text that a node may return, in UTF-16 units. */
  mediaTextUnitsMax: 400_000,
  /** Maximum number of segments in a transcription. */
  mediaSegmentsMax: 10_000,
  /** Longest reason that a node may report for a failure, in UTF-16 units. */
  mediaReasonUnitsMax: 500,
  /** Longest name of an engine or a voice that a node may announce, in UTF-16 units. */
  mediaNameUnitsMax: 80,
  /** Maximum number of voices that an engine of a node may announce. */
  mediaVoicesMax: 200,
  /** Maximum number of waiting and running jobs per account. Any more jobs are refused. */
  mediaOpenJobsMax: 10,
  /** Maximum number of finished jobs stored per account. The oldest one is removed first. */
  mediaKeptJobsMax: 100,
  /** How long a finished job and its result are stored, in hours. */
  mediaKeptHours: 24,
  /** Longest `wait` for a job to end, in seconds. It equals the limit for the event feed. */
  mediaWaitSecondsMax: 55,
  /** Default time that an MCP tool waits for a job, in seconds. */
  mediaToolWaitSeconds: 45,
  /** Longest time from the start of a job on a node to its result, in seconds, for each kind of job. */
  mediaSeconds: { image: 300, speech: 120, transcription: 900, ocr: 120 },
  /** How long a job may wait for a node to become free, in seconds. */
  mediaQueueSecondsMax: 900,
  /**
   * How long a job waits while no connected node can do it, in seconds. A silent node is noticed after `relaySilentSecondsMax` and one
   * heartbeat, so the job waits for at most a minute in total.
   */
  mediaNodelessSecondsMax: 25,
  /** How many times a job that lost its node is retried. If it loses its node once more, the job fails. */
  mediaLossesMax: 3,
  /** How many times the server tries to store the end of a job while the store is unavailable. */
  mediaEndTriesMax: 8,
  /** Pause after the first of these tries, in seconds. Each pause is twice as long as the one before. All tries take about two minutes. */
  mediaEndPauseSeconds: 1,
  /** Maximum number of node tokens per account. */
  nodesMax: 20,
  /** Maximum number of sockets that all nodes together may hold open. */
  relaySocketsMax: 500,
  /** Maximum number of concurrent jobs that a node may announce. */
  relaySlotsMax: 16,
  /** How long a new node may take to send its hello, in seconds. */
  relayHelloSecondsMax: 10,
  /** Time between two heartbeats to a node, in seconds. */
  relayBeatSeconds: 10,
  /** Time without a message after which a node counts as gone, in seconds. */
  relaySilentSecondsMax: 25,
  /** Largest message from a node, in bytes of JSON: enough for the longest text with its segments. */
  relayMessageBytesMax: 2 * 1024 * 1024,
  /** Shortest time between two updates of a node's `lastSeenAt`, in seconds. */
  nodeTouchSeconds: 60,

  /** Maximum number of ids in each list of a task report (docs/api.md, Review assignments). */
  taskIdsMax: 100,
  /** Maximum number of assignments on one page of their list. */
  taskPageMax: 50,
  /** Longest instructions for an assignment and longest summary in its report, in UTF-16 units. Both fit into `bodyBytesMax` in any script. */
  taskTextUnitsMax: 16_000,
  /** Longest `requestId`, in UTF-16 units. */
  requestIdUnitsMax: 200,
  /** Longest id that a caller may send to look up a comment, suggestion or assignment, in UTF-16 units. */
  idUnitsMax: 100,

  /** Longest comment, reply or suggestion note, in bytes of UTF-8. */
  annotationBytesMax: 10 * 1024,
  /** Longest annotated text and longest suggested replacement, in UTF-16 units. */
  targetUnitsMax: 64 * 1024,
  /** Longest text before or after a target, in UTF-16 units. It distinguishes the target from other places with the same text. */
  targetContextUnitsMax: 1000,
  /** Maximum number of runs of characters that a page may send to identify the annotated text. */
  targetRunsMax: 1000,
  /** Maximum number of comments in a document. The same limit applies to its suggestions. */
  annotationsMax: 10_000,
  /** Maximum size of all comments and suggestions of a document, in bytes of JSON. They are in memory while the document is open. */
  annotationsBytesMax: 32 * 1024 * 1024,
  /** Maximum number of replies to a comment. */
  repliesMax: 500,
  /** Default number of comments or suggestions on a page of a list. */
  annotationPageDefault: 200,
  /** Maximum number of comments or suggestions on a page of a list. */
  annotationPageMax: 2000,
  /** Maximum size of the records on a page of comments or suggestions, in bytes. A page contains at least one record. */
  annotationPageBytesMax: 4 * 1024 * 1024,
  /** Longest reason for a rejection, in UTF-16 units. The event contains all of it. */
  reasonUnitsMax: 1000,
  /** Maximum number of places that the operations of one edit may change in total. */
  editPlacesMax: 2000,
  /** Maximum number of operations in an edit. The number is based on the requests that language models' editing tools send. */
  editOperationsMax: 100,
  /**
   * Maximum number of changed comments and suggestions that the server sends to open pages individually. If there are more, it tells the pages to
   * fetch the lists again.
   */
  annotationsInMessageMax: 100,
  /**
   * Largest comment or suggestion that the server sends to open pages, in bytes of its record. If one is larger, it tells the pages to fetch the
   * lists again.
   */
  annotationMessageBytesMax: 64 * 1024,
  /** Maximum number of suggestions that one request may make or decide. */
  suggestionsAtOnceMax: 100,

  /** Longest text of each record in a brief list, in UTF-16 units. */
  briefUnitsMax: 200,
  /** Default length of an MCP read, in UTF-16 units: about 5,000 tokens. */
  mcpReadChars: 20_000,
  /** Maximum number of headings that accompany truncated text. */
  mcpHeadingsMax: 100,
  /** Maximum number of MCP sessions that wait for changes. */
  mcpSessionsMax: 1000,
  /** Maximum number of subscriptions per MCP session. */
  mcpSubscriptionsMax: 50,
  /** Maximum number of resources that other nodes watch for an MCP session whose stream is on this node. */
  mcpSubscriptionsElsewhereMax: 200,
  /** Maximum number of MCP sessions about which a node asks the other nodes at the same time. */
  mcpSessionsAskedMax: 1000,
  /** How long a node waits for other nodes to confirm that an MCP session continues, in milliseconds. */
  mcpAnswerMs: 1000,
  /** Longest URI of a subscription, in UTF-16 units. With 3 bytes for each unit, it fits into a message between nodes. */
  mcpUriUnitsMax: 2000,
  /** Maximum number of ended sessions whose ids are remembered. */
  mcpSessionsEndedMax: 10_000,
  /** How long a new session may exist without a stream, in seconds. */
  mcpStreamSeconds: 60,
  /** Time between two heartbeats on a stream, in seconds. It is below the usual idle timeout of proxies, 60 s. */
  mcpHeartbeatSeconds: 25,
  /** Shortest time between two notifications about the same resource, in seconds. */
  mcpNotifySeconds: 1,
  /** Maximum size of the notifications that wait for a client that does not read, in bytes. Above the limit, the session ends. */
  mcpStreamBytesMax: 64 * 1024,
  /** How long presence shows a program at the place where it wrote, in seconds (docs/protocol.md, Presence). */
  agentShownSeconds: 30,
  /** Maximum number of programs that the presence of a document shows. The one shown longest is removed first. */
  agentsShownMax: 50,

  /** How long the response to a request with an `Idempotency-Key` is stored, in hours (docs/api.md, Retries). */
  idempotencyHours: 24,
  /** Longest response that is stored in full, in UTF-16 units. In a longer one, only the ids of comments and suggestions are stored. */
  idempotencyAnswerUnitsMax: 16 * 1024,
  /** Longest `Idempotency-Key`, in UTF-16 units. */
  idempotencyKeyUnitsMax: 200,
  /** Maximum number of requests with an `Idempotency-Key` that may be in progress at the same time. */
  idempotencyUnderWayMax: 10_000,
  /** How long a request waits while another node handles the same request, in milliseconds. `idempotencyLookMs` is the time between two checks. */
  idempotencyWaitMs: 60_000,
  idempotencyLookMs: 20,

  /** How long a client may take to send the head of a request, in seconds. */
  headersSecondsMax: 10,
  /**
   * How long the server waits for the rest of a refused request's body, in seconds. It is just long enough for the sender to receive the response.
   */
  refusedBodySecondsMax: 10,
  /** How long a client may take to send an entire request, in seconds. */
  requestSecondsMax: 120,
  /** How long a page waits for a response, in seconds. The server never waits that long. After that, the page treats the request as not sent. */
  answerSecondsMax: 90,
  /**
   * Longest time between two requests on a connection, in seconds. It is above the usual idle timeout of proxies, 60 s. Otherwise, a proxy could send
   * a request on a connection that the server is about to close.
   */
  keepAliveSeconds: 65,
  /** Time between two checks for connections that take too long, in milliseconds. */
  connectionCheckMs: 2_000,
  /** Maximum number of connections that wait until a server process accepts them. Any more connections are closed. */
  heldConnectionsMax: 10_000,
  /** Longest pause before a server process is restarted, in seconds. */
  processRestartSecondsMax: 30,
  /** How long a process waits for the metrics of the other processes, in milliseconds. */
  metricsGatherMs: 2_000,
  /** How long a client may continue to send after the server has sent its response and closed the connection, in milliseconds. */
  connectionLingerMs: 1_000,
  /** Largest request head, in bytes. */
  headerBytesMax: 16 * 1024,

  /**
   * Largest WebSocket message, in bytes: four bytes for each unit of the longest document. The changes from a long offline session arrive in
   * one message.
   */
  socketMessageBytesMax: 16 * 1024 * 1024,
  /** Largest message on a socket that has not opened a document yet, in bytes. */
  socketHelloBytesMax: 16 * 1024,
  /**
   * Maximum size of the messages that wait while the credentials of their socket are checked, in bytes. The limit keeps unauthenticated clients from
   * filling the memory.
   */
  socketQueueBytesMax: 256 * 1024,
  /** How long a new socket may take to open its first document, in seconds. */
  socketHelloSecondsMax: 10,
  /** Largest awareness message, in bytes. */
  awarenessBytesMax: 8 * 1024,
  /** Longest awareness state of one person, in UTF-16 units of its JSON. */
  awarenessStateUnitsMax: 4 * 1024,
  /** Longest fence name in a person's presence, in UTF-16 units. */
  awarenessFenceUnitsMax: 200,
  /** Highest number of a guest without a name. Guests who come after it can have the same number as others. */
  guestNumberMax: 9_999,
  /**
   * How long a client may take to answer a close frame, in seconds. The server ignores everything that the client sends during this time, and then
   * drops the connection.
   */
  socketGoodbyeSecondsMax: 3,
  /** Maximum number of documents that one socket may open. */
  socketDocumentsMax: 20,
  /** Fraction of a document's connections that one account or address may hold, from 0 to 1. AGMD_SOCKETS_PER_DOCUMENT sets the total. */
  documentShareOfPerson: 0.25,
  /** Fraction of a document's connections that the holders of one link may have together, from 0 to 1. */
  documentShareOfLink: 0.8,
  /** Fraction of a document's connections that is reserved for owners, from 0 to 1. */
  documentShareOfOwners: 0.1,
  /** Unread output at which the server stops reading from a socket, in bytes. A document that the client requested in full does not count. */
  socketBufferPauseBytes: 1024 * 1024,
  /** Unread output at which the server drops a socket, in bytes. A document that the client requested in full does not count. */
  socketBufferBytesMax: 8 * 1024 * 1024,
  /** Unread output of all sockets together, in bytes. If there is more, the sockets with the most unread output are dropped. */
  socketsBufferBytesMax: 256 * 1024 * 1024,
  /** Time between two checks of unread output, in seconds. */
  socketCheckSeconds: 5,
  /** Time after which a client that reads too slowly is dropped, in seconds. */
  socketStallSeconds: 30,
  /** Lowest speed at which a client must read, in bytes per second. */
  socketReadBytesPerSecondMin: 1024,
  /** The server stops reading from a socket once it has this many unhandled messages. */
  socketInboxMessagesMax: 512,
  /** The server stops reading from a socket once its unhandled messages reach this size, in bytes. */
  socketInboxBytesMax: 1024 * 1024,
  /** Maximum number of messages of one socket that are handled before other sockets get their turn. */
  socketSliceMessages: 16,
  /** Longest time for the messages of all sockets in one turn of the event loop, in milliseconds. */
  socketTurnMs: 8,
  /** The server stops reading from a socket once this many of its frames wait for the disk. */
  socketHeldFramesMax: 2000,
  /** Total size of the full documents that one address may request at once, in bytes. */
  socketAnswerBytesBurst: 64 * 1024 * 1024,
  /** Total size of the full documents that one address may request per second over time, in bytes. */
  socketAnswerBytesPerSecond: 16 * 1024 * 1024,
  /** Maximum total size of the full documents that the clients at one address have not read yet, in bytes. Any more documents wait. */
  socketAnswersWaitingBytesMax: 32 * 1024 * 1024,
  /** Maximum total size of the full documents that all clients together have not read yet, in bytes. Any more documents wait. */
  socketsAnswersWaitingBytesMax: 128 * 1024 * 1024,
  /** Time between two pings, in seconds. A socket that has not answered a ping is dropped when the next one is due. */
  socketPingSeconds: 25,
  /** Number of messages other than edits that a socket may send at once. */
  socketMessagesBurst: 4000,
  /** Number of messages other than edits that a socket may send per second over time. */
  socketMessagesPerSecond: 1000,
  /** Shortest time between two presence updates that the server forwards from one connection, in milliseconds. */
  presenceMs: 50,
  /** Shortest time between two presence frames for a document with at most `crowdMin` connections, in milliseconds. */
  presenceFrameMs: 100,
  /** Shortest time between two presence frames for a document with more than `crowdMin` connections, in milliseconds. */
  presenceFrameCrowdMs: 250,
  /** Maximum number of sockets that get a presence frame in one turn of the event loop. Edits are handled between turns. */
  presenceFrameSockets: 64,
  /** Number of connections to a document at which the server begins to collect edits and send them together. */
  crowdMin: 50,
  /** Number of connections for which the collected edits wait one millisecond longer. */
  crowdPerMs: 16,
  /** Longest time for which edits are collected, in milliseconds. */
  crowdWaitMsMax: 25,
  /** Maximum number of edits to a document that are applied together. Other documents get their turn afterward. */
  editsTogetherMax: 512,
  /**
   * How long an edit waits for edits to other documents, so that one round applies them together, in milliseconds. Edits wait only if the previous
   * round changed at least `roundDocumentsMin` documents.
   */
  roundMs: 5,
  roundDocumentsMin: 4,
  /** After a group of `commitGroupMin` commits, the next group of the LMDB store waits for more commits, in milliseconds. */
  commitGroupMs: 2,
  commitGroupMin: 8,
  /** Largest state vector, in bytes. A state vector describes the state that a client has, with a few bytes for each page that ever wrote. */
  stateVectorBytesMax: 1024 * 1024,
  /** Maximum number of Yjs client ids of earlier pages that one connection may use. Each load of a page while offline adds one. */
  updateClientsMax: 10_000,

  /** Number of journal records after which a checkpoint compresses them into a history segment. */
  journalRecordsMax: 500,
  /** Size of the journal records above which a checkpoint compresses them into a history segment, in bytes. */
  journalBytesMax: 1024 * 1024,
  /** Size of the history after which another keyframe is stored, in bytes. It bounds the time to rebuild an old version. */
  keyframeBytesMin: 1024 * 1024,
  /** Time from an edit to the event `content.changed`, in milliseconds. */
  announceMs: 1_000,
  /** Time without edits after which the canonical text is projected, in milliseconds. */
  projectQuietMs: 5_000,
  /** Longest time that more edits may delay the projection, in milliseconds. */
  projectMaxMs: 30_000,
  /** Time without edits after which unsaved text becomes a revision, in milliseconds. */
  autosaveQuietMs: 60_000,
  /** Longest time that more edits may delay an automatic revision, in milliseconds. */
  autosaveMaxMs: 600_000,
  /** Fraction of the text, from 0 to 1. A revision is saved before an update that deletes more than this and more than `wipeUnitsMin`. */
  wipeShare: 0.5,
  /** Minimum length of deleted text for which a revision is saved before the update, in UTF-16 units. */
  wipeUnitsMin: 100,
  /** Maximum number of authors that a revision names. */
  revisionAuthorsMax: 50,
  /** How long a node waits for another node to announce its own changes, in milliseconds. After that, it announces them itself. */
  announceLateMs: 10_000,
  /** Maximum number of attempts to commit a change that conflicts with other commits. */
  commitAttemptsMax: 20,
  /** Maximum number of attempts to commit a change while other nodes change the same document. */
  commitAttemptsOfNodesMax: 500,
  /** How long a node waits for another node to finish its turn of writing to a document, in seconds. After that, it takes over the turn. */
  turnWaitSecondsMax: 5,
  /** Maximum size of a message between nodes, in bytes. PostgreSQL accepts less than 8,000 for a notification. */
  nodeMessageBytesMax: 7_000,
  /** Maximum number of messages that wait to be sent from a node to the others. Any more messages are dropped. */
  nodeMessagesWaitingMax: 1_000,
  /**
   * How long a node pauses between two transactions that tell the other nodes about its commits, in milliseconds. Commits during the pause share the
   * next transaction.
   */
  nodeNoticeMs: 3,
  /** How often a node repeats the presence of its sockets to other nodes, in seconds. */
  nodeRepeatSeconds: 10,
  /** Time without a message from a node after which the presence that it reported is removed, in seconds. */
  nodeSilentSecondsMax: 25,
  /** Difference between the clocks of a node and PostgreSQL above which the node warns at startup, in seconds. */
  clockSecondsMax: 10,
  /** How long a document that is deleted permanently keeps its deletion event for callers on other nodes, in milliseconds. */
  erasureNoticeMs: 500,
  /** How long a node waits for other nodes to report that one of their pages uses a client id, in milliseconds. */
  nodeAnswerMs: 150,
  /** How long a node trusts the answer that a page of another node uses a client id, in milliseconds. Then it asks again. */
  nodeOwnedMs: 1000,
  /** Shortest time between two updates of a link's `lastUsedAt`, in seconds. */
  lastUsedSeconds: 60,

  // Identity
  /** Shortest password, in characters. There is no other requirement (NIST SP 800-63B). */
  passwordCharsMin: 10,
  /** Longest password, in characters. It bounds the cost of hashing. */
  passwordCharsMax: 256,
  /** Longest email address, in UTF-16 units (RFC 5321 §4.5.3.1). */
  emailUnitsMax: 254,
  /** Maximum number of passwords that are hashed at the same time. Each hash takes 19 MiB and a thread for about 35 ms. */
  passwordsAtOnceMax: 2,
  /** Maximum number of passwords that may wait to be hashed. */
  passwordsWaitingMax: 40,
  /** Maximum number of renames that may wait for one account. Each rename writes to all documents of the account, so they run one at a time. */
  renamesWaitingMax: 40,
  /** Maximum number of earlier names that an account keeps. */
  formerNamesMax: 10,
  /** Longest lifetime of a session, in days. */
  sessionDaysMax: 30,
  /** Time without use after which a session ends, in days. */
  sessionIdleDaysMax: 7,
  /** Time after which a browser gets a new session secret, in hours. */
  sessionRotateHours: 24,
  /** How long the previous session secret stays valid for requests in progress, in seconds. */
  sessionOverlapSeconds: 60,
  /** Maximum number of sessions per account. The least recently used one is ended first. */
  sessionsMax: 100,
  /** Shortest time between two updates of a session's last use, in seconds. */
  sessionTouchSeconds: 60,
  /** Maximum number of tokens and connected programs per account. */
  programsMax: 100,
  /** Maximum number of documents to which a token may be restricted. */
  tokenDocumentsMax: 100,
  /** Default lifetime of a token, in days. */
  tokenDays: 90,
  /** Longest lifetime of a token, in days. */
  tokenDaysMax: 366,
  /** Maximum number of passkeys per account. */
  passkeysMax: 20,
  /** How long a device login waits for approval, in seconds (RFC 8628 §3.2). */
  deviceSecondsMax: 600,
  /** Time between two polls of a device login, in seconds (RFC 8628 §3.2). */
  devicePollSeconds: 5,
  /** Time added to the interval of a client that polls too fast, in seconds (RFC 8628 §3.5). */
  deviceSlowDownSeconds: 5,
  /** How long a sign-in may take, in seconds, from the redirect to the identity broker until the person returns. */
  signInSecondsMax: 1800,
  /** How long an invitation is valid, in hours. */
  inviteHours: 168,
  /** How long a password reset link is valid, in hours. */
  resetHours: 24,
  /** Lifetime of an authorization code of the embedded broker, in seconds. */
  brokerCodeSeconds: 60,
  /** Lifetime of an access token or id token of the embedded broker, in seconds. */
  brokerTokenSeconds: 3600,
  /** Lifetime of a refresh token of the embedded broker, in days. */
  brokerRefreshDays: 30,
  /** Lifetime of a session at the embedded broker, in days. */
  brokerSessionDays: 14,
  /** Time without use after which a client that registered itself is removed, in days. */
  brokerClientDays: 180,
  /** Largest client metadata document, in bytes. */
  clientDocumentBytesMax: 5 * 1024,
  /** Longest time to fetch a client metadata document, in seconds. */
  clientDocumentSecondsMax: 5,
  /** Maximum number of metadata documents that are fetched at the same time. */
  clientDocumentsAtOnce: 10,
  /** Shortest time that a metadata document is cached, in seconds. */
  clientDocumentKeptSecondsMin: 300,
  /** Longest time that a metadata document is cached, in seconds. */
  clientDocumentKeptSecondsMax: 24 * 3600,
  /** Longest agent token, in UTF-16 units. */
  agentTokenUnitsMax: 8192,
  /** How long an issuer's response about an agent token is cached, in seconds. */
  agentTokenSeconds: 60,
  /** How long an issuer may take to respond, in seconds. */
  issuerSecondsMax: 5,
  /** How long the metadata and keys of an issuer are cached, in minutes. */
  issuerKeepMinutes: 10,
  /** Longest search query, in UTF-16 units. */
  searchWordsMax: 200,
  /** Default number of matches on a page of a search in one document. */
  searchMatchesDefault: 50,
  /** Maximum number of matches on a page of a search in one document. */
  searchMatchesMax: 200,
  /** Maximum number of matches per document in a search of all documents. */
  searchMatchesOfDocumentMax: 3,
  /** Maximum number of documents on a page of a search of all documents. */
  searchFoundMax: 100,
  /** Maximum number of documents that a search of all documents reads for one page. It is below `listMax`. */
  searchScanMax: 999,
  /** Longest time that a search of all documents may take for one page, in seconds. */
  searchSecondsMax: 2,
  /** Number of documents that a search reads in one turn of the event loop. */
  searchTurnDocuments: 8,
  /** Maximum number of documents that the server reads for one page of a caller's own documents. The response says where to continue. */
  searchDocumentsMax: 200,
  /** How long a deleted document stays in the trash, in days. Google Drive and Notion also use 30 days. */
  trashDays: 30,
  /** Maximum number of records in the audit log. The oldest ones are removed first, even before `AGMD_AUDIT_DAYS` is over. */
  auditRecordsMax: 200_000,
  /** Maximum number of failed sign-ins per minute that have a record each. One more record counts all others in that minute. */
  auditFailuresPerMinute: 60,
  /** Maximum number of audit records on a page. `auditPageDefault` is the default, and the number on a page of `/admin`. */
  auditPageMax: 500,
  auditPageDefault: 100,
  /** Maximum number of audit records that the server reads for one page with a filter. The response says where to continue. */
  auditScanMax: 5_000,
  /** Default number of accounts, documents, tokens or nodes on a page for administrators. `adminPageMax` is the maximum. */
  adminPageDefault: 50,
  adminPageMax: 500,
  /** Shortest and longest text that an operator can remove from a history, in UTF-16 units. Even shorter text would also match by chance. */
  forgetUnitsMin: 4,
  forgetUnitsMax: 4096,
  /** Maximum number of changed revisions that the response lists. */
  forgetRevisionsMax: 1000,
  /** Maximum number of records that the server reads for one page of accounts. The response says where to continue. */
  adminScanMax: 10_000,
  /** Maximum number of documents that the server reads for one page of documents. The response says where to continue. */
  adminDocumentsScanMax: 2_000,
  /** Time between two load samples, in minutes. `loadDays` is how long the samples are stored, in days. */
  loadMinutes: 10,
  loadDays: 30,
  /** How long a sign-in counts as recent, in minutes. Dangerous actions of administrators need a recent sign-in. */
  adminFreshMinutes: 15,
  /** Time between two sweeps of expired records, in minutes. */
  sweepMinutes: 10,
  /** Maximum number of records that a sweep reads at a time. */
  sweepRecordsMax: 1000,
  /** Number of records that a sweep removes in one commit. */
  sweepCommitRecords: 100,
  /** Maximum number of documents that one round of removing old versions checks. */
  retentionChecksMax: 10_000,
  /** Maximum number of documents from which one round removes old versions. */
  retentionDocumentsMax: 200,
  /** Longest text that is rendered in the thread for quick work, in UTF-16 units. Longer text goes to another thread (measured: 44 ms for 100 KB). */
  renderQuickUnitsMax: 200 * 1024,
  /** Longest time to render text in the thread for quick work, in seconds. After that, the page shows the source. */
  renderQuickSecondsMax: 5,
  /** Longest time to render text in the other thread, in seconds. After that, the page shows the source. */
  renderSecondsMax: 10,
  /** Rendering time above which a document is moved to the thread for long documents, in milliseconds. */
  renderSlowMs: 1000,
  /** Maximum number of slow documents that are remembered. */
  renderSlowMax: 1000,
  /** Maximum number of jobs that may wait for a thread. */
  laneWaitingMax: 500,
  /** Maximum number of waiting jobs that render pages of the same document. */
  pagesWaitingOfDocumentMax: 4,
  /** Maximum number of waiting jobs that process the text of the same document. Programs that write at the same time can cause many. */
  textWaitingOfDocumentMax: 100,
  /** Longest time that a job may wait for its turn, in seconds. */
  laneWaitSecondsMax: 30,
  /** Time after which a refused caller may try again, in seconds. */
  laneRetrySeconds: 5,
  /**
   * Longest text that is processed in the main thread, in UTF-16 units (measured: at most about 15 ms for 32 KB). Longer text goes to another thread.
   */
  textInlineUnitsMax: 32 * 1024,
  /** Longest string in the description of a change to a component, in UTF-16 units. */
  describedWordsMax: 200,
  /** Total size of the components that are read to describe the decisions of one request, in UTF-16 units. */
  describedUnitsMax: 128 * 1024,
  /** Maximum number of changes past which an edit is moved while it is computed. After more changes, it is computed again. */
  followedChangesMax: 1000,
  /** Longest time that a job may take to process text, in seconds. */
  textSecondsMax: 10,
  /** Maximum memory of a thread, in MB. If the text needs more, the page shows the source. */
  laneMegabytesMax: 1024,
  /** Longest HTML of the text, in UTF-16 units. If it is longer, the page shows the source. */
  renderedUnitsMax: 32 * 1024 * 1024,
  /** How long an idle thread waits for another job, in seconds. */
  laneIdleSeconds: 60,
  /** Maximum number of headings on a page of an outline. */
  outlinePageMax: 2000,
  /** Maximum number of runs on a page of an attribution. A run consists of lines by the same authors. */
  attributionPageMax: 2000,
  /** Maximum number of diagrams in a document whose pictures are stored. */
  drawingsMax: 50,
  /** Longest source of a diagram whose picture is stored, in UTF-16 units. */
  drawingSourceUnitsMax: 50 * 1024,
  /** Longest title of a diagram whose picture is stored, in UTF-16 units. */
  drawingTitleUnitsMax: 300,
  /** Longest stored picture of a diagram, in UTF-16 units. */
  drawingUnitsMax: 256 * 1024,
  /** Largest width or height of a stored picture of a diagram, in CSS pixels. */
  drawingPixelsMax: 20_000,
  /** Longest beginning of the text that is sent with the page, in UTF-16 units. It fills four 4K screens. */
  firstTextUnitsMax: 16 * 1024,
  /** How long a page waits until the beginning of its text is rendered, in milliseconds. */
  firstTextMsMax: 800,
  /** The beginning of the text is left out of the page if its HTML is longer than `firstTextUnitsMax` times this factor. */
  firstTextGrowthMax: 32,
  /** Memory for the rendered beginnings of documents, in bytes, including their compressed forms. */
  firstTextCacheBytesMax: 16 * 1024 * 1024,
  /** Memory for each kind of published data (pages, Markdown, pictures), in bytes, including the compressed forms. */
  publishedCacheBytesMax: 64 * 1024 * 1024,

  // Import and export
  /** Longest text that is copied from the live view also as HTML, in UTF-16 units. Copying waits for the conversion. */
  copiedHtmlUnitsMax: 200_000,
  /** Maximum number of pictures within pasted formatted text that are added to the document, and the length of their addresses in UTF-16 units. */
  pastedPicturesMax: 20,
  pastedPicturesUnitsMax: 64 * 1024 * 1024,
  /**
   * Maximum number of pictures and other files in a download of a document as Markdown, and their total size in bytes. An archive that a person opens
   * may also contain text, of at most `importTextBytesMax` in total.
   */
  archiveFilesMax: 500,
  archiveBytesMax: 100 * 1024 * 1024,
  /** Maximum number of documents that a person creates from files at once. It is below the burst of `rateLimits.create`. */
  importDocumentsMax: 50,
  /** Maximum number of files in a folder or archive that is imported. */
  importFilesMax: 200_000,
  /** Largest text file that is read, in bytes. A UTF-16 unit can take 3 bytes, and each line can end with CR LF. */
  importTextBytesMax: 16 * 1024 * 1024,
  /** Largest JSON file of an export that is read at once, in bytes. It holds all comments or suggestions of a document. */
  importJsonBytesMax: 64 * 1024 * 1024,
  /** Largest history of a document in an export, in bytes. */
  importJournalBytesMax: 512 * 1024 * 1024,
  /** Unpacked size below which an archive is never refused as a bomb, in bytes. */
  importBombBytesMin: 1024 * 1024 * 1024,
  /** Highest ratio of an archive's unpacked size to its own size. Deflate reaches 1,032; text reaches about 10. */
  importRatioMax: 100,
  /** Maximum number of files with the same name that are compared with the path in a wikilink. */
  importAlikeMax: 1000,
  /** Maximum number of notes that the report of an import prints for each reason. `--json` prints more. */
  importNotesShown: 20,
  /** Maximum number of notes that the report of an import keeps. */
  importNotesMax: 10_000,
  /** Maximum total size of a document's revisions that an export writes as text, in bytes. The history contains all revisions. */
  exportRevisionBytesMax: 64 * 1024 * 1024,

  // Documentation (/docs)
  /** Longest search query for the documentation, in UTF-16 units. The rest is ignored. */
  docsQueryUnitsMax: 100,
  /** Maximum number of sections that a search of the documentation shows. */
  docsFoundMax: 30,
  /** Longest excerpt of a found section, in UTF-16 units. */
  docsExcerptUnitsMax: 160,

  // Component fences
  /** Maximum number of rows of a sheet that are computed and shown as a grid. Any more rows are shown only as text. */
  sheetRowsMax: 200,
  /** Maximum number of columns of a sheet that are computed and shown as a grid. Any more columns are shown only as text. */
  sheetColumnsMax: 50,
  /** Maximum number of sheets of a document that are computed. */
  sheetsMax: 50,
  /** Longest formula, in UTF-16 units. */
  formulaUnitsMax: 2000,
  /** Maximum nesting depth of a formula. */
  formulaDepthMax: 64,
  /** Maximum number of cells and formula parts that are read to compute the sheets of a document. If there are more, cells show an error. */
  sheetStepsMax: 2_000_000,
  /** Longest text that a formula may return, in UTF-16 units. */
  sheetTextUnitsMax: 10_000,
  /** Maximum number of points that a chart draws. A note says how many are left out. */
  chartPointsMax: 2000,
  /** Maximum number of series that a chart draws. A note says how many are left out. */
  chartSeriesMax: 10,
  /** Maximum number of cards of a board that a page shows. The page reports how many more cards there are. */
  boardCardsMax: 2000,
  /** Maximum number of messages of a chat that a page shows. The page reports how many more messages there are. */
  chatMessagesMax: 2000,
  /** Largest state of a widget, in bytes of JSON. */
  widgetStateBytesMax: 4 * 1024,
  /** Default height of a widget, in CSS pixels. */
  widgetHeightDefault: 240,
  /** Smallest height of a widget, in CSS pixels. */
  widgetHeightMin: 40,
  /** Largest height of a widget, in CSS pixels. */
  widgetHeightMax: 800,
  /** Time without edits in a fence after which the server tidies the fence, in milliseconds. */
  tidyQuietMs: 2_000,
  /** Time between two checks for fences to tidy, in milliseconds. */
  tidyCheckMs: 1_000,
  /** Longest text of a fence that the server tidies, in UTF-16 units. */
  tidyUnitsMax: 512 * 1024,
  /** Maximum number of mention events from one check of a document. The limit prevents a flood of events when somebody pastes a chat. */
  mentionEventsMax: 20,
  /** Longest message text in a mention event, in UTF-16 units. */
  mentionTextUnitsMax: 280,

  /** Maximum number of buckets that are stored for each rate limit, at about 150 bytes each. */
  rateBucketsMax: 25_000,
  /** Number of buckets that all other callers share when `rateBucketsMax` is reached. */
  rateBucketsShared: 256,

  /** Change in the size of a document after which the usage record of its owner is written, in bytes. */
  usageStepBytes: 64 * 1024,
  /** Number of entries that are read at a time to measure a document. */
  usagePage: 32,
  /** Smallest margin beyond a quota for changes that shorten the text, in bytes. Such changes make the history grow too. */
  quotaMarginBytes: 1024 * 1024,
  /** A change counts as shortening if it removes at least this many times as much text as it inserts. */
  quotaLessFactor: 4,

  /** Time from a deletion until the deleted bytes are erased from the store's file, in seconds. Deletions during this time share one run. */
  eraseQuietSeconds: 60,
  /** Speed that determines the pause after an erasure, in bytes per second. The more bytes an erasure has written, the longer the pause. */
  eraseBytesPerSecond: 1024 * 1024,
  /** Number of bytes that one step of erasing reads or writes. */
  eraseStepBytes: 1024 * 1024,
  /** Number of filler records that one step of erasing removes. */
  eraseStepFillers: 1024,
  /** Pause between two steps of erasing, in milliseconds. */
  erasePauseMs: 5,

  /** How long the store may take to write an empty commit, in seconds. If it takes longer, the server counts as not ready. */
  readySecondsMax: 3,
  /** How long other callers get the result of the last readiness check, in milliseconds. */
  readyShareMs: 1_000,
  /** Time between two measurements of the space that assets use, in minutes. */
  assetsMeasuredMinutes: 10,

  /**
   * How long a clean stop may take, in seconds. If it takes longer, the server recovers the data from the journal at the next start. The launcher
   * ends a server that needs longer than 10 s.
   */
  stopSecondsMax: 9,
  /** How long a server that stops waits for the store before it closes its sockets, in milliseconds. */
  stopWriteMs: 2000,

  // Traces
  /** Maximum number of spans in one message to the collector. */
  traceBatchSpansMax: 256,
  /** How long a span waits for others before it is sent, in seconds. */
  traceBatchSeconds: 5,
  /** Maximum number of spans that wait for the collector, at about 1 KB each. The server drops any more spans. */
  traceWaitingSpansMax: 2_048,
  /** How long the collector may take to accept a message, in seconds. */
  traceSendSecondsMax: 10,
  /** How long the server may take to send the last spans when it stops, in milliseconds. */
  traceStopMsMax: 1_000,
  /** Length of a `traceparent` of version 00, and of the fields of later versions that are read (W3C Trace Context, 3.2). */
  traceParentChars: 55
} as const

/**
 * Token buckets: a caller may send `burst` requests at once, then `perSecond`. Each request takes one token from every limit that counts it:
 *
 * | request | counted by |
 * |---|---|
 * | any request, on any path | `request` |
 * | an operation or `/mcp` without a credential, or with a valid one that opens nothing here; a page of sign-in, the account or the broker | `address` |
 * | an operation or `/mcp` with a wrong credential | `failedKey` |
 * | an operation that reads, by an admitted caller; a message to `/mcp` | `read` |
 * | an operation that writes | `write` |
 * | a new document | `create` without an account, otherwise `createAddress` and `createAccount` |
 * | passwords, new accounts, device codes, clients of the broker | separate limits, below |
 *
 * A credential is verified before it selects a bucket. An account or agent has one bucket for all its sessions. A link has one bucket for everyone
 * who uses it.
 */
export const rateLimits = {
  /**
   * All requests from one address. A hundred people may share an address and open their first page at once (about 40 files each) while agents read.
   */
  request: { burst: 10_000, perSecond: 1_000 },
  /** Requests from one address without a valid credential. */
  address: { burst: 600, perSecond: 100 },
  /** Reads by one account, agent or link. Each person who opens a shared link makes about ten requests. */
  read: { burst: 5_000, perSecond: 500 },
  /** Writes by one account, agent or link. */
  write: { burst: 200, perSecond: 50 },
  /** Documents without an owner that are created from one address, anonymously or by holders of a link. A team may share an address. */
  create: { burst: 300, perSecond: 300 / 3600 },
  /** Documents created by one account or agent. */
  createAccount: { burst: 200, perSecond: 200 / 3600 },
  /** Documents created from one address by all accounts and agents together. */
  createAddress: { burst: 1_000, perSecond: 1_000 / 3600 },
  /** Wrong keys from one address. */
  failedKey: { burst: 60, perSecond: 0.5 },
  /** Passwords tried from one address. */
  signIn: { burst: 20, perSecond: 20 / 600 },
  /** Passwords tried for one account, from any address. */
  password: { burst: 10, perSecond: 10 / 900 },
  /** Accounts created from one address. */
  signUp: { burst: 20, perSecond: 20 / 3600 },
  /** Codes of device logins tried from one address, and by one account. The limit prevents guessing (RFC 8628 §5.1). */
  userCode: { burst: 10, perSecond: 10 / 3600 },
  /** Device logins started from one address. */
  deviceStart: { burst: 30, perSecond: 60 / 3600 },
  /** Polls of device logins from one address. */
  devicePoll: { burst: 60, perSecond: 2 },
  /** Clients registered at the embedded broker from one address. */
  register: { burst: 10, perSecond: 20 / 3600 },
  /** Metadata documents of clients that the embedded broker fetches for one address. A refused document is fetched twice. */
  clientDocument: { burst: 20, perSecond: 60 / 3600 }
} as const

export type RateLimitName = keyof typeof rateLimits
