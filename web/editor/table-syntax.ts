/**
 * Tables as `@lezer/markdown` reads them, except that rows after the first few hundred are not parsed into cells. A table is one block that is parsed
 * again from its head at every key, and one of 20,000 rows would take half a second each time.
 */
import { Table, type LeafBlockParser, type MarkdownConfig } from '@lezer/markdown'

/** Rows of a table whose cells are parsed, and so get colours in the source. */
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
