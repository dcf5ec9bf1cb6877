import { createHash } from 'node:crypto'

/** Returns the value of an entry. It is unique, and either small or several pages long. */
export const valueOf = (name: string): Uint8Array => {
  const words = 1 + (createHash('sha256').update(name).digest()[0] as number) * (name.endsWith('7') ? 8 : 1)
  return Buffer.from(Array.from({ length: words }, (_, word) => wordOf(name, word)).join(' '))
}

/** Returns one of the words in the value of an entry. */
export const wordOf = (name: string, word: number): string => createHash('sha256').update(`${name} ${word}`).digest('base64url')
