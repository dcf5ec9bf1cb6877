/** The open question about a deletion: the state that a page needs before the dialog is loaded. */
import { signal } from '@preact/signals'

/** A document of one's own. */
export interface Deletable {
  readonly id: string
  /** Key of an owner link, '' for the account. */
  readonly key: string
  readonly title: string
}

/** The others who have access to a document. */
export interface Others {
  /** Other links that somebody has used. */
  readonly links: number
  /** Name of the account that owns it, unless that is one's own. */
  readonly account: string | undefined
  readonly published: boolean
}

export interface Asked {
  readonly document: Deletable
  readonly others: Others
  readonly run: () => void
}

/** The deletion that a person is asked about. */
export const asked = signal<Asked | undefined>(undefined)
