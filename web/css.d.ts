/** Styles that a module imports, and styles as text. */
declare module '*.css'
declare module '*.css?inline' {
  const rules: string
  export default rules
}

/** The address of a typeface. */
declare module '*.woff2?url' {
  const address: string
  export default address
}

/** The address of a worker that the build makes of a module. */
declare module '*?worker&url' {
  const address: string
  export default address
}
