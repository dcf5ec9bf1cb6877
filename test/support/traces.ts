/** Searches the files of a data folder for traces of the text. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Length of the byte sequences that are searched for. Shorter ones would match by chance. */
const windowBytes = 12

/** Returns every sequence of this length in some bytes. */
const windowsOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.max(0, bytes.length - windowBytes + 1) }, (_, at) => bytes.subarray(at, at + windowBytes))

/** Returns a word as UTF-8, as UTF-16, and as base64 in each of its three alignments. */
const formsOf = (word: string): Buffer[] => {
  const bytes = Buffer.from(word)
  const base64 = [0, 1, 2].map((skip) =>
    Buffer.from(bytes.subarray(skip, skip + Math.floor((bytes.length - skip) / 3) * 3).toString('base64'))
  )
  return [bytes, Buffer.from(word, 'utf16le'), ...base64]
}

export interface Traces {
  /** Returns the sequences that a file contains, one line for each. */
  in(bytes: Buffer): string[]
}

/** Returns the traces to search for: words in any form, and raw bytes. */
export const tracesOf = (words: readonly string[], raw: readonly Uint8Array[] = []): Traces => {
  const windows = [...words.flatMap(formsOf), ...raw.map((bytes) => Buffer.from(bytes))].flatMap(windowsOf)
  const byBeginning = new Map<number, Buffer[]>()
  for (const window of windows) byBeginning.set(window.readInt32LE(0), [...(byBeginning.get(window.readInt32LE(0)) ?? []), window])
  return {
    in(bytes) {
      const found: string[] = []
      for (let at = 0; at + windowBytes <= bytes.length; at++)
        for (const window of byBeginning.get(bytes.readInt32LE(at)) ?? [])
          if (bytes.subarray(at, at + windowBytes).equals(window)) found.push(`${window.toString('latin1')} at ${at}`)
      return found
    }
  }
}

/** Searches all files of a folder. Returns each file with its matches. */
export const tracesIn = async (folder: string, traces: Traces): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found = await Promise.all(paths.map(async (path) => traces.in(await readFile(path)).map((line) => `${path}: ${line}`)))
  return found.flat()
}
