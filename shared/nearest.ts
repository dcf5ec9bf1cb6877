/** Finds the known name that was probably meant by an unknown name. */

/**
 * Returns how many letters must be changed, added, omitted or swapped with a neighbor to turn one word into the other (optimal string
 * alignment).
 */
const distance = (one: string, other: string): number => {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_cell, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1]
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Infinity
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}

/** Returns the known word that is nearest to the typed word; undefined if none is near enough. */
export const nearest = (typed: string, known: readonly string[]): string | undefined => {
  const [best] = known.map((word) => ({ word, far: distance(typed, word) })).toSorted((one, other) => one.far - other.far)
  return best !== undefined && best.far <= Math.max(1, Math.floor(typed.length / 3)) ? best.word : undefined
}

/** Longest name that is compared with fields. Every field is less than half as long. */
const nameUnitsMax = 100

/** Returns a name in lower case, without dashes and underscores. */
export const plainField = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** Returns a name in the form for a message: shortened and well-formed. */
export const shownName = (name: string): string => name.slice(0, nameUnitsMax).toWellFormed()

/** Returns how many letters of a misspelling may differ from the field. */
const slipsMax = (name: string): number => (name.length >= 8 ? 2 : 1)

/** Whether a name is a misspelling of a field. Short names are too similar to each other to decide this. */
const isSlip = (name: string, field: string): boolean =>
  name === field ||
  (name.length >= 6 && field.startsWith(name)) ||
  // The lengths are compared first, because computing the distance takes time proportional to their product.
  (name.length >= 5 && Math.abs(name.length - field.length) <= slipsMax(name) && distance(name, field) <= slipsMax(name))

/** Returns the field that a name probably misspells: wrong letters, wrong case, dashes or a missing end. */
export const fieldMeant = (name: string, fields: readonly string[]): string | undefined => {
  if (name.length > nameUnitsMax) return undefined
  const said = plainField(name)
  return fields.find((field) => isSlip(said, plainField(field)))
}

/**
 * Returns the meanings of a name from other interfaces, the most likely first. The name must be in the form of `plainField`. A meaning is a field,
 * several fields (`row and column`), or a phrase that says where the name belongs (`op insert`).
 */
export type OtherNames = (name: string) => readonly string[]

/** Whether a meaning applies, because its fields exist. A phrase always applies. */
const fits = (meaning: string, free: readonly string[]): boolean =>
  meaning.split(/, | and | or /).every((part) => part.includes(' ') || free.includes(part))

/** Returns the field that an unknown name probably means. `free`: the fields that were not sent. */
export const meaningOf = (name: string, free: readonly string[], otherNames: OtherNames): string | undefined => {
  if (name.length > nameUnitsMax) return undefined
  return fieldMeant(name, free) ?? otherNames(plainField(name)).find((meaning) => fits(meaning, free))
}
