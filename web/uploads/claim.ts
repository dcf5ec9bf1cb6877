/** Which page of this device sees to a file or a media job that waits: the one that holds its lock. It ends with the page. */

/** Resolves with a way to let go, or undefined when another page has it. Without locks (no secure origin) everyone gets it. */
export async function claim(id: string): Promise<(() => void) | undefined> {
  const { locks } = navigator as { locks?: LockManager }
  if (locks === undefined) return () => undefined
  const { promise, resolve } = Promise.withResolvers<(() => void) | undefined>()
  locks
    .request(`agmd-upload:${id}`, { ifAvailable: true }, async (lock) => {
      if (lock === null) return resolve(undefined)
      const held = Promise.withResolvers<void>()
      resolve(held.resolve)
      return held.promise
    })
    .catch(() => resolve(undefined))
  return promise
}
