/** Syntax highlighting for common languages, as on published pages. It is a separate chunk. */
export { default as highlighter } from 'highlight.js/lib/common'
