/** The attribute that marks HTML which this editor put on the clipboard next to its Markdown. */
export const ownCopy = 'data-agmd-copy'

/** Whether HTML on the clipboard comes from this editor. The plain text next to it is then Markdown. */
export const isOwnCopy = (html: string): boolean => ['div', 'span'].some((name) => html.includes(`<${name} ${ownCopy}`))

/** Whether HTML on the clipboard has cells from a table of this editor. The plain text next to it has their Markdown, separated by tabs. */
export const areOwnCells = (html: string): boolean => html.includes(`<table ${ownCopy}`)
