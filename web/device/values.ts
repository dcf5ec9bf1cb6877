/** Small values stored on this device. A browser may refuse storage at any time, and then a value exists only on this page. */
import { documentValue, documentValues } from './device.ts'

const unsaved = new Map<string, string>()

export function readDevice(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? unsaved.get(key) ?? null
  } catch {
    return unsaved.get(key) ?? null
  }
}

/** Writes a value. Null removes it. */
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

/** Returns the names of all values that begin with a prefix. */
export function valuesWith(prefix: string): readonly string[] {
  let saved: readonly string[] = []
  try {
    saved = Object.keys(localStorage)
  } catch {
    // Without storage, the page knows only its own values.
  }
  return [...saved, ...unsaved.keys()].filter((key) => key.startsWith(prefix))
}

/** Storage of one tab, which survives a reload. Throws if the browser refuses storage. */
export const tabStorage = (): Storage => sessionStorage

/** Removes all values of a document, including those of this tab. */
export function dropValues(id: string): void {
  for (const name of documentValues) {
    const key = documentValue(name, id)
    try {
      tabStorage().removeItem(key)
    } catch {
      // The browser refuses session storage.
    }
    for (const each of [key, ...valuesWith(`${key}.`)]) writeDevice(each, null)
  }
}
