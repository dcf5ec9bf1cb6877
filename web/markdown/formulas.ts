/** Formulas. A chunk of its own. */
export { default as formulaSetter } from 'temml'
