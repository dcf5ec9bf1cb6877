/** Adds highlights, subscripts and superscripts to the syntax tree. It follows the rules of shared/markdown/marks.ts. */
import type { MarkdownConfig } from '@lezer/markdown'
import { tags } from '@lezer/highlight'
import { highlightEnd, shiftedAt } from '../../shared/markdown/marks.ts'

const names = { sub: 'Subscript', sup: 'Superscript' } as const

export const markSyntax: MarkdownConfig = {
  defineNodes: [
    'Highlight',
    'Subscript',
    'Superscript',
    { name: 'HighlightMark', style: tags.processingInstruction },
    { name: 'ShiftMark', style: tags.processingInstruction }
  ],
  parseInline: [
    {
      name: 'Highlight',
      before: 'Emphasis',
      parse(cx, _next, pos) {
        const end = highlightEnd(cx.text, pos - cx.offset, cx.text.length)
        if (end === undefined) return -1
        const [from, to] = [pos + 2, cx.offset + end]
        const inner = cx.parser.parseInline(cx.slice(from, to), from)
        return cx.addElement(
          cx.elt('Highlight', pos, to + 2, [cx.elt('HighlightMark', pos, from), ...inner, cx.elt('HighlightMark', to, to + 2)])
        )
      }
    },
    {
      name: 'Shifted',
      before: 'Emphasis',
      parse(cx, _next, pos) {
        const found = shiftedAt(cx.text, pos - cx.offset)
        if (found === undefined) return -1
        const to = cx.offset + found.end
        return cx.addElement(cx.elt(names[found.tag], pos, to + 1, [cx.elt('ShiftMark', pos, pos + 1), cx.elt('ShiftMark', to, to + 1)]))
      }
    }
  ]
}
