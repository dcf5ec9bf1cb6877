/** Draws the keys of a command as key caps. */
import type { JSX } from 'preact'
import { keyNames } from './keys.ts'

/** Draws a shortcut as key caps. */
export const Keys = ({ keys }: { keys: string }): JSX.Element => (
  <span class='keys'>
    {keyNames(keys).map((name) => (
      <kbd key={name}>{name.length === 1 ? name.toUpperCase() : name}</kbd>
    ))}
  </span>
)
