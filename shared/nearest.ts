/** Finds the name that somebody meant who wrote an unknown one. */

/** Letters to change, add, leave out, or swap with their neighbour (optimal string alignment). */
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

/** The known word that somebody who typed this meant, if one is near. */
export const nearest = (typed: string, known: readonly string[]): string | undefined => {
  const [best] = known.map((word) => ({ word, far: distance(typed, word) })).toSorted((one, other) => one.far - other.far)
  return best !== undefined && best.far <= Math.max(1, Math.floor(typed.length / 3)) ? best.word : undefined
}

/** Longer names mean no field: no field is half as long. */
const nameCharsMax = 100

/** A name without case, dashes and underscores. */
export const plainField = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** A name as it may be told: bounded, and whole. */
export const shownName = (name: string): string => name.slice(0, nameCharsMax).toWellFormed()

/** Letters in which a slip may differ from the field. */
const slipsMax = (name: string): number => (name.length >= 8 ? 2 : 1)

/** Short words are too near to each other to say what was meant. */
const isSlip = (name: string, field: string): boolean =>
  name === field ||
  (name.length >= 6 && field.startsWith(name)) ||
  // Lengths are compared first: the distance takes time by both.
  (name.length >= 5 && Math.abs(name.length - field.length) <= slipsMax(name) && distance(name, field) <= slipsMax(name))

/** The field that a name can only be a slip of: other letters or their case, dashes, the end left out. */
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

/** Whether a meaning can be followed: the fields that it names are there. A phrase always can. */
const fits = (meaning: string, free: readonly string[]): boolean =>
  meaning.split(/, | and | or /).every((part) => part.includes(' ') || free.includes(part))

/** Finds the field that somebody meant by a name that is none. `free`: the fields that were not given. */
export const meaningOf = (name: string, free: readonly string[], otherNames: OtherNames): string | undefined => {
  if (name.length > nameCharsMax) return undefined
  return fieldMeant(name, free) ?? otherNames(plainField(name)).find((meaning) => fits(meaning, free))
}
