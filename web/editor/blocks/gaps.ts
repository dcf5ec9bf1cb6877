/** The text between two blocks: no more than Markdown needs to read each as what it was. */
import type { Unit } from './units.ts'

const blank = '\n\n'
/** Parts what would be one list, or one block of code, without it (CommonMark 0.31.2, example 308). */
const parted = '\n\n<!-- -->\n\n'

const hasBlank = (gap: string): boolean => /\n[ \t>]*\n/.test(gap)

const isCloseAbove = new Set(['HorizontalRule', 'FencedCode'])
const isHeading = ({ name }: Unit): boolean => /^(?:ATX|Setext)Heading/.test(name)
/** Below these a heading or a fence needs no blank line. */
const isClosedByHeading = new Set(['Paragraph', 'ListItem', 'Blockquote'])

/** Whether two blocks that follow each other line by line are read as what they are. */
const mayTouch = (above: Unit, below: Unit): boolean =>
  isHeading(above) ||
  isCloseAbove.has(above.name) ||
  (isClosedByHeading.has(above.name) && (below.name.startsWith('ATXHeading') || below.name === 'FencedCode'))

export interface Neighbours {
  readonly above: Unit
  readonly below: Unit
  /** The text at this place before. */
  readonly gap: string
  /** One of both was brought here: as an item it becomes one of the list. */
  readonly isBrought: boolean
  /** Whether what stands below begins with a blank. */
  readonly isIndented: boolean
}

/** The gap between two blocks. */
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
