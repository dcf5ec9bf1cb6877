/** A key press in the form that component sessions use. */

export type Key = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>

/** Whether no modifier key other than Shift is held. Shift only makes letters uppercase, and extends the selection with arrow keys. */
export const isPlainKey = ({ ctrlKey, metaKey, altKey }: Key): boolean => !ctrlKey && !metaKey && !altKey
