/** Returns the link to the document at a pasted address. The title can be empty. Undefined for the address of anything else. */
import { Facet } from '@codemirror/state'
import type { LinkTarget } from '../completions.ts'

type Find = (address: string) => LinkTarget | undefined

export const knownDocuments = Facet.define<Find, Find>({ combine: ([find]) => find ?? (() => undefined) })
