/** Formulas, in a chunk of their own. */
export { default as formulaSetter } from 'temml'
