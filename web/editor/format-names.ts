/** The names of inline formats in the syntax and in the page's commands. */

/** For each marker, the node name of the spans that it creates. */
export const spanNames: ReadonlyMap<string, string> = new Map([
  ['**', 'StrongEmphasis'],
  ['*', 'Emphasis'],
  ['~~', 'Strikethrough'],
  ['==', 'Highlight'],
  ['`', 'InlineCode']
])

/** The command of each kind of span. */
export const commandIds: ReadonlyMap<string, string> = new Map([
  ['StrongEmphasis', 'bold'],
  ['Emphasis', 'italic'],
  ['Strikethrough', 'strikethrough'],
  ['Highlight', 'highlight'],
  ['InlineCode', 'code'],
  ['Link', 'link']
])
