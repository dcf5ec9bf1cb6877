/** Paths of files in a folder or archive, with `/` between their parts. */

/** Splits a name into the part before the extension and the extension with its dot. */
export const splitName = (path: string): readonly [string, string] => {
  const dot = path.lastIndexOf('.')
  return dot > path.lastIndexOf('/') + 1 ? [path.slice(0, dot), path.slice(dot)] : [path, '']
}

/** Returns the parts of a path without `.` and with `..` applied. Returns undefined if the path leads out of the root. */
export const joinPath = (folder: string, path: string): string | undefined => {
  const parts: string[] = path.startsWith('/') ? [] : folder.split('/').filter((part) => part !== '')
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

export const baseNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
