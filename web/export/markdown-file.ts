/**
 * Exports the document as Markdown. If the text refers to files of this service, such as pictures, the download is a zip archive with the text and
 * a folder of the files, and the links lead to that folder.
 */
import { zipSync } from 'fflate'
import { limits } from '../../shared/limits.ts'
import { linksIn, rewritten } from '../../shared/markdown/links-in-text.ts'
import { download, downloadMarkdown, fileName } from '../base/download.ts'
import type { Session } from '../session/session.ts'
import { tn } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'

/** Returns the path of one of the service's files. Undefined for any other address. */
function fileOf(address: string): string | undefined {
  const path = address.startsWith(`${location.origin}/`) ? address.slice(location.origin.length) : address
  return /^\/f\/[\w-]+\.\w+$/.test(path) ? path : undefined
}

/** Returns the path of a file in the archive. */
const placeOf = (path: string): string => `files/${path.slice('/f/'.length)}`

/** Loads a file. Undefined if it cannot be loaded or is too large. */
async function bytesOf(path: string, bytesMax: number): Promise<Uint8Array | undefined> {
  const stopping = new AbortController()
  try {
    const response = await fetch(path, { signal: stopping.signal })
    if (response.ok && Number(response.headers.get('content-length')) <= bytesMax) {
      const blob = await response.blob()
      return blob.size <= bytesMax ? new Uint8Array(await blob.arrayBuffer()) : undefined
    }
    // The rest of the file is not needed.
    stopping.abort()
    return undefined
  } catch {
    return undefined
  }
}

async function load(paths: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const loaded = new Map<string, Uint8Array>()
  let left: number = limits.archiveBytesMax
  for (const path of paths.slice(0, limits.archiveFilesMax)) {
    // One after another, so that the files together stay below the limit.
    const bytes = await bytesOf(path, left)
    if (bytes === undefined) continue
    left -= bytes.length
    loaded.set(path, bytes)
  }
  return loaded
}

/** Downloads the text, and the files of this service that it refers to. A link to a file that is left out becomes absolute. */
export const downloadText = async (session: Session): Promise<void> => {
  const text = session.text.toString()
  const links = linksIn(text, false).flatMap((link) => {
    const path = link.kind === 'address' ? fileOf(link.target) : undefined
    return path === undefined ? [] : [{ ...link, path }]
  })
  const paths = [...new Set(links.map(({ path }) => path))]
  const files = await load(paths)
  const missing = paths.length - files.size
  const moved = rewritten(
    text,
    links.map(({ from, to, path }) => ({ from, to, insert: files.has(path) ? placeOf(path) : location.origin + path }))
  )
  session.download((title) => {
    if (files.size === 0) return downloadMarkdown(title, moved)
    const name = fileName(title)
    const archive = zipSync({
      [`${name}.md`]: new TextEncoder().encode(moved),
      // Pictures, sound and video are already compressed.
      ...Object.fromEntries([...files].map(([path, bytes]) => [placeOf(path), [bytes, { level: 0 }] as const]))
    })
    download(`${name}.zip`, 'application/zip', archive)
  })
  if (missing > 0)
    toast(
      tn(
        missing,
        '{count} file is not in the download, because it could not be loaded or the download would be too large. Its link leads to this service.',
        '{count} files are not in the download, because they could not be loaded or the download would be too large. Their links lead to this service.'
      )
    )
}
