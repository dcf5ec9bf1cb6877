/**
 * The ids of records written on this device, each with the person's name at that time. A guest is identified by link and name. For a suggestion, the
 * full id of its draft is stored too, because only its sender knows the secret part, and nobody else can change the suggestion.
 */
import { limits } from '../../../shared/limits.ts'
import { documentValue } from '../../device/device.ts'
import { readDevice, writeDevice } from '../../device/values.ts'

export interface OwnIds {
  has(id: string): boolean
  nameOf(id: string): string | undefined
  /** Returns the full id of the draft of a suggestion. */
  draftOf(id: string): string | undefined
  /** Returns the id of the suggestion with a draft. */
  withDraft(draft: string): string | undefined
  add(id: string, name: string, draft?: string): void
}

/** A record's id, the name of its author and, for a suggestion, the full id of its draft. */
type StoredId = readonly [id: string, name: string, draft?: string]

export function ownIds(doc: string): OwnIds {
  const storageKey = documentValue('own', doc)
  const read = (): Map<string, StoredId> => {
    try {
      return new Map((JSON.parse(readDevice(storageKey) ?? '[]') as StoredId[]).map((each) => [each[0], each]))
    } catch {
      return new Map()
    }
  }
  let known = read()
  return {
    has: (id) => known.has(id),
    nameOf: (id) => known.get(id)?.[1],
    draftOf: (id) => known.get(id)?.[2],
    withDraft: (draft) => [...known.values()].find((each) => each[2] === draft)?.[0],
    add(id, name, draft) {
      // The value is read again because another tab may have changed it.
      known = read().set(id, draft === undefined ? [id, name] : [id, name, draft])
      writeDevice(storageKey, JSON.stringify([...known.values()].slice(-limits.annotationPageMax)))
    }
  }
}
