/** The definition of a sheet function: its number of arguments and its code. */
import type { Step } from './criteria.ts'
import type { Value } from './values.ts'

export interface Surroundings {
  readonly step: Step
  /** The time for `TODAY`, in milliseconds since 1970. */
  readonly now: number
}

export interface Function {
  readonly least: number
  readonly most: number
  readonly of: (given: readonly Value[], surroundings: Surroundings) => Value
}

/** A lazy argument. It is evaluated only when the function asks for it. */
export type Later = () => Value

export interface LazyFunction {
  readonly least: number
  readonly most: number
  readonly ofLater: (given: readonly Later[]) => Value
}
