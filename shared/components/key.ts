/** Keys in the form that sessions of components use. */

export type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>

/** Shift may be held: it makes a letter a capital, and extends the selection with an arrow. */
export const isPlainKey = ({ ctrlKey, metaKey, altKey }: Key): boolean => !ctrlKey && !metaKey && !altKey
