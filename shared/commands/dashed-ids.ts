/** Ids on a command line. An id can begin with a dash, and would otherwise be parsed as an option. */

/** A long word with a capital letter, a digit or an underscore is an id and not an option. The id of a link is two ids with a slash. */
const isId = (word: string): boolean => /^-[\w-]{11,}(?:\/[\w-]+)?$/.test(word) && /[A-Z\d_]/.test(word)

/** Marks a word that is an id with NUL, which no command line can contain. `parseArgs` of `node:util` then accepts it as a value. */
export const shieldId = (word: string): string => (isId(word) ? `\0${word}` : word)

/** Removes the mark of `shieldId`. */
export const unshieldId = (word: string): string => (word.startsWith('\0') ? word.slice(1) : word)
