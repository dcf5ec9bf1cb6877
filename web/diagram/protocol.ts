/** The messages between a page and the frame that draws diagrams; they exchange nothing else. */

/** Longest source that is drawn, in characters. */
export const sourceCharsMax = 50 * 1024

/** Colours as CSS values. */
export interface Look {
  readonly dark: boolean
  readonly background: string
  readonly fill: string
  readonly text: string
  readonly muted: string
  readonly border: string
  readonly accent: string
  /** The colours of slices, branches and columns, in the order of use. */
  readonly series: readonly string[]
}

/** From the page. */
export interface Order {
  readonly id: number
  readonly source: string
  readonly look: Look
}

export interface Drawn {
  /** A whole SVG document. */
  readonly svg: string
  /** CSS pixels. */
  readonly width: number
  readonly height: number
  /** A description, from its own title or kind. */
  readonly title: string
}

export interface NotDrawn {
  readonly error: string
  /** Counted from 1. */
  readonly line?: number
}

/** From the frame; `ready` once, before anything else. */
export type Reply = { readonly id: number; readonly result: Drawn | NotDrawn } | { readonly ready: true }
