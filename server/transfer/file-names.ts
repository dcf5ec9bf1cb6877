/** Names exported files so that the names are valid on Linux, macOS and Windows, and stay unique on file systems that ignore case. */
import { folderOf, splitName } from '../../shared/files/paths.ts'

/** Longest part of a path, in bytes of UTF-8. File systems allow 255 bytes; a number and an extension can follow. */
const partBytesMax = 180

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

const shortened = (text: string): string => {
  let short = text
  while (Buffer.byteLength(short) > partBytesMax)
    short = short.slice(0, -Math.max(1, Math.ceil((short.length - partBytesMax) / 2))).toWellFormed()
  return short
}

/** Windows removes dots and spaces at the end of a name. */
const withoutEnd = (name: string): string => {
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return name.slice(0, end)
}

const invalid = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]/u

/** Replaces characters that are not valid in names on some system. */
const plain = (text: string): string =>
  invalid.test(text) ? text.replaceAll(/[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, ' ').replaceAll(/ {2,}/g, ' ') : text

/** Returns a valid name for a file or folder that resembles the text. A valid name is returned unchanged. */
export const fileNameOf = (text: string): string => {
  const name = withoutEnd(shortened(plain(text.toWellFormed()).trim()).replace(/^\.+/, '')).trim()
  if (name === '') return 'Untitled'
  return reserved.test(name) ? `${name}_` : name
}

const folded = (path: string): string => path.normalize('NFC').toLowerCase()

/**
 * Returns a function that makes paths unique. It adds a number before the extension if it has already returned the same path, or one that differs only
 * by case or Unicode normalization.
 */
export const uniquePaths = (): ((path: string) => string) => {
  const taken = new Set<string>()
  const next = new Map<string, number>()
  return (path) => {
    const [stem, extension] = splitName(path)
    let unique = path
    let number = next.get(folded(path)) ?? 2
    while (taken.has(folded(unique))) unique = `${stem} (${number++})${extension}`
    next.set(folded(path), number)
    taken.add(folded(unique))
    return unique
  }
}

/** Returns the address of a file relative to another file, percent-encoded where Markdown needs it. */
export const relativeAddress = (from: string, to: string): string => {
  const [here, there] = [folderOf(from).split('/'), to.split('/')]
  let common = 0
  while (common < here.length && common < there.length - 1 && here[common] === there[common]) common++
  const up = from.includes('/') ? here.slice(common).map(() => '..') : []
  return [...up, ...there.slice(common)].map((part) => (part === '..' ? part : encodePart(part))).join('/')
}

const encodePart = (part: string): string =>
  part.replaceAll(/[%\s()<>[\]\\#?&"'`*_]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
