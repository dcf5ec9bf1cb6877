/** Stores one document after another through `Arrivals`, in pieces that do not delay the server's other writes. */
import { encodeRecord, type Asset, keys } from '../domain/records/keys.ts'
import type { Arrivals } from '../domain/documents/arrivals.ts'
import type { Put } from '../domain/ports.ts'
import type { DocumentRecords } from './new-document.ts'
import { piecesOf } from './pieces.ts'

/** Maximum size, in bytes, of the records that are stored in one commit. A single larger record gets its own commit. */
/** The limits of one commit. */
const pieceLimits = { bytesMax: 1024 * 1024, countMax: 500 }

/** An asset, with a function that reads its bytes when they are stored. */
export interface ArrivingAsset {
  readonly asset: Asset
  bytes(): Promise<Uint8Array>
}

/** Returns the records of an asset. */
const assetPuts = (doc: string, asset: Asset): Put[] => [
  { key: keys.asset(doc, asset.id), value: encodeRecord(asset) },
  { key: keys.assetDocument(asset.id), value: encodeRecord(doc) }
]

/** Stores a document with its assets. The document exists when the promise resolves. */
export const storeDocument = async (arrivals: Arrivals, records: DocumentRecords, assets: readonly ArrivingAsset[]): Promise<void> => {
  const { id } = records.head
  await arrivals.begin(id)
  for (const { asset, bytes } of assets) await arrivals.blob(asset.id, await bytes())
  const [last = [], ...pieces] = piecesOf(records.pieces, ({ value }) => value.length, pieceLimits).toReversed()
  for (const piece of pieces.toReversed()) await arrivals.records(piece)
  const assetBytes = assets.reduce((sum, { asset }) => sum + asset.size, 0)
  const head = { ...records.head, ...(assetBytes > 0 && { assetBytes }) }
  await arrivals.end(head, [...last, ...assets.flatMap(({ asset }) => assetPuts(id, asset)), ...records.leads])
}
