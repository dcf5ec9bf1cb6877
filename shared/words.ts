/**
 * Sentences in the reader's language: the catalog format, and the insertion of values. Pages rendered by scripts and by the server share this code.
 */

/** Forms of a sentence that contains a number, by the plural category of the language (CLDR). `other` is always present. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }

/** The translations, by the English sentence. */
export type Catalogue = Readonly<Record<string, string | Forms>>

export type Values = Readonly<Record<string, string | number>>

/** A sentence that is shown later, in its reader's language. */
export interface Sentence {
  readonly sentence: string
  readonly values?: Values
}

/** Marks a sentence for translation, in a table or for later display. */
export const term = <T extends string>(sentence: T): T => sentence

/** Characters that may change the direction of the words around them: right-to-left letters, and marks that override or embed a direction. */
const turning = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]/

/** Isolates the direction of a value (Unicode UAX #9), unless it is already isolated. */
const isolated = (value: string): string =>
  turning.test(value) && !/^\u2068[^\u2066-\u2069]*\u2069$/.test(value) ? `\u2068${value}\u2069` : value

/**
 * Replaces the placeholders `{name}` of a sentence with values. A placeholder without a value is not changed. `locale` (BCP 47) determines the format
 * of numbers.
 */
export const fill = (sentence: string, values: Values, locale: string): string =>
  sentence.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return typeof value === 'number' ? value.toLocaleString(locale) : value === undefined ? whole : isolated(value)
  })
