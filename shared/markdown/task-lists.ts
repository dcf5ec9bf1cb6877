/** Task list items: `- [ ]` and `- [x]` (GFM 5.3), and `- [>]`, which the board fence uses for "in progress". */
import type MarkdownIt from 'markdown-it'
import type { Environment } from './environment.ts'
import type { Token } from './tokens.ts'

const marker = /^\[([ xX>])\](?=\s)/
const labels: Readonly<Record<string, string>> = { ' ': 'To do', x: 'Done', '>': 'In progress' }

interface Box {
  readonly state: string
  readonly letter: number | undefined
}

const boxOf = (state: string): string => {
  const checked = state === 'x' ? ' checked' : ''
  const mixed = state === '>' ? ' class="in-progress"' : ''
  return `<input type="checkbox" disabled${checked}${mixed} aria-label="${labels[state]}">`
}

/** Returns the start of each line in a source. */
const lineStarts = (source: string): readonly number[] => {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Returns the source offset of the letter between the brackets. The source line of the item ends with the first line of the paragraph's text. */
const letterOf = (source: string, starts: readonly number[], { map, content }: Token): number | undefined => {
  const line = map?.[0]
  if (line === undefined || starts[line] === undefined) return undefined
  const end = (starts[line + 1] ?? source.length + 1) - 1
  const written = source.slice(starts[line], end).trimEnd()
  const begins = content.split('\n', 1)[0]?.trimEnd() ?? ''
  return written.endsWith(begins) ? starts[line] + written.length - begins.length + 1 : undefined
}

export const taskLists = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('task_lists', (state) => {
    const { tokens, src } = state
    let starts: readonly number[] | undefined
    /** Open lists, innermost last. */
    const lists: Token[] = []
    tokens.forEach((token, index) => {
      if (/^(bullet|ordered)_list_open$/.test(token.type)) lists.push(token)
      else if (/^(bullet|ordered)_list_close$/.test(token.type)) lists.pop()
      if (token.type !== 'list_item_open' || tokens[index + 1]?.type !== 'paragraph_open') return
      const inline = tokens[index + 2]
      const first = inline?.children?.[0]
      if (inline?.children == null || first?.type !== 'text') return
      const found = marker.exec(inline.content)
      if (found === null || !marker.test(first.content)) return
      first.content = first.content.slice(found[0].length)
      const box = new state.Token('task_box', '', 0)
      starts ??= lineStarts(src)
      box.meta = { state: (found[1] ?? ' ').toLowerCase(), letter: letterOf(src, starts, inline) } satisfies Box
      inline.children.unshift(box)
      token.attrJoin('class', 'task')
      const list = lists.at(-1)
      if (list !== undefined && list.attrGet('class') === null) list.attrSet('class', 'tasks')
    })
  })
  markdown.renderer.rules['task_box'] = (tokens, index, _options, { tasks }: Partial<Environment>) => {
    const box = tokens[index]?.meta as Box | undefined
    tasks?.push(box?.letter)
    return boxOf(box?.state ?? ' ')
  }
}
