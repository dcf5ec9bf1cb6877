/**
 * The kinds of component. Each entry has everything that a kind needs apart from its grammar. For some kinds, described-change.ts describes edits and
 * tidy.ts tidies fences. The pages have a similar table (web/ui/component-kinds.ts).
 */
import { limits } from '../limits.ts'
import { chartTypes } from './chart.ts'
import type { Fence, FenceKind } from './fences.ts'
import { boardHtml, chartHtml, chatHtml, type ComponentContext, sheetHtml, widgetHtml } from './html.ts'

interface FenceParts {
  /** Renders the component for published pages and the reading view. */
  readonly html: (fence: Fence, context: ComponentContext) => string
  /** An example of a fence of this kind, for programs. */
  readonly example: string
  /** A line of Markdown that explains to programs how to read and write this kind. */
  readonly guide: string
}

export const fenceParts: Readonly<Record<FenceKind, FenceParts>> = {
  board: {
    html: boardHtml,
    example: `\`\`\`board #launch
## Todo
- [ ] Write importer @ana #backend
  Details are indented lines.
## Doing
- [>] Review
## Done
- [x] Name it
\`\`\``,
    guide: `\`[ ]\` open, \`[>]\` in progress, \`[x]\` done. To move a card, delete its lines and insert them elsewhere in one call.`
  },
  chat: {
    html: chatHtml,
    example: `\`\`\`chat
[2026-11-20T10:02Z] @ana: Can we ship, @bo?
[2026-11-20T10:05Z] @my-agent: Only the importer is missing.
  The other lines of a message are indented.
\`\`\``,
    guide: `one message is one line; the time is UTC, to the minute. \`@Name\` (spaces as \`-\`) in a new message creates a \`chat.mentioned\` event,
  and in a comment a \`comment.mentioned\` event.`
  },
  sheet: {
    html: sheetHtml,
    example: `\`\`\`sheet #budget
| Item | Qty | Price | Total  |
|------|----:|------:|-------:|
| Pens |  12 |   3.5 | =B2*C2 |
| All  |     |       | =SUM(D2:D2) |
\`\`\``,
    guide: `row 1 is the header; cells are A1, B1, …; \`#budget!D2\` is a cell of another sheet. The text stores formulas; read computed values
  with \`values\`. At most ${limits.sheetRowsMax} rows of ${limits.sheetColumnsMax} columns.`
  },
  chart: {
    html: chartHtml,
    example: `\`\`\`chart
type: bar
data: #budget
x: Item
y: Total
\`\`\``,
    guide: `\`type\` is ${chartTypes.map((type) => `\`${type}\``).join(', ')}. \`data: #id\` refers to a sheet, and \`#id!A1:B9\` to some of its cells. Without \`data\`, write CSV below an empty line.`
  },
  widget: {
    html: widgetHtml,
    example: `\`\`\`widget height=120 title="Dice"
<button onclick="o.value = 1 + Math.floor(Math.random() * 6)">Roll</button> <output id="o"></output>
\`\`\``,
    guide: `HTML in a frame without network or storage; it runs when a person starts it.`
  }
}

/** Returns the HTML of a component, without scripts. */
export const componentHtml = (fence: Fence, context: ComponentContext): string => fenceParts[fence.kind].html(fence, context)
