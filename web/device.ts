/** Small values kept on this device. A browser may refuse storage at any moment: then a value holds for this page only. */
const unsaved = new Map<string, string>()

export function readDevice(key: string): string | null {
  try {
    return localStorage.getItem(key) ?? unsaved.get(key) ?? null
  } catch {
    return unsaved.get(key) ?? null
  }
}

/** How a document is shown where one may write: live, source or read; live when absent. */
export const modeKey = 'agmd.mode'

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
