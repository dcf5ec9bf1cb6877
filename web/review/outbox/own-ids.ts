/** The ids of records written on this device, each with the person's name at that time. A guest is identified by link and name. */
import { limits } from '../../../shared/limits.ts'
import { documentValue } from '../../device/device.ts'
import { readDevice, writeDevice } from '../../device/values.ts'

export interface OwnIds {
  has(id: string): boolean
  nameOf(id: string): string | undefined
  add(id: string, name: string): void
}

export function ownIds(doc: string): OwnIds {
  const storageKey = documentValue('own', doc)
  const read = (): Map<string, string> => {
    try {
      return new Map(JSON.parse(readDevice(storageKey) ?? '[]') as [string, string][])
    } catch {
      return new Map()
    }
  }
  let known = read()
  return {
    has: (id) => known.has(id),
    nameOf: (id) => known.get(id),
    add(id, name) {
      // The value is read again because another tab may have changed it.
      known = read().set(id, name)
      writeDevice(storageKey, JSON.stringify([...known].slice(-limits.annotationPageMax)))
    }
  }
}
