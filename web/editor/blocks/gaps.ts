/** Computes the text between two blocks. It is the shortest text with which each block is parsed as before. */
import type { Unit } from './units.ts'

const blank = '\n\n'
/** Separates two blocks that Markdown would otherwise join into one list or one code block (CommonMark 0.31.2, example 308). */
const parted = '\n\n<!-- -->\n\n'

const hasBlank = (gap: string): boolean => /\n[ \t>]*\n/.test(gap)

const isCloseAbove = new Set(['HorizontalRule', 'FencedCode'])
const isHeading = ({ name }: Unit): boolean => /^(?:ATX|Setext)Heading/.test(name)
/** A heading or a fence needs no blank line below a block of one of these kinds. */
const isClosedByHeading = new Set(['Paragraph', 'ListItem', 'Blockquote'])

/** Whether two blocks are parsed correctly without a blank line between them. */
const mayTouch = (above: Unit, below: Unit): boolean =>
  isHeading(above) ||
  isCloseAbove.has(above.name) ||
  (isClosedByHeading.has(above.name) && (below.name.startsWith('ATXHeading') || below.name === 'FencedCode'))

export interface Neighbours {
  readonly above: Unit
  readonly below: Unit
  /** The text between the blocks before the change. */
  readonly gap: string
  /** Whether one of the two blocks was moved here. A moved item joins the list. */
  readonly isBrought: boolean
  /** Whether the block below begins with whitespace. */
  readonly isIndented: boolean
}

/** Returns the text to put between two blocks. */
export function gapOf({ above, below, gap, isBrought, isIndented }: Neighbours): string {
  const [one, other] = [above.item, below.item]
  if (one !== undefined && other !== undefined && one.sign === other.sign) {
    if (one.list !== other.list && !isBrought) return parted
    return one.loose || other.loose ? (hasBlank(gap) ? gap : blank) : '\n'
  }
  const joins = (one !== undefined && isIndented && other === undefined) || (above.name === 'CodeBlock' && below.name === 'CodeBlock')
  if (joins) return parted
  return hasBlank(gap) || (gap !== '' && mayTouch(above, below)) ? gap : blank
}
