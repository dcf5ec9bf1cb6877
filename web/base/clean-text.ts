/** Line ends as LF, without NUL or a byte-order mark at the start; a lone half of a surrogate pair becomes U+FFFD. */
export const cleanText = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '')
    .toWellFormed()
