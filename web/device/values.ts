/** Small values kept on this device. A browser may refuse storage at any moment: then a value holds for this page only. */
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

/** The names of all values that begin so. */
export function valuesWith(prefix: string): readonly string[] {
  let saved: readonly string[] = []
  try {
    saved = Object.keys(localStorage)
  } catch {
    // No storage: there are those of this page.
  }
  return [...saved, ...unsaved.keys()].filter((key) => key.startsWith(prefix))
}

/** Values that belong to one tab, and outlive its reload alone. It throws where the browser refuses it. */
export const tabStorage = (): Storage => sessionStorage

/** Removes all values of a document, and those of this tab. */
export function dropValues(id: string): void {
  for (const name of documentValues) {
    const key = documentValue(name, id)
    try {
      tabStorage().removeItem(key)
    } catch {
      // There is none.
    }
    for (const each of [key, ...valuesWith(`${key}.`)]) writeDevice(each, null)
  }
}
