/** A style sheet that a module imports, either to apply it or as text. */
declare module '*.css'
declare module '*.css?inline' {
  const rules: string
  export default rules
}

/** The URL of a typeface. */
declare module '*.woff2?url' {
  const address: string
  export default address
}

/** The URL of a worker that the build creates from a module. */
declare module '*?worker&url' {
  const address: string
  export default address
}
