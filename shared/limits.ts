/** The limits of the service: value, unit, source. A number that only one module uses may be in that module. */
export const limits = {
  /** Largest text of a document, in UTF-16 units (as `Y.Text` counts). Ours; editors stay quick up to here. */
  contentUnitsMax: 4 * 1024 * 1024,
  /** Largest body of a request that carries a document, in bytes: every unit may take 3 bytes, JSON escapes some. */
  contentBodyBytesMax: 16 * 1024 * 1024,
  /** Largest other JSON body, in bytes. */
  bodyBytesMax: 64 * 1024,
  /**
   * Values of a JSON body (fields, items), and its nesting depth: three times the largest request of any operation (1,000 runs of characters, three
   * numbers each). Bodies below this many bytes are not counted: nothing in them can take long.
   */
  jsonValuesMax: 10_000,
  jsonDepthMax: 64,
  /** Longest name of a field in a JSON body that is counted, in bytes: many times the longest name of any operation. */
  jsonNameBytesMax: 4096,
  jsonCheckedBytesMin: 8 * 1024,
  /** Fields of one object in a request, and of a form: several times what any operation takes. */
  fieldsMax: 200,
  /** Longest title, in characters. */
  titleCharsMax: 300,
  /** Longest label of a link or revision, in characters. */
  labelCharsMax: 200,
  /** Longest author name, in characters. */
  authorCharsMax: 80,
  /** Live links of one document, without those of review assignments. */
  sharesMax: 200,
  /** Live links of review assignments of one document. */
  taskSharesMax: 1000,
  /** Links on one page of their list. */
  sharePageMax: 200,

  /** Longest `wait` of the event feed, in seconds. Below the 60 s idle limit common to proxies. */
  eventWaitSecondsMax: 55,
  /** Events on one page of the feed (docs/api.md, Events and inbox). */
  eventPageMax: 200,
  /** Long polls and streams that may be open on one document. */
  eventWaitersMax: 500,
  /** Streams of events that one caller may hold open on one document. */
  eventStreamsMax: 10,
  /** Time between heartbeats of a stream, and for a reader to take the written data, in seconds. Below the 60 s idle limit common to proxies. */
  eventStreamBeatSeconds: 15,
  eventStreamStallSecondsMax: 20,
  /** Time after which a client that lost its stream reconnects, in milliseconds. */
  eventStreamRetryMs: 3000,
  /** Length of a comment, reply, note or replacement in an event, and of the annotated text, in characters. */
  eventBodyCharsMax: 1000,
  eventQuoteCharsMax: 300,
  /** Entries of the inbox of one account or agent, days that they are stored, and entries that are written between two counts. */
  inboxEntriesMax: 1000,
  inboxDays: 90,
  inboxTrimEvery: 64,
  /** Items on a page of an inbox, and entries that are read for it. */
  inboxPageMax: 50,
  inboxLooksMax: 200,
  /** People of one thread who are notified of a reply. */
  inboxPeopleMax: 100,
  /** Size of the hunks in an event or of the diff in an error, in characters (docs/api.md, Events and inbox). */
  diffCharsMax: 8 * 1024,
  /**
   * Separate edits by which a text is replaced; beyond this number, the closest ones are combined. At each edit, Yjs shifts the whole document
   * (measured: 20,000 take 0.8 s, 1,000 take 40 ms).
   */
  editsAtOnceMax: 1000,
  /** Size of a reported difference between two versions, in characters, and its number of hunks; the report says that it leaves out the rest. */
  comparisonCharsMax: 1024 * 1024,
  comparisonHunksMax: 5000,
  /** Size of the merge that an error contains, in UTF-16 units; the service itself makes a larger one (onConflict=merge). */
  mergeUnitsMax: 1024 * 1024,
  /** Entries on a page of any other list, when the caller names no number. */
  pageDefault: 50,
  /** Entries that any listing returns at most. */
  listMax: 1000,

  /** Largest asset, in bytes. */
  assetBytesMax: 10 * 1024 * 1024,

  // Media jobs
  /** Longest text to be spoken, in characters. */
  speechCharsMax: 2400,
  /** Largest recording to be transcribed, in bytes. */
  transcriptionBytesMax: 25 * 1024 * 1024,
  /** Largest picture to be read, in bytes: as an asset. */
  ocrBytesMax: 10 * 1024 * 1024,
  /** Longest description of a picture, in characters. */
  promptCharsMax: 4000,
  /** Width and height of a generated picture, in pixels: at least, at most, and when the caller names none. */
  imagePixelsMin: 64,
  imagePixelsMax: 2048,
  imagePixelsDefault: 1024,
  /** Largest picture or speech that a node may answer, in bytes: it becomes an asset, or may become one. */
  mediaResultBytesMax: 10 * 1024 * 1024,
  /** Longest text that a node may answer, in UTF-16 units, and segments of a transcription. */
  mediaTextUnitsMax: 400_000,
  mediaSegmentsMax: 10_000,
  /** Longest reason of a failure and longest name of an engine or voice that a node may send, in characters. */
  mediaReasonCharsMax: 500,
  mediaNameCharsMax: 80,
  mediaVoicesMax: 200,
  /** Jobs of one account that wait or run; more are refused. */
  mediaOpenJobsMax: 10,
  /** Ended jobs of one account that are stored; beyond that the oldest is removed. */
  mediaKeptJobsMax: 100,
  /** How long an ended job and its result are stored, in hours. */
  mediaKeptHours: 24,
  /** Longest `wait` for the end of a job, in seconds, the same as for the event feed; and the default wait of a tool. */
  mediaWaitSecondsMax: 55,
  mediaToolWaitSeconds: 45,
  /** Time from the start of a job on a node to its result, in seconds. */
  mediaSeconds: { image: 300, speech: 120, transcription: 900, ocr: 120 },
  /**
   * How long a job may wait for a free node, and for any capable node, in seconds. The latter, plus the time to detect a silent node
   * (`relaySilentSecondsMax` and a beat), is a minute.
   */
  mediaQueueSecondsMax: 900,
  mediaNodelessSecondsMax: 25,
  /** Losses of its node that a job survives; the next loss fails it. */
  mediaLossesMax: 3,
  /** Node tokens of one account, and sockets that nodes may hold open in all. */
  nodesMax: 20,
  relaySocketsMax: 500,
  /** Concurrent jobs that a node may announce. */
  relaySlotsMax: 16,
  /** Time for a node to send its hello, between heartbeats, and without a message, in seconds. */
  relayHelloSecondsMax: 10,
  relayBeatSeconds: 10,
  relaySilentSecondsMax: 25,
  /** Largest message of a node, in bytes of JSON: the longest text with its segments. */
  relayMessageBytesMax: 2 * 1024 * 1024,
  /** A node's time of use is written at most this often, in seconds. */
  nodeTouchSeconds: 60,

  /** Ids in each list of a task report (docs/api.md, Review assignments). */
  taskIdsMax: 100,
  /** Assignments on a page of the list. */
  taskPageMax: 50,
  /** Longest instructions of an assignment, and longest summary of its report, in characters. Both fit `bodyBytesMax` in any script. */
  taskTextCharsMax: 16_000,
  /** Longest `requestId`, in characters. */
  requestIdCharsMax: 200,
  /** Longest id of a comment, suggestion or assignment that is looked up, in characters. */
  idCharsMax: 100,

  /** Longest comment, reply or note of a suggestion, in bytes of UTF-8. */
  annotationBytesMax: 10 * 1024,
  /** Longest annotated text, and longest replacement of a suggestion, in UTF-16 units. */
  targetUnitsMax: 64 * 1024,
  /** Longest text before or after a target that identifies one of several, in UTF-16 units. */
  targetContextUnitsMax: 1000,
  /** Runs of characters by which a page names the annotated text. */
  targetRunsMax: 1000,
  /** Comments, and suggestions, of one document. */
  annotationsMax: 10_000,
  /** All comments and suggestions of one document, in bytes of JSON: they are in memory while the document is open. */
  annotationsBytesMax: 32 * 1024 * 1024,
  /** Replies to one comment. */
  repliesMax: 500,
  /** Comments or suggestions on a page of a list: when the caller names no number, and at most. */
  annotationPageDefault: 200,
  annotationPageMax: 2000,
  /** Bytes of the records on such a page; the next page continues. A page has at least one record. */
  annotationPageBytesMax: 4 * 1024 * 1024,
  /** Longest reason for a rejection, in UTF-16 units: the event contains all of it. */
  reasonCharsMax: 1000,
  /** Places that the operations of one edit change in all. */
  editPlacesMax: 2000,
  /** Operations of one edit (based on the requests of models' editing tools). */
  editOperationsMax: 100,
  /**
   * Changes of comments and suggestions sent to open pages one by one, and bytes of a record sent so; beyond that the pages are asked to read the
   * lists.
   */
  annotationsToldMax: 100,
  annotationToldBytesMax: 64 * 1024,
  /** Suggestions that one request makes or decides. */
  suggestionsAtOnceMax: 100,

  /** Length of a record's text in a short list, in characters. */
  briefCharsMax: 200,
  /** Default length of one MCP read, in UTF-16 units: about 5,000 tokens. */
  mcpReadChars: 20_000,
  /** Headings in the answer with a truncated text. */
  mcpHeadingsMax: 100,
  /** Sessions of MCP that wait for changes, and subscriptions of one. */
  mcpSessionsMax: 1000,
  mcpSubscriptionsMax: 50,
  /** Ids of ended sessions that are remembered. */
  mcpSessionsEndedMax: 10_000,
  /** How long a new session may exist without its stream, in seconds. */
  mcpStreamSeconds: 60,
  /** Time between heartbeats on a stream, in seconds: below the 60 s idle limit common to proxies. */
  mcpHeartbeatSeconds: 25,
  /** Least time between two notices of one resource, in seconds. */
  mcpNotifySeconds: 1,
  /** Notices that wait for a client that does not read, in bytes. */
  mcpStreamBytesMax: 64 * 1024,
  /** How long presence shows a program where it wrote, in seconds (docs/protocol.md, Presence). */
  agentShownSeconds: 30,
  /** Programs that a document shows at once; beyond that the longest shown is removed. */
  agentsShownMax: 50,

  /** How long the answer to an `Idempotency-Key` is stored, in hours (docs/api.md, Retries). */
  idempotencyHours: 24,
  /** Longest answer that is stored whole, in UTF-16 units; of a longer one, comments and suggestions are stored as ids. */
  idempotencyAnswerCharsMax: 16 * 1024,
  /** Longest `Idempotency-Key`, in characters. */
  idempotencyKeyCharsMax: 200,
  /** Requests with an `Idempotency-Key` that are being answered at once. */
  idempotencyUnderWayMax: 10_000,

  /**
   * Time for the head of a request, a whole request, and between two requests of a connection, in seconds. The last one is longer than the
   * 60 s common to proxies, which would otherwise use a connection that ends at that moment.
   */
  headersSecondsMax: 10,
  /** Time for the rest of a refused request's body, in seconds: just enough for its sender to receive the answer. */
  refusedBodySecondsMax: 10,
  requestSecondsMax: 120,
  /** Time in which a page expects an answer, in seconds, longer than any wait of the server. Then the request counts as not sent. */
  answerSecondsMax: 90,
  keepAliveSeconds: 65,
  /** Time between checks for connections that take too long, in milliseconds; and how long an answered and ended connection may still send. */
  connectionCheckMs: 2_000,
  connectionLingerMs: 1_000,
  /** Largest head of a request, in bytes. */
  headerBytesMax: 16 * 1024,

  /** Largest WebSocket message, in bytes. A long offline session arrives as one message: four times the largest document. */
  socketMessageBytesMax: 16 * 1024 * 1024,
  /** Largest message before the socket has opened a document, in bytes. */
  socketHelloBytesMax: 16 * 1024,
  /** Bytes of one socket that may wait for its credentials to be checked, so that a stranger cannot fill the memory. */
  socketQueueBytesMax: 256 * 1024,
  /** Time for a new socket to open its first document, in seconds. */
  socketHelloSecondsMax: 10,
  /** Largest awareness message, in bytes. */
  awarenessBytesMax: 8 * 1024,
  /** Largest state of one person, in characters of JSON. */
  awarenessStateCharsMax: 4 * 1024,
  /** Time for a client to answer a close frame before its connection is cut, in seconds. The server ignores everything that it sends meanwhile. */
  socketGoodbyeSecondsMax: 3,
  /** Documents that one socket may hold open. */
  socketDocumentsMax: 20,
  /**
   * Shares of a document's connections: of one account or address, of one link, and reserved for owners. Their total is a setting
   * (AGMD_SOCKETS_PER_DOCUMENT).
   */
  documentShareOfPerson: 0.25,
  documentShareOfLink: 0.8,
  documentShareOfOwners: 0.1,
  /**
   * Bytes that wait for a reader before the server stops reading from it, and before it drops the reader; a requested whole document does not count.
   */
  socketBufferPauseBytes: 1024 * 1024,
  socketBufferBytesMax: 8 * 1024 * 1024,
  /** Bytes that wait for all readers together; beyond that the readers with the most waiting bytes are dropped. */
  socketsBufferBytesMax: 256 * 1024 * 1024,
  /** Time between checks of waiting bytes, in seconds. A reader that takes fewer bytes per second for so many seconds is dropped. */
  socketLookSeconds: 5,
  socketStallSeconds: 30,
  socketReadBytesPerSecondMin: 1024,
  /** Messages, and bytes, of one socket that wait to be handled before the server stops reading from it. */
  socketInboxMessagesMax: 512,
  socketInboxBytesMax: 1024 * 1024,
  /** Messages of one socket that are handled at once, and time for messages of all sockets in one turn of the event loop, in milliseconds. */
  socketSliceMessages: 16,
  socketTurnMs: 8,
  /** Frames of one socket that wait for the disk before the server stops reading from it. */
  socketHeldFramesMax: 2000,
  /** Bytes of whole documents that one address may request at once, and per second over time. */
  socketAnswerBytesBurst: 64 * 1024 * 1024,
  socketAnswerBytesPerSecond: 16 * 1024 * 1024,
  /** Bytes of whole documents that wait for the readers of one address, and of all; further documents wait until these are read. */
  socketAnswersWaitingBytesMax: 32 * 1024 * 1024,
  socketsAnswersWaitingBytesMax: 128 * 1024 * 1024,
  /** Time between pings, in seconds; a socket that missed one is dropped at the next. */
  socketPingSeconds: 25,
  /** Messages besides edits that are read from a socket at once, and per second over time. */
  socketMessagesBurst: 4000,
  socketMessagesPerSecond: 1000,
  /** Least time between two presence updates of one connection that are sent to others, in milliseconds. */
  presenceMs: 50,
  /** Least time between two presence frames of one document, in milliseconds; the second with more connections than `crowdMin`. */
  presenceFrameMs: 100,
  presenceFrameCrowdMs: 250,
  /** Sockets that get a presence frame in one turn of the event loop: edits go between. */
  presenceFrameSockets: 64,
  /** Connections of a document from which its edits wait for each other: at most so many milliseconds, one for each `crowdPerMs` connections. */
  crowdMin: 50,
  crowdPerMs: 16,
  crowdWaitMsMax: 25,
  /** Edits of one document that are taken together at most, so that others get their turn. */
  editsTogetherMax: 512,
  /** Largest state vector, in bytes: the client's known state, a few bytes for each page that ever wrote. */
  stateVectorBytesMax: 1024 * 1024,
  /** Client ids of earlier pages that one connection may use (its page loads while offline). */
  updateClientsMax: 10_000,

  /** Journal records, and bytes, that are gathered into a compressed history segment with a checkpoint. */
  journalRecordsMax: 500,
  journalBytesMax: 1024 * 1024,
  /** History bytes after which another keyframe is stored, so that old versions are rebuilt in bounded time. */
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

  // Identity
  /** Shortest password, in characters; there is no other requirement (NIST SP 800-63B). The longest bounds the work of hashing. */
  passwordCharsMin: 10,
  passwordCharsMax: 256,
  /** Longest address of a mailbox, in characters (RFC 5321 §4.5.3.1). */
  emailCharsMax: 254,
  /** Passwords that are hashed at once, and that may wait: each hash takes 19 MiB and a thread for some 35 ms. */
  passwordsAtOnceMax: 2,
  passwordsWaitingMax: 40,
  /** Renames of one account that may wait for each other: each writes to all of its documents. */
  renamesWaitingMax: 40,
  /** A session ends after this many days, and after so many without use. */
  sessionDaysMax: 30,
  sessionIdleDaysMax: 7,
  /** A browser gets a new secret after so many hours; requests in progress may still use the former one for so many seconds. */
  sessionRotateHours: 24,
  sessionOverlapSeconds: 60,
  /** Sessions of one account; beyond that the least recently used is ended. */
  sessionsMax: 100,
  /** A session's time of use is written at most this often, in seconds. */
  sessionTouchSeconds: 60,
  /** Tokens and connected programs of one account; documents that a token may name; default and longest lifetime of a token, in days. */
  programsMax: 100,
  tokenDocumentsMax: 100,
  tokenDays: 90,
  tokenDaysMax: 366,
  /** Passkeys of one account. */
  passkeysMax: 20,
  /** Time to approve a device login, between polls, and added by polling faster, in seconds (RFC 8628 §3.2 and §3.5). */
  deviceSecondsMax: 600,
  devicePollSeconds: 5,
  deviceSlowDownSeconds: 5,
  /** Time to sign in, from leaving for the broker to coming back, in seconds. */
  signInSecondsMax: 1800,
  /** How long an invitation and a link for a new password are valid, in hours. */
  inviteHours: 168,
  resetHours: 24,
  /** Lifetimes at the embedded broker: authorization code (s), access and id token (s), refresh token and its session (days). */
  brokerCodeSeconds: 60,
  brokerTokenSeconds: 3600,
  brokerRefreshDays: 30,
  brokerSessionDays: 14,
  /** A client that registered itself is forgotten after so many days without use. */
  brokerClientDays: 180,
  /** The metadata document of a client: size, time to fetch it (s), concurrent fetches, how long it is cached (s). */
  clientDocumentBytesMax: 5 * 1024,
  clientDocumentSecondsMax: 5,
  clientDocumentsAtOnce: 10,
  clientDocumentKeptSecondsMin: 300,
  clientDocumentKeptSecondsMax: 24 * 3600,
  /** Longest agent token, in characters, and how long an issuer's answer about one is cached, in seconds. */
  agentTokenCharsMax: 8192,
  agentTokenSeconds: 60,
  /** How long an issuer may take to answer, in seconds, and how long its metadata and keys are cached, in minutes. */
  issuerSecondsMax: 5,
  issuerKeepMinutes: 10,
  /** Longest search words, in UTF-16 units. */
  searchWordsMax: 200,
  /** Matches on a page of a search in one document, and of each document in a search of all. */
  searchMatchesDefault: 50,
  searchMatchesMax: 200,
  searchMatchesOfDocumentMax: 3,
  /** Documents on a page of a search, documents that it reads (fewer than a listing has), its time, and documents in one turn of the event loop. */
  searchFoundMax: 100,
  searchScanMax: 999,
  searchSecondsMax: 2,
  searchTurnDocuments: 8,
  /** Documents that one search reads; the answer says where to continue. */
  searchDocumentsMax: 200,
  /** How long a deleted document stays in the trash, in days. Google Drive and Notion: 30. */
  trashDays: 30,
  /** Time between sweeps of expired records, in minutes; records that a sweep reads at a time, and removes in one commit. */
  sweepMinutes: 10,
  sweepRecordsMax: 1000,
  sweepCommitRecords: 100,
  /** Texts up to this, in UTF-16 units, are rendered in one thread, longer ones in another (measured: 44 ms for 100 KB). */
  renderQuickUnitsMax: 200 * 1024,
  /** Time to render a text of either kind, in seconds; after that the page shows the source. */
  renderQuickSecondsMax: 5,
  renderSecondsMax: 10,
  /** Documents that took longer than this, in milliseconds, join the queue of long texts from then on, and how many of them are remembered. */
  renderSlowMs: 1000,
  renderSlowMax: 1000,
  /** Jobs that may wait for a thread: in total; for the pages of one document; and for work on its text, when programs write at once. */
  laneWaitingMax: 500,
  pagesWaitingOfDocumentMax: 4,
  textWaitingOfDocumentMax: 100,
  /** Time that a job may wait for its turn, and after which a refused caller may try again, in seconds. */
  laneWaitSecondsMax: 30,
  laneRetrySeconds: 5,
  /** Size of texts up to which work on them runs at once, in UTF-16 units; larger ones go to a thread (measured: at most about 15 ms for 32 KB). */
  textInlineUnitsMax: 32 * 1024,
  /** Time for one piece of work on texts, in seconds. */
  textSecondsMax: 10,
  /** Memory of a thread, in MB, and longest HTML of a text, in UTF-16 units; beyond either the page shows the source. */
  laneMegabytesMax: 1024,
  renderedUnitsMax: 32 * 1024 * 1024,
  /** How long an idle thread waits for the next job, in seconds. */
  laneIdleSeconds: 60,
  /** Headings, and runs of lines by the same people, on a page of an outline or attribution. */
  outlinePageMax: 2000,
  attributionPageMax: 2000,
  /** Diagrams of which a document stores pictures; their source, title and picture in UTF-16 units, their sides in CSS pixels. */
  drawingsMax: 50,
  drawingSourceUnitsMax: 50 * 1024,
  drawingTitleCharsMax: 300,
  drawingUnitsMax: 256 * 1024,
  drawingPixelsMax: 20_000,
  /**
   * Length of the first text that is part of a document's page, in UTF-16 units: four screens of 4K. Then the time that the page waits for it, in
   * milliseconds, and the memory for such texts, in bytes with their compressed forms.
   */
  firstTextUnitsMax: 16 * 1024,
  firstTextMsMax: 800,
  /** Ratio of HTML to text, in UTF-16 units, above which such a text is not part of the page. */
  firstTextGrowthMax: 32,
  firstTextCacheBytesMax: 16 * 1024 * 1024,
  /** Published pages kept in memory, in bytes with their compressed forms; and as much of their Markdown. */
  publishedCacheBytesMax: 64 * 1024 * 1024,

  // Component fences
  /** Rows and columns of a sheet that are computed and shown as a grid; the rest stays in the text. */
  sheetRowsMax: 200,
  sheetColumnsMax: 50,
  /** Sheets of one document that are computed. */
  sheetsMax: 50,
  /** Longest formula, in characters, and its deepest nesting. */
  formulaCharsMax: 2000,
  formulaDepthMax: 64,
  /** Cells and parts of formulas that one computation of a document's sheets may read; beyond that cells show an error. */
  sheetStepsMax: 2_000_000,
  /** Longest text that a formula may return, in UTF-16 units. */
  sheetTextCharsMax: 10_000,
  /** Points, and series, that a chart draws; an annotation says that the rest is left out. */
  chartPointsMax: 2000,
  chartSeriesMax: 10,
  /** Cards of a board, and messages of a chat, that a page shows; of the rest it shows the number. */
  boardCardsMax: 2000,
  chatMessagesMax: 2000,
  /** State of a widget, in bytes of JSON. */
  widgetStateBytesMax: 4 * 1024,
  /** Height of a widget, in CSS pixels. */
  widgetHeightDefault: 240,
  widgetHeightMin: 40,
  widgetHeightMax: 800,
  /** Time without edits in a fence after which the server tidies the traces of concurrent edits, and time between checks, in milliseconds. */
  healQuietMs: 2_000,
  healLookMs: 1_000,
  /** Larger texts of fences are not tidied, in UTF-16 units. */
  healUnitsMax: 512 * 1024,
  /** Mention events that one check of a document's chats raises: a pasted chat is not news. */
  mentionEventsMax: 20,
  /** Length of a message with a mention in its event, in characters. */
  mentionTextCharsMax: 280,

  /** Buckets of each rate limit that are remembered (about 150 bytes each); beyond that, newcomers share this many. */
  rateBucketsMax: 25_000,
  rateBucketsShared: 256,

  /** How far the size of a document may change before its owner's record is written, in bytes, and entries that one page of a count reads. */
  usageStepBytes: 64 * 1024,
  usagePage: 32,
  /** Least margin beyond a quota for changes that shorten a text, in bytes: even these make the history grow. */
  quotaMarginBytes: 1024 * 1024,
  /** A change counts as shortening if it removes this many times as much as it inserts. */
  quotaLessFactor: 4,

  /** Time from a deletion until its bytes are erased in the store's file, in seconds; deletions until then share one run. */
  eraseQuietSeconds: 60,
  /** Bytes that each second of waiting allows the next erasing to write: with much free space in the file, runs are less frequent. */
  eraseBytesPerSecond: 1024 * 1024,
  /** Bytes that one step of erasing reads or writes, fillers that one removes, and the pause between steps, in milliseconds. */
  eraseStepBytes: 1024 * 1024,
  eraseStepFillers: 1024,
  erasePauseMs: 5,

  /** Time for a clean stop, in seconds; the journal recovers the rest at the next start. */
  stopSecondsMax: 10
} as const

/**
 * Token buckets: `burst` at once, then `perSecond`. One request takes one token of each limit that counts it:
 *
 * | request | counted by |
 * |---|---|
 * | every one, whatever its path | `request` |
 * | an operation or `/mcp` without a credential, or with a good one that opens nothing here; pages of signing in, of the account and of the broker | `address` |
 * | an operation or `/mcp` with a wrong credential | `failedKey` |
 * | an operation that reads, by a caller who was admitted; a message to `/mcp` | `read` |
 * | an operation that writes | `write` |
 * | a new document | `create` without an account, else `createAddress` and `createAccount` |
 * | passwords, new accounts, device codes, clients of the broker | their own, below |
 *
 * A credential is verified before it chooses a bucket. An account and an agent are one each, however many sessions they have; a link is one, no
 * matter who uses it.
 */
export const rateLimits = {
  /** All requests of one address. A hundred people who share it may open the first page at once (about 40 files each), with agents reading too. */
  request: { burst: 10_000, perSecond: 1_000 },
  /** Requests of one address without a valid credential. */
  address: { burst: 600, perSecond: 100 },
  /** Reads of one account, agent or link. A crowd that opens one link asks some ten times each. */
  read: { burst: 5_000, perSecond: 500 },
  /** Writes of one account, agent or link. */
  write: { burst: 200, perSecond: 50 },
  /** Documents without an owner that are created from one address, anonymously or by holders of a link. */
  create: { burst: 60, perSecond: 60 / 3600 },
  /** Documents created by one account or agent, and by all of them from one address. */
  createAccount: { burst: 200, perSecond: 200 / 3600 },
  createAddress: { burst: 1_000, perSecond: 1_000 / 3600 },
  /** Wrong keys from one address. */
  failedKey: { burst: 60, perSecond: 0.5 },
  /** Passwords tried from one address, and for one account by anybody. */
  signIn: { burst: 20, perSecond: 20 / 600 },
  password: { burst: 10, perSecond: 10 / 900 },
  /** Accounts made from one address. */
  signUp: { burst: 20, perSecond: 20 / 3600 },
  /** Codes of a device login tried from one address, and by one account, against guessing (RFC 8628 §5.1). */
  userCode: { burst: 10, perSecond: 10 / 3600 },
  /** Device logins begun from one address, and polls of one address. */
  deviceStart: { burst: 30, perSecond: 60 / 3600 },
  devicePoll: { burst: 60, perSecond: 2 },
  /** Clients registered at the embedded broker from one address. */
  register: { burst: 10, perSecond: 20 / 3600 },
  /** Metadata documents of clients that the embedded broker fetches for one address: a refused one is fetched twice. */
  clientDocument: { burst: 20, perSecond: 60 / 3600 }
} as const

export type RateLimitName = keyof typeof rateLimits
