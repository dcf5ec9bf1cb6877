/** Returns the nodes of suggested text. The live view draws its headings, list items, tasks and table rows instead of their markers (review.css). */

const line = /^(?:(?<heading>#{1,6})[ \t]+|(?<indent>[ \t]*)(?<marker>[-*+]|\d{1,9}[.)]) (?:\[(?<state>[ xX])\] )?)/
const row = /^\|.*\|$/

const element = (name: string, ...nodes: readonly (string | Node)[]): HTMLElement => {
  const made = document.createElement('span')
  made.className = name
  made.append(...nodes)
  return made
}

/** Whether text consists of table rows only, on lines of their own. */
export const areRows = (text: string): boolean =>
  text.startsWith('\n') &&
  text
    .slice(1)
    .split('\n')
    .every((each) => row.test(each))

function rowNodes(lead: string, text: string): Node {
  const cells = text.slice(1, -1).split(/(?<!\\)\|/)
  return element(
    'rm-row',
    ...cells.flatMap((cell, index) => [element('rm-mark', index === 0 ? `${lead}|` : '|'), element('rm-cell', cell)]),
    element('rm-mark', '|')
  )
}

function lineNodes(lead: string, text: string): (string | Node)[] {
  const { heading, indent = '', marker = '', state } = line.exec(text)?.groups ?? {}
  const start = line.exec(text)?.[0] ?? ''
  const words = text.slice(start.length)
  if (start === '') return [lead + text]
  if (heading !== undefined) return [lead, element(`rm-heading rm-h${heading.length}`, element('rm-mark', start), words)]
  const isNumber = /\d/.test(marker)
  const name = state === undefined ? (isNumber ? 'rm-number' : 'rm-bullet') : state === ' ' ? 'rm-box' : 'rm-box rm-checked'
  return [lead + indent, element(name, start.slice(indent.length)), words]
}

/** `beginsLine` is true if the text is at the beginning of a line. */
export function nodesOf(text: string, beginsLine: boolean): (string | Node)[] {
  const isTable = areRows(text)
  return text.split('\n').flatMap((each, index) => {
    const lead = index === 0 ? '' : '\n'
    if (index === 0 && !beginsLine) return [each]
    return isTable ? rowNodes(lead, each) : lineNodes(lead, each)
  })
}
