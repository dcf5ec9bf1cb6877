/** Loads chart data from a file that the service stores. */
import { type Rows, rowsOfCsv } from '../../shared/fences/chart.ts'
import { t } from '../text/t.ts'

/** The rows, or the reason why there are none. */
export interface AssetRows {
  readonly rows?: Rows
  readonly reason?: string
}

/** Largest file that the page reads, in bytes. A chart draws a few thousand points. */
const bytesMax = 2 * 1024 * 1024

async function read(address: string, key: string): Promise<AssetRows> {
  let response: Response
  try {
    response = await fetch(address, { headers: key === '' ? {} : { 'x-share-key': key } })
  } catch {
    return { reason: t('The file {name} could not be loaded. Check your connection.', { name: address }) }
  }
  if (!response.ok) return { reason: t('There is no file {name}.', { name: address }) }
  if (Number(response.headers.get('content-length') ?? 0) > bytesMax)
    return { reason: t('The file {name} is too large for a chart.', { name: address }) }
  return { rows: rowsOfCsv(await response.text()) }
}

const known = new Map<string, Promise<AssetRows>>()

/** Returns the rows of the CSV file at an address of the service. The content of an address never changes. `key` is the share key of the document. */
export function rowsOfAsset(address: string, key: string): Promise<AssetRows> {
  const found = known.get(address) ?? read(address, key)
  known.set(address, found)
  // A failed download is not cached, so that the next attempt can succeed.
  void found.then(({ rows }) => rows === undefined && known.delete(address))
  return found
}
