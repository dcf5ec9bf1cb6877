/** Styles that a module brings along, and styles as a text. */
declare module '*.css'
declare module '*.css?inline' {
  const rules: string
  export default rules
}
