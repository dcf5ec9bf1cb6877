/** The attribute that marks HTML which this editor put on the clipboard next to its Markdown. */
export const ownCopy = 'data-agmd-copy'

/** Whether HTML on the clipboard comes from this editor. The plain text next to it is then Markdown. */
export const isOwnCopy = (html: string): boolean => ['div', 'span'].some((name) => html.includes(`<${name} ${ownCopy}`))
