/** The deletion that awaits the person's confirmation. The page needs this state before the dialog has loaded. */
import { signal } from '@preact/signals'

/** A document that the person owns. */
export interface Deletable {
  readonly id: string
  /** The key of an owner link, or '' if the account owns the document. */
  readonly key: string
  readonly title: string
}

/** The access that other people have to a document. */
export interface Others {
  /** Number of other links that have been used. */
  readonly links: number
  /** Name of the account that owns the document. Undefined if it is the person's own account. */
  readonly account: string | undefined
  readonly published: boolean
}

export interface Asked {
  readonly document: Deletable
  readonly others: Others
  readonly run: () => void
}

/** The deletion that awaits confirmation. */
export const asked = signal<Asked | undefined>(undefined)
