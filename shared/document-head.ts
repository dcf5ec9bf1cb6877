/**
 * The comment before the text that a program gets at the address of a document (server/http/first/for-programs.ts). It is not part of the document and must
 * not be sent back.
 */

/** The line with which the head begins. */
export const headMark = '<!-- agmd: this comment is not part of the document.'

/** The most white space before the head, in characters. */
const whiteMax = 100

/** Whether an incoming text begins with that comment. */
export const beginsWithHead = (text: string): boolean =>
  text
    .slice(0, whiteMax + headMark.length)
    .trimStart()
    .startsWith(headMark)
