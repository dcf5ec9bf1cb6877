/** Ids, secrets and tokens: their shapes, and how they are told apart. */
import { afterFrontMatter } from './text/front-matter.ts'
import { atxOf, withoutFootnotes, withoutTargets } from './text/scan.ts'

/** Document ids: URL-safe, 12–22 characters (api.md, Documents). */
export const documentIdPattern = /^[A-Za-z0-9_-]{12,22}$/

/** Share keys: 24 random bytes in base64url. */
export const shareKeyPattern = /^[A-Za-z0-9_-]{32}$/

/** A path that names a link by its secret (`DELETE …/shares/{secret}`), with the secret hidden: for logs and answers. */
export const hideShareSecret = (path: string): string => path.replace(/(\/shares\/)[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g, '$1[redacted]')

export const isDocumentId = (text: string): boolean => documentIdPattern.test(text)

/** A name as it is kept and shown: one line, no characters that control text or its direction, at most `charsMax` UTF-16 units; '' when nothing is left. */
export const plainName = (text: string, charsMax: number): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, charsMax)
    .toWellFormed()

/** Name of the only root of a live document (api.md, Live protocol). */
export const textRootName = 'content'

/** Path of the WebSocket endpoint. */
export const collabPath = '/collab'

/** How far into a text its first heading is looked for, in UTF-16 units and in lines. */
export const headingUnitsMax = 20_000
const headingLinesMax = 200

/** A heading as it reads: links by their text, without the marks of emphasis and code. What is nothing but marks stays. */
export const plainHeading = (heading: string): string =>
  withoutTargets(withoutFootnotes(heading))
    // What is escaped stands for itself.
    .replace(/\\([!-/:-@[-`{-~])|\*\*|__|~~|`|\*/g, '$1')
    .trim() || heading

/** The first heading of a Markdown text, outside code and without marks, or undefined; only its beginning is looked at. */
export const firstHeading = (content: string): string | undefined => {
  let fence: string | undefined
  const lines = content.slice(0, headingUnitsMax).split('\n', headingLinesMax)
  for (const line of lines.slice(afterFrontMatter(lines))) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark.slice(0, 3) : mark.startsWith(fence) ? undefined : fence
    if (fence !== undefined) continue
    const title = atxOf(line)?.title ?? ''
    if (title !== '') return plainHeading(title)
  }
  return undefined
}
