/** Returns the title of the document at an address. Undefined for any other address. */
import { Facet } from '@codemirror/state'

export const titles = Facet.define<(address: string) => string | undefined, (address: string) => string | undefined>({
  combine: ([find]) => find ?? (() => undefined)
})
