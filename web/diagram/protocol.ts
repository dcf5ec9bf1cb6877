/** Defines the messages between a page and the frame that draws diagrams. The two exchange nothing else. */

/** Longest source that the frame draws, in UTF-16 units. */
export const sourceUnitsMax = 50 * 1024

/** The colors of a diagram, as CSS values. */
export interface DiagramColors {
  readonly dark: boolean
  readonly background: string
  readonly fill: string
  readonly text: string
  readonly muted: string
  readonly border: string
  readonly accent: string
  /** Colors of slices, branches and columns, in the order in which they are used. */
  readonly series: readonly string[]
}

/** A message from the page: draw this source. */
export interface Order {
  readonly id: number
  readonly source: string
  readonly look: DiagramColors
}

export interface Drawn {
  /** A complete SVG document. */
  readonly svg: string
  /** Width of the drawing, in CSS pixels. */
  readonly width: number
  readonly height: number
  /** Description of the diagram: its title, or else its kind. */
  readonly title: string
}

export interface NotDrawn {
  readonly error: string
  /** Line of the error, counted from 1. */
  readonly line?: number
  /** Whether code for this kind of diagram could not be loaded. The frame does not load it again. */
  readonly isUnloaded?: boolean
}

/** A message from the frame. The frame sends `ready` once, before all other messages. */
export type Reply = { readonly id: number; readonly result: Drawn | NotDrawn } | { readonly ready: true }
