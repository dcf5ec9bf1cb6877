/** Tells the live view when the page is connected to the service, so that it loads what could not be loaded before. */
import { Facet } from '@codemirror/state'

/** Calls a listener each time the page is connected. Returns a function that removes the listener. */
export type OnConnection = (listener: () => void) => () => void

export const onConnection = Facet.define<OnConnection, OnConnection>({
  combine: ([first]) => first ?? (() => () => undefined)
})
