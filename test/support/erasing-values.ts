import { createHash } from 'node:crypto'

/** The value of an entry: unique, either small or several pages long. */
export const valueOf = (name: string): Uint8Array => {
  const words = 1 + (createHash('sha256').update(name).digest()[0] as number) * (name.endsWith('7') ? 8 : 1)
  return Buffer.from(Array.from({ length: words }, (_, word) => wordOf(name, word)).join(' '))
}

/** One of its words. */
export const wordOf = (name: string, word: number): string => createHash('sha256').update(`${name} ${word}`).digest('base64url')
