/** Returns the words of Markdown as a person would read them aloud, without marks and addresses. */
import { markdownParser } from '../editor/language.ts'

/** Names of the syntax nodes that are not read aloud. */
const silent = /Mark$|^(CodeInfo|LinkTitle|LinkLabel|TaskMarker|TableDelimiter|HorizontalRule|Comment|CommentBlock|HTMLTag)$/

export function spokenWords(markdown: string): string {
  let words = ''
  let end = 0
  const skip = (from: number, to: number): void => {
    words += markdown.slice(end, Math.max(from, end))
    end = Math.max(end, to)
  }
  markdownParser.parse(markdown).iterate({
    enter({ name, from, to, node }) {
      // Only the backslash is skipped. The escaped character is read aloud.
      if (name === 'Escape') skip(from, from + 1)
      else if (silent.test(name) || (name === 'URL' && /^(Link|Image|LinkReference)$/.test(node.parent?.name ?? ''))) skip(from, to)
    }
  })
  skip(markdown.length, markdown.length)
  return words
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/[ \n]+/g, (space) => (space.includes('\n') ? space.replaceAll(' ', '') : space))
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
