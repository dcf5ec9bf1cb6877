/**
 * Drawings: pictures of the diagrams of a document, for its published page. The page of whoever edits draws them, because drawing needs a
 * browser; a diagram is known by the hash of its source, so a picture never stands for another source than its own.
 */
import { createHash } from 'node:crypto'
import { limits } from '../../shared/limits.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import type { Caller } from './caller.ts'
import { type Drawing, decodeRecord, encodeRecord, keys } from './keys.ts'
import type { Service } from './service.ts'

/** On a page of which brightness a picture is shown. */
export const looks = ['light', 'dark'] as const
export type Look = (typeof looks)[number]

/** The name of a diagram: SHA-256 of its source without space around it, base64url. */
export const hashOfDiagram = (source: string): string => createHash('sha256').update(source.trim()).digest('base64url')

/** All that are kept of a document, oldest first. */
export const drawingsOf = async ({ storage }: Pick<Service, 'storage'>, doc: string): Promise<Drawing[]> => {
  const entries = await storage.list(keys.drawings(doc), { limit: limits.listMax })
  return entries.map(({ value }) => decodeRecord<Drawing>(value)).toSorted((one, other) => one.storedAt - other.storedAt)
}

export const listDrawings = async (service: Service, doc: string): Promise<Output<'listDrawings'>> => ({
  drawings: (await drawingsOf(service, doc)).map(({ source }) => ({ source }))
})

/** Keeps a picture in place of an older one of the same source. Errors: `quota_exceeded`. */
export const storeDrawing = async (
  service: Service,
  caller: Caller,
  doc: string,
  { source, title, width, height, light, dark }: Input<'storeDrawing'>
): Promise<Output<'storeDrawing'>> => {
  const hash = hashOfDiagram(source)
  const others = (await drawingsOf(service, doc)).filter((drawing) => drawing.source !== hash)
  const gone = others.slice(0, Math.max(0, others.length + 1 - limits.drawingsMax))
  const pictures = { light: encodeRecord(light), dark: encodeRecord(dark) }
  return await service.ledger.write(doc, caller, (draft) => {
    service.quotas.require(draft.head, pictures.light.length + pictures.dark.length)
    for (const look of looks) {
      draft.put(keys.picture(doc, hash, look), pictures[look])
      for (const old of gone) draft.delete(keys.picture(doc, old.source, look))
    }
    for (const old of gone) draft.delete(keys.drawing(doc, old.source))
    draft.put(keys.drawing(doc, hash), encodeRecord({ source: hash, title, width, height, storedAt: draft.now } satisfies Drawing))
    draft.head = { ...draft.head, drawings: (draft.head.drawings ?? 0) + 1 }
    return { ok: true, source: hash }
  })
}

/** A picture of a published document, as SVG; undefined when there is none. */
export const readPicture = async (service: Service, doc: string, source: string, look: Look): Promise<string | undefined> => {
  const head = await service.ledger.findHead(doc)
  if (head === undefined || head.deletedAt !== null || head.publishedAt === null) return undefined
  const entry = await service.storage.get(keys.picture(doc, source, look))
  return entry && decodeRecord<string>(entry.value)
}
