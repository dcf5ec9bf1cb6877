/** Shows the keys of a command as key caps. */
import type { JSX } from 'preact'
import { keyNames } from './keys.ts'

/** A shortcut as keys. */
export const Keys = ({ keys }: { keys: string }): JSX.Element => (
  <span class='keys'>
    {keyNames(keys).map((name) => (
      <kbd key={name}>{name.length === 1 ? name.toUpperCase() : name}</kbd>
    ))}
  </span>
)
