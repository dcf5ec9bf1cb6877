/** Defines a function of sheets: how many arguments it takes, and what it makes of them. */
import type { Step } from './criteria.ts'
import type { Value } from './values.ts'

export interface Surroundings {
  readonly step: Step
  /** Milliseconds since 1970, of `TODAY`. */
  readonly now: number
}

export interface Function {
  readonly least: number
  readonly most: number
  readonly of: (given: readonly Value[], surroundings: Surroundings) => Value
}

/** The function for one argument; the others are looked at only when it says so. */
export type Later = () => Value

export interface LazyFunction {
  readonly least: number
  readonly most: number
  readonly ofLater: (given: readonly Later[]) => Value
}
