/** Values that the parts of the renderer share during one rendering. */

export interface Heading {
  /** Level of the heading, 1 to 6. */
  readonly level: number
  /** The title without markup. */
  readonly text: string
  readonly id: string
}

export interface Environment {
  readonly text: string
  readonly components: number[]
  readonly headings: Heading[]
  readonly tasks: (number | undefined)[]
  /** Maps each set of CSS declarations that formulas need to its class. */
  readonly styles: Map<string, string>
}
