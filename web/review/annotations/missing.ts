/** Finds the records that others have removed while this person types in their cards. */

/** Returns a function that gets the current records and returns the missing ones, as they were last. `inUse` are the ids to look for. */
export function openMissing<Each>(idOf: (each: Each) => string): (now: readonly Each[], inUse: ReadonlySet<string>) => readonly Each[] {
  let before: readonly Each[] = []
  return (now, inUse) => {
    const there = new Set(now.map(idOf))
    const missing = before.filter((each) => inUse.has(idOf(each)) && !there.has(idOf(each)))
    before = [...now, ...missing]
    return missing
  }
}
