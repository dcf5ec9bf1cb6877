import { createHash } from 'node:crypto'

/** The value of an entry: unlike that of any other, small or of several pages. */
export const valueOf = (name: string): Uint8Array => {
  const words = 1 + (createHash('sha256').update(name).digest()[0] as number) * (name.endsWith('7') ? 8 : 1)
  return Buffer.from(Array.from({ length: words }, (_, word) => wordOf(name, word)).join(' '))
}

/** A word of it. */
export const wordOf = (name: string, word: number): string => createHash('sha256').update(`${name} ${word}`).digest('base64url')
