/**
 * The comment that precedes the text when a program requests the address of a document (server/http/first/for-programs.ts). It is not part of the
 * document, and programs must not send it back.
 */

/** The first line of the comment. */
export const headMark = '<!-- agmd: this comment is not part of the document.'

/** Maximum length of the whitespace before the comment, in UTF-16 units. */
const whiteMax = 100

/** Whether incoming text begins with this comment. */
export const beginsWithHead = (text: string): boolean =>
  text
    .slice(0, whiteMax + headMark.length)
    .trimStart()
    .startsWith(headMark)
