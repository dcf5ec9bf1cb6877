/** Keys as sessions of components see them. */

export type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>

/** Shift may be held: it makes a capital of a letter, and selects more with an arrow. */
export const isPlainKey = ({ ctrlKey, metaKey, altKey }: Key): boolean => !ctrlKey && !metaKey && !altKey
