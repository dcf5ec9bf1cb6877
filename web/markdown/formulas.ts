/** The library that typesets formulas, in a separate chunk. */
export { default as formulaSetter } from 'temml'
