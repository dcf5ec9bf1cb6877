/** A folder in a bucket that holds backups. S3 makes an object visible only when it is complete. */
import type { S3Address } from '../../blobs/s3/address.ts'
import { openRequests } from '../../blobs/s3/requests.ts'
import { explained, isMissing, keysIn, objectsIn } from '../../blobs/s3/store.ts'
import { AdminError } from '../error.ts'
import { isObjectName, stampName } from './format.ts'
import type { ObjectKind, Repository } from './repository.ts'

/** Opens a folder in a bucket. Throws `AdminError` if it has objects that are not from a backup, and `S3Error`. */
export const openS3Repository = async (address: S3Address): Promise<Repository> => {
  const { prefix, shown } = address
  const requests = openRequests(address)
  const onS3 = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw error instanceof AdminError ? error : explained(shown, error)
    }
  }
  const find = (name: string): Promise<Uint8Array | undefined> =>
    onS3(async () => {
      try {
        return await requests.sendForBytes({ method: 'GET', key: `${prefix}${name}` })
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    })
  await onS3(() => refuseOtherObjects(requests, prefix, shown))
  const sizes = (kind: ObjectKind): Promise<Map<string, number>> =>
    onS3(async () => {
      const found = new Map<string, number>()
      for await (const { key, size } of objectsIn(requests, `${prefix}${kind}/`))
        if (isObjectName(`${kind}/${key}`)) found.set(`${kind}/${key}`, size)
      return found
    })
  return {
    shown,
    names: async (kind) => [...(await sizes(kind)).keys()].sort(),
    sizes,
    find,
    write: (name, content) =>
      onS3(async () => void (await requests.send({ method: 'PUT', key: `${prefix}${name}`, body: new Uint8Array(content) }))),
    remove: (name) => onS3(async () => void (await requests.send({ method: 'DELETE', key: `${prefix}${name}` }))),
    finish: () => Promise.resolve(),
    close: () => Promise.resolve()
  }
}

const refuseOtherObjects = async (requests: ReturnType<typeof openRequests>, prefix: string, shown: string): Promise<void> => {
  for await (const name of keysIn(requests, prefix)) {
    // The keys are sorted, and the stamp sorts before all other objects of a backup.
    if (name === stampName) return
    throw new AdminError(
      `${shown} has objects that are not from a backup, such as ${JSON.stringify(name)}. Choose an empty or new folder.`,
      {
        exitCode: 1
      }
    )
  }
}
