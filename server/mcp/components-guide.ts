/** What programs are told of the live components (boards, chats, sheets, charts, widgets): for them, they are text. */
import { limits } from '../../shared/limits.ts'
import { chartTypes } from '../../shared/fences/chart.ts'

export const componentsGuide = `Fenced blocks that people work with by hand; for you they are text. Change the lines that you mean by edits, never the
whole block: others are in it.

\`\`\`\`markdown
\`\`\`board #launch
## Todo
- [ ] Write importer @ana #backend
  Details are indented lines.
## Doing
- [>] Review
## Done
- [x] Name it
\`\`\`

\`\`\`chat
[2026-11-20T10:02Z] @ana: Can we ship, @bo?
[2026-11-20T10:05Z] @my-agent: The importer is left.
  Further lines of a message are indented.
\`\`\`

\`\`\`sheet #budget
| Item | Qty | Price | Total  |
|------|----:|------:|-------:|
| Pens |  12 |   3.5 | =B2*C2 |
| All  |     |       | =SUM(D2:D2) |
\`\`\`

\`\`\`chart
type: bar
data: #budget
x: Item
y: Total
\`\`\`

\`\`\`widget height=120 title="Dice"
<button onclick="o.value = 1 + Math.floor(Math.random() * 6)">Roll</button> <output id="o"></output>
\`\`\`
\`\`\`\`

- **board**: \`[ ]\` open, \`[>]\` in progress, \`[x]\` done. To move a card delete its lines and insert them elsewhere, in one call.
- **chat**: one message is one line, the time in UTC to the minute. \`@Name\` (spaces as \`-\`) in a new one raises \`chat.mentioned\`,
  in a comment \`comment.mentioned\`.
- **sheet**: row 1 is the heading; cells are A1, B1, …; \`#budget!D2\` is one of another sheet. Formulas are stored, values computed: read them
  with \`values\`. At most ${limits.sheetRowsMax} rows of ${limits.sheetColumnsMax} columns.
- **chart**: \`type\` is ${chartTypes.map((type) => `\`${type}\``).join(', ')}. \`data: #id\` is a sheet, \`#id!A1:B9\` some of its cells; else CSV stands below an empty line.
- **widget**: HTML in a frame without network or storage; it runs when a person starts it.`
