/** A place in a sheet. */
export interface Place {
  readonly row: number
  readonly column: number
}
