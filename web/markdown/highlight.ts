/** Syntax highlighting for common languages, the same as on published pages. A chunk of its own. */
export { default as highlighter } from 'highlight.js/lib/common'
