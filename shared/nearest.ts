/** Finds the known name that an unknown one was probably meant to be. */

/** The number of letters to change, add, omit, or swap with a neighbour (optimal string alignment). */
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

/** The known word nearest to the typed one, if one is near enough. */
export const nearest = (typed: string, known: readonly string[]): string | undefined => {
  const [best] = known.map((word) => ({ word, far: distance(typed, word) })).toSorted((one, other) => one.far - other.far)
  return best !== undefined && best.far <= Math.max(1, Math.floor(typed.length / 3)) ? best.word : undefined
}

/** Longer names match no field: no field is half as long. */
const nameCharsMax = 100

/** A name without case, dashes and underscores. */
export const plainField = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** A name in the form for a message: bounded, and well-formed. */
export const shownName = (name: string): string => name.slice(0, nameCharsMax).toWellFormed()

/** The number of letters in which a misspelling may differ from the field. */
const slipsMax = (name: string): number => (name.length >= 8 ? 2 : 1)

/** Whether a name is a misspelling of a field. Short words are too similar to decide. */
const isSlip = (name: string, field: string): boolean =>
  name === field ||
  (name.length >= 6 && field.startsWith(name)) ||
  // Lengths are compared first: the distance takes time by both.
  (name.length >= 5 && Math.abs(name.length - field.length) <= slipsMax(name) && distance(name, field) <= slipsMax(name))

/** The only field that a name can be a misspelling of: wrong letters or case, dashes, a missing end. */
export const fieldMeant = (name: string, fields: readonly string[]): string | undefined => {
  if (name.length > nameCharsMax) return undefined
  const said = plainField(name)
  return fields.find((field) => isSlip(said, plainField(field)))
}

/**
 * The meanings of a name of other interfaces (as `plainField` gives it), the likeliest first: a field, several (`row and column`), or a phrase
 * that says where else it belongs (`op insert`).
 */
export type OtherNames = (name: string) => readonly string[]

/** Whether a meaning applies, because its fields exist. A phrase always applies. */
const fits = (meaning: string, free: readonly string[]): boolean =>
  meaning.split(/, | and | or /).every((part) => part.includes(' ') || free.includes(part))

/** Finds the field that was meant by an unknown name. `free`: the fields that were not given. */
export const meaningOf = (name: string, free: readonly string[], otherNames: OtherNames): string | undefined => {
  if (name.length > nameCharsMax) return undefined
  return fieldMeant(name, free) ?? otherNames(plainField(name)).find((meaning) => fits(meaning, free))
}
