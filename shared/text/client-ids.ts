/**
 * Client ids of Yjs. When two clients insert text at one place at once, Yjs puts the text of the lower id first. The service has the highest ids:
 * text that it inserts where somebody is typing goes after theirs and splits no word.
 */

/** Ids are unsigned 32-bit numbers; of these the last 2²⁶ are the service's. */
const idsMax = 2 ** 32
const serviceFrom = idsMax - 2 ** 26

const between = (from: number, to: number): number => from + Math.floor(Math.random() * (to - from))

/** A client id for writes of the service. */
export const serviceClientId = (): number => between(serviceFrom, idsMax)

/** A client id for a page. */
export const pageClientId = (): number => between(1, serviceFrom)
