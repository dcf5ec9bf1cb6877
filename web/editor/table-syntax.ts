/**
 * Tables as `@lezer/markdown` reads them, but the rows after the first few hundred are lines without an inside: a table is one block, read
 * again from its head at every key, and one of 20,000 rows would take half a second each time.
 */
import { Table, type LeafBlockParser, type MarkdownConfig } from '@lezer/markdown'

/** Rows of a table that have cells with text in them, as far as the colours of the source go. */
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
