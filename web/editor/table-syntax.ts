/**
 * Parses tables like `@lezer/markdown`, but divides only the first rows of a table into cells. A table is one block that is parsed again from its
 * head on every key press, and a table of 20,000 rows would take half a second each time.
 */
import { Table, type LeafBlockParser, type MarkdownConfig } from '@lezer/markdown'

/** Number of rows whose cells are parsed. Only these rows are colored in the source. */
const rowsMax = 400

const [inherited] = Table.parseBlock ?? []

function briefly(parser: LeafBlockParser): LeafBlockParser {
  let lines = 0
  return {
    nextLine: (cx, line, leaf) => ++lines <= rowsMax && parser.nextLine(cx, line, leaf),
    finish: (cx, leaf) => parser.finish(cx, leaf)
  }
}

export const tableSyntax: MarkdownConfig = {
  ...Table,
  parseBlock: [
    {
      name: 'Table',
      ...inherited,
      leaf(cx, leaf) {
        const parser = inherited?.leaf?.(cx, leaf)
        return parser == null ? null : briefly(parser)
      }
    }
  ]
}
