/** Chart data that is stored in a file of the service. */
import { type Rows, rowsOfCsv } from '../../shared/fences/chart.ts'
import { t } from '../text/t.ts'

/** The rows, or the reason for which there are none. */
export interface AssetRows {
  readonly rows?: Rows
  readonly reason?: string
}

/** Largest file that is read, in bytes: a chart draws a few thousand points. */
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

/** Returns the rows of a CSV at an address of the service, whose content never changes. `key`: the share key of the document. */
export function rowsOfAsset(address: string, key: string): Promise<AssetRows> {
  const found = known.get(address) ?? read(address, key)
  known.set(address, found)
  // A file that failed to load may load the next time.
  void found.then(({ rows }) => rows === undefined && known.delete(address))
  return found
}
