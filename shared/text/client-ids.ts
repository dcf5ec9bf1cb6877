/**
 * Yjs client ids. If two clients insert text at the same place at the same time, Yjs puts the text of the lower id first. The service has the highest
 * ids. Its text therefore comes after the text that somebody is typing there, and does not split a word.
 */

/** Client ids are unsigned 32-bit numbers. The last 2²⁶ are reserved for the service. */
const idsMax = 2 ** 32
const serviceFrom = idsMax - 2 ** 26

const between = (from: number, to: number): number => from + Math.floor(Math.random() * (to - from))

/** Returns a new client id for writes by the service. */
export const serviceClientId = (): number => between(serviceFrom, idsMax)

/** Returns a new client id for a page. */
export const pageClientId = (): number => between(1, serviceFrom)
