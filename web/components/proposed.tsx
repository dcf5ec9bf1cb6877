/** Draws the words of a component that a suggestion replaces, and the words that it proposes instead. */
import type { ComponentChildren, JSX } from 'preact'

interface Input {
  /** The present words, or '' if the suggestion only adds some. */
  readonly old: ComponentChildren
  /** The proposed words, or '' if the suggestion only deletes some. */
  readonly young: ComponentChildren
}

export const Proposed = ({ old, young }: Input): JSX.Element => (
  <>
    {old !== '' && <del class='proposed-old'>{old}</del>} {young !== '' && <ins class='proposed'>{young}</ins>}
  </>
)
