/** Small values stored on this device. A browser may refuse storage at any moment: then a value exists only on this page. */
import { documentValue, documentValues } from './device.ts'

const unsaved = new Map<string, string>()

export function readDevice(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? unsaved.get(key) ?? null
  } catch {
    return unsaved.get(key) ?? null
  }
}

/** Writes a value, or removes it when null. */
export function writeDevice(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
    unsaved.delete(key)
  } catch {
    if (value === null) unsaved.delete(key)
    else unsaved.set(key, value)
  }
}

/** Returns the names of all values with this prefix. */
export function valuesWith(prefix: string): readonly string[] {
  let saved: readonly string[] = []
  try {
    saved = Object.keys(localStorage)
  } catch {
    // Without storage, only this page's values exist.
  }
  return [...saved, ...unsaved.keys()].filter((key) => key.startsWith(prefix))
}

/** Values of one tab that survive only a reload. Throws if the browser refuses storage. */
export const tabStorage = (): Storage => sessionStorage

/** Removes all values of a document, and those of this tab. */
export function dropValues(id: string): void {
  for (const name of documentValues) {
    const key = documentValue(name, id)
    try {
      tabStorage().removeItem(key)
    } catch {
      // The browser has no such storage.
    }
    for (const each of [key, ...valuesWith(`${key}.`)]) writeDevice(each, null)
  }
}
