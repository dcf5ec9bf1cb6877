/** The open question about a deletion: the state that a page needs before the dialog is loaded. */
import { signal } from '@preact/signals'

/** A document that the person owns. */
export interface Deletable {
  readonly id: string
  /** Key of an owner link, '' for the account. */
  readonly key: string
  readonly title: string
}

/** Other people's access to a document. */
export interface Others {
  /** The number of other links that have been used. */
  readonly links: number
  /** Name of the owning account, unless it is the person's own. */
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
