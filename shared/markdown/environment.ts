/** Values that the parts of the renderer share while one text is rendered. */

export interface Heading {
  /** 1–6. */
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
  /** Class of each set of declarations that formulas need. */
  readonly styles: Map<string, string>
}
