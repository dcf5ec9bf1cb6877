/**
 * The comment before the text that a program gets at the address of a document (server/http/first/head.ts): no part of the document, and
 * never to be sent back.
 */

/** The line that it begins with. */
export const headMark = '<!-- agmd: this comment is not part of the document.'

/** How much of a text may be white before it. */
const whiteMax = 100

/** Whether a text on its way in begins with that comment. */
export const beginsWithHead = (text: string): boolean =>
  text
    .slice(0, whiteMax + headMark.length)
    .trimStart()
    .startsWith(headMark)
