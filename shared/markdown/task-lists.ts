/** Task list items: `- [ ]`, `- [x]` (GFM 5.3), and `- [>]`, which the board fence uses for "in progress". */
import type MarkdownIt from 'markdown-it'
import type { Token } from './tokens.ts'

const marker = /^\[([ xX>])\](?=\s)/
const labels: Readonly<Record<string, string>> = { ' ': 'To do', x: 'Done', '>': 'In progress' }

const boxOf = (state: string): string => {
  const checked = state === 'x' ? ' checked' : ''
  const mixed = state === '>' ? ' class="in-progress"' : ''
  return `<input type="checkbox" disabled${checked}${mixed} aria-label="${labels[state]}">`
}

const listOf = (tokens: readonly Token[], item: number): Token | undefined => {
  const level = tokens[item]?.level ?? 0
  return tokens.slice(0, item).findLast((token) => token.level === level - 1 && /^(bullet|ordered)_list_open$/.test(token.type))
}

export const taskLists = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push('task_lists', (state) => {
    const { tokens, Token } = state
    tokens.forEach((token, index) => {
      if (token.type !== 'list_item_open' || tokens[index + 1]?.type !== 'paragraph_open') return
      const inline = tokens[index + 2]
      const first = inline?.children?.[0]
      if (inline?.children == null || first?.type !== 'text') return
      const found = marker.exec(inline.content)
      if (found === null || !marker.test(first.content)) return
      first.content = first.content.slice(found[0].length)
      const box = new Token('task_box', '', 0)
      box.meta = (found[1] ?? ' ').toLowerCase()
      inline.children.unshift(box)
      token.attrJoin('class', 'task')
      const list = listOf(tokens, index)
      if (list !== undefined && list.attrGet('class') === null) list.attrSet('class', 'tasks')
    })
  })
  markdown.renderer.rules['task_box'] = (tokens, index) => boxOf(String(tokens[index]?.meta))
}
