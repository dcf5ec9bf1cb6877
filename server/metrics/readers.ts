/** Reads the metrics that are not counted: the current state of documents, sockets, threads, nodes, quotas and the disk. */
import { join } from 'node:path'
import { limits } from '../../shared/limits.ts'
import type { Clock } from '../domain/ports.ts'
import type { Quotas } from '../domain/documents/quotas.ts'
import type { LiveServer } from '../live/hocuspocus.ts'
import type { RelayServer } from '../relay/relay.ts'
import { fileBytes, folderBytes, freeBytes } from '../storage/disk.ts'
import { laneLoads } from '../threads/lane.ts'
import type { Readers } from './metrics.ts'

export interface Sources {
  readonly version: string
  readonly live: Pick<LiveServer, 'counts' | 'crowd'>
  readonly relay: Pick<RelayServer, 'counts'>
  readonly quotas: Quotas
  readonly assetBytesMax: number
  readonly folder: string
  /** Whether the documents are in the data folder. `hasAssetFiles`: the same for the assets. */
  readonly hasStoreFile: boolean
  readonly hasAssetFiles: boolean
  readonly isReadOnly: () => boolean
  readonly clock: Clock
}

/** Returns a function that repeats slow work only if the last result is at least `milliseconds` old. Otherwise, it returns the last result. */
const nowAndThen = (clock: Clock, milliseconds: number, work: () => Promise<number>): (() => Promise<number>) => {
  let last: { readonly at: number; readonly result: Promise<number> } | undefined
  return () => {
    if (last === undefined || clock.now() - last.at >= milliseconds) last = { at: clock.now(), result: work() }
    return last.result
  }
}

export const createReaders = ({ live, relay, quotas, folder, clock, ...rest }: Sources): Readers => {
  const assetBytes = nowAndThen(clock, limits.assetsMeasuredMinutes * 60_000, () => folderBytes(join(folder, 'blobs')))
  const { documentBytesMax, accountBytesMax, anonymousBytesMax } = quotas.settings
  return {
    info: () => [[1, { version: rest.version }]],
    documents: () => [[live.counts().documents]],
    people: () => [[live.crowd().people]],
    sockets: () => [
      [live.counts().sockets, { kind: 'page' }],
      [relay.counts().sockets, { kind: 'node' }]
    ],
    unreadBytes: () => [[live.counts().waitingBytes]],
    journalLag: () => {
      const { waitingSince } = live.crowd()
      return [[waitingSince === undefined ? 0 : Math.max(0, clock.now() - waitingSince) / 1000]]
    },
    readOnly: () => [[rest.isReadOnly() ? 1 : 0]],
    storeBytes: async () => [
      ...(rest.hasStoreFile ? [[await fileBytes(join(folder, 'store', 'data.mdb')), { kind: 'store' }] as const] : []),
      ...(rest.hasAssetFiles ? [[await assetBytes(), { kind: 'assets' }] as const] : [])
    ],
    freeBytes: async () => [[await freeBytes(folder)]],
    quotas: () => [
      [documentBytesMax, { quota: 'document' }],
      [accountBytesMax, { quota: 'account' }],
      [anonymousBytesMax, { quota: 'address' }],
      [rest.assetBytesMax, { quota: 'assets' }]
    ],
    nearQuota: () => {
      const { account, address } = quotas.nearlyUsed()
      return [
        [account, { quota: 'account' }],
        [address, { quota: 'address' }]
      ]
    },
    laneJobs: () =>
      laneLoads().flatMap(({ lane, waiting, running }) => [
        [waiting, { lane, state: 'waiting' }] as const,
        [running, { lane, state: 'running' }] as const
      ]),
    nodes: () => [[relay.counts().nodes]],
    jobs: () => [
      [relay.counts().queued, { state: 'queued' }],
      [relay.counts().running, { state: 'running' }]
    ],
    jobsEnded: () => [
      [relay.counts().done, { outcome: 'done' }],
      [relay.counts().failed, { outcome: 'failed' }]
    ]
  }
}
