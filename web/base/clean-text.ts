/** Returns text with LF line endings, without NUL characters and without a byte-order mark at the start. An unpaired surrogate becomes U+FFFD. */
export const cleanText = (text: string): string =>
  text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .replaceAll('\0', '')
    .toWellFormed()
