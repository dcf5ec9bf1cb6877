/** Finds the file in a folder or archive to which a link leads. */
import { limits } from '../limits.ts'
import { type MediaType, mediaTypes } from '../media-types.ts'
import { baseNameOf, folderOf, joinPath, splitName } from './paths.ts'

interface Located {
  /** The path below the root of the folder or archive, with `/` between its parts. */
  readonly path: string
}

const folded = (text: string): string => text.normalize('NFC').toLowerCase()

const typesByExtension = new Map<string, MediaType>([
  ...mediaTypes.toReversed().map((type) => [type.extension, type] as const),
  ...(
    [
      ['jpeg', 'jpg'],
      ['m4v', 'mp4'],
      ['oga', 'ogg'],
      ['apng', 'png']
    ] as const
  ).map(([other, extension]) => [other, mediaTypes.find((type) => type.extension === extension) as MediaType] as const)
])

/** Returns the media type of a file, based on its extension; undefined if documents cannot have such files as assets. */
export const typeOfPath = (path: string): MediaType | undefined => typesByExtension.get(splitName(path)[1].slice(1).toLowerCase())

export const isMarkdown = (path: string): boolean => /\.(?:md|markdown)$/i.test(path)

export interface Files<File extends Located> {
  /** Returns the file at an address in the file `from`: relative to its folder, or to the root. The address has no fragment. */
  at(from: string, address: string): File | undefined
  /** Returns the file that a wikilink in the file `from` names. */
  named(from: string, name: string): File | undefined
}

const decoded = (address: string): string => {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}

/** Files to which a folder's address leads. */
const indexNames = ['index.md', 'README.md']

const add = <Value>(groups: Map<string, Value[]>, name: string, file: Value): void => {
  const group = groups.get(name)
  if (group === undefined) groups.set(name, [file])
  else group.push(file)
}

/** Returns the path within `uploads` of a picture that HedgeDoc, CodiMD or HackMD serves, for any host or none; undefined for other addresses. */
const uploadOf = (address: string): string | undefined => /^(?:https?:\/\/[^/]+)?\/_?uploads\/([^/?#]+)$/.exec(address)?.[1]
const uploadFolders = ['uploads', 'public/uploads', '_uploads']

const firstOf = <T>(paths: readonly string[], find: (path: string) => T | undefined): T | undefined => {
  for (const path of paths) {
    const found = find(path)
    if (found !== undefined) return found
  }
  return undefined
}

export const indexFiles = <File extends Located>(files: readonly File[]): Files<File> => {
  const exact = new Map(files.map((file) => [file.path, file]))
  const alike = new Map<string, File>()
  const byName = new Map<string, File[]>()
  // As in Obsidian, a name stands for the file with the shortest path.
  for (const file of files.toSorted((one, other) => one.path.length - other.path.length)) {
    const path = folded(file.path)
    if (!alike.has(path)) alike.set(path, file)
    const name = baseNameOf(path)
    add(byName, name, file)
    if (isMarkdown(name)) add(byName, splitName(name)[0], file)
  }
  const find = (path: string): File | undefined => exact.get(path) ?? alike.get(folded(path))
  const findAny = (path: string | undefined): File | undefined =>
    path === undefined
      ? undefined
      : firstOf([path, `${path}.md`, ...indexNames.map((name) => (path === '' ? name : `${path}/${name}`))], find)
  const findUpload = (address: string): File | undefined => {
    const name = uploadOf(address)
    return name === undefined ? undefined : firstOf(uploadFolders, (folder) => find(`${folder}/${name}`))
  }
  /** Returns the file whose path ends with a path that a wikilink names. */
  const findBelow = (path: string): File | undefined => {
    const candidates = byName.get(baseNameOf(path)) ?? []
    if (!path.includes('/')) return candidates[0]
    const endings = [`/${path}`, `/${path}.md`]
    return candidates.slice(0, limits.importAlikeMax).find((file) => endings.some((ending) => folded(file.path).endsWith(ending)))
  }

  return {
    at(from, address) {
      const isElsewhere = address === '' || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(address)
      if (isElsewhere) return findUpload(address)
      const path = decoded(address)
      return findAny(joinPath(folderOf(from), path)) ?? findUpload(path)
    },
    named(from, name) {
      const path = name.trim()
      if (path === '') return undefined
      return findAny(joinPath(folderOf(from), path)) ?? findAny(joinPath('', path)) ?? findBelow(folded(path))
    }
  }
}
