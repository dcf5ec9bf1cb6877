/** The table of metrics: names, labels and meaning. The exposition, docs/operations.md and the test of the dashboard are derived from it. */

interface Metric {
  readonly name: `agmd_${string}`
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** Each label has only a few possible values, regardless of the requests. */
  readonly labels: readonly string[]
  readonly help: string
}

export const metricTable = {
  info: { name: 'agmd_info', type: 'gauge', labels: ['version'], help: 'Always 1. The label is the server version.' },
  requests: {
    name: 'agmd_http_request_duration_seconds',
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: 'Time from a request’s arrival to its response, by route and status class (such as 2xx). Files and unknown addresses have the route "other". Long polls wait up to 55 s.'
  },
  errors: {
    name: 'agmd_http_errors_total',
    type: 'counter',
    labels: ['code'],
    help: 'Requests that were answered with an error, by error code, such as version_conflict, rate_limited or quota_exceeded.'
  },
  documents: { name: 'agmd_documents_open', type: 'gauge', labels: [], help: 'Documents in memory.' },
  people: {
    name: 'agmd_people_connected',
    type: 'gauge',
    labels: [],
    help: 'People and agents with an open document. An account counts once; a guest counts once for each document.'
  },
  sockets: { name: 'agmd_sockets', type: 'gauge', labels: ['kind'], help: 'Open WebSockets of pages (page) and of compute nodes (node).' },
  unreadBytes: {
    name: 'agmd_socket_unread_bytes',
    type: 'gauge',
    labels: [],
    help: 'Bytes that wait in memory because clients have not read them yet.'
  },
  journalLag: {
    name: 'agmd_journal_lag_seconds',
    type: 'gauge',
    labels: [],
    help: 'Age of the oldest text change that is not on disk yet. 0 if everything is on disk.'
  },
  commits: {
    name: 'agmd_commit_duration_seconds',
    type: 'histogram',
    labels: [],
    help: 'Time until a commit is on disk. The count of this histogram is the number of commits.'
  },
  commitsWaiting: { name: 'agmd_commits_waiting', type: 'gauge', labels: [], help: 'Commits that are not on disk yet.' },
  commitFailures: {
    name: 'agmd_commit_failures_total',
    type: 'counter',
    labels: ['code'],
    help: 'Commits that failed: storage_full, storage_unavailable or storage_corrupt.'
  },
  readOnly: { name: 'agmd_store_read_only', type: 'gauge', labels: [], help: '1 if the store refuses writes, otherwise 0.' },
  storeBytes: {
    name: 'agmd_storage_bytes',
    type: 'gauge',
    labels: ['kind'],
    help: 'Bytes in the data folder: the store (store) and the assets (assets, measured every ten minutes). Data in PostgreSQL or in a bucket is not measured.'
  },
  freeBytes: { name: 'agmd_disk_free_bytes', type: 'gauge', labels: [], help: 'Free bytes of the disk that holds the data folder.' },
  quotas: {
    name: 'agmd_quota_bytes',
    type: 'gauge',
    labels: ['quota'],
    help: 'The configured quotas: document, account, address and assets. 0 means no quota, except for assets, where it means no uploads.'
  },
  nearQuota: {
    name: 'agmd_quota_nearly_used',
    type: 'gauge',
    labels: ['quota'],
    help: 'Active accounts, and addresses without an account, that have used more than nine tenths of their quota.'
  },
  laneJobs: {
    name: 'agmd_thread_jobs',
    type: 'gauge',
    labels: ['lane', 'state'],
    help: 'Jobs for large documents in threads, by queue and state (waiting or running).'
  },
  nodes: { name: 'agmd_nodes_connected', type: 'gauge', labels: [], help: 'Connected compute nodes.' },
  jobs: { name: 'agmd_media_jobs', type: 'gauge', labels: ['state'], help: 'Media jobs that have not ended: queued or running.' },
  jobsEnded: {
    name: 'agmd_media_jobs_ended_total',
    type: 'counter',
    labels: ['outcome'],
    help: 'Media jobs that have ended since the server started: done or failed.'
  }
} as const satisfies Record<string, Metric>

export type MetricTable = typeof metricTable
export type MetricField = keyof MetricTable
