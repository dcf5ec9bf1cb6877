/** Assets: the pictures, sound and video of a document. Anyone who knows the address of an asset can open it (docs/api.md, Assets and media jobs). */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { findMediaType, maySendAs, type MediaKind, type MediaType, mediaTypes } from '../../../shared/media-types.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { actorOf, type Caller } from '../rights/caller.ts'
import { remember } from '../records/idempotency.ts'
import { type Asset, decodeRecord, encodeRecord, type JobBlob, keys } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Blob, Upload } from '../ports.ts'
import { newAssetId } from '../secrets.ts'
import type { Service } from '../service.ts'

/** A received file. */
export interface File {
  /** The type that the sender declared. */
  readonly type: MediaType
  readonly upload: Upload
}

const takes = mediaTypes.map(({ contentType }) => contentType)

const asItIs = 'Send the unchanged bytes of the file with their Content-Type, which must be one of the types in takes.'

const kindNames: Readonly<Record<MediaKind, string>> = { image: 'a picture', audio: 'audio', video: 'video' }

/** Returns the declared type if it is one of these kinds. Throws `unsupported_media_type`, which lists the accepted types. */
export const namedType = (contentType: string, of: readonly MediaKind[] = ['image', 'audio', 'video']): MediaType => {
  const type = findMediaType(contentType)
  if (type !== undefined && of.includes(type.kind)) return type
  const named = contentType === '' ? 'No Content-Type was sent' : `${contentType} is not accepted`
  const takes = mediaTypes.filter(({ kind }) => of.includes(kind)).map((each) => each.contentType)
  const message = `${named}. Send ${of.map((kind) => kindNames[kind]).join(' or ')}.`
  throw new ServiceError('unsupported_media_type', { message, hint: asItIs, takes })
}

/** Checks a file. Throws `unsupported_media_type` if the bytes are not of the declared type, or if another file is appended. */
export const checkBytes = ({ type, upload: { bytes, sniffed, whole } }: File): void => {
  if (bytes === 0) throw new ServiceError('invalid_request', { details: [{ path: 'body', message: 'must not be empty' }] })
  if (!maySendAs(type, sniffed)) {
    const found = sniffed === undefined ? 'the bytes match no accepted type' : `the bytes are ${sniffed}`
    const message = `The Content-Type is ${type.contentType}, but ${found}.`
    throw new ServiceError('unsupported_media_type', { message, hint: asItIs, sniffed, takes })
  }
  if (!whole)
    throw new ServiceError('unsupported_media_type', {
      message: `The end of the file is not valid for ${type.contentType}. The file is cut off, or has extra bytes.`,
      hint: 'Send the entire file, without extra bytes.'
    })
}

// Removes the characters that would corrupt the Markdown in the response.
const inMarkdown = (name: string): string => name.replaceAll(/[[\]\\`<>]/g, '').trim()

const pathOf = ({ id, extension }: Asset): string => `/f/${id}.${extension}`

export const presentAsset = ({ baseUrl }: Pick<Service, 'baseUrl'>, asset: Asset): Output<'uploadAsset'> => ({
  id: asset.id,
  url: `${baseUrl}${pathOf(asset)}`,
  // The address has no origin, so the text stays valid if the service moves to another host.
  markdown: `![${inMarkdown(asset.name)}](${pathOf(asset)})`,
  name: asset.name,
  kind: asset.kind,
  size: asset.size,
  contentType: asset.contentType
})

const put = (tx: Transaction, asset: Asset, bytesMax: number): void => {
  const { id: doc, assetBytes = 0 } = tx.head
  if (assetBytes + asset.size > bytesMax) throw new ServiceError('asset_quota_exceeded', { assetBytes, assetBytesMax: bytesMax })
  tx.head = { ...tx.head, assetBytes: assetBytes + asset.size }
  tx.put(keys.asset(doc, asset.id), encodeRecord(asset))
  tx.put(keys.assetDocument(asset.id), encodeRecord(doc))
}

/** Turns the result of a media job into an asset with the name of its blob. Throws `asset_quota_exceeded`. */
export const putAsset = (service: Service, tx: Transaction, file: JobBlob, name: string, actor: string): Asset => {
  const type = findMediaType(file.contentType)
  if (type === undefined) throw new Error(`${file.contentType} is not a media type`)
  const { name: id, size, hash } = file
  const asset: Asset = {
    id,
    extension: type.extension,
    contentType: type.contentType,
    kind: type.kind,
    name: name.trim() || type.kind,
    size,
    hash,
    createdAt: tx.now
  }
  put(tx, asset, service.assetBytesMax)
  tx.event('asset.created', actor, { ...presentAsset(service, asset) })
  return asset
}

/**
 * Stores an upload. The bytes are on disk before the record, so a returned address always works. If a crash leaves bytes without a record,
 * `removeStrayBlobs` removes them at the next start.
 */
export const uploadAsset = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'uploadAsset'>,
  file: File | null
): Promise<Output<'uploadAsset'>> => {
  if (file === null) throw new ServiceError('invalid_request', { message: 'The body must be the file itself.' })
  checkBytes(file)
  const { type, upload } = file
  const { extension, kind } = type
  const name = input.name?.trim() || kind
  const asset = { id: newAssetId(), extension, contentType: type.contentType, kind, name, size: upload.bytes, hash: upload.hash }
  await upload.keep(asset.id)
  try {
    return await service.ledger.write(doc, caller, (tx) => {
      const kept: Asset = { ...asset, createdAt: tx.now }
      put(tx, kept, service.assetBytesMax)
      const answer = presentAsset(service, kept)
      tx.event('asset.created', actorOf(caller), { ...answer })
      return remember(service, tx, caller, doc, answer)
    })
  } catch (error) {
    await service.blobs.delete(asset.id)
    throw error
  }
}

/**
 * Returns the asset at an address of this service. The address is a path or a complete URL. Throws `invalid_request` for any other address, and
 * `not_found` if there is no asset at the address.
 */
export const assetAt = (service: Service, address: string): ReturnType<typeof openAsset> => {
  const path = address.startsWith(`${service.baseUrl}/`) ? address.slice(service.baseUrl.length) : address
  const [, id = '', extension = ''] = /^\/f\/([A-Za-z0-9_-]{24})\.([a-z0-9]+)$/.exec(path) ?? []
  if (id === '') {
    const message = `must be the address of an asset of this service, ${service.baseUrl}/f/…; other addresses are never fetched`
    throw new ServiceError('invalid_request', { details: [{ path: 'url', message }] })
  }
  return openAsset(service, id, extension)
}

/** Opens an asset by its address. Throws `not_found` if there is no such asset, the document was deleted, or the extension differs. */
export const openAsset = async (service: Service, id: string, extension: string): Promise<{ asset: Asset; open(): Promise<Blob> }> => {
  const gone = new ServiceError('not_found', { message: 'There is no asset at this address.' })
  const index = await service.storage.get(keys.assetDocument(id))
  if (index === undefined) throw gone
  const doc = decodeRecord<string>(index.value)
  const [head, entry] = await Promise.all([service.ledger.findHead(doc), service.storage.get(keys.asset(doc, id))])
  const asset = entry && decodeRecord<Asset>(entry.value)
  if (asset === undefined || head === undefined || head.deletedAt !== null || asset.extension !== extension) throw gone
  const open = async (): Promise<Blob> => {
    const blob = await service.blobs.open(id)
    if (blob === undefined) throw gone
    return blob
  }
  return { asset, open }
}

/** Removes the assets of a deleted document. The bytes are removed first: after a crash, the record still leads to them. */
export const scrubAssets = async ({ storage, ledger, blobs }: Service, doc: string): Promise<void> => {
  for (;;) {
    const entries = await storage.list(keys.assets(doc), { limit: limits.listMax })
    if (entries.length === 0) return
    const ids = entries.map((entry) => decodeRecord<Asset>(entry.value).id)
    for (const id of ids) await blobs.delete(id)
    const change = (tx: Transaction): void => {
      for (const id of ids) {
        tx.delete(keys.assetDocument(id))
        tx.delete(keys.asset(doc, id))
      }
    }
    await ledger.write(doc, 'system', change, { afterDeletion: true })
  }
}

/** Removes blobs that have no record, because the process ended before it was written. This runs before the service accepts requests. */
export const removeStrayBlobs = async ({ storage, blobs }: Service): Promise<number> => {
  let removed = 0
  for (const name of await blobs.list()) {
    const holders = await Promise.all([keys.assetDocument(name), keys.jobBlob(name)].map((key) => storage.get(key)))
    if (holders.some((holder) => holder !== undefined)) continue
    await blobs.delete(name)
    removed += 1
  }
  return removed
}
