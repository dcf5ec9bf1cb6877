/** The mark of HTML that this editor put on the clipboard beside its Markdown. */
export const ownCopy = 'data-agmd-copy'

/** Whether the plain text of a paste is Markdown that this editor copied. */
export const isOwnCopy = (html: string): boolean => ['div', 'span'].some((name) => html.includes(`<${name} ${ownCopy}`))
